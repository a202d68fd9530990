"""Shapes under the lens: simulated curves, noise, causes, rates, phase transitions."""
