"""How often each procedure errs on curves whose true shape is known."""

import numpy as np
import pandas as pd
from scipy import stats

from analysis.shapes import detect_shapes
from analysis.simulation import SIMULATIONS, simulate_curves

VERDICTS = ("ill_behaved", "non_monotone", "non_convex", "peaking", "dipping")
PROCEDURES = ("published", "corrected", "holm")
#: True curves that violate nothing.
INNOCENT = ("power_law", "flat", "nearest_centroid", "noise_labels")
#: The verdict that each kind of violation calls for, and the coordinate with its true size.
GUILTY = {"peak": ("peaking", "true_peak"), "dip": ("dipping", "true_dip"),
          "phase_transition": ("non_convex", "true_conv")}


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
        ``truth`` (in words), ``procedure, verdict, curves, called``, then ``rate, low, high``:
        percent with a 95 % Clopper-Pearson interval.
    """
    found = []
    for shape in INNOCENT:
        curves = simulate_curves(shape, n, seed, rows=rows)
        for procedure in PROCEDURES:
            shapes = detect_shapes(curves, procedure)
            found += [(SIMULATIONS[shape].title, procedure, v, n, int(shapes[v].sum()))
                      for v in VERDICTS]
    table = pd.DataFrame(found, columns=["truth", "procedure", "verdict", "curves", "called"])
    return with_binomial_interval(table)


def power(sizes: tuple[float, ...], n: int, seed: int, rows: int = 1000) -> pd.DataFrame:
    """Count how often a true peak, dip or sudden drop of a given size is found.

    Parameters
    ----------
    sizes : tuple of float
        Heights added to a power law, as error rates.
    n, seed, rows
        As in `false_alarms`.

    Returns
    -------
    DataFrame
        ``truth, verdict, size, procedure, curves`` (that truly have the violation), ``called``,
        ``rate, low, high`` as in `false_alarms`.
    """
    found = []
    for shape, (verdict, true) in GUILTY.items():
        for size in sizes:
            curves = simulate_curves(shape, n, seed, size=size, rows=rows)
            guilty = curves[true].values > 0
            for procedure in PROCEDURES:
                called = detect_shapes(curves, procedure)[verdict].values & guilty
                found.append((SIMULATIONS[shape].title, verdict, size, procedure,
                              int(guilty.sum()), int(called.sum())))
    table = pd.DataFrame(found, columns=["truth", "verdict", "size", "procedure", "curves",
                                         "called"])
    return with_binomial_interval(table)


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
