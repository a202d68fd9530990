"""What the chapter *how_many_rows* alone computes."""
