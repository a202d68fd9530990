"""What others published and is fetched: files over HTTP, of LCDB 1.1 and of TabRepo."""
