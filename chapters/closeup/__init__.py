"""What the chapter *closeup* alone computes."""
