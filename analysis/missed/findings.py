"""What the book found, for its first page: each finding's numbers, and a small figure."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure
from scipy.stats import binomtest

from analysis.calibration.words import believed
from analysis.closeup.causes import peaks_against_features, ratio_interval
from analysis.databases.lcdb10 import meta_features_table
from analysis.drawing.style import PALETTE
from analysis.intervals.bootstrap import ratio_of_sums_interval
from analysis.missed.kept import tables_from_means
from analysis.records.computed import recall
from analysis.shapes import dense_lcdb10_cube, detect_shapes
from analysis.small_data.margins import RULES, share_within

TABNET_BATCH = 1024  # rows; `analysis.missed.means` tells why
MANY, FEW = 50, 10  # tasks of a suite
WITHIN = 3  # hundredths of AUC, the paper PMLBmini's largest margin
ROWS = (100, 1000)  # at which logistic regression is overtaken or not
#: Bars of the step from LCDB 1.0 to 1.1 that are drawn, by the decomposition's words.
STEPS = {
    "finer grid of sizes": "grid: four times as many anchors",
    "same curves, measured anew": "the same curves measured anew: preprocessing, versions, rows",
    "other learners": "learners",
    "other datasets": "datasets",
}


def findings(valid: xr.DataArray) -> pd.DataFrame:
    """Return the numbers of the eight findings on the book's first page.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Validation error rates of LCDB 1.0, the datasets that the paper uses.

    Returns
    -------
    pandas.DataFrame
        Columns ``finding`` (its key), ``bar`` (what the number is of), ``value``, ``low``,
        ``high`` (95 %; NaN where no interval is known), ``database``, ``n`` (curves, or datasets
        for the step from LCDB 1.0 to 1.1 and for small data, problems that overtaking counts, or
        tasks). In percent, but for the place of peaks (rows per feature), a rank correlation, and
        errors in points.
    """
    shapes = {"the paper's procedure": detect_shapes(valid, "published"),
              "without its faults": detect_shapes(dense_lcdb10_cube(valid), "corrected")}
    rows = [*_ill_behaved(shapes), *_step(valid.sizes["dataset"]), *_tabnet(),
            *_peaks(detect_shapes(valid)), *_suites(), *_forecast(), *_small(), *_overtaken()]
    columns = ["finding", "bar", "value", "low", "high", "database", "n"]
    return pd.DataFrame(rows, columns=columns)


def _ill_behaved(shapes: dict[str, xr.Dataset]) -> list[tuple]:
    rows = []
    for name, found in shapes.items():
        ill = found["ill_behaved"].sum(["learner", "scaling"]).values.astype(float)
        each = np.full(len(ill), found["ill_behaved"].size / len(ill))
        low, high = ratio_of_sums_interval(ill, each)
        rows.append(("ill_behaved", name, 100 * ill.sum() / each.sum(), 100 * float(low),
                     100 * float(high), "LCDB 1.0", int(each.sum())))
    rows.append(("ill_behaved", "truly, by .02 or more", *believed()[["rate", "low", "high"]],
                 "LCDB 1.0", int(each.sum())))
    return rows


def _step(n_datasets: int) -> list[tuple]:
    table = tables_from_means()["decomposition"].set_index("step")
    return [("step", name, *table.loc[step, ["change", "low", "high"]], "LCDB 1.0 and 1.1",
             n_datasets) for name, step in STEPS.items()]


def _tabnet() -> list[tuple]:
    drops = tables_from_means()["largest_drops"]
    rows = []
    for learner in ("TabNet", "ens.RandomForest"):
        own = drops[drops["learner"] == learner]
        there = int(own.loc[own["anchor"] == TABNET_BATCH, "curves"].sum())
        of = int(own["of"].max())
        low, high = binomtest(there, of).proportion_ci()
        rows.append(("tabnet", learner, 100 * there / of, 100 * low, 100 * high, "LCDB 1.1", of))
    return rows


def _peaks(shapes: xr.Dataset) -> list[tuple]:
    features = meta_features_table()["NumberOfFeaturesAfterBinarization"]
    table = ratio_interval(peaks_against_features(shapes.squeeze("scaling", drop=True), features))
    return [("peaks", r.learner, r.median, r.low, r.high, "LCDB 1.0", r.peaks)
            for r in table[table["learner"].isin(["LDA", "QDA"])].itertuples()]


def _suites() -> list[tuple]:
    table = recall("suites_amlb_stability").set_index("n_tasks")
    tasks = len(recall("suites_amlb_tasks"))
    return [("suites", f"{n} tasks", *table.loc[n, ["reliability", "low", "high"]],
             "AutoML benchmark", tasks) for n in (FEW, MANY)]


def _forecast() -> list[tuple]:
    table = recall("extrapolation_lcdb10")
    half = table[(table["seen"] == 0.5) & (table["horizon"] == "all") & (table["group"] == "all")]
    names = {"combined": "learnt from curves", "POW2": "power law POW2", "LAST1": "no change"}
    half = half.set_index("extrapolator").loc[list(names)]
    return [("forecast", names[r.Index], r.mean_points, r.mean_low, r.mean_high, "LCDB 1.0",
             r.n_curves) for r in half.itertuples()]


def _small() -> list[tuple]:
    shares = share_within(recall("small_data_margins")[list(RULES)], (WITHIN,)).set_index("rule")
    rows = []
    for rule, name in (("rounded", "AUC rounded first"), ("full", "AUC at full precision")):
        found, of = (int(n) for n in shares.loc[rule, ["n_datasets", "of"]])
        low, high = binomtest(found, of).proportion_ci()
        rows.append(("small", name, 100 * found / of, 100 * low, 100 * high, "PMLBmini", of))
    return rows


def _overtaken() -> list[tuple]:
    table = recall("overtaking_lcdb11_shares")
    table = table[table["learner"] == "ens.RandomForest"].set_index("rows")
    return [("overtaken", f"{rows:,} rows", *(100 * table.loc[rows, ["share", "low", "high"]]),
             "LCDB 1.1", int(table.loc[rows, "n_datasets"])) for rows in ROWS]


def draw_finding(table: pd.DataFrame, unit: str) -> Figure:
    """Draw one finding's numbers as dots with their intervals, from 0 on.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of `findings`.
    unit : str
        Of the axis.

    Returns
    -------
    matplotlib.figure.Figure
        Closed.
    """
    figure, ax = plt.subplots(figsize=(4.4, 0.5 + 0.34 * len(table)))
    at = np.arange(len(table))[::-1]
    ends = np.nan_to_num(np.array([table["value"] - table["low"], table["high"] - table["value"]]))
    ax.errorbar(table["value"], at, xerr=np.maximum(ends, 0), fmt="o", color=PALETTE[0], capsize=3)
    ax.set_yticks(at, table["bar"])
    ax.set(xlabel=unit, ylim=(-0.6, len(table) - 0.4))
    lowest, highest = np.nanmin([0, *table["low"]]), np.nanmax(table[["value", "high"]])
    ax.set_xlim(left=lowest - 0.03 * (highest - lowest))
    ax.axvline(0, color="0.6", lw=0.8)
    plt.close(figure)
    return figure


def in_words(table: pd.DataFrame, bar: str, digits: int = 1) -> str:
    """Return a number of a finding with its interval, as a page says it."""
    row = table.set_index("bar").loc[bar]
    if np.isnan(row["low"]):
        return f"{row['value']:.{digits}f}"
    return f"{row['value']:.{digits}f} [{row['low']:.{digits}f}, {row['high']:.{digits}f}]"
