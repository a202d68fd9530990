"""What the book found: each finding's numbers, and a small figure."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure
from scipy.stats import binomtest

from analysis.databases.chosen import main_curves, tried_curves, validation_errors
from analysis.databases.lcdb10 import meta_features_table
from analysis.databases.load import load_curves
from analysis.databases.naming import learner_title
from analysis.drawing.charts import draw_dots, figure
from analysis.drawing.tables import write_result
from analysis.published.computed import compute_or_recall, recall
from analysis.shapes import dense_lcdb10_cube, detect_shapes
from analysis.shapes.causes import peaks_against_features, ratio_interval
from analysis.statistics.bootstrap import ratio_of_sums_interval
from chapters.da1.correction_steps import IN_PLACE, OWN_GRID, correction_steps
from chapters.facts import Facts
from chapters.how_many_rows import FIXED
from chapters.how_many_rows.overtaking import OvertakingStudy, study_overtaking
from chapters.how_many_rows.shares import NOW, three_shares
from chapters.missed.decomposition import DENSE_PRICE, GRID_STEP, OWN_PRICE
from chapters.missed.study import KEPT
from chapters.small_data.margins import RULES, share_within
from chapters.suite_worth import CLOSE

TABNET_BATCH = 1024  # rows; `chapters.missed.means` tells why
MANY, FEW = 50, 10  # tasks of a suite
#: Rankings of which systems are compared, by the source's name in the kept table.
SYSTEMS = {"AutoML benchmark": "all seven systems", CLOSE: "without two outsiders"}
TRULY = 0.02  # the smallest violation that counts, error rate
#: Whose curves truly violate something, by the name of their bar.
WHOSE = {"truly, by .02 or more": "all", "so of the three leaders": "the three leaders",
         "so of the others": "the others"}
WITHIN = 3  # hundredths of AUC, the paper PMLBmini's largest margin
LEADERS = 3
ROWS = (100, 1000)  # at which logistic regression is overtaken or not
#: Bars of the step from LCDB 1.0 to 1.1 that are drawn, by price and words of the decomposition.
STEPS = {
    "finer grid, coarse one pays alike": (DENSE_PRICE, GRID_STEP),
    "finer grid, each pays its own": (OWN_PRICE, GRID_STEP),
    "same curves, measured anew": (
        DENSE_PRICE, "the same curves measured anew: preprocessing, versions, rows"),
    "other learners": (DENSE_PRICE, "learners"),
    "other datasets": (DENSE_PRICE, "datasets"),
}
#: Facts of the page: key → finding, bar, decimals, unit.
SAID = {
    "f_published": ("ill_behaved", "the paper's procedure", 1, "%"),
    "f_clean": ("ill_behaved", "without its faults", 1, "%"),
    "f_true": ("ill_behaved", "truly, by .02 or more", 1, "%"),
    "f_true_three": ("ill_behaved", "so of the three leaders", 0, "%"),
    "f_true_rest": ("ill_behaved", "so of the others", 1, "%"),
    "f_grid": ("step", "finer grid, coarse one pays alike", 1, "points"),
    "f_grid_own": ("step", "finer grid, each pays its own", 1, "points"),
    "f_tabnet": ("tabnet", "TabNet", 0, "%"),
    "f_forest": ("tabnet", "random forest", 0, "%"),
    "f_lda": ("peaks", "linear discriminant analysis", 2, ""),
    "f_ten": ("suites", "10 tasks, all seven systems", 2, ""),
    "f_fifty": ("suites", "50 tasks, all seven systems", 2, ""),
    "f_ten_close": ("suites", "10 tasks, without two outsiders", 2, ""),
    "f_fifty_close": ("suites", "50 tasks, without two outsiders", 2, ""),
    "f_learnt": ("forecast", "learnt from curves", 1, "points"),
    "f_formula": ("forecast", "power law POW2", 1, "points"),
    "f_rounded": ("small", "AUC rounded first", 0, "%"),
    "f_full": ("small", "AUC at full precision", 0, "%"),
    "f_hundred": ("overtaken", "100 rows", 0, "%"),
    "f_thousand": ("overtaken", "1,000 rows", 0, "%"),
}


class Study(NamedTuple):
    """What the page shows.

    Attributes
    ----------
    curves : xarray.Dataset
        LCDB 1.0, the datasets that the paper uses.
    valid : xarray.DataArray
        Their validation error rates.
    steps : pandas.Series
        Percent of ill-behaved curves by the step from the published to the corrected procedure.
    table : pandas.DataFrame
        From `findings`.
    """

    curves: xr.Dataset
    valid: xr.DataArray
    steps: pd.Series
    table: pd.DataFrame

    def of(self, finding: str) -> pd.DataFrame:
        """Return the rows of a finding."""
        return self.table[self.table["finding"] == finding]


def study() -> Study:
    """Compute the findings, and write their table."""
    curves = load_curves("lcdb10", selection="paper")
    valid = validation_errors("lcdb10").load()
    steps = correction_steps(valid, tried_curves(main_curves("lcdb10"), valid))
    found = Study(curves, valid, steps.set_index("step")["ill_behaved"], findings(valid))
    write_result(found.table, "findings", "findings")
    return found


def facts(found: Study) -> pd.DataFrame:
    """Return the numbers of the page's sentences, as `chapters.facts.Facts.table`."""
    rows = Facts()
    rows.add("n_curves", found.curves.sizes["dataset"] * found.curves.sizes["learner"])
    for key, step in (("published", "published"), ("like_for_like", IN_PLACE),
                      ("corrected", OWN_GRID)):
        rows.add(key, found.steps[step], digits=1, unit="%")
    ill = detect_shapes(found.valid)["ill_behaved"].sum(["dataset", "scaling"]).to_series()
    leaders = ill.nlargest(LEADERS)
    rows.add("leaders", ", ".join(map(learner_title, leaders.index)))
    rows.add("leaders_share", 100 * leaders.sum() / ill.sum(), unit="%", n=int(ill.sum()))
    for key, (finding, bar, digits, unit) in SAID.items():
        row = found.of(finding).set_index("bar").loc[bar]
        rows.add(key, row["value"], row["low"], row["high"], digits=digits, unit=unit,
                 n=int(row["n"]), note=f"{bar}; {row['database']}")
    for finding, part in found.table.groupby("finding", sort=False):
        rows.add(f"n_{finding}", int(part["n"].iloc[0]))
    return rows.table()


