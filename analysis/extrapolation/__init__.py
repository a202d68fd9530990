"""Extrapolators: from the first part of curves to quantiles of the error at larger sizes."""

from analysis.extrapolation.compact import predict_compact
from analysis.extrapolation.predict import LEVELS, RECOMMENDED, predict, predict_seen
from analysis.extrapolation.registry import EXTRAPOLATORS
from analysis.extrapolation.seen import Seen, see_curves

__all__ = ["EXTRAPOLATORS", "LEVELS", "RECOMMENDED", "Seen", "predict",
           "predict_compact", "predict_seen", "see_curves"]
