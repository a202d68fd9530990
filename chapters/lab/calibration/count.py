"""Simulate curves, have them judged, and count the verdicts.

Cell by cell; for phase transitions by how clearly the true curve has one by definition; by the true
size of violations, in a pool of all of them; and what repeats share where curves are constant in
their population.
"""

import zlib
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from analysis.shapes import PROCEDURES, detect_shapes
from analysis.statistics.bootstrap import exact_share, percentile_interval
from analysis.statistics.summary import TIE
from chapters.lab.calibration.cells import ALONE, COARSE, ON_NOISE, Cell, anchors_on
from chapters.lab.shapes.shrunken import cross_fitted_sizes
from chapters.lab.shapes.simulation import VIOLATION_OF, simulate_curves
from chapters.lab.shapes.transitions import detect_transitions

RESAMPLES = 400  # of datasets, behind the intervals of what repeats share
#: Lower ends of the classes of true excess: by how much a drop exceeds twice any change before it.
EXCESSES = (0.0, 1e-9, 0.02, 0.05, 0.1)
DROP_SIZES = (0.02, 0.05, 0.1, 0.2)
DROP_ROWS = (1000, 5000)
DROP_PROCEDURES = ("max_t", "max_t_wide")
VERDICTS = ("ill_behaved", "non_monotone", "non_convex", "peaking", "dipping")
#: Kinds of violations behind a verdict, ``true_…`` as simulated and ``size_…`` as measured.
KINDS_OF = {"non_monotone": ("mono",), "non_convex": ("conv",), "peaking": ("peak",),
            "dipping": ("dip",), "ill_behaved": ("mono", "conv")}
COLUMNS = ("generator", "procedure", "verdict", "rows", "per_doubling", "anchors", "repeats",
           "truth", "size", "rate", "low", "high", "n")
MIXED = (("flat", 0.4), ("power_law", 0.4), ("peak", 0.1), ("dip", 0.1))


def count_cell(cell: Cell) -> pd.DataFrame:
    """Return a row per procedure and verdict, with `COLUMNS`.

    ``rate`` is the share of the cell's ``n`` curves that are called, in percent, with a 95 %
    Clopper-Pearson interval ``low, high``. Of a mixture it is the share of false ones among the
    curves called, whose number is ``n``: NaN where none is.
    """
    curves = simulate_cell(cell)
    rows = []
    for procedure in cell.procedures:
        for verdict, called in verdicts_of(curves, procedure, _drops(cell)).items():
            hits, n = _counts(cell, curves, verdict, called)
            rows.append({"procedure": procedure, "verdict": verdict, "n": n}
                        | _interval(hits, n))
    repeats = cell.repeats[0] * cell.repeats[1]
    table = pd.DataFrame(rows).assign(
        generator=cell.generator, rows=cell.rows, per_doubling=cell.per_doubling,
        anchors=cell.anchors, repeats=repeats, truth=cell.truth, size=_size(cell, curves))
    return table[list(COLUMNS)]


def simulate_cell(cell: Cell) -> xr.DataArray:
    """Return the curves of a cell; the same cell gives the same curves."""
    seed = zlib.crc32(cell.key.encode())
    names = ("rows", "anchors", "repeats", "noise", "estimand")
    how = {name: getattr(cell, name) for name in names}
    parts = [simulate_curves(shape, round(share * cell.n), seed + k, **how,
                             true_size=cell.size if shape in VIOLATION_OF else None)
             for k, (shape, share) in enumerate(MIXED if cell.truth == "mixture"
                                                else [(cell.truth, 1)])]
    return xr.concat(parts, "curve")


def verdicts_of(curves: xr.DataArray, procedure: str, drops: bool = True) -> dict[str, np.ndarray]:
    """Return bool arrays (n_curves,) by verdict; phase transitions where asked and signs flip."""
    shapes = detect_shapes(curves, procedure)
    called = {verdict: shapes[verdict].values for verdict in VERDICTS}
    chosen = PROCEDURES[procedure]
    if drops and chosen.correction == "max_t" and not chosen.across:
        found = detect_transitions(curves, procedure)
        called["phase_transition"] = found["phase_transition"].values
    return called


def _drops(cell: Cell) -> bool:
    """Tell whether phase transitions are looked for: where all judge, and where it matters."""
    return cell.procedures == ALONE or "transition" in cell.truth or cell.truth == "peak"


def _counts(cell: Cell, curves: xr.DataArray, verdict: str, called: np.ndarray) -> tuple[int, int]:
    if cell.truth != "mixture":
        return int(called.sum()), len(called)
    guilty = np.max([curves[f"true_{kind}"].values for kind in KINDS_OF[verdict]], axis=0) > 0
    return int((called & ~guilty).sum()), int(called.sum())


def _size(cell: Cell, curves: xr.DataArray) -> float:
    """Return the size asked for; of learned curves, the true peak's."""
    return cell.size or round(float(curves["true_peak"].mean()), 4)


def pooled(table: pd.DataFrame) -> pd.DataFrame:
    """Return one row for all cells that differ in the number of curves alone, counted together."""
    keys = [c for c in COLUMNS if c not in ("rate", "low", "high", "n")]
    counts = table.assign(hits=(table["rate"].fillna(0) * table["n"] / 100).round().astype(int))
    counts = counts.groupby(keys, sort=False)[["hits", "n"]].sum().reset_index()
    intervals = [_interval(*pair) for pair in counts[["hits", "n"]].itertuples(index=False)]
    return counts.join(pd.DataFrame(intervals))[list(COLUMNS)]


