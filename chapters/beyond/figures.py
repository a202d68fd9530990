"""The chapter's figures."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from analysis.drawing.charts import add_legend, draw_bands, figure
from analysis.drawing.style import PALETTE
from chapters.beyond.curves import BASELINE, FAR, ROLES, SEEN
from chapters.beyond.forecasts import FORMULA, REPORT, STAYS

COLOURS = dict(zip([role for role in ROLES if role != BASELINE], PALETTE, strict=True))
TITLES = {"all": "all {n} tables", "larger": "the {n} that go on to {far:,} rows"}
SHOWN = (STAYS, REPORT, FORMULA)


def _plain(axis: Axis) -> None:
    """Label an axis with plain numbers: 16, 256, 4k, 66k."""
    axis.set_major_formatter(FuncFormatter(
        lambda x, _: f"{x / 1000:,.0f}k" if x >= 1000 else f"{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def _rows(ax: Axes) -> None:
    ax.set_xscale("log", base=2)
    ax.set_xticks([16, 256, SEEN, 2**16])
    _plain(ax.xaxis)


@figure
def draw_curves(curves: pd.DataFrame, tables: pd.DataFrame) -> Figure:
    """Draw each table's mean curves, a line per learner."""
    chart, axes = plt.subplots(4, 2, figsize=(9, 11))
    for ax, table in zip(axes.flat, tables.sort_values(["kind", "rows"]).itertuples(), strict=True):
        own = curves[curves["dataset"] == table.dataset]
        baseline = own.loc[own["role"] == BASELINE, "value"].iloc[-1]
        own = own[own["role"] != BASELINE]
        draw_bands(ax, own, "anchor", low="q25", high="q75", by="role", colours=COLOURS)
        for line in ax.lines:
            line.set_markersize(2.5)
        ax.axvline(SEEN, color="0.4", lw=0.8, ls="--")
        ax.axhline(baseline, color="0.4", lw=0.8, ls=":")
        what = "number" if table.kind == "large_numbers" else "class"
        top = min(own["q75"].max(), 3 * baseline)
        ax.set(title=f"{table.dataset} ({what})", yscale="log",
               ylim=(0.95 * own["q25"].min(), 1.05 * top))
        _rows(ax)
        low, high = ax.get_ylim()
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)) if high > 4 * low else MaxNLocator(4))
        ax.yaxis.set_minor_locator(NullLocator())
        ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:.3g}"))
    for ax in axes[:, 0]:
        ax.set_ylabel("error")
    for ax in axes[-1]:
        ax.set_xlabel("training rows")
    add_legend(chart, axes.flat[0], columns=5)
    return chart


@figure
def draw_slopes(slopes: pd.DataFrame) -> Figure:
    """Draw by how much errors fall with each doubling, by learner."""
    chart, axes = plt.subplots(1, 2, figsize=(11, 4.2), sharey=True)
    for ax, (tables, own) in zip(axes, slopes.groupby("tables", sort=False), strict=True):
        draw_bands(ax, own.drop(columns=["low", "high"]), "anchor", by="role", colours=COLOURS)
        ax.axvline(SEEN, color="0.4", lw=0.8, ls="--")
        ax.axhline(0, color="0.4", lw=0.8)
        ax.set(title=TITLES[tables].format(n=own["n"].max(), far=FAR),
               xlabel="training rows before the doubling")
        _rows(ax)
    axes[0].set_ylabel("the error falls by [%]")
    add_legend(chart, axes[0])
    return chart


@figure
def draw_forecasts(coverage: pd.DataFrame) -> Figure:
    """Draw how far forecasts are off, and how often their ranges hold the truth."""
    chart, axes = plt.subplots(1, 2, figsize=(11, 4.2))
    own = coverage[coverage["method"].isin(SHOWN) & (coverage["times"] > 0)]
    draw_bands(axes[0], own, "times", "off", "off_low", "off_high", by="method")
    held = own[own["inside"].notna()]
    colours = dict(zip(own["method"].drop_duplicates(), PALETTE, strict=False))
    draw_bands(axes[1], held, "times", "inside", "inside_low", "inside_high", by="method",
               colours=colours)
    axes[1].axhline(90, color="0.4", lw=0.8, ls="--")
    axes[0].set_ylabel("off by: size of log₂(forecast / truth)")
    axes[1].set(ylabel="truths in the range of 90 % [%]", ylim=(0, 103))
    for ax in axes:
        ax.set(xlabel=f"times the {SEEN:,} rows seen", xticks=sorted(own["times"].unique()))
        _plain(ax.xaxis)
        ax.xaxis.set_minor_formatter(NullFormatter())
    add_legend(chart, axes[0])
    return chart
