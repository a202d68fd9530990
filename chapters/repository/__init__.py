"""What the chapter *repository* alone computes."""
