"""What the chapter *leakage* alone computes."""
