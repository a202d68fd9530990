"""What the chapter *beyond* alone computes."""