def findings(valid: xr.DataArray) -> pd.DataFrame:
    """Return the numbers of the eight findings of the book.

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
        low, high = ratio_of_sums_interval(ill, each, found["dataset"].values)
        rows.append(("ill_behaved", name, 100 * ill.sum() / each.sum(), 100 * float(low),
                     100 * float(high), "LCDB 1.0", int(each.sum())))
    truly = recall("trust_prevalence").query(
        f"pool == 'real residuals' and seen_by == 'both' and min_violation == {TRULY}")
    truly = truly.set_index("learner")
    rows += [("ill_behaved", bar, *truly.loc[learner, ["share", "low", "high"]], "LCDB 1.0",
              int(truly.loc[learner, "n"])) for bar, learner in WHOSE.items()]
    return rows


def _from_means(name: str) -> pd.DataFrame:
    """Return a table that rests on LCDB 1.1's published means, kept where these are not at hand."""
    return compute_or_recall(f"missed_{name}", KEPT[f"missed_{name}"])


def _step(n_datasets: int) -> list[tuple]:
    table = _from_means("decomposition").set_index(["price", "step"])
    return [("step", name, *table.loc[step, ["change", "low", "high"]], "LCDB 1.0 and 1.1",
             n_datasets) for name, step in STEPS.items()]


def _tabnet() -> list[tuple]:
    drops = _from_means("largest_drops")
    rows = []
    for learner in ("TabNet", "ens.RandomForest"):
        own = drops[drops["learner"] == learner]
        there = int(own.loc[own["anchor"] == TABNET_BATCH, "curves"].sum())
        of = int(own["of"].max())
        low, high = binomtest(there, of).proportion_ci()
        rows.append(("tabnet", learner_title(learner), 100 * there / of, 100 * low, 100 * high,
                     "LCDB 1.1", of))
    return rows


def _peaks(shapes: xr.Dataset) -> list[tuple]:
    features = meta_features_table()["NumberOfFeaturesAfterBinarization"]
    table = ratio_interval(peaks_against_features(shapes.squeeze("scaling", drop=True), features))
    return [("peaks", learner_title(r.learner), r.median, r.low, r.high, "LCDB 1.0", r.peaks)
            for r in table[table["learner"].isin(["LDA", "QDA"])].itertuples()]


def _suites() -> list[tuple]:
    tasks = int(recall("suites_amlb_systems")["tasks"].max())
    table = recall("suites_amlb_stability").set_index(["source", "n_tasks"])
    ends = ["reliability", "low", "high"]
    return [("suites", f"{n} tasks, {words}", *table.loc[(source, n), ends], "AutoML benchmark",
             tasks) for source, words in SYSTEMS.items() for n in (FEW, MANY)]


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


@lru_cache(maxsize=1)
def _overtaking() -> OvertakingStudy:
    return study_overtaking("lcdb10")


def forest_ahead(sizes: Sequence[int]) -> pd.DataFrame:
    """Return on what share of LCDB 1.0's problems a random forest is ahead, by rows.

    Parameters
    ----------
    sizes : sequence of int
        In rows.

    Returns
    -------
    pandas.DataFrame
        Rows of `three_shares`.
    """
    found = _overtaking()
    table = three_shares(found.mean.sel(learner=found.complex),
                         found.cases.sel(learner=found.complex), found.family, "lcdb10", sizes,
                         FIXED)
    return table[(table["learner"] == "ens.RandomForest") & (table["who"] == NOW)]


def _overtaken() -> list[tuple]:
    table = forest_ahead(ROWS).set_index("rows")
    return [("overtaken", f"{rows:,} rows", *(100 * table.loc[rows, ["share", "low", "high"]]),
             "LCDB 1.0", int(table.loc[rows, "n_datasets"])) for rows in ROWS]


@figure
def draw_finding(table: pd.DataFrame, unit: str) -> Figure:
    """Draw one finding's numbers as dots with their intervals, with 0 on the axis.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of `findings`.
    unit : str
        Of the axis.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, ax = plt.subplots(figsize=(5.2, 0.5 + 0.34 * len(table)))
    draw_dots(ax, table, "bar", reference=0)
    lowest, highest = np.nanmin([0, *table["low"]]), np.nanmax(table[["value", "high"]])
    ax.set_xlim(left=lowest - 0.03 * (highest - lowest))
    ax.set_xlabel(unit)
    return figure
