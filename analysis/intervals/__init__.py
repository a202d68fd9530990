"""Uncertainty: the bootstrap over datasets, spread over repeats, ranks, ties."""
