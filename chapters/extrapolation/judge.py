"""Let extrapolators meet a challenge, score every curve by proper scores, and summarise.

Curves of one dataset are not independent, so families of datasets are drawn again. The same draws
serve all extrapolators: differences between them are surer than either's own error.
"""

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pandas as pd

from analysis.extrapolation import EXTRAPOLATORS
from analysis.extrapolation.conformal import quantiles
from analysis.statistics.bootstrap import ratio_of_sums_interval
from analysis.statistics.families import count_families
from chapters.extrapolation.cuts import Challenge
from collection.project.naming import check_known

DOUBLINGS = (1, 2, 3, 4, 5, 7)  # where groups of horizons end
ROWS = (64, 256, 1024)  # where groups of rows seen end
ALL = "all"
#: Evenly spaced, so that the mean pinball loss approximates the CRPS; with the ends of the 50, 80
#: and 90 % intervals among them.
LEVELS = tuple(np.round(np.arange(0.05, 0.96, 0.05), 2).tolist())
INTERVALS = (50, 80, 90)


def judge(challenge: Challenge, extrapolators: Iterable[str] = tuple(EXTRAPOLATORS)
          ) -> pd.DataFrame:
    """Let extrapolators predict and compare with what came.

    Parameters
    ----------
    challenge : Challenge
    extrapolators : iterable of str
        Names in `EXTRAPOLATORS`.

    Returns
    -------
    DataFrame
        A row per judged curve and extrapolator: ``database``, ``seen`` (share of the anchors),
        the labels of the challenge, ``extrapolator``, ``truth``, ``prediction`` (the point that
        the extrapolator itself gives, before its intervals are calibrated), ``points`` (its
        absolute error, in hundredths), ``crps`` (in hundredths), and per
        interval ``inside50`` … and ``width50`` … (hundredths), ``regret`` (hundredths; see
        `pair_regret`).

    Raises
    ------
    UnknownNameError
        If there is no such extrapolator.
    """
    names = list(extrapolators)
    check_known("extrapolator", names, EXTRAPOLATORS)
    return pd.concat([_scored(challenge, name) for name in names], ignore_index=True)


def _scored(challenge: Challenge, name: str) -> pd.DataFrame:
    forecast = EXTRAPOLATORS[name].forecast(challenge.seen, challenge.targets)
    found = quantiles(name, challenge.seen, challenge.targets, forecast, LEVELS)
    found, middle = (part[challenge.rows, 0] for part in (found, forecast.centre))
    truth = challenge.truth
    table = challenge.labels.assign(
        database=challenge.database, seen=challenge.share, extrapolator=name, truth=truth,
        prediction=middle, points=100 * np.abs(middle - truth),
        crps=100 * crps(found, truth, LEVELS))
    for percent in INTERVALS:
        low, high = interval(found, LEVELS, percent)
        table[f"inside{percent}"] = (low <= truth) & (truth <= high)
        table[f"width{percent}"] = 100 * (high - low)
    return table.assign(regret=100 * pair_regret(challenge.labels["dataset"].to_numpy(),
                                                 challenge.target, truth, middle))


def pair_regret(dataset: np.ndarray, target: np.ndarray, truth: np.ndarray,
                prediction: np.ndarray) -> np.ndarray:
    """Return what choosing between each curve and another one by the prediction costs.

    Parameters
    ----------
    dataset, target, truth, prediction : ndarray, shape (n,)
        Pairs are of curves on the same dataset with the same target size.

    Returns
    -------
    ndarray, shape (n,)
        Mean over a curve's partners of the chosen one's true error minus the smaller one's; of
        two equal predictions, half of either. NaN for a curve without a partner.
    """
    regret = np.full(len(truth), np.nan)
    keys = pd.DataFrame({"dataset": dataset, "target": target})
    for rows in keys.groupby(["dataset", "target"], sort=False).indices.values():
        if len(rows) < 2:
            continue
        better = np.sign(prediction[rows][None] - prediction[rows][:, None])
        own, other = truth[rows][:, None], truth[rows][None]
        chosen = np.where(better > 0, own, np.where(better < 0, other, (own + other) / 2))
        cost = chosen - np.minimum(own, other)
        regret[rows] = cost.sum(1) / (len(rows) - 1)
    return regret


def with_groups(table: pd.DataFrame, shapes: pd.DataFrame | None = None) -> pd.DataFrame:
    """Repeat the rows of `judge` under every group that they are in.

    Parameters
    ----------
    table : DataFrame
        From `judge`.
    shapes : DataFrame, optional
        ``dataset``, ``learner`` and a column of bool per shape, known only afterwards.

    Returns
    -------
    DataFrame
        With ``horizon`` and ``group``: each is "all" unless the other names something.
    """
    parts = [table.assign(horizon=ALL, group=ALL),
             table.assign(horizon=_binned(table["doublings"], DOUBLINGS, "doublings"), group=ALL),
             table.assign(horizon=ALL, group="learner: " + table["learner"].astype(str)),
             table.assign(horizon=ALL,
                          group="seen: " + _binned(table["rows_seen"], ROWS, "rows"))]
    if shapes is not None:
        merged = table.merge(shapes, on=["dataset", "learner"], how="left")
        for shape in shapes.columns.difference(["dataset", "learner"], sort=False):
            kept = table[merged[shape].eq(True).to_numpy()]
            parts.append(kept.assign(horizon=ALL, group=f"shape: {shape}"))
    return pd.concat(parts, ignore_index=True)


