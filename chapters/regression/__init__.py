"""What the chapter *regression* alone computes."""
