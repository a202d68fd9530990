"""What the chapter *small_data* alone computes."""