def _binned(values: pd.Series, edges: tuple[int, ...], unit: str) -> pd.Series:
    names = [f"up to {edges[0]} {unit}",
             *(f"{a} to {b} {unit}" for a, b in pairwise(edges)),
             f"over {edges[-1]} {unit}"]
    return pd.Series(np.array(names)[np.searchsorted(edges, values - 1e-9)], values.index)


def summarise_contest(table: pd.DataFrame, trained_on: str) -> pd.DataFrame:
    """Average the rows of `with_groups`.

    Returns
    -------
    DataFrame
        ``database``, ``trained_on``, ``extrapolator``, ``seen``, ``horizon``, ``group``,
        ``n_curves``, ``n_datasets``, ``mean_points``, ``median_points``, ``crps``, and
        ``coverage50`` … (shares) and ``width50`` … per interval, ``regret``; ``mean_low`` and
        ``mean_high``, the 95 % interval of ``mean_points`` over datasets, NaN with one dataset.
        Points, CRPS, widths and regret are in hundredths of an error rate, means over curves.
    """
    means = {f"{name}{p}": (f"{column}{p}", "mean") for p in INTERVALS
             for name, column in (("coverage", "inside"), ("width", "width"))}
    keys = ["database", "extrapolator", "seen", "horizon", "group"]
    result = table.groupby(keys, sort=False).agg(
        n_curves=("points", "size"), n_datasets=("dataset", "nunique"),
        mean_points=("points", "mean"), median_points=("points", "median"),
        crps=("crps", "mean"), **means, regret=("regret", "mean")).reset_index()
    result.insert(1, "trained_on", trained_on)
    return result.merge(error_intervals(table, keys), on=keys, how="left")


def error_intervals(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return the 95 % intervals of mean absolute errors.

    Parameters
    ----------
    table : DataFrame
        ``extrapolator``, ``dataset``, ``points`` and the other `keys`, a row per curve.
    keys : list of str
        What tells groups of curves apart, ``extrapolator`` among them.

    Returns
    -------
    DataFrame
        The keys, ``mean_low``, ``mean_high``: a row per group; NaN with one dataset.
    """
    parts, others = [], [k for k in keys if k != "extrapolator"]
    for labels, part in table.groupby(others, sort=False):
        each = part.groupby(["dataset", "extrapolator"])["points"].agg(["sum", "size"])
        order = part["dataset"].unique()
        sums, sizes = (each[c].unstack(fill_value=0).loc[order] for c in ("sum", "size"))
        low, high = ratio_of_sums_interval(sums.to_numpy(), sizes.to_numpy(), order)
        several = count_families(order) > 1
        parts.append(pd.DataFrame({
            **dict(zip(others, labels, strict=True)), "extrapolator": sums.columns,
            "mean_low": low if several else np.nan, "mean_high": high if several else np.nan}))
    return pd.concat(parts, ignore_index=True)


def error_ratio(scores: pd.DataFrame, one: str, other: str) -> tuple[float, float, float]:
    """Return the mean absolute error of one extrapolator as a multiple of another's.

    Parameters
    ----------
    scores : DataFrame
        ``extrapolator``, ``dataset`` and ``points``: a row per curve, the same of both.
    one, other : str
        Extrapolators.

    Returns
    -------
    ratio, low, high : float
        With the 95 % interval over datasets.
    """
    sums = scores.pivot_table(index="dataset", columns="extrapolator", values="points",
                              aggfunc="sum", sort=False)
    low, high = ratio_of_sums_interval(sums[one], sums[other], sums.index)
    return float(sums[one].sum() / sums[other].sum()), float(low), float(high)


def pinball(quantiles: np.ndarray, truth: np.ndarray, levels: tuple[float, ...]) -> np.ndarray:
    """Return the pinball loss of every quantile, shape (n, n_levels).

    Parameters
    ----------
    quantiles : ndarray, shape (n, n_levels)
    truth : ndarray, shape (n,)
    levels : tuple of float
    """
    short = truth[:, None] - quantiles
    return np.maximum(np.array(levels) * short, (np.array(levels) - 1) * short)


def crps(quantiles: np.ndarray, truth: np.ndarray, levels: tuple[float, ...]) -> np.ndarray:
    """Return the continuous ranked probability score, approximated: twice the mean pinball loss."""
    return 2 * pinball(quantiles, truth, levels).mean(1)


def interval(quantiles: np.ndarray, levels: tuple[float, ...], percent: int) -> np.ndarray:
    """Return low and high end of a central interval, shape (2, n).

    Raises
    ------
    ValueError
        If its ends are not among the levels.
    """
    low = (100 - percent) / 200
    ends = [np.flatnonzero(np.isclose(levels, end)) for end in (low, 1 - low)]
    if not all(map(len, ends)):
        raise ValueError(f"The ends of a {percent} % interval, {low:g} and {1 - low:g}, are not "
                         "among the quantiles.")
    return np.stack([quantiles[:, end[0]] for end in ends])
