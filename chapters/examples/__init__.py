"""What the chapter *examples* alone computes: the scripts of ``examples/``, run."""
