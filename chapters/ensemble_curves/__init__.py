"""What the chapter *ensemble_curves* alone computes."""
