"""What the chapter *intro* alone computes."""
