"""What the project ships in ``data/``: what it consists of, and its columns."""
