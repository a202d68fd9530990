"""What a procedure makes of curves of each true size."""

import zlib
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from analysis.calibration.cells import anchors_on
from analysis.calibration.count import TRUE_OF, VERDICTS
from analysis.shapes import detect_shapes
from analysis.shapes.shrunken import cross_fitted_sizes
from analysis.shapes.simulation import VIOLATION_OF, simulate_curves
from analysis.statistics.repeats import TIE

#: Lower ends of the classes of true sizes; the first holds well-behaved curves alone.
TRUE_BINS = (-np.inf, TIE, 0.005, 0.01, 0.02, 0.05)
#: Lower ends of the classes of cross-fitted sizes of curves that are called; 0: not called.
SEEN_BINS = (-np.inf, 0.01, 0.02, 0.05)
SIZES = (0.0035, 0.007, 0.0105, 0.014, 0.021, 0.03, 0.055, 0.12)
SIZE_OF = {"non_monotone": ("size_mono",), "non_convex": ("size_conv",), "peaking": ("size_peak",),
           "dipping": ("size_dip",), "ill_behaved": ("size_mono", "size_conv")}
PROCEDURES = ("corrected", "max_t")


@dataclass(frozen=True)
class Pool:
    """Curves of all shapes and sizes on one database's kind of grid.

    Attributes
    ----------
    noise : str
        Database whose noise they have.
    per_doubling : int
        Anchors per doubling of the training set.
    rows : tuple of int
        Rows of the datasets: real ones are held against the nearest, by ratio.
    each : int
        Curves per shape, size and rows; the truth is the dataset's.
    """

    noise: str
    per_doubling: int
    rows: tuple[int, ...]
    each: int


POOL_FILES = {
    "calibration_pool_lcdb10": Pool("lcdb10", 2, (200, 1000, 5000, 20_000), 6),
    "calibration_pool_mini": Pool("mini", 8, (200, 1000), 2),
}


def count_pool(pool: Pool) -> pd.DataFrame:
    """Count curves by true size and by what is seen of them.

    Returns
    -------
    DataFrame
        ``procedure, verdict, rows``, ``true`` and ``seen`` (positions in `TRUE_BINS`, and
        one more than those in `SEEN_BINS`; 0 is not called), ``curves``.
    """
    parts = [_count(curves, rows, procedure) for rows in pool.rows
             for curves in [simulate_pool(pool, rows)] for procedure in PROCEDURES]
    return pd.concat(parts, ignore_index=True)


def simulate_pool(pool: Pool, rows: int) -> xr.DataArray:
    """Simulate all shapes and sizes for one number of rows, as many well-behaved as the others."""
    kinds = [(shape, size) for shape in VIOLATION_OF for size in SIZES]
    kinds += [("flat", None), ("power_law", None)] * (len(kinds) // 4)
    anchors = anchors_on(rows, pool.per_doubling)
    parts = [simulate_curves(shape, pool.each, zlib.crc32(f"{shape} {size} {rows} {k}".encode()),
                             rows=rows, true_size=size, anchors=anchors, noise=pool.noise)
             for k, (shape, size) in enumerate(kinds)]
    return xr.concat(parts, "curve")


def _count(curves: xr.DataArray, rows: int, procedure: str) -> pd.DataFrame:
    seen = classes_seen(curves, procedure)
    parts = []
    for verdict in VERDICTS:
        true = np.max([curves[name].values for name in TRUE_OF[verdict]], axis=0)
        table = pd.crosstab(classes_of(true, TRUE_BINS), seen[verdict].values)
        table = table.reindex(index=range(len(TRUE_BINS)), columns=range(len(SEEN_BINS) + 1),
                              fill_value=0)
        long = table.stack().rename("curves").rename_axis(["true", "seen"]).reset_index()
        parts.append(long.assign(procedure=procedure, verdict=verdict, rows=rows))
    columns = ["procedure", "verdict", "rows", "true", "seen", "curves"]
    return pd.concat(parts, ignore_index=True)[columns]


def classes_seen(valid: xr.DataArray, procedure: str) -> xr.Dataset:
    """Return the class of each curve by verdict: 0 not called, else by its cross-fitted size."""
    shapes, sizes = detect_shapes(valid, procedure), cross_fitted_sizes(valid)
    classes = {}
    for verdict in VERDICTS:
        size = np.max([sizes[name].fillna(-1).values for name in SIZE_OF[verdict]], axis=0)
        called = shapes[verdict]
        classes[verdict] = (called.dims, np.where(called, 1 + classes_of(size, SEEN_BINS), 0))
    return xr.Dataset(classes, coords=shapes.coords)


def classes_of(sizes: np.ndarray, lower_ends: tuple[float, ...]) -> np.ndarray:
    """Return the position of the last lower end that a size reaches."""
    return np.searchsorted(lower_ends, sizes, side="right") - 1
