"""Portfolios of configs: learned on some datasets, judged on others."""

from analysis.portfolios.matrix import ErrorMatrix, compare_sizes, left_out_orders, open_matrix
from analysis.portfolios.opening import Predictions, TaskRecord, in_memory, open_records
from analysis.portfolios.select import PROCEDURES, Portfolio, select_portfolio, similar_weights
from analysis.portfolios.study import (
    LeftOut,
    evaluate_portfolio,
    leave_one_out,
    trained_configs,
)

__all__ = ["PROCEDURES", "ErrorMatrix", "LeftOut", "Portfolio", "Predictions", "TaskRecord",
           "compare_sizes", "evaluate_portfolio", "in_memory", "leave_one_out", "left_out_orders",
           "open_matrix", "open_records", "select_portfolio", "similar_weights",
           "trained_configs"]
