"""Curves under two treatments: scaled features or not, a preprocessor that saw all rows or not.

Scaling is compared pair by pair on the same datasets (Section 5.2). What it changes to fit the
preprocessor on all data is a test along the curve (Appendix B); what chance alone gives is told by
swapping the two at random.
"""

from itertools import product

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from analysis.published.printed import published_table
from analysis.shapes.curves import seeds_of
from analysis.shapes.detect import detect_shapes
from analysis.shapes.rates import counted, curves_table
from analysis.shapes.significance import ALPHA, JUDGE, TESTS, Procedure, check_alpha
from analysis.statistics.bootstrap import FEW, holm, mean_interval
from analysis.statistics.families import count_families
from analysis.statistics.sign_flips import family_p
from analysis.statistics.summary import REPEATS, TIE, shares_of
from collection.containers.curves import SCALINGS, only_dims

BASELINE = "none"
#: What a pair of curves is compared by.
MEASURES = ("ill_behaved", "non_monotone", "non_convex", "peaking", "dipping", "violation")
NOTICEABLE = 0.5  # points; dozens of intervals are looked at, some exclude 0 for next to nothing


def judge_scalings(valid: xr.DataArray, procedure: str | Procedure = "corrected") -> pd.DataFrame:
    """Return the verdicts on every curve under every scaling.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Validation error rates from `only_comparable`: pairs of dataset and
        learner that are NaN under every scaling are no curves and left out.
    procedure : str or Procedure
        As for `analysis.detect_shapes`.

    Returns
    -------
    pandas.DataFrame
        As `curves_table`, with ``violation``: the larger of the monotonicity and
        the convexity violation, significant or not, in error rate.
    """
    there = valid.notnull().any(["scaling", "outer", "inner", "anchor"])
    shapes = detect_shapes(valid, procedure)
    rows = curves_table(shapes, there.broadcast_like(shapes["missing"]).rename("there"))
    rows["violation"] = rows[["violation_mono", "violation_conv"]].max(axis=1)
    return _in_order(rows)


def paired_effects(table: pd.DataFrame) -> pd.DataFrame:
    """Compare each scaling with none on the same datasets, per learner and over all.

    Parameters
    ----------
    table : pandas.DataFrame
        From `judge_scalings`.

    Returns
    -------
    pandas.DataFrame
        A row per ``learner`` ("all": those that Table 4 counts, of curves that are
        missing under no scaling), ``scaling`` and ``measure`` (of `MEASURES`). ``n_pairs`` curves
        that are missing under neither;
        ``without`` and ``with`` scaling, their ``difference`` and the 95 % percentile interval
        ``low`` to ``high`` over resampled datasets: in percentage points for verdicts, in points
        of error rate for ``violation``. ``better`` and ``worse``: pairs whose measure falls or
        rises; ``n_changed``: families of datasets on which any does. ``p``: exact sign flips of
        families, for this row alone. ``effect``: see `name_effect`.
    """
    every, rows = counted(table), []
    never = every.groupby(["dataset", "learner"])["missing"].transform("sum") == 0
    groups = [*table.groupby("learner", sort=False), ("all", every[never])]
    for (learner, group), scaling in product(groups, SCALINGS[1:]):
        pairs = _pair(group, scaling)
        rows += [{"learner": learner, "scaling": scaling, "measure": measure}
                 | _compare(pairs, measure) for measure in MEASURES if len(pairs)]
    columns = ["learner", "scaling", "measure", "n_pairs", "without", "with",
               "difference", "low", "high", "better", "worse", "n_changed", "p", "effect"]
    return pd.DataFrame(rows, columns=columns)


def _pair(group: pd.DataFrame, scaling: str) -> pd.DataFrame:
    """Return a row per pair of curves, of which neither is missing: measures without and with."""
    kept = group[group["missing"] == 0].set_index(["dataset", "learner"])
    without = kept.loc[kept["scaling"] == BASELINE, list(MEASURES)]
    with_it = kept.loc[kept["scaling"] == scaling, list(MEASURES)]
    return without.join(with_it, how="inner", lsuffix="_without", rsuffix="_with").reset_index()


def _compare(pairs: pd.DataFrame, measure: str) -> dict:
    without, with_it = 100 * pairs[f"{measure}_without"], 100 * pairs[f"{measure}_with"]
    change = (with_it - without).where(lambda d: d.abs() > TIE, 0.0)
    low, high = mean_interval(change, pairs["dataset"])
    return {"n_pairs": len(pairs), "without": without.mean(), "with": with_it.mean(),
            "difference": change.mean(), "low": low, "high": high,
            "better": int((change < 0).sum()), "worse": int((change > 0).sum()),
            "n_changed": count_families(pairs.loc[change != 0, "dataset"]),
            "p": family_p(change, pairs["dataset"]),
            "effect": name_effect(change.mean(), low, high, bool((change != 0).any()))}


