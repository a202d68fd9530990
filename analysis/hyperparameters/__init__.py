"""Hyperparameters of configs: as numbers, and how much of the error each one decides."""

from analysis.hyperparameters.fanova import importance, importances
from analysis.hyperparameters.numbers import as_numbers
from analysis.hyperparameters.tasks import task_importances

__all__ = ["as_numbers", "importance", "importances", "task_importances"]
