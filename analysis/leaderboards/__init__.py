"""Methods compared over tasks: leaderboards, orders with their worth, Elo, normalised places."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={
    "board": ["leaderboard", "rate_wins"],
    "cells": ["MISSING"],
    "measures": ["MEASURES", "normalize_among", "place_among"],
    "ordering": ["Order", "order"],
    "tables": ["load_results", "shipped_studies"]})
