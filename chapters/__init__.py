"""What one chapter alone computes: its tables, its figures, its facts."""
