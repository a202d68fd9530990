"""``make report``: how much more data a table needs, or one that is planned."""
