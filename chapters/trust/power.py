"""How often the paper's procedure finds violations of known size, simulated when it is asked."""

from itertools import product

import numpy as np
import pandas as pd
import xarray as xr

from analysis.shapes import detect_shapes
from analysis.statistics.bootstrap import exact_share
from chapters.lab.shapes.simulation import VIOLATION_OF, simulate_curves

#: The verdict that each kind of violation calls for, by the coordinate with its true size.
CALLED = {"true_peak": "peaking", "true_dip": "dipping", "true_conv": "non_convex"}
BIN = 0.1  # a bin of true sizes reaches so far to both sides, as a share of its middle


def find_violations(sizes: tuple[float, ...], rows: tuple[int, ...], n: int,
                    seed: int) -> pd.DataFrame:
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
    n, seed : int
        Curves of each kind; of the simulation.

    Returns
    -------
    pandas.DataFrame
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
            table.append((verdict, n_rows, (1 - BIN) * size, (1 + BIN) * size, curves,
                          *exact_share(int(called), int(curves))))
    return pd.DataFrame(table, columns=["verdict", "rows", "true_low", "true_high", "curves",
                                        "found", "low", "high"])


def _count_found(curves: xr.DataArray, true: str, verdict: str, size: float) -> tuple[int, int]:
    """Return how many curves have a violation of that size, and how many of them are called so."""
    guilty = np.abs(curves[true].values - size) <= BIN * size
    called = detect_shapes(curves, "published")[verdict].values & guilty
    return int(guilty.sum()), int(called.sum())
