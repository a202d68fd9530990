"""What the chapter *shapes* alone computes."""
