"""Parametric models of learning curves: one registry."""

from analysis.models.registry import MODELS, PARAMETERS, CurveModel, curve_models

__all__ = ["MODELS", "PARAMETERS", "CurveModel", "curve_models"]
