"""What the chapter *missed* alone computes."""
