"""What an order is worth: the simulation behind the intervals, and the atlas of studies."""
