"""What the chapter *gathering* alone computes."""
