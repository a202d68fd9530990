"""What the chapter *explorer* alone computes."""
