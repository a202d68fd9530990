"""Small pictures of the first page: one for each finding, each of another kind."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.databases.lcdb10 import meta_features_table
from analysis.databases.load import get_curve
from analysis.drawing.charts import draw_bands, draw_dots, figure
from analysis.drawing.curve import draw_forecast
from analysis.drawing.style import PALETTE
from analysis.extrapolation import predict
from analysis.published.computed import recall
from chapters.findings.study import TABNET_BATCH, Study, forest_ahead

SIZE = (3.0, 1.9)  # inches
VEHICLE = 54  # OpenML's number
SEEN = 128  # rows, of the curve that is forecast
RANKED = "automl_2022"
ROWS = (32, 64, 128, 256, 512, 1000)


def pictures(found: Study) -> Mapping[str, Figure]:
    """Return the pictures by name: shares, peak, drop, forecast, ranks, rows.

    Parameters
    ----------
    found : Study
        From `chapters.findings.study.study`.
    """
    return {"shares": draw_shares(found.of("ill_behaved")), "peak": draw_peak(found.curves),
            "drop": draw_drop(recall("artefacts_largest_drops")),
            "forecast": draw_seen(found.curves), "ranks": draw_ranks(recall("order_ranks")),
            "rows": draw_share_over_rows(forest_ahead(ROWS))}


def _axes() -> tuple[Figure, Axes]:
    """Return small axes with few ticks and small letters."""
    drawn, ax = plt.subplots(figsize=SIZE)
    ax.tick_params(labelsize="x-small")
    return drawn, ax


def _label(ax: Axes, x: str, y: str = "") -> None:
    ax.set_xlabel(x, fontsize="x-small")
    ax.set_ylabel(y, fontsize="x-small")


@figure
def draw_shares(table: pd.DataFrame) -> Figure:
    """Draw the estimated share of curves that truly misbehave: of three learners, of the others.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows ``ill_behaved`` of `chapters.findings.study.findings`.
    """
    drawn, ax = _axes()
    names = {"so of the three leaders": "three learners", "so of the others": "the other 17"}
    draw_dots(ax, table[table["bar"].isin(names)].replace({"bar": names}), "bar", reference=0)
    ax.locator_params(axis="x", nbins=4)
    _label(ax, "% of their curves")
    return drawn


@figure
def draw_peak(curves: xr.Dataset) -> Figure:
    """Draw the linear discriminant's curve on vehicle, and a line where rows equal features.

    Parameters
    ----------
    curves : xarray.Dataset
        LCDB 1.0.
    """
    drawn, ax = _axes()
    curve = get_curve(curves, VEHICLE, "LDA").sel(split="valid").mean(["outer", "inner"])
    features = meta_features_table()["NumberOfFeaturesAfterBinarization"].loc[VEHICLE]
    ax.plot(curve["anchor"] / features, curve, color=PALETTE[1])
    ax.axvline(1, color="0.4", lw=0.8)
    ax.set(xscale="log", xticks=[1, 4, 16], xticklabels=["1", "4", "16"])
    ax.minorticks_off()
    _label(ax, "rows per feature", "error rate")
    return drawn


@figure
def draw_drop(drops: pd.DataFrame) -> Figure:
    """Draw how many of TabNet's curves fall most at each size.

    Parameters
    ----------
    drops : pandas.DataFrame
        The kept table ``artefacts_largest_drops``.
    """
    drawn, ax = _axes()
    own = drops[drops["learner"] == "TabNet"].groupby("anchor")["curves"].sum()
    there = own.index == TABNET_BATCH
    ax.vlines(own.index, 0, own, color=np.where(there, PALETTE[1], "0.6"),
              lw=np.where(there, 4, 2))
    ax.set(xscale="log", xticks=[16, 128, TABNET_BATCH], ylim=(0, None),
           xticklabels=["16", "128", f"{TABNET_BATCH:,}"])
    ax.minorticks_off()
    _label(ax, "rows at the largest fall", "curves")
    return drawn


@figure
def draw_seen(curves: xr.Dataset) -> Figure:
    """Draw one curve as far as `SEEN` rows, its forecast with bands, and what came.

    Parameters
    ----------
    curves : xarray.Dataset
        LCDB 1.0.
    """
    drawn, ax = _axes()
    whole = get_curve(curves, VEHICLE, "ens.RandomForest").sel(split="valid")
    seen = whole.where(whole["anchor"] <= SEEN)
    sizes = np.geomspace(SEEN + 1, float(whole["anchor"].max()), 12)
    mean = whole.mean(["outer", "inner"])
    draw_forecast(mean.where(mean["anchor"] <= SEEN), predict(seen, sizes), ax, mean)
    ax.set(xticks=[16, 64, 256], xlim=(14, None))
    _label(ax, "rows", "error rate")
    return drawn


@figure
def draw_ranks(ranks: pd.DataFrame) -> Figure:
    """Draw the ranks of seven AutoML systems as bars that hold all at once.

    Parameters
    ----------
    ranks : pandas.DataFrame
        The kept table ``order_ranks``.
    """
    drawn, ax = _axes()
    rows = ranks[ranks["study"] == RANKED]
    at = np.arange(len(rows))
    ax.barh(at, rows["high"] - rows["low"] + 0.7, left=rows["low"] - 0.35, color=PALETTE[2],
            alpha=0.6)
    ax.plot(rows["rank"], at, "o", color="black", ms=3)
    ax.set(ylim=(len(rows) - 0.4, -0.6), yticks=[], xticks=[1, 3, 5, 7])
    _label(ax, "rank on all tasks", "AutoML systems")
    return drawn


@figure
def draw_share_over_rows(table: pd.DataFrame) -> Figure:
    """Draw the share of problems on which a random forest is ahead, over the rows.

    Parameters
    ----------
    table : pandas.DataFrame
        From `chapters.findings.study.forest_ahead`.
    """
    drawn, ax = _axes()
    table = table.assign(**{name: 100 * table[name] for name in ("share", "low", "high")})
    draw_bands(ax, table, "rows", "share", colours={None: PALETTE[3]})
    ax.set(ylim=(0, 100), xticks=[32, 128, 512], yticks=[0, 50, 100])
    ax.minorticks_off()
    _label(ax, "rows", "% of problems")
    return drawn
