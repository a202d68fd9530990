"""Figures of the contest: who is how far off, how well intervals cover, and three forecasts."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.ticker import PercentFormatter

from analysis.drawing.charts import figure
from analysis.drawing.curve import draw_forecast
from analysis.drawing.style import PALETTE
from analysis.extrapolation import RECOMMENDED, predict
from chapters.extrapolation.judge import INTERVALS

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
BAD = 0.93  # of the errors, smaller than the bad example's
KIND_COLOURS = {"formula": PALETTE[0], "learned": PALETTE[1]}


@figure
def draw_ranking(table: pd.DataFrame, kinds: dict[str, str]) -> plt.Figure:
    """Draw mean absolute error and CRPS of every extrapolator, the best on top.

    Parameters
    ----------
    table : DataFrame
        ``extrapolator``, ``mean_points``, ``crps``; a row each.
    kinds : dict
        Extrapolator → kind, of `KIND_COLOURS`.
    """
    table = table.sort_values("mean_points", ascending=False, kind="stable")
    fig, ax = plt.subplots(figsize=(7, 0.24 * len(table) + 1))
    place = np.arange(len(table))
    colours = [KIND_COLOURS[kinds[n]] for n in table["extrapolator"]]
    ax.hlines(place, 0, table["mean_points"], color=colours, alpha=0.4)
    ax.scatter(table["mean_points"], place, color=colours, zorder=3)
    ax.scatter(table["crps"], place, color=colours, marker="|", s=80, zorder=3)
    ax.set_yticks(place, table["extrapolator"])
    ax.set(xlabel="points of error rate (dot: mean absolute error, bar: CRPS)", xlim=(0, None))
    for kind, colour in KIND_COLOURS.items():
        ax.scatter([], [], color=colour, label=kind)
    ax.legend(loc="center right")
    return fig


@figure
def draw_horizons(table: pd.DataFrame, chosen: list[str]) -> plt.Figure:
    """Draw the mean absolute error by horizon.

    Parameters
    ----------
    table : DataFrame
        Contest rows with ``horizon`` other than "all".
    chosen : list of str
        Extrapolators, at most as many as the palette has colours.
    """
    fig, ax = plt.subplots()
    horizons = sorted(table["horizon"].unique(), key=lambda h: (h[:4] == "over", h[:2] != "up", h))
    for colour, name in zip(PALETTE, chosen, strict=False):
        part = table[table["extrapolator"] == name].set_index("horizon").reindex(horizons)
        ax.plot(range(len(horizons)), part["mean_points"], marker="o", color=colour, label=name)
    ax.set_xticks(range(len(horizons)), [h.replace(" doublings", "") for h in horizons])
    ax.set(xlabel="doublings from the last size seen to the last one there is",
           ylabel="mean absolute error (points)", ylim=(0, None))
    ax.legend(ncols=2)
    return fig


@figure
def draw_coverage(table: pd.DataFrame) -> plt.Figure:
    """Draw how often intervals cover, by group of curves, beside what they promise.

    Parameters
    ----------
    table : DataFrame
        Contest rows of one extrapolator: ``group``, ``n_curves``, ``coverage50`` ….
    """
    fig, ax = plt.subplots(figsize=(7, 0.32 * len(table) + 1))
    place = np.arange(len(table))[::-1]
    for colour, marker, percent in zip(PALETTE, "os^", INTERVALS, strict=False):
        ax.axvline(percent / 100, color=colour, alpha=0.4, linestyle="--")
        ax.scatter(table[f"coverage{percent}"], place, color=colour, marker=marker,
                   label=f"{percent} % interval")
    groups = table["group"].str.replace("_", "-")
    ax.set_yticks(place, groups + " (" + table["n_curves"].map("{:,}".format) + ")")
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set(xlabel="curves whose last error lies in the interval", xlim=(0.2, 1.01))
    fig.legend(loc="outside upper right", ncols=len(INTERVALS))
    return fig


@figure
def draw_examples(curves: xr.DataArray, scores: pd.DataFrame, shapes: pd.DataFrame) -> plt.Figure:
    """Draw three forecasts of the recommended extrapolator.

    Parameters
    ----------
    curves : DataArray, dims (dataset, learner, outer, inner, anchor)
    scores : DataFrame
        From `chapters.extrapolation.contest.hold_contest` on them.
    shapes : DataFrame
        From `chapters.extrapolation.contest.shapes_table`.
    """
    fig, axes = plt.subplots(1, 3, figsize=(9, 3.2))
    for ax, row in zip(axes, choose_examples(scores, shapes).itertuples(), strict=True):
        own = curves.sel(dataset=row.dataset)
        whole = own.sel(learner=row.learner).mean(["outer", "inner"]).dropna("anchor")
        seen = own.where(own["anchor"] <= row.rows_seen)
        later = np.geomspace(row.rows_seen * 1.05, whole["anchor"].values.max(), 24)
        forecast = predict(_seen_at_all(seen), later, levels=LEVELS).sel(learner=row.learner)
        draw_forecast(whole.where(whole["anchor"] <= row.rows_seen), forecast, ax, whole)
        ax.set_title(f"{row.learner} on {own['name'].item()}", fontsize="small")
    for ax in axes[1:]:
        ax.set_ylabel("")
    return fig


def choose_examples(scores: pd.DataFrame, shapes: pd.DataFrame) -> pd.DataFrame:
    """Return three rows of the scores: the median error, one in the worst tenth, the worst peak."""
    mine = scores[(scores["extrapolator"] == RECOMMENDED) & (scores["group"] == "")]
    mine = mine.merge(shapes, on=["dataset", "learner"]).sort_values("points", ignore_index=True,
                                                                     kind="stable")
    peaks = mine[mine["peaking"]]
    chosen = [mine.iloc[len(mine) // 2], mine.iloc[int(BAD * len(mine))],
              (peaks if len(peaks) else mine).iloc[-1]]
    return pd.DataFrame(chosen)


def _seen_at_all(seen: xr.DataArray) -> xr.DataArray:
    """Return the curves of learners that are seen at two sizes or more."""
    count = seen.notnull().any(["outer", "inner"]).sum("anchor")
    return seen.isel(learner=(count >= 2).values)
