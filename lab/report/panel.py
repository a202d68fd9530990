"""The page's forecaster on the trial's sources that took no part in training or widening it."""

import pandas as pd

from analysis.statistics.summary import summarise
from analysis.trial.scoring import open_forecasts, score
from analysis.trial.tasks import open_trial

OUTSIDE = {"neural_scaling": "neural scaling", "medical_images": "medical images",
           "language_models": "language models", "boosting_by_size": "boosting by size",
           "large_classes": "large tables, classes", "large_numbers": "large tables, numbers",
           "lcdb11-anew": "gathered anew"}


def judge_panel() -> pd.DataFrame:
    """Return how its forecasts did, at all multiples that were asked for.

    Returns
    -------
    pandas.DataFrame
        By ``collection``: ``n_families, n``; ``covered90`` with its 95 % interval over families
        (``low, high``; NaN of one).
    """
    forecasts = open_forecasts()
    found = score(forecasts[forecasts["rival"] == "small networks"], open_trial())
    rows = []
    for source, words in OUTSIDE.items():
        held = found[found["source"] == source]
        covered = summarise(held["inside"].astype(float), held["family"])
        rows.append({"collection": words, "n_families": covered.n, "n": len(held),
                     "covered90": covered.value, "low": covered.low, "high": covered.high})
    return pd.DataFrame(rows)


KEPT = {"panel_backtest": judge_panel}
