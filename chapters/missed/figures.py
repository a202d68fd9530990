"""A figure for each finding; every function returns a closed Figure."""

from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from analysis.databases.naming import dataset_title, learner_title
from analysis.drawing.charts import add_legend, draw_bands, figure
from analysis.drawing.style import PALETTE, SHAPE_COLOURS
from analysis.shapes import published_lcdb10_cube
from analysis.shapes.verdicts import SHAPE_LABELS
from chapters.missed.means import TABNET_BATCH

#: Panels of the figure on resolution, by the names of `chapters.missed.resolution`.
TITLE_OF_PRICE = {"max_t": "max-statistic", "corrected": "Bonferroni, own comparisons",
                  "corrected, dense price": "Bonferroni, the dense grid's"}
PROCEDURE_STYLE = {"published": ("#D55E00", "o", -0.22), "corrected": ("#0072B2", "s", 0.0),
                   "holm": ("#009E73", "^", 0.22)}


@figure
def draw_contributions(table: pd.DataFrame, marked: tuple[str, ...]) -> Figure:
    """Draw how many points of the headline each learner is, some of them marked.

    Parameters
    ----------
    table : DataFrame
        From `chapters.missed.headline.contributions`.
    marked : tuple of str
        Learners to mark.
    """
    figure, ax = plt.subplots(figsize=(7, 0.22 * len(table) + 1))
    colours = ["#D55E00" if x in marked else "#999999" for x in table["learner"]]
    ax.barh(table["learner"].map(learner_title), table["points"], color=colours)
    ax.invert_yaxis()
    ax.set(xlabel="points of the headline", ylim=(len(table) - 0.4, -0.6))
    ax.tick_params(axis="y", labelsize="small")
    return figure


