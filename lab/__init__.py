"""What several chapters, or the maintainers' targets, compute with, and no reader imports."""
