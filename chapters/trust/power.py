"""How often each procedure errs on curves whose true shape is known."""

from itertools import product

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from analysis.shapes import detect_shapes
from analysis.shapes.simulation import SIMULATIONS, VIOLATION_OF, simulate_curves

VERDICTS = ("ill_behaved", "non_monotone", "non_convex", "peaking", "dipping")
PROCEDURES = ("published", "corrected", "holm")
#: True curves that violate nothing, and what their truth is of; learned curves have populations.
INNOCENT = (("power_law", "dataset"), ("flat", "dataset"),
            ("nearest_centroid", "population"), ("noise_labels", "population"))
#: The verdict that each kind of violation calls for, by the coordinate with its true size.
CALLED = {"true_peak": "peaking", "true_dip": "dipping", "true_conv": "non_convex"}
BIN = 0.1  # a bin of true sizes reaches so far to both sides, as a share of its middle


def false_alarms(n: int, seed: int, rows: int = 1000) -> pd.DataFrame:
    """Count verdicts on curves that are truly monotone and convex.

    Parameters
    ----------
    n : int
        Curves of each kind.
    seed : int
        Of the simulation.
    rows : int
        Rows of each dataset.

    Returns
    -------
    DataFrame
        ``truth`` (in words), ``estimand`` (whether it is that of all splits of the dataset, or of
        the population that the dataset is a sample of), ``procedure, verdict, curves, called``,
        then ``rate, low, high``: percent with a 95 % Clopper-Pearson interval.
    """
    found = []
    for shape, estimand in INNOCENT:
        curves = simulate_curves(shape, n, seed, rows=rows, estimand=estimand)
        for procedure in PROCEDURES:
            shapes = detect_shapes(curves, procedure)
            found += [(SIMULATIONS[shape].title, estimand, procedure, v, n, int(shapes[v].sum()))
                      for v in VERDICTS]
    return with_binomial_interval(pd.DataFrame(
        found, columns=["truth", "estimand", "procedure", "verdict", "curves", "called"]))


def power(sizes: tuple[float, ...], rows: tuple[int, ...], n: int, seed: int) -> pd.DataFrame:
    """Count how often true violations of a given size are found by the published procedure.

    Of each kind there are narrow and broad ones (peaks), sudden and slow ones (dips, drops), in
    equal numbers. Their noise is that of LCDB 1.0's learners, correlated along the curve.

    Parameters
    ----------
    sizes : tuple of float
        True sizes, as error rates: of a peak its height above the higher of its two feet, of a dip
        the lasting rise, of a drop the convexity violation.
    rows : tuple of int
        Rows of the datasets.
    n, seed
        As in `false_alarms`.

    Returns
    -------
    DataFrame
        ``verdict``; ``rows``; ``true_low, true_high``, the true sizes that count; ``curves`` with
        such a violation; ``found``, the percentage that gets the verdict, and ``low, high``, its
        95 % Clopper-Pearson interval. A curve whose violation cannot be as large is left out.
    """
    table = []
    for true, verdict in CALLED.items():
        shapes = [shape for shape, kind in VIOLATION_OF.items() if kind == true]
        for size, n_rows in product(sizes, rows):
            counts = [_count_found(simulate_curves(shape, n, seed, rows=n_rows, true_size=size),
                                   true, verdict, size) for shape in shapes]
            curves, called = np.sum(counts, axis=0)
            table.append((verdict, n_rows, (1 - BIN) * size, (1 + BIN) * size, curves, called))
    counted = with_binomial_interval(pd.DataFrame(
        table, columns=["verdict", "rows", "true_low", "true_high", "curves", "called"]))
    return counted.drop(columns="called").rename(columns={"rate": "found"})


def _count_found(curves: xr.DataArray, true: str, verdict: str, size: float) -> tuple[int, int]:
    """Return how many curves have a violation of that size, and how many of them are called so."""
    guilty = np.abs(curves[true].values - size) <= BIN * size
    called = detect_shapes(curves, "published")[verdict].values & guilty
    return int(guilty.sum()), int(called.sum())


def single_pair(n: int, seed: int, rows: int = 1000, level: float = 0.05) -> pd.DataFrame:
    """Count how often one increase, chosen beforehand, is significant on labels that are noise.

    The one-sided paired t-test over the 25 repeats, as the procedures use it, from each of a few
    anchors to the last one. The truth is no increase; a test that keeps its level rejects 5 %.

    Returns
    -------
    DataFrame
        ``anchor, curves, called, rate, low, high`` as in `false_alarms`.
    """
    curves = simulate_curves("noise_labels", n, seed, rows=rows)
    repeats = curves.stack(repeat=("outer", "inner")).transpose("curve", "repeat", "anchor")
    last = repeats.isel(anchor=-1).values
    found = []
    for k in np.linspace(0, curves.sizes["anchor"] - 2, 5).astype(int):
        p = stats.ttest_rel(last, repeats.isel(anchor=k).values, axis=1,
                            alternative="greater").pvalue
        found.append((int(curves["anchor"][k]), n, int((p < level).sum())))
    return with_binomial_interval(pd.DataFrame(found, columns=["anchor", "curves", "called"]))


def with_binomial_interval(table: pd.DataFrame) -> pd.DataFrame:
    """Add ``rate, low, high``, in percent, of ``called`` out of ``curves``; NaN out of none."""
    rows = []
    for called, curves in zip(table["called"], table["curves"], strict=True):
        if curves:
            low, high = stats.binomtest(called, curves).proportion_ci(method="exact")
            rows.append((100 * called / curves, 100 * low, 100 * high))
        else:
            rows.append((np.nan, np.nan, np.nan))
    return table.join(pd.DataFrame(rows, columns=["rate", "low", "high"], index=table.index))
