"""What the paper missed: each of our findings as numbers and a figure."""
