"""Mixed against plain naive Bayes, anchor by anchor (Appendix C, Figure 9)."""

import pandas as pd
import xarray as xr

from analysis.databases.counted import MIXED
from analysis.statistics.bootstrap import mean_interval
from analysis.statistics.headlines import LEAST
from analysis.statistics.summary import TIE
from chapters.performance.performance import win_tie_loss

#: Each mixed learner and the plain one that it changes.
PLAIN = {name: name.removeprefix("Mix") for name in MIXED}
COLUMNS = ["database", "learner", "scaling", "n_datasets", "n_points", "win", "tie", "loss",
           "datasets_tied", "difference", "low", "high"]


def mixed_against_plain(mean: xr.DataArray, database: str) -> pd.DataFrame:
    """Compare every mixed naive Bayes learner with its plain counterpart (Figure 9).

    Parameters
    ----------
    mean : xarray.DataArray, dims (dataset, learner, scaling, anchor)
        Mean validation error rates.
    database : str
        Written into the column of that name.

    Returns
    -------
    pandas.DataFrame
        Per mixed ``learner`` and ``scaling``: ``n_points``, the anchors of all datasets at which
        both have a value; ``win``, ``tie``, ``loss`` of the mixed one, in percent of them;
        ``datasets_tied`` of ``n_datasets``, those with a tie at every anchor; ``difference``, mixed
        minus plain where they are not all tied, the mean over those datasets' means, with its
        95 % interval ``low`` to ``high``, in points of error rate (NaN where all tie, the interval
        also where fewer than five do not). No rows
        where the database has no mixed learner.
    """
    there = set(mean["learner"].values.tolist())
    rows = []
    for mixed, plain in PLAIN.items():
        if {mixed, plain} <= there:
            difference = mean.sel(learner=mixed) - mean.sel(learner=plain)
            rows += [{"database": database, "learner": mixed, "scaling": scaling}
                     | _contest(difference.sel(scaling=scaling))
                     for scaling in mean["scaling"].values.tolist()]
    table = pd.DataFrame(rows, columns=COLUMNS)
    table = table[table["n_points"] > 0].reset_index(drop=True)
    return table.astype({"n_datasets": int, "datasets_tied": int})


def _contest(difference: xr.DataArray) -> dict:
    """Summarise differences over dataset and anchor."""
    known = difference.notnull()
    n_points = int(known.sum())
    if not n_points:
        return {"n_points": 0}
    shares = [100 * n / n_points for n in win_tie_loss(difference.values[known.values])]
    per_dataset = (100 * difference.mean("anchor")).where(
        (abs(difference) > TIE).any("anchor")).dropna("dataset").to_series()
    low, high = (mean_interval(per_dataset, per_dataset.index.to_series())
                 if len(per_dataset) >= LEAST else (float("nan"),) * 2)
    n_datasets = int(known.any("anchor").sum())
    return dict(zip(("win", "tie", "loss"), shares, strict=True)) | {
        "n_points": n_points, "n_datasets": n_datasets,
        "datasets_tied": n_datasets - len(per_dataset),
        "difference": per_dataset.mean(), "low": low, "high": high}
