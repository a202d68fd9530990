"""What the chapter *suites* alone computes."""
