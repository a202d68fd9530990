"""What the chapter *suite_worth* alone computes."""
