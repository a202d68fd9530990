"""``make order``: what the order of a table of results is worth, and whether a rerun differs."""
