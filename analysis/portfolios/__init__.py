"""Portfolios of configs: learned on some datasets, judged on others."""

from analysis.portfolios.anytime import evaluate_portfolio, trained_configs
from analysis.portfolios.composition import family_shares
from analysis.portfolios.opening import in_memory, open_records
from analysis.portfolios.records import Predictions, TaskRecord
from analysis.portfolios.select import PROCEDURES, Portfolio, fill_missing, select_portfolio
from analysis.portfolios.similar import similar_weights
from analysis.portfolios.study import LeftOut, leave_one_out

__all__ = [
           "PROCEDURES",
           "LeftOut",
           "Portfolio",
           "Predictions",
           "TaskRecord",
           "evaluate_portfolio",
           "family_shares",
           "fill_missing",
           "in_memory",
           "leave_one_out",
           "open_records",
           "select_portfolio",
           "similar_weights",
           "trained_configs",
]
