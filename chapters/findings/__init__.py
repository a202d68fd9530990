"""What the chapter *findings* alone computes; the first page shows six of its numbers."""