def name_effect(difference: float, low: float, high: float, changes: bool) -> str:
    """Return what a paired difference and its interval say of scaling, where lower is better.

    Returns
    -------
    str
        "no change" where no pair changes; "better" or "worse" where the interval excludes 0 and
        the difference is `NOTICEABLE`; "negligible" where it excludes 0 for less; "unclear"
        otherwise.
    """
    if not changes:
        return "no change"
    if low <= 0 <= high:
        return "unclear"
    if abs(difference) < NOTICEABLE:
        return "negligible"
    return "better" if difference < 0 else "worse"


def table8_tests(database: str, n_datasets: int) -> pd.DataFrame:
    """Test whether the paper's Table 8 shows other shares of ill-behaved curves with scaling.

    The table prints shares of all datasets, from which counts follow. Which dataset changes is not
    printed, so that the two shares are compared as those of independent samples (score test, no
    continuity correction): cautious, as curves of one dataset tend to agree.

    Parameters
    ----------
    database : str
        As the table calls it.
    n_datasets : int
        How many it has.

    Returns
    -------
    pandas.DataFrame
        A row per ``learner`` and ``scaling`` under which both have curves: ``without`` and ``with``
        scaling (percent of the datasets, as printed), ``ill_without``, ``there_without``,
        ``ill_with``, ``there_with`` (curves), ``difference`` of the shares of curves that exist
        with its 95 % interval ``low`` to ``high`` (percentage points), ``p``, and ``p_holm`` over
        all rows.
    """
    printed = published_table("table8").query("database == @database").pivot_table(
        index="learner", columns=["scaling", "property"], values="value", sort=False)
    rows = []
    for learner, scaling in product(printed.index, SCALINGS[1:]):
        shares = {name: printed.loc[learner, name] for name in (BASELINE, scaling)}
        ill, there = (np.array([round(n_datasets * f(share) / 100) for share in shares.values()])
                      for f in (lambda s: s["ill_behaved"], lambda s: 100 - s["missing"]))
        if not there.all():
            continue
        part = ill / there
        spread = 196 * np.sqrt((part * (1 - part) / there).sum())
        change = 100 * (part[1] - part[0])
        table = np.array([ill, there - ill])
        p = stats.chi2_contingency(table, correction=False).pvalue if table.sum(1).all() else 1.0
        rows.append((learner, scaling, *(share["ill_behaved"] for share in shares.values()),
                     ill[0], there[0], ill[1], there[1], change, change - spread, change + spread,
                     p))
    table = pd.DataFrame(rows, columns=[
        "learner", "scaling", "without", "with", "ill_without", "there_without", "ill_with",
        "there_with", "difference", "low", "high", "p"])
    return table.assign(p_holm=holm(table["p"]))


def leakage_differences(valid: xr.DataArray, complete: bool = False,
                        test: str = JUDGE, alpha: float = ALPHA) -> xr.Dataset:
    """Compare every curve with leakage against the same curve without it (Table 5).

    Parameters
    ----------
    valid : xarray.DataArray, dims (..., leakage, outer, inner, anchor)
        Error rates; ``leakage`` has "no" and "yes". NaN where a repeat has no value.
    complete : bool
        Whether to leave out anchors at which a repeat has no value; the paper does not.
    test : str
        A name in `analysis.shapes.significance.TESTS`. By default repeats of one outer or inner
        seed may depend on each other; "paired" is the paper's, which takes them as independent.
    alpha : float
        Significance level of each curve.

    Returns
    -------
    xarray.Dataset over the remaining dims
        ``compared`` (bool): at some anchor two repeats have both values. ``different`` (bool): at
        any anchor a test over the repeats is significant, its two-sided p-value times the number
        of anchors being below `alpha`. ``p``: the smallest, so corrected; NaN where untested. Also
        over ``anchor``: ``difference``, the mean of "yes" minus "no" in error rate; below 0 where
        leakage makes the curve look better.

    Notes
    -----
    Where no repeat differs there is nothing to test, and no difference. A difference that is the
    same in all repeats, but not 0, has p = 0.
    """
    check_alpha(alpha)
    change = valid.sel(leakage="yes", drop=True) - valid.sel(leakage="no", drop=True)
    n = change.count(REPEATS)
    if complete:
        change = change.where(n == change.sizes["outer"] * change.sizes["inner"])
        n = change.count(REPEATS)
    mean = change.mean(REPEATS)
    moved = (abs(mean) > TIE) & (n > 1)
    same = change.std(REPEATS, ddof=1) <= TIE
    one_sided = xr.apply_ufunc(
        lambda d: TESTS[test].of(d.reshape(-1, d.shape[-1]), seeds_of(change)).p.reshape(
            d.shape[:-1]),
        (change * np.sign(mean)).stack(repeat=REPEATS), input_core_dims=[["repeat"]])
    p = 2 * one_sided.where(~same, 0).where(moved) * (n > 0).sum("anchor")
    p = p.clip(max=1)
    return xr.Dataset({
        "compared": (n > 1).any("anchor"), "different": (p < alpha).any("anchor"),
        "p": p.min("anchor"), "difference": mean}).compute()


