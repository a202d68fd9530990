"""A reader's own table: read it, say what of it is used, and gather curves within a time budget."""
