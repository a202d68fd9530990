"""What the chapter *da3* alone computes."""
