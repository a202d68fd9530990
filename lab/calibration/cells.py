"""The design of the calibration: which curves are simulated, how many, and who judges them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from analysis.shapes import PROCEDURES
from collection.protocol.anchors import FIRST, PER_DOUBLING
from lab.shapes.learned import LEARNED
from lab.shapes.simulation import ESTIMANDS, VIOLATION_OF

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