@figure
def draw_tabnet(medians: pd.DataFrame, drops: pd.DataFrame) -> Figure:
    """Draw median curves, and where each learner's curves drop most.

    Parameters
    ----------
    medians, drops : DataFrame
        From `median_curves` and `largest_drops` in `chapters.missed.means`.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
    for (learner, rows), colour in zip(medians.groupby("learner", sort=False), PALETTE,
                                       strict=False):
        left.plot(rows["anchor"], rows["median"], color=colour, label=learner_title(learner))
        left.fill_between(rows["anchor"], rows["low"], rows["high"], color=colour, alpha=0.15, lw=0)
        own = drops[drops["learner"] == learner]
        right.plot(own["anchor"], 100 * own["curves"] / own["of"], "o-", color=colour, ms=4, lw=0.8)
    left.set(xlabel="training-set size [rows]", ylabel="error rate")
    right.set(xlabel="training-set size [rows]", ylabel="% of curves that drop most there")
    for ax in (left, right):
        ax.set_xscale("log", base=2)
        ax.axvline(TABNET_BATCH, color="0.5", ls=":", lw=1, zorder=0)
    left.legend(fontsize="small")
    return figure


@figure
def draw_rounding(sizes: pd.DataFrame) -> Figure:
    """Draw the violations behind the published verdicts, by their order of magnitude.

    Parameters
    ----------
    sizes : DataFrame
        From `verdict_sizes`, of one database. Sizes below 1e-18 are drawn there.
    """
    verdicts = ("non_monotone", "non_convex", "peaking", "dipping")
    figure, axes = plt.subplots(2, 2, sharex=True, figsize=(7.5, 4.2))
    bins = np.arange(-18, 0.51, 0.5)
    for ax, verdict in zip(axes.flat, verdicts, strict=True):
        own = sizes.loc[sizes["verdict"] == verdict, "size"]
        ax.hist(np.log10(np.maximum(own, 1e-18)), bins, color=SHAPE_COLOURS[verdict])
        ax.set_title(SHAPE_LABELS[verdict])
        ax.axvline(-12, color="0.5", ls=":", lw=1)
        ax.set_xticks([-18, -15, -12, -9, -6, -3, 0],
                      [f"$10^{{{k}}}$" for k in (-18, -15, -12, -9, -6, -3, 0)])
    figure.supxlabel("size of the violation [error rate]", fontsize="medium")
    figure.supylabel("curves", fontsize="medium")
    return figure


@figure
def draw_preparation(valid: xr.DataArray, dataset: int, learner: str) -> Figure:
    """Draw a curve of LCDB 1.0 as recorded, and as the published analysis sees it.

    Parameters
    ----------
    valid : DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates on LCDB 1.0's anchors.
    dataset, learner
        Which curve.
    """
    curve = valid.sel(dataset=dataset, learner=learner)
    figure, ax = plt.subplots()
    for data, label, marker, colour in (
            (curve, "as recorded", "o-", PALETTE[0]),
            (published_lcdb10_cube(curve), "as the published analysis sees it", ".-", PALETTE[1])):
        mean = data.mean(["outer", "inner"]).dropna("anchor")
        ax.plot(mean["anchor"], mean, marker, color=colour, label=label)
    ax.set(xscale="log", xlabel="training-set size [rows]", ylabel="error rate",
           title=f"{learner_title(learner)} on {dataset_title(dataset)}")
    ax.legend(fontsize="small")
    return figure


@figure
def draw_holm(variants: dict[str, xr.Dataset]) -> Figure:
    """Draw the violation that the published Holm reports against the largest one.

    Parameters
    ----------
    variants : dict
        From `chapters.missed.verdicts.holm_variants`.
    """
    published, largest = variants["Holm as published"], variants["largest violation, Bonferroni"]
    figure, axes = plt.subplots(1, 2, figsize=(7.5, 3.7))
    for ax, (verdict, size) in zip(axes, (("non_monotone", "violation_mono"),
                                          ("non_convex", "violation_conv")), strict=True):
        called = published[verdict].values
        x, y = largest[size].values[called], published[size].values[called]
        ax.plot([1e-4, 1], [1e-4, 1], color="0.5", ls=":", lw=1)
        ax.plot(x, y, ".", color=SHAPE_COLOURS[verdict], alpha=0.5)
        ax.set(xscale="log", yscale="log", xlabel="largest violation", title=SHAPE_LABELS[verdict])
    axes[0].set_ylabel("violation reported")
    return figure


@figure
def draw_false_alarms(alarms: pd.DataFrame) -> Figure:
    """Draw how often well-behaved curves are called ill-behaved, and how often dipping.

    Parameters
    ----------
    alarms : DataFrame
        From `chapters.missed.error_rates.false_alarms`.
    """
    kinds = alarms[["truth", "estimand"]].drop_duplicates()
    names = [f"{r.truth},\ntrue of the {r.estimand}" for r in kinds.itertuples()]
    figure, axes = plt.subplots(1, 2, figsize=(8, 0.55 * len(kinds) + 1.5), sharey=True)
    for ax, verdict in zip(axes, ("ill_behaved", "dipping"), strict=True):
        for procedure, (colour, marker, shift) in PROCEDURE_STYLE.items():
            rows = alarms[(alarms["procedure"] == procedure) & (alarms["verdict"] == verdict)]
            ax.errorbar(rows["rate"], np.arange(len(kinds)) + shift, xerr=_ends(rows, "rate"),
                        color=colour, fmt=marker, ms=4, lw=1, label=procedure)
        ax.axvline(5, color="0.5", ls=":", lw=1)
        ax.set(xlabel=f"% called {SHAPE_LABELS[verdict]}", xlim=(-0.3, None))
    axes[0].set_yticks(range(len(kinds)), names, fontsize="small")
    axes[0].invert_yaxis()
    add_legend(figure, axes[0], 3, fontsize="small")
    return figure


@figure
def draw_power(power: pd.DataFrame) -> Figure:
    """Draw how often true violations are found, by their size and by the dataset's rows.

    Parameters
    ----------
    power : DataFrame
        From `chapters.missed.error_rates.power`.
    """
    verdicts, rows = power["verdict"].unique(), power["rows"].unique()
    figure, axes = plt.subplots(1, len(verdicts), figsize=(9, 3.4), sharey=True)
    for ax, verdict in zip(axes, verdicts, strict=True):
        for n, colour, marker in zip(rows, PALETTE, "os^D", strict=False):
            own = power[(power["verdict"] == verdict) & (power["rows"] == n)]
            middle = (own["true_low"] + own["true_high"]) / 2
            ax.errorbar(middle, own["found"], yerr=_ends(own, "found"), color=colour,
                        fmt=f"{marker}-", ms=4, lw=1, label=f"{n:,} rows")
        ax.set(title=SHAPE_LABELS[verdict], xscale="log", ylim=(-3, 103),
               xlabel="true size [error rate]")
        ax.set_xticks(middle, [f"{x:g}" for x in middle.round(3)], fontsize="small")
        ax.minorticks_off()
    axes[0].set_ylabel("% found")
    axes[0].legend(fontsize="small")
    return figure


@figure
def draw_flat(readings: pd.DataFrame) -> Figure:
    """Draw each learner's flat share in both readings.

    Parameters
    ----------
    readings : DataFrame
        From `chapters.missed.means.flat_readings`.
    """
    rows = readings.sort_values("beside_24", ignore_index=True, kind="stable")
    rows["learner"] = rows["learner"].map(learner_title)
    figure, ax = plt.subplots(figsize=(7, 0.24 * len(rows) + 1))
    ax.hlines(rows["learner"], rows["beside_24"], rows["beside_28"], color="0.7", lw=2, zorder=1)
    ax.plot(rows["beside_24"], rows["learner"], "o", color=PALETTE[0], ms=5,
            label="beside 24 learners (Table 8)")
    ax.plot(rows["beside_28"], rows["learner"], "s", color=PALETTE[1], ms=4,
            label="beside 28 (Table 4)")
    ax.set(xlabel="% of the learner's curves that are flat", xlim=(0, None))
    ax.tick_params(axis="y", labelsize="small")
    ax.legend(fontsize="small", loc="lower right")
    return figure


@figure
def draw_bumps(table: pd.DataFrame, named: int = 6) -> Figure:
    """Draw how far a learner's error lies above the line between its neighbours, by anchor.

    Parameters
    ----------
    table : DataFrame
        From `chapters.missed.means.bumps`.
    named : int
        How many of the clear bumps (interval above 0) to name, the highest first.
    """
    figure, ax = plt.subplots(figsize=(8, 3.4))
    ax.axhline(0, color="0.5", lw=1)
    ax.vlines(table["anchor"], table["low"], table["high"], color="0.75", lw=2)
    ax.plot(table["anchor"], table["excess"], "o", color=PALETTE[0], ms=3)
    clear = table[table["low"] > 0].nlargest(named, "excess")
    ax.plot(clear["anchor"], clear["excess"], "o", color=PALETTE[1], ms=5)
    near = np.diff(np.log(np.sort(clear["anchor"]))) < 0.3  # then their names would overlap
    sides = np.where([*near, False], "right", np.where([False, *near], "left", "center"))
    clear = clear.sort_values("anchor", kind="stable")
    for row, side in zip(clear.itertuples(), sides, strict=True):
        ax.annotate(f"{row.anchor:,}", (row.anchor, row.high), xytext=(0, 3), ha=side,
                    textcoords="offset points", fontsize="small")
    ax.set(xscale="log", xlabel="training-set size [rows]", ylabel="error above neighbours' line")
    return figure


@figure
def draw_decomposition(table: pd.DataFrame, start: float) -> Figure:
    """Draw the steps from one database's share to the other's, a panel per price of a coarse grid.

    Parameters
    ----------
    table : DataFrame
        From `chapters.missed.decomposition.decomposition`.
    start : float
        The share that the steps start from, in percent.
    """
    most = table["price"].value_counts().max()
    drawn, axes = plt.subplots(2, 1, figsize=(8, 0.9 * most + 3.2), sharex=True)
    for ax, (price, steps) in zip(axes, table.groupby("price", sort=False), strict=True):
        ends = (start + steps["change"].cumsum()).to_numpy()
        change, places = steps["change"].to_numpy(), np.arange(1, len(steps) + 1)
        ax.barh([0, len(steps) + 1], [start, ends[-1]], color="#999999")
        ax.barh(places, change, left=ends - change,
                color=np.where(change > 0, PALETTE[1], PALETTE[0]))
        ax.hlines(places, ends - change + steps["low"], ends - change + steps["high"],
                  color="black", lw=1)
        ax.set_yticks(range(len(steps) + 2), [
            "LCDB 1.0, printed", *(fill(step, 44) for step in steps["step"]),
            "LCDB 1.1, printed"], fontsize="small")
        for place, moved, end in zip(places, change, ends, strict=True):
            ax.annotate(f"{moved:+.1f}", (max(end, end - moved), place), xytext=(22, 0),
                        textcoords="offset points", va="center", fontsize="small")
        ax.invert_yaxis()
        ax.set(title=f"comparisons that are paid for: {price}", xlim=(0, None))
    axes[-1].set_xlabel("ill-behaved curves [%]")
    return drawn


@figure
def draw_resolution(table: pd.DataFrame) -> Figure:
    """Draw what each grid finds, by procedure, and what it calls where nothing is to be found.

    Parameters
    ----------
    table : DataFrame
        From `chapters.missed.resolution.resolution`.
    """
    drawn, axes = plt.subplots(1, len(TITLE_OF_PRICE), figsize=(9.5, 3.4), sharey=True)
    for ax, (procedure, title) in zip(axes, TITLE_OF_PRICE.items(), strict=True):
        own = table[table["procedure"] == procedure]
        draw_bands(ax, own, "anchors", "share", colours={None: PALETTE[0]})
        ax.fill_between(own["anchors"], own["null_symmetric_share"], own["null_share"],
                        color="0.6", alpha=0.5, lw=0)
        ax.set_xticks(own["anchors"], map(str, own["anchors"]))
        ax.minorticks_off()
        ax.set(title=title, xlabel="anchors of the whole grid", ylim=(0, None))
    axes[0].set_ylabel("% called ill-behaved")
    return drawn


@figure
def draw_grid_effect(table: pd.DataFrame) -> Figure:
    """Draw each learner's share of ill-behaved curves on both grids.

    Parameters
    ----------
    table : DataFrame
        From `chapters.missed.decomposition.grid_by_learner`.
    """
    rows = table.assign(more=table["dense"] - table["sparse"],
                        learner=table["learner"].map(learner_title)).sort_values("more",
                                                                                 kind="stable")
    figure, ax = plt.subplots(figsize=(7, 0.24 * len(rows) + 1.2))
    ax.hlines(rows["learner"], rows["sparse"], rows["dense"], color="0.7", lw=2, zorder=1)
    for name, label, marker, colour in (
            ("lcdb10", "LCDB 1.0", "d", "black"), ("sparse", "LCDB 1.1, one anchor in four", "o",
                                                   PALETTE[0]),
            ("dense", "LCDB 1.1, all anchors", "s", PALETTE[1])):
        ax.plot(rows[name], rows["learner"], marker, color=colour, ms=4, label=label)
    ax.set(xlabel="ill-behaved curves [%]", xlim=(-1, None))
    ax.tick_params(axis="y", labelsize="small")
    ax.legend(fontsize="small", loc="lower right")
    return figure


def _ends(rows: pd.DataFrame, rate: str) -> np.ndarray:
    """Return the distances of an interval's ends from the rate, as `errorbar` wants them."""
    return np.array([rows[rate] - rows["low"], rows["high"] - rows[rate]])
