"""What the chapter *portfolios* alone computes."""
