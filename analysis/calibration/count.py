"""Simulate the curves of one cell, have them judged, and count the verdicts."""

import zlib
from dataclasses import asdict

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from analysis.calibration.cells import ALONE, Cell
from analysis.shapes import PROCEDURES, detect_shapes
from analysis.shapes.simulation import TRUE_SIZES, VIOLATION_OF, simulate_curves
from analysis.shapes.transitions import detect_transitions

VERDICTS = ("ill_behaved", "non_monotone", "non_convex", "peaking", "dipping")
TRUE_OF = {"non_monotone": ("true_mono",), "non_convex": ("true_conv",),
           "peaking": ("true_peak",), "dipping": ("true_dip",),
           "ill_behaved": ("true_mono", "true_conv")}
COLUMNS = ("generator", "procedure", "verdict", "rows", "anchors", "repeats", "truth", "size",
           "rate", "low", "high", "n")
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
        generator=cell.generator, rows=cell.rows, anchors=cell.anchors, repeats=repeats,
        truth=cell.truth, size=_size(cell, curves))
    return table[list(COLUMNS)]


def simulate_cell(cell: Cell) -> xr.DataArray:
    """Return the curves of a cell; the same cell gives the same curves."""
    seed = zlib.crc32(cell.key.encode())
    how = {name: asdict(cell)[name] for name in ("rows", "anchors", "repeats", "noise", "estimand")}
    if cell.truth != "mixture":
        size = cell.size if cell.truth in VIOLATION_OF else None
        return simulate_curves(cell.truth, cell.n, seed, true_size=size, **how)
    parts = [simulate_curves(shape, round(share * cell.n), seed + k, **how,
                             true_size=cell.size if shape in VIOLATION_OF else None)
             for k, (shape, share) in enumerate(MIXED)]
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
    names = TRUE_OF.get(verdict, TRUE_SIZES)
    guilty = np.max([curves[name].values for name in names], axis=0) > 0
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
    if not n:
        return dict.fromkeys(("rate", "low", "high"), np.nan)
    low, high = stats.binomtest(hits, n).proportion_ci(method="exact")
    return {"rate": 100 * hits / n, "low": 100 * low, "high": 100 * high}
