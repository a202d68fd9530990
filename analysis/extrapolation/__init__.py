"""Fits and extrapolations of curves, and what ill-behaviour costs them (DA3)."""
