"""What the chapter *how_much_more* alone computes."""
