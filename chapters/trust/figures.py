"""Figures of error rates, power and estimated shares."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.calibration.cells import COARSE, MAIN_SHAPES
from analysis.calibration.recommend import (
    ESTIMANDS,
    GRIDS,
    LEVEL,
    VERDICT_OF,
    WELL_BEHAVED,
    false_positives,
    of_estimand,
)
from analysis.databases.chosen import database_title
from analysis.databases.naming import learner_title
from analysis.drawing.charts import add_legend, draw_dots, figure
from analysis.drawing.style import PALETTE
from analysis.shapes import PROCEDURES
from analysis.shapes.noise import correlation_at
from analysis.shapes.simulation import SIMULATIONS

SHOWN = ("published", "corrected", "holm", "larger_error", "outer_means", "nadeau_bengio", "max_t",
         "max_t_wide")
OF_ESTIMAND = {"dataset": "this dataset", "population": "its population"}
SEEN_BY_TITLE = {"max_t": "max-statistic", "corrected": "corrected", "both": "both"}
MARKERS = "os^Dv<>"
#: What is varied, and what is held fixed meanwhile.
VARIED = {"rows": "per_doubling == @COARSE and repeats == 25",
          "anchors": "rows == 1000 and repeats == 25",
          "repeats": "rows == 1000 and per_doubling == @COARSE"}


@figure
def draw_noise(noise: pd.DataFrame) -> Figure:
    """Draw the correlation of two anchors by their distance, a line per learner and database.

    Parameters
    ----------
    noise : pandas.DataFrame
        From `analysis.shapes.noise.kept_noise`.
    """
    figure, axes = plt.subplots(1, 2, figsize=(7.5, 3), sharey=True)
    lag = np.linspace(0, 6, 100)
    for ax, (database, rows) in zip(axes, noise.groupby("database"), strict=True):
        for row in rows.itertuples():
            ax.plot(lag, correlation_at(lag, row.octaves, row.common), color="0.75", lw=0.8)
        for colour, which in zip(PALETTE, ("LDA", "MLP", "Perceptron"), strict=False):
            row = rows[rows["learner"] == which].iloc[0]
            ax.plot(lag, correlation_at(lag, row["octaves"], row["common"]), color=colour,
                    label=learner_title(which))
        ax.set(title=f"{database_title(database)}, {len(rows)} learners",
               xlabel="octaves apart", ylim=(0, 1))
    axes[0].set_ylabel("correlation of two anchors")
    axes[0].legend()
    return figure


@figure
def draw_false_positives(table: pd.DataFrame, verdict: str) -> Figure:
    """Draw how often each procedure calls well-behaved curves, with 95 % intervals.

    Parameters
    ----------
    table : pandas.DataFrame
        As `calibration.csv`.
    verdict : str
        Which one.
    """
    figure, axes = plt.subplots(1, 2, figsize=(9, 5), sharey=True)
    order = [name for name in PROCEDURES if name in set(table["procedure"])
             and not PROCEDURES[name].across][::-1]
    for ax, estimand in zip(axes, ESTIMANDS, strict=True):
        cells = false_positives(of_estimand(table, estimand)).query(
            "verdict == @verdict and rows == 1000 and generator != 'drawn, dataset, mini'")
        for k, truth in enumerate(WELL_BEHAVED):
            rows = cells[cells["truth"] == truth].set_index("procedure").reindex(order)
            at = np.arange(len(order)) + 0.12 * (k - 2)
            ends = np.maximum([rows["rate"] - rows["low"], rows["high"] - rows["rate"]], 0)
            ax.errorbar(rows["rate"], at, xerr=ends, fmt=MARKERS[k], ms=4, lw=0.9,
                        color=PALETTE[k], label=SIMULATIONS[truth].title)
        ax.axvline(LEVEL, color="0.4", ls=":", lw=1)
        ax.set(title=f"truth: {OF_ESTIMAND[estimand]}", xlabel="% called", xlim=(-0.4, None))
        ax.set_yticks(range(len(order)), [PROCEDURES[name].title for name in order],
                      fontsize="small")
    add_legend(figure, axes[1], 2, loc="outside lower center", fontsize="small")
    return figure


@figure
def draw_power(table: pd.DataFrame, procedures: tuple[str, ...] = SHOWN) -> Figure:
    """Draw how often true violations are found, by true size, a panel per shape.

    Parameters
    ----------
    table : pandas.DataFrame
        As `calibration.csv`; its cells with 1,000 rows and 25 repeats are drawn, a row of panels
        per grid.
    procedures : tuple of str
        Whose.
    """
    cells = table[(table["generator"] == "drawn, dataset") & (table["rows"] == 1000)
                  & (table["repeats"] == 25)]
    figure, axes = plt.subplots(len(GRIDS), 3, figsize=(9.5, 6), sharex=True, sharey=True)
    for panels, grid in zip(axes, GRIDS, strict=True):
        for ax, truth in zip(panels, MAIN_SHAPES, strict=True):
            lines = cells.query(
                "truth == @truth and verdict == @VERDICT_OF[@truth] and per_doubling == @grid")
            for k, name in enumerate(procedures):
                _power_line(ax, lines[lines["procedure"] == name], "size", k,
                            PROCEDURES[name].title)
            if grid == COARSE:
                ax.set_title(f"{SIMULATIONS[truth].title}:\n{VERDICT_OF[truth].replace('_', '-')}")
        panels[0].set_ylabel(f"{lines['anchors'].iloc[0]} anchors: % found")
    for ax in axes[-1]:
        ax.set_xlabel("true size (error rate)")
    add_legend(figure, axes[0, 0], 3, loc="outside lower center", fontsize="small")
    return figure


@figure
def draw_power_by(table: pd.DataFrame, procedures: tuple[str, ...] = SHOWN) -> Figure:
    """Draw how often true violations of .05 are found, by rows, anchors and repeats.

    Parameters
    ----------
    table : pandas.DataFrame
        As `calibration.csv`.
    procedures : tuple of str
        Whose.
    """
    cells = table[(table["generator"] == "drawn, dataset") & (table["size"] == 0.05)]
    figure, axes = plt.subplots(3, 3, figsize=(9.5, 8), sharey=True)
    for line_of, truth in zip(axes, MAIN_SHAPES, strict=True):
        found = cells.query("truth == @truth and verdict == @VERDICT_OF[@truth]")
        for ax, (by, fixed) in zip(line_of, VARIED.items(), strict=True):
            lines = found.query(fixed)
            for k, name in enumerate(procedures):
                _power_line(ax, lines[lines["procedure"] == name], by, k, PROCEDURES[name].title)
            ax.set_xticks(sorted(lines[by].unique()), labels=map(str, sorted(lines[by].unique())))
            ax.minorticks_off()
            ax.set_xlabel(by if truth == MAIN_SHAPES[-1] else "")
        line_of[0].set_ylabel(f"{truth.replace('_', ' ')}s:\n% found")
    add_legend(figure, axes[0, 0], 3, loc="outside lower center", fontsize="small")
    return figure


def _power_line(ax: Axes, line: pd.DataFrame, by: str, k: int, label: str) -> None:
    line = line.sort_values(by, kind="stable")
    colour = PALETTE[k % len(PALETTE)]
    ax.fill_between(line[by], line["low"], line["high"], color=colour, alpha=0.12, lw=0)
    ax.plot(line[by], line["rate"], marker=MARKERS[k % len(MARKERS)], ms=3.5, color=colour,
            label=label)
    ax.set(xscale="log", ylim=(-3, 103))


@figure
def draw_prevalence(table: pd.DataFrame, size: float = 0.02) -> Figure:
    """Draw estimated shares of truly ill-behaved curves: by learner, and by model.

    Parameters
    ----------
    table : pandas.DataFrame
        From `chapters.trust.mixture.prevalence`.
    size : float
        Least size of the violation, a threshold of the table.
    """
    of = table[(table["min_violation"] == size) & ~table["seen_by"].str.contains("less")]
    main = of.query("pool == 'real residuals' and seen_by == 'both'")
    groups = ["all", "the three leaders", "the others"]
    single = main[~main["learner"].isin(groups)].sort_values("share", ascending=False,
                                                             kind="stable")
    rows = pd.concat([main.set_index("learner").loc[groups].reset_index(),
                      single.assign(learner=single["learner"].map(learner_title))])
    every = of[of["learner"] == "all"]
    every = every.assign(model=every["pool"].str.replace(", ", ",\n"),
                         seen_by=every["seen_by"].map(SEEN_BY_TITLE))
    drawn, (left, right) = plt.subplots(1, 2, figsize=(10, 0.24 * len(rows) + 1.2))
    draw_dots(left, rows, "learner", "share")
    left.set_xlabel(f"% of curves with a true violation of at least {size:g}")
    draw_dots(right, every, "model", "share", by="seen_by")
    right.set(xlabel="% of all learners' curves", xlim=(0, None))
    right.legend(title="seen by", fontsize="small", loc="lower left")
    return drawn
