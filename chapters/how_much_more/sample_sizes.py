"""Which criterion asks for enough rows? The published ones, held against curves of least squares.

Each is told the share that least squares explain at the largest size of a table, which a user has
to guess. Tables of numbers alone are looked at, where columns are parameters.
"""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.load import load_curves
from analysis.report.protocol import OPTIMISM, rows_for_numbers
from collection.project.paths import DATA, shipped

DATABASE, LINEAR, TREES = "regression", "LeastSquares", "LightGBM"
LARGEST = "the largest of them"


def judge_criteria() -> pd.DataFrame:
    """Return what each criterion asks for on each table, and what it took.

    Returns
    -------
    pandas.DataFrame
        By ``table`` and ``criterion`` (`LARGEST`: of all three): ``parameters``, ``r2`` (on test
        rows, at the largest size), ``rows`` asked for, ``took`` (the first size from which on the
        share explained on training rows is at most `OPTIMISM` above that on test rows; infinite
        where that is never seen), ``enough`` (whether so many were asked for; NaN where the table
        ends before), ``linear, trees``: error with so many rows above that with all, as a share;
        NaN where the table ends before.
    """
    curves = load_curves(DATABASE).sel(scaling="standard", leakage="no")
    about = pd.read_csv(shipped(DATA / DATABASE / "datasets.csv"), index_col="dataset")
    means = curves[["r2", "relative_rmse"]].mean(["outer", "inner"])
    rows = []
    for table in about.index[about["categorical"] == 0]:
        own, parameters = means.sel(dataset=table), int(about.loc[table, "features"])
        share = own["r2"].sel(learner=LINEAR, split=["train", "test"]).dropna("anchor")
        r2 = float(share.sel(split="test")[-1])
        if r2 <= 0:
            continue
        off = (share.sel(split="train") - share.sel(split="test")).values > OPTIMISM
        sizes = np.r_[share["anchor"].values, np.inf]
        took = sizes[np.flatnonzero(off)[-1] + 1] if off.any() else sizes[0]
        asked = rows_for_numbers(parameters, r2)
        for name, n in {**asked, LARGEST: max(asked.values())}.items():
            known = n <= sizes[-2] or took < np.inf
            rows.append((str(table), name, parameters, r2, n, took,
                         float(took <= n) if known else np.nan,
                         *(_above(own["relative_rmse"].sel(learner=learner, split="test"), n)
                           for learner in (LINEAR, TREES))))
    return pd.DataFrame(rows, columns=["table", "criterion", "parameters", "r2", "rows", "took",
                                       "enough", "linear", "trees"])


def _above(error: xr.DataArray, size: int) -> float:
    """Return the error at a size above the last one, as a share of that."""
    error = error.dropna("anchor")
    if size > error["anchor"][-1]:
        return np.nan
    return float(np.interp(np.log(size), np.log(error["anchor"]), error) / error[-1] - 1)


def size_words(found: pd.DataFrame) -> pd.DataFrame:
    """Return a row per criterion, in words."""
    by = found.groupby("criterion", sort=False)
    took = (found["took"] / found["rows"]).groupby(found["criterion"], sort=False).median()
    return pd.DataFrame({
        "criterion": list(by.groups), "rows asked for": by["rows"].median().to_numpy(),
        "enough": [f"{own.sum():.0f} of {own.count()}" for _, own in by["enough"]],
        "rows it took, over those": took.to_numpy(),
        "least squares, error above its last [%]": 100 * by["linear"].median().to_numpy(),
        "boosted trees [%]": 100 * by["trees"].median().to_numpy()})
