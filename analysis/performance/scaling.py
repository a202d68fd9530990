"""What scaling does to the error at a curve's lowest point, dataset by dataset."""

import pandas as pd


def scaling_changes(best: pd.DataFrame) -> pd.DataFrame:
    """Return how much a scaling changes each learner's lowest error against none.

    Parameters
    ----------
    best : pandas.DataFrame
        From `analysis.performance.performance.best_errors`, of one database.

    Returns
    -------
    pandas.DataFrame
        A row per learner and scaling other than none: ``learner, scaling``, ``points``, the mean
        difference of the test errors in percentage points over the datasets that have both
        (negative: scaling helps), and ``datasets``, how many these are. No rows where there is
        nothing to compare.
    """
    keys = ["dataset", "learner"]
    without = best[best["scaling"] == "none"].set_index(keys)["test"]
    scaled = best[best["scaling"] != "none"].join(without.rename("without"), on=keys)
    scaled = scaled.assign(points=100 * (scaled["test"] - scaled["without"])).dropna(
        subset="points")
    groups = scaled.groupby(["learner", "scaling"])["points"]
    return groups.agg(points="mean", datasets="count").reset_index()
