"""Simulate curves, have them judged, and count the verdicts.

Cell by cell; and for phase transitions by how clearly the true curve has one by definition.
"""

import zlib

import numpy as np
import pandas as pd
import xarray as xr

from analysis.shapes import PROCEDURES, detect_shapes
from analysis.shapes.transitions import detect_transitions
from analysis.statistics.shares import exact_share
from lab.calibration.cells import ALONE, COARSE, Cell, anchors_on
from lab.shapes.simulation import VIOLATION_OF, simulate_curves

#: Lower ends of the classes of true excess: by how much a drop exceeds twice any change before it.
EXCESSES = (0.0, 1e-9, 0.02, 0.05, 0.1)
DROP_SIZES = (0.02, 0.05, 0.1, 0.2)
DROP_ROWS = (1000, 5000)
DROP_PROCEDURES = ("max_t", "max_t_wide")
VERDICTS = ("ill_behaved", "non_monotone", "non_convex", "peaking", "dipping")
#: Kinds of violations behind a verdict, ``true_…`` as simulated.
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
            rows.append({"procedure": procedure, "verdict": verdict, "n": n} | _interval(hits, n))
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
