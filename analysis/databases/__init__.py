"""Databases of learning curves, each opened as the same container."""
