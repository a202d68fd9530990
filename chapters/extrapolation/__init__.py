"""What the chapter *extrapolation* alone computes."""
