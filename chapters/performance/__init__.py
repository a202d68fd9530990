"""What the chapter *performance* alone computes."""
