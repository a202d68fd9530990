"""The design of the calibration (which curves, how many, who judges), and its verdicts counted.

Cell by cell; for phase transitions by how clearly the true curve has one by definition; and what
the same procedures say of LCDB 1.0.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chapter_curves import counted_curves
from analysis.shapes import PROCEDURES, detect_shapes, share_of
from analysis.shapes.transitions import detect_transitions
from analysis.statistics.shares import exact_share
from collection.protocol.anchors import FIRST, PER_DOUBLING
from lab.shapes.causes import dataset_facts, likely_causes
from lab.shapes.simulation import ESTIMANDS, LEARNED, VIOLATION_OF, simulate_curves

#: Learners on labels that are noise, and how many curves of each.
ON_NOISE = {"noise_labels": 600, "neighbour_on_noise": 200, "least_squares_on_noise": 300}
MAIN_SHAPES = ("peak", "dip", "phase_transition")
OTHER_ROWS = (200, 5000, 20_000)
OTHER_REPEATS = ((3, 3), (10, 10))
COARSE, FINE = 2, PER_DOUBLING  # anchors per doubling of LCDB 1.0 and of LCDB 1.1
#: Those whose rates are followed over rows, anchors and repeats.
MAIN = ("published", "corrected", "corrected_independent", "holm", "larger_error", "shared",
        "nadeau_bengio", "max_t", "max_t_wide", "max_t_population")


def anchors_on(rows: int, per_doubling: int) -> int:
    """Return how many anchors a dataset of so many rows has: 12 of 1,000 rows on LCDB 1.0's grid.

    Parameters
    ----------
    rows : int
        Of the dataset; 81 % of them are left to train on.
    per_doubling : int
        Anchors per doubling of the training set.
    """
    return 1 + int(per_doubling * np.log2(0.81 * rows / FIRST))


@dataclass(frozen=True)
class Cell:
    """Curves of one kind, and how many.

    Attributes
    ----------
    truth : str
        A shape in `SIMULATIONS`.
    size : float
        True size of the violation, as an error rate; 0 for well-behaved and for learned curves.
    rows : int
        Of the dataset.
    per_doubling : int
        Anchors per doubling of the training set, as the database has that the grid is like.
    n : int
        Curves.
    estimand : {"dataset", "population"}
        Whose curve the truth is; learned curves always have their population's.
    repeats : tuple of int
        Outer and inner seeds.
    noise : str
        Database whose noise drawn curves have.
    procedures : tuple of str
        Who judges.
    draw : int
        Another number, other curves of the same kind.
    """

    truth: str
    size: float = 0.0
    rows: int = 1000
    per_doubling: int = COARSE
    n: int = 200
    estimand: str = "dataset"
    repeats: tuple[int, int] = (5, 5)
    noise: str = "lcdb10"
    procedures: tuple[str, ...] = tuple(PROCEDURES)
    draw: int = 0

    @property
    def generator(self) -> str:
        """What makes the curves and whose truth is known, as `calibration.csv` has it."""
        if self.truth in LEARNED:
            return "learned, population"
        noise = "" if self.noise == "lcdb10" else f", {self.noise}"
        return f"drawn, {self.estimand}{noise}"

    @property
    def anchors(self) -> int:
        """Anchors of each curve."""
        return anchors_on(self.rows, self.per_doubling)

    @property
    def key(self) -> str:
        """A name for the cell, of which its seed is made; who judges does not matter."""
        again = f"_{self.draw}" if self.draw else ""
        return (f"{self.truth}_{self.size:g}_{self.rows}_{self.anchors}_{self.estimand}_"
                f"{self.repeats[0]}x{self.repeats[1]}_{self.noise}_{self.n}{again}")


def design() -> Iterator[Cell]:
    """Yield all cells, those that decide the most first."""
    yield from _well_behaved()
    for truth in VIOLATION_OF:
        yield Cell(truth, 0.05, n=100, procedures=MAIN)
    yield from _fine_grids()
    for rows in OTHER_ROWS:  # more constant curves: the first are too few to tell 4 % from 5 %
        yield Cell("flat", rows=rows, n=1600, procedures=MAIN)
    yield Cell("flat", n=1600, noise="mini", procedures=MAIN)


def confirmation() -> Iterator[Cell]:
    """Yield cells to confirm what `design` led to recommend: their curves had no part in it."""
    yield Cell("neighbour_on_noise", n=400, procedures=MAIN, draw=1)  # of 200, 4 called are no news
    for grid, fewer in ((COARSE, 1), (FINE, 2)):
        for truth, n in (("flat", 2000), ("power_law", 600), *ON_NOISE.items()):
            yield Cell(truth, n=max(200, n // fewer), per_doubling=grid, procedures=MAIN, draw=1)
        yield Cell("flat", n=1000 // fewer, estimand="population", per_doubling=grid,
                   procedures=MAIN, draw=1)
        for truth in MAIN_SHAPES:
            yield Cell(truth, 0.05, n=100 // fewer, per_doubling=grid, procedures=MAIN, draw=1)


def _well_behaved() -> Iterator[Cell]:
    yield Cell("flat", n=2000)
    yield Cell("flat", n=1000, estimand="population")
    for truth, n in ON_NOISE.items():
        yield Cell(truth, n=n)
    yield Cell("power_law", n=600)
    yield Cell("power_law", n=300, estimand="population")
    yield Cell("nearest_centroid", n=300)
    for rows, estimand in product(OTHER_ROWS, ESTIMANDS):
        yield Cell("flat", rows=rows, n=400, estimand=estimand, procedures=MAIN)
    yield Cell("flat", n=400, noise="mini", procedures=MAIN)
    for repeats, estimand in product(OTHER_REPEATS, ESTIMANDS):
        yield Cell("flat", n=300, repeats=repeats, estimand=estimand, procedures=MAIN)
    yield Cell("noise_labels", n=200, repeats=(10, 10), procedures=MAIN)


def _fine_grids() -> Iterator[Cell]:
    """Yield the main cells on LCDB 1.1's grid, where flips of signs take ten times as long."""
    yield Cell("flat", n=1000, per_doubling=FINE, procedures=MAIN)
    yield Cell("flat", n=500, per_doubling=FINE, noise="mini", procedures=MAIN)
    yield Cell("flat", rows=200, n=500, per_doubling=FINE, procedures=MAIN)
    yield Cell("flat", n=400, per_doubling=FINE, estimand="population", procedures=MAIN)
    for truth, n in (("noise_labels", 300), ("neighbour_on_noise", 200),
                     ("least_squares_on_noise", 300), ("power_law", 400)):
        yield Cell(truth, n=n, per_doubling=FINE, procedures=MAIN)
    yield Cell("power_law", n=200, per_doubling=FINE, estimand="population", procedures=MAIN)
    for truth in VIOLATION_OF:
        yield Cell(truth, 0.05, n=60, per_doubling=FINE, procedures=MAIN)


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
