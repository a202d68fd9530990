"""What the chapter *cc18* alone computes."""
