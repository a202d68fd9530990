"""What the chapter *when_methods_differ* alone computes."""
