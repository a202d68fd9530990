"""What the project ships in ``data/``: what it consists of, gathered and written by a command."""
