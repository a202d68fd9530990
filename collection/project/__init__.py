"""What every part stands on: where files lie, which libraries there are, names, parameters."""
