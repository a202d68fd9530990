"""Simulate curves, have them judged, and count the verdicts.

Cell by cell; for phase transitions by how clearly the true curve has one by definition; and what
the same procedures say of LCDB 1.0.
"""

import zlib

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chapter_curves import counted_curves
from analysis.shapes import PROCEDURES, detect_shapes, share_of
from analysis.shapes.transitions import detect_transitions
from analysis.statistics.shares import exact_share
from lab.calibration.cells import COARSE, Cell, anchors_on
from lab.shapes.causes import dataset_facts, likely_causes
from lab.shapes.simulation import VIOLATION_OF, simulate_curves

#: Lower ends of the classes of true excess: by how much a drop exceeds twice any change before it.
EXCESSES = (0.0, 1e-9, 0.02, 0.05, 0.1)
DROP_SIZES = (0.02, 0.05, 0.1, 0.2)
DROP_ROWS = 1000
VERDICTS = ("ill_behaved", "non_monotone", "non_convex", "peaking", "dipping")
COLUMNS = ("generator", "procedure", "verdict", "rows", "per_doubling", "anchors", "repeats",
           "truth", "size", "rate", "low", "high", "n")


def count_cell(cell: Cell) -> pd.DataFrame:
    """Return a row per procedure and verdict, with `COLUMNS`.

    ``rate`` is the share of the cell's ``n`` curves that are called, in percent, with a 95 %
    Clopper-Pearson interval ``low, high``.
    """
    curves = simulate_cell(cell)
    rows = []
    for procedure in cell.procedures:
        shapes = detect_shapes(curves, procedure)
        for verdict in VERDICTS:
            called = int(shapes[verdict].sum())
            rows.append({"procedure": procedure, "verdict": verdict, "n": cell.n}
                        | _interval(called, cell.n))
    repeats = cell.repeats[0] * cell.repeats[1]
    table = pd.DataFrame(rows).assign(
        generator=cell.generator, rows=cell.rows, per_doubling=cell.per_doubling,
        anchors=cell.anchors, repeats=repeats, truth=cell.truth, size=cell.size)
    return table[list(COLUMNS)]


def simulate_cell(cell: Cell) -> xr.DataArray:
    """Return the curves of a cell; the same cell gives the same curves."""
    names = ("rows", "anchors", "repeats", "noise", "estimand")
    return simulate_curves(cell.truth, cell.n, zlib.crc32(cell.key.encode()),
                           true_size=cell.size if cell.truth in VIOLATION_OF else None,
                           **{name: getattr(cell, name) for name in names})


def pooled(table: pd.DataFrame) -> pd.DataFrame:
    """Return one row for all cells that differ in the number of curves alone, counted together."""
    keys = [c for c in COLUMNS if c not in ("rate", "low", "high", "n")]
    counts = table.assign(hits=(table["rate"] * table["n"] / 100).round().astype(int))
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
        Curves of each shape and size.

    Returns
    -------
    pandas.DataFrame
        ``excess`` (lower end of the class, of `EXCESSES`: by how much the true curve's drop exceeds
        twice any change before it; 0: it does not), ``rate, low, high, n``, as in `count_cell`.
    """
    parts = []
    kinds = [(shape, size) for shape in VIOLATION_OF for size in DROP_SIZES]
    for k, (shape, size) in enumerate([*kinds, *[("flat", None), ("power_law", None)] * 4]):
        curves = simulate_curves(shape, each, 5 + k, rows=DROP_ROWS, true_size=size,
                                 anchors=anchors_on(DROP_ROWS, COARSE))
        excess = np.searchsorted(EXCESSES, curves["true_transition"].values, "right") - 1
        parts.append(pd.DataFrame({"found": detect_transitions(curves)["phase_transition"].values,
                                   "excess": np.array(EXCESSES)[excess]}))
    counted = pd.concat(parts).groupby("excess")["found"].agg(["sum", "size"]).reset_index()
    rates = pd.DataFrame([_interval(int(hits), int(n)) | {"n": n}
                          for hits, n in counted[["sum", "size"]].to_numpy()])
    return counted[["excess"]].join(rates)


def calls(valid: xr.DataArray, tried: xr.DataArray) -> pd.DataFrame:
    """Return the share of curves that each procedure calls, but for the published ones.

    Returns
    -------
    pandas.DataFrame
        ``procedure, verdict, rate, low, high``: percent of the curves tried, missing ones included;
        95 % interval from resampling datasets, near-duplicates as one.
    """
    rows = []
    for procedure in [name for name in PROCEDURES if "published" not in name]:
        shapes = detect_shapes(valid, procedure)
        for verdict in VERDICTS:
            share = share_of(shapes[verdict], tried)
            rows.append((procedure, verdict, share.value, share.low, share.high))
    return pd.DataFrame(rows, columns=["procedure", "verdict", "rate", "low", "high"])


def transitions(valid: xr.DataArray) -> pd.DataFrame:
    """Return the phase transitions found by the max-statistic, each with its likely cause.

    Returns
    -------
    pandas.DataFrame
        ``dataset, learner, h, i, j, size, cause``.
    """
    found = detect_transitions(valid)
    found = found.drop_vars([c for c in found.coords if c not in found.dims])
    table = found.to_dataframe().reset_index().query("phase_transition")
    table = table.rename(columns={f"transition_{k}": k for k in "hij"}
                         | {"transition_drop": "size"})
    table["cause"] = likely_causes(table, valid, dataset_facts())
    return table[["dataset", "learner", "h", "i", "j", "size", "cause"]]


def on_lcdb10() -> dict[str, pd.DataFrame]:
    """Return what is said of LCDB 1.0, by the name under which it is kept."""
    valid, tried = counted_curves("lcdb10", "none")
    return {"calibration_calls": calls(valid, tried), "calibration_transitions": transitions(valid)}
