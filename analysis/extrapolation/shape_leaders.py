"""Which model predicts which shape of curve, and where that leaves the guess of no change."""

import pandas as pd

from analysis.extrapolation.fit_tables import SHAPE_CLASSES
from analysis.intervals.headlines import LEAST, leader

BASELINE = "LAST1"


def shape_leaders(table: pd.DataFrame, least: int = LEAST) -> pd.DataFrame:
    """Compare models by shape, on the same curves, a dataset counting one.

    Parameters
    ----------
    table : DataFrame
        A row per curve and model: ``dataset, learner, model, shape, points`` (absolute error of the
        prediction, in points).
    least : int
        No model is named for a shape with fewer datasets.

    Returns
    -------
    DataFrame
        ``shape, curves, datasets``; ``model``, the closest, with its mean ``points``; ``last1``,
        that of the baseline, and ``last1_place`` among ``models``.
    """
    rows = []
    for shape, own in table.groupby("shape", sort=False):
        wide = own.pivot_table(index=["dataset", "learner"], columns="model", values="points")
        wide = wide.dropna()
        means = wide.groupby("dataset").mean()
        if len(means) >= least:
            long = means.reset_index().melt(id_vars="dataset", value_name="points")
            first = leader(long, "points", "model", least=least)
            order = means.mean().rank(method="min")
            rows.append((shape, len(wide), len(means), first.name, first.mean,
                         means[BASELINE].mean(), int(order[BASELINE]), wide.shape[1]))
    columns = ["shape", "curves", "datasets", "model", "points", "last1", "last1_place", "models"]
    found = pd.DataFrame(rows, columns=columns)
    return found.sort_values("shape", key=lambda s: s.map(SHAPE_CLASSES.index), ignore_index=True)
