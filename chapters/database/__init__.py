"""What the chapter *database* alone computes."""
