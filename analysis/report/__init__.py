"""How much more data does one's own table need: a report that people read."""