def swap_leakage(valid: xr.DataArray, seed: int = 0) -> xr.DataArray:
    """Return the curves with leakage "no" and "yes" swapped at random, by whole inner seeds.

    What there would be to find if leakage changed nothing on average: the differences keep their
    size and their dependence along the curve and between repeats of one inner seed, but not their
    direction.

    Parameters
    ----------
    valid : xarray.DataArray, dims (..., leakage, outer, inner, anchor)
        As for `leakage_differences`.
    seed : int
        Of the signs, one per inner seed of each curve.

    Returns
    -------
    xarray.DataArray
        Of the same dims.
    """
    no, yes = valid.sel(leakage="no", drop=True), valid.sel(leakage="yes", drop=True)
    template = no.isel(anchor=0, outer=0, drop=True)
    flip = template.copy(data=np.random.default_rng(seed).random(template.shape) < 0.5)
    swapped = xr.concat([xr.where(flip, yes, no), xr.where(flip, no, yes)], "leakage")
    return swapped.assign_coords(leakage=["no", "yes"])


def difference_table(differences: xr.Dataset) -> pd.DataFrame:
    """Return a row per compared curve: whether leakage changes it, and by how much.

    Parameters
    ----------
    differences : xarray.Dataset, dims (dataset, learner, scaling[, anchor])
        From `leakage_differences`.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset, learner, scaling, different`` (0 or 1), ``p``, ``identical`` (1 where no
        anchor differs at all) and ``change`` (mean of the difference, in points of error rate,
        below 0 where leakage makes the curve look better).
    """
    points = 100 * differences["difference"]
    wide = differences[["compared", "different", "p"]].assign(
        identical=abs(points).max("anchor") == 0, change=points.mean("anchor"))
    table = only_dims(wide).to_dataframe(dim_order=["dataset", "learner", "scaling"]).reset_index()
    table = table[table.pop("compared").astype(bool)].astype({"different": int, "identical": int})
    return _in_order(table)


def different_share(table: pd.DataFrame) -> pd.DataFrame:
    """Return the share of curves that leakage changes, per scaling (Table 5).

    Returns
    -------
    pandas.DataFrame
        Columns ``scaling, percent``, ``low`` and ``high`` (95 % interval over families of
        datasets; NaN of fewer than `FEW`), ``different`` and ``n_curves``, ``n_datasets``,
        ``identical`` (percent).
    """
    rows = []
    for scaling, group in table.groupby("scaling", sort=False):
        share = shares_of(group["different"], np.ones(len(group)), group["dataset"], FEW)
        rows.append((scaling, *map(np.ndarray.item, share),
                     group["different"].sum(), len(group), group["dataset"].nunique(),
                     100 * group["identical"].mean()))
    return pd.DataFrame(rows, columns=["scaling", "percent", "low", "high", "different",
                                       "n_curves", "n_datasets", "identical"])


def differences_by_size(differences: xr.Dataset) -> pd.DataFrame:
    """Return how the difference depends on the training-set size, per scaling.

    Returns
    -------
    pandas.DataFrame
        ``scaling, anchor, n_curves, change`` (mean difference, with leakage less without, in points
        of error rate), ``low, high``: its 95 % interval over families of datasets, NaN of fewer
        than five.
    """
    points = only_dims(100 * differences["difference"])
    table = points.rename("points").to_dataframe().reset_index().dropna(subset="points")
    rows = []
    for (scaling, anchor), group in table.groupby(["scaling", "anchor"]):
        ends = mean_interval(group["points"], group["dataset"], FEW)
        rows.append((scaling, int(anchor), len(group), group["points"].mean(), *ends))
    return _in_order(pd.DataFrame(rows, columns=[
        "scaling", "anchor", "n_curves", "change", "low", "high"]))


def _in_order(table: pd.DataFrame) -> pd.DataFrame:
    return table.sort_values("scaling", key=lambda s: s.map(SCALINGS.index), kind="stable",
                             ignore_index=True)
