"""What the chapter *da4* alone computes."""
