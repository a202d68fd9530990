"""Figures of what a database holds and how it stands to the published means."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from analysis.databases.naming import learner_title
from analysis.drawing.charts import figure
from collection.container import Status
from collection.learners.names import LEARNERS


@figure
def draw_reproduction(table: pd.DataFrame) -> Figure:
    """Draw how far our means are from the published ones, learner by dataset.

    Parameters
    ----------
    table : pandas.DataFrame
        From `chapters.database.reproduction.compare_with_published`.

    Returns
    -------
    matplotlib.figure.Figure
        A cell's number: anchors at which the means are equal to 4 decimals, of how many. Its
        colour: the largest difference; white where all are equal, grey where there is no curve.
    """
    order = [name for name in LEARNERS if name in set(table["learner"])]
    wide = table.pivot(index="learner", columns="dataset").loc[order]
    equal, anchors = wide["equal_4_decimals"], wide["anchors"]
    size = wide["max_abs_diff"].where(equal < anchors).astype(float)
    figure, ax = plt.subplots(figsize=(1.1 * size.shape[1] + 4, 0.27 * len(order) + 1.2))
    ax.imshow(equal.notna(), aspect="auto", cmap="gray", vmin=-5.7, vmax=1)
    image = ax.imshow(np.ma.masked_invalid(size), aspect="auto", cmap="YlOrRd",
                      norm=LogNorm(1e-4, 1e-1))
    ax.set_xticks(range(size.shape[1]), size.columns, rotation=30, ha="right")
    ax.set_yticks(range(len(order)), [learner_title(n) for n in order], fontsize="small")
    ax.tick_params(length=0)
    for (i, j), count in np.ndenumerate(equal.to_numpy(float)):
        if not np.isnan(count):
            ax.text(j, i, f"{count:.0f}/{anchors.iat[i, j]:.0f}", ha="center", va="center",
                    fontsize="x-small", color="white" if size.iat[i, j] > 0.02 else "black")
    figure.colorbar(image, ax=ax, label="largest difference [error rate]", pad=0.02)
    return figure


@figure
def draw_failures(curves: xr.Dataset) -> Figure:
    """Draw the share of each learner's fits that failed, by dataset.

    Parameters
    ----------
    curves : xarray.Dataset
        A database.

    Returns
    -------
    matplotlib.figure.Figure
        Grey: no such fits. White: none failed.
    """
    status = curves["status"].load()
    over = [d for d in status.dims if d not in ("dataset", "learner")]
    tried = (status != Status.not_run).sum(over)
    failed = (tried - (status == Status.ok).sum(over)) / tried.where(tried > 0)
    failed = 100 * failed.transpose("learner", "dataset")
    figure, ax = plt.subplots(figsize=(0.42 * failed.sizes["dataset"] + 4.6,
                                       0.22 * failed.sizes["learner"] + 1.8))
    ax.set_facecolor("0.85")
    image = ax.imshow(failed, aspect="auto", cmap="Blues", vmin=0, vmax=100)
    ax.set_xticks(range(failed.sizes["dataset"]), failed["name"].values, rotation=45, ha="right",
                  fontsize="small")
    names = [learner_title(name) for name in failed["learner"].values]
    ax.set_yticks(range(len(names)), names, fontsize="small")
    figure.colorbar(image, ax=ax, label="failed fits [%]", pad=0.02)
    return figure
