"""Fitting curve models to learning curves, thousands at a time."""

from analysis.fitting.batch import FitStatus
from analysis.fitting.curves import fit_curves

__all__ = ["FitStatus", "fit_curves"]
