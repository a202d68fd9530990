"""The report's backtest, kept: it takes a minute, and `mini` took no part in training."""

import pandas as pd

from analysis.databases.chosen import validation_errors
from analysis.report.backtest import backtest, backtest_summary
from collection.own_table.gather import HANDFUL


def mini_backtest() -> pd.DataFrame:
    """Return `backtest_summary` of the report's learners on every dataset of mini, unscaled."""
    errors = validation_errors("mini").sel(scaling="none", drop=True)
    return backtest_summary(backtest(errors.sel(learner=list(HANDFUL)).load()))


KEPT = {"report_backtest": mini_backtest}
