"""Ensembles of configs from their stored predictions: selected, weighted, measured."""

from analysis.ensembles import greedy, weighted  # noqa: F401 - ensemblers
from analysis.ensembles.greedy import PROCEDURES, select_ensemble
from analysis.ensembles.inputs import BudgetError, PredictionError, affordable, check_inputs
from analysis.ensembles.metrics import METRICS, measure_errors
from analysis.ensembles.registry import ENSEMBLERS, Ensemble, combine, fit_ensemble

__all__ = ["ENSEMBLERS", "METRICS", "PROCEDURES", "BudgetError", "Ensemble", "PredictionError",
           "affordable", "check_inputs", "combine", "fit_ensemble", "measure_errors",
           "select_ensemble"]
