"""What the project ships in ``data/``, gathered and written: hours, and kept."""
