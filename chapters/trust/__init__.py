"""What the chapter *trust* alone computes."""
