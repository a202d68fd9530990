"""What the chapter *da2* alone computes."""