def _interval(hits: int, n: int) -> dict[str, float]:
    return dict(zip(("rate", "low", "high"), exact_share(hits, n), strict=True))


def count_drops(each: int = 40) -> pd.DataFrame:
    """Return how often phase transitions are found in drawn curves of all shapes.

    Parameters
    ----------
    each : int
        Curves per shape, size and number of rows.

    Returns
    -------
    pandas.DataFrame
        ``procedure, rows, excess`` (lower end of the class; the first holds curves that have none),
        ``rate, low, high``: percent of the class's ``n`` curves in which one is found, with a 95 %
        Clopper-Pearson interval.
    """
    parts = []
    kinds = [(shape, size) for shape in VIOLATION_OF for size in DROP_SIZES]
    for rows in DROP_ROWS:
        for k, (shape, size) in enumerate([*kinds, *[("flat", None), ("power_law", None)] * 4]):
            curves = simulate_curves(shape, each, 5 + k, rows=rows, true_size=size,
                                     anchors=anchors_on(rows, COARSE))
            excess = np.searchsorted(EXCESSES, curves["true_transition"].values, "right") - 1
            for procedure in DROP_PROCEDURES:
                found = detect_transitions(curves, procedure)["phase_transition"].values
                parts.append(pd.DataFrame({"procedure": procedure, "rows": rows, "found": found,
                                           "excess": np.array(EXCESSES)[excess]}))
    counted = pd.concat(parts).groupby(["procedure", "rows", "excess"])["found"].agg(
        ["sum", "size"]).reset_index()
    rates = pd.DataFrame([_interval(int(hits), int(n)) | {"n": n}
                          for hits, n in counted[["sum", "size"]].to_numpy()])
    return counted[["procedure", "rows", "excess"]].join(rates)


def measured_shares(n: int = 300, rows: int = 1000) -> pd.DataFrame:
    """Measure what repeats share on curves that are constant in their population.

    Parameters
    ----------
    n : int
        Datasets of each kind.
    rows : int
        Of each dataset.

    Returns
    -------
    pandas.DataFrame
        ``generator, truth, step`` ("next anchor": a mean over all steps; "first to last"),
        ``share, low, high``: percent of the variance of a repeat's difference that all repeats of
        its dataset share; 95 % interval from resampling datasets.
    """
    rows_of = []
    for truth in ("flat", *ON_NOISE):
        generator = Cell(truth, estimand="population").generator
        curves = simulate_curves(truth, n, 9, rows=rows, anchors=12, estimand="population")
        for step, differences in (("next anchor", curves.diff("anchor")),
                                  ("first to last", curves.isel(anchor=[-1]) - curves[..., 0])):
            rows_of.append((generator, truth, step, *shared_share(differences, 9)))
    return pd.DataFrame(rows_of, columns=["generator", "truth", "step", "share", "low", "high"])


def shared_share(differences: xr.DataArray, seed: int = 0) -> tuple[float, float, float]:
    """Return the share, in percent, and its 95 % interval; differences as curves have dims."""
    repeats = differences.stack(repeat=("outer", "inner")).transpose("curve", "repeat", "anchor")
    within, means = repeats.var("repeat", ddof=1).values, repeats.mean("repeat").values
    draws = np.random.default_rng(seed).integers(len(means), size=(RESAMPLES, len(means)))
    resampled = np.array([_share(within[k], means[k], repeats.sizes["repeat"]) for k in draws])
    low, high = percentile_interval(resampled)
    return _share(within, means, repeats.sizes["repeat"]), float(low), float(high)


def _share(within: np.ndarray, means: np.ndarray, n_repeats: int) -> float:
    own = within.mean(axis=0)
    common = means.var(axis=0, ddof=1) - own / n_repeats
    return 100 * float((common / (common + own)).mean())


#: Lower ends of the classes of true sizes; the first holds well-behaved curves alone.
TRUE_BINS = (-np.inf, TIE, 0.005, 0.01, 0.02, 0.05)
#: Lower ends of the classes of cross-fitted sizes of curves that are called; 0: not called.
SEEN_BINS = (-np.inf, 0.01, 0.02, 0.05)
SIZES = (0.0035, 0.007, 0.0105, 0.014, 0.021, 0.03, 0.055, 0.12)
POOL_PROCEDURES = ("corrected", "max_t")


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
             for curves in [simulate_pool(pool, rows)] for procedure in POOL_PROCEDURES]
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
        true = np.max([curves[f"true_{kind}"].values for kind in KINDS_OF[verdict]], axis=0)
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
        size = np.max([sizes[f"size_{kind}"].fillna(-1).values for kind in KINDS_OF[verdict]],
                      axis=0)
        called = shapes[verdict]
        classes[verdict] = (called.dims, np.where(called, 1 + classes_of(size, SEEN_BINS), 0))
    return xr.Dataset(classes, coords=shapes.coords)


def classes_of(sizes: np.ndarray, lower_ends: tuple[float, ...]) -> np.ndarray:
    """Return the position of the last lower end that a size reaches."""
    return np.searchsorted(lower_ends, sizes, side="right") - 1
