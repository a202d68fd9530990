"""What the chapter *da1* alone computes."""
