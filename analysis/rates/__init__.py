"""How many curves have which shape (DA1)."""
