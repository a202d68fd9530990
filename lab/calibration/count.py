"""The design of the calibration (which curves, how many, who judges), and its verdicts counted.

Cell by cell; for phase transitions by how clearly the true curve has one by definition; and what
the same procedures say of LCDB 1.0.

Last, who keeps the level where repeats share sequences of classes, and what it costs in power:
constant classifiers and others that follow the sequence of classes, split with the protocol's own
code as LCDB 1.1's curves were (five inner seeds for all outer ones) or with distinct inner seeds;
and look-alikes of a database's curves whose residuals are drawn by whole inner seeds.
Some minutes; kept as ``seeds_…`` by ``make recompute``.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chapter_curves import counted_curves
from analysis.databases.lcdb11.summary import open_lcdb11_summary
from analysis.databases.load import load_curves
from analysis.shapes import PROCEDURES, detect_shapes, share_of
from analysis.shapes.lookalikes import scattered, well_behaved
from analysis.shapes.transitions import detect_transitions
from analysis.statistics.summary import exact_share
from collection.containers.learner_names import NOT_COUNTED
from collection.official.lcdb11 import datasets_table
from collection.project.paths import shipped
from collection.protocol.anchors import FIRST, PER_DOUBLING, anchor_grid
from collection.protocol.splits import SEEDS, WAYS, places, split_rows, training_size
from collection.shipped.anew import FOLDER
from lab.shapes.causes import dataset_facts, likely_causes
from lab.shapes.simulation import ESTIMANDS, LEARNED, VIOLATION_OF, simulate_curves
from lab.shipped.anew import DISTINCT, SEEDED

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


OF_SEQUENCES = ("published", "corrected_independent", "larger_error", "larger_error_inner",
                "corrected")
ROWS, SHARES = (200, 500, 1000, 3000), (0.3, 0.4, 0.45, 0.48, 0.5)  # of the rarer class
EACH = 25  # datasets for each
BUMP = 0.05  # its height, in error rate
WIDTH = 0.3  # of a bump, in logarithms of training rows
ONE_IN = 4  # datasets of LCDB 1.0 that look-alikes are made of


def _constant(train: np.ndarray, grid: np.ndarray) -> np.ndarray:
    return (2 * train.cumsum()[grid - 1] > grid).astype(int)


def _last_rows(train: np.ndarray, grid: np.ndarray, n: int = 5) -> np.ndarray:
    counts = np.concatenate([[0], train.cumsum()])
    return (2 * (counts[grid] - counts[grid - n]) > n).astype(int)


#: What follows the sequence of classes alone, from the training rows' classes and anchors to the
#: class that is said at each. The second, of the last five rows, is the worst that can be: its true
#: curve is flat, and all of its variation lies between sequences.
CLASSIFIERS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "constant classifier": _constant, "majority of the last five rows": _last_rows}


def follow_sequences(classifier: str, rows: int, share: float, seeds: str, n: int,
                     rng: np.random.Generator) -> xr.DataArray:
    """Return validation errors of a classifier that follows the sequence of classes.

    Parameters
    ----------
    classifier : str
        Of `CLASSIFIERS`.
    rows, share
        Of each dataset, and the share of rows that are of class 1, the rarer.
    seeds : {"paper", "distinct"}
    n : int
        Datasets, each with other seeds.
    rng : Generator

    Returns
    -------
    DataArray, dims (curve, outer, inner, anchor)
        With ``inner_seed`` where seeds are distinct.
    """
    grid = anchor_grid(training_size(rows))
    errors = np.empty((n, len(SEEDS) ** 2, len(grid)))
    for one in errors:
        labels = rng.permutation(np.arange(rows) < round(share * rows)).astype(int)
        outer, inner = rng.integers(2**31, size=5), rng.integers(2**31, size=25)
        for k, (o, i) in enumerate(places(SEEDS, SEEDS, seeds)):
            split = split_rows(labels, int(outer[o]), int(inner[i]))
            said = CLASSIFIERS[classifier](labels[split.train], grid)
            one[k] = (labels[split.valid] != said[:, None]).mean(axis=1)
    shape = (n, len(SEEDS), len(SEEDS), len(grid))
    curves = xr.DataArray(errors.reshape(shape), dims=("curve", "outer", "inner", "anchor"),
                          coords={"anchor": grid})
    return curves if seeds == "paper" else curves.assign_coords(
        inner_seed=(("outer", "inner"), np.arange(25).reshape(5, 5)))


def calibrated() -> pd.DataFrame:
    """Return how often each procedure calls curves whose truth is known ill-behaved.

    Returns
    -------
    pandas.DataFrame
        ``curves`` (what they are), ``seeds``, ``bump`` (its height; 0: well-behaved),
        ``procedure``, ``rate, low, high`` (percent called, 95 % Clopper-Pearson interval), ``n``.
    """
    rng, rows = np.random.default_rng(0), []
    for classifier, seeds in product(CLASSIFIERS, WAYS):
        made = [follow_sequences(classifier, *of, seeds, EACH, rng)
                for of in product(ROWS, SHARES)]
        rows += _counted((classifier, seeds, 0.0), made)
    anew = load_curves(FOLDER.name)["error_rate"].sel(
        split="valid", scaling="none", leakage="no", learner=["DummyClassifier"]).load()
    rows += _counted(("constant classifier, gathered anew", "paper", 0.0), [anew])
    valid = load_curves("lcdb10", selection="paper")["error_rate"].sel(
        split="valid", scaling="none").isel(leakage=0, dataset=slice(None, None, ONE_IN)).load()
    valid = valid.sel(learner=~valid["learner"].isin(NOT_COUNTED))
    truth = well_behaved(valid.mean(["outer", "inner"]))
    truth = truth + (valid.mean(["outer", "inner"]) - truth).mean("anchor")
    place = np.log(valid["anchor"].where(truth.notnull())).mean("anchor")
    hill = np.exp(-0.5 * ((np.log(valid["anchor"]) - place) / WIDTH) ** 2)
    made = scattered((truth + BUMP * hill).clip(0, 1), valid, 3, "redrawn by inner seed")
    rows += _counted(("LCDB 1.0's, redrawn by inner seed", "paper", BUMP), [made])
    return pd.DataFrame(rows, columns=["curves", "seeds", "bump", "procedure", "rate", "low",
                                       "high", "n"])


def _counted(of: tuple, made: Iterable[xr.DataArray]) -> list[tuple]:
    made, rows = list(made), []
    for procedure in OF_SEQUENCES:
        shapes = [detect_shapes(curves, procedure) for curves in made]
        hits = sum(int(s["ill_behaved"].sum()) for s in shapes)
        n = sum(int((~s["missing"]).sum()) for s in shapes)
        rows.append((*of, procedure, *exact_share(hits, n), n))
    return rows


def experiment() -> pd.DataFrame:
    """Return what was predicted of distinct inner seeds, and what came out.

    Returns
    -------
    pandas.DataFrame
        ``learner`` ("all": every one), ``datasets``; how many are called ill-behaved with the
        paper's seeds, ``paper, paper_by_inner``, and were predicted with distinct ones, ``low,
        high``, as set down beforehand; ``distinct, distinct_by_inner, distinct_by_outer,
        distinct_either`` as found: all repeats as independent, by the larger of plain and clustered
        error, by either seed; ``held``: whether ``distinct`` is as predicted.
    """
    asked = pd.read_csv(shipped(FOLDER / DISTINCT / "predictions.csv"))
    valid = load_curves(f"{FOLDER.name}-{DISTINCT}")["error_rate"].sel(
        split="valid", scaling="none", leakage="no", learner=list(SEEDED)).load()
    found = pd.DataFrame({name: detect_shapes(valid, procedure)["ill_behaved"].sum(
        "dataset").to_series() for name, procedure in {
            "distinct": "corrected_independent", "distinct_by_inner": "larger_error_inner",
            "distinct_by_outer": "larger_error", "distinct_either": "corrected"}.items()})
    found.loc["all"] = found.sum()
    table = asked.merge(found.rename_axis("learner").reset_index(), on="learner")
    table.insert(1, "datasets", valid.sizes["dataset"])
    return table.assign(held=table["distinct"].between(table["low"], table["high"]))


def moves_in_fifths(means: xr.DataArray) -> pd.DataFrame:
    """Tell of which datasets a constant classifier's mean errors move in fifths.

    Of two classes its error is one of two numbers, e and 1 − e, whichever class it says. A mean
    over five sequences of classes is one of six numbers between them, however many repeats share
    each; one over 25 independent repeats, of 26.

    Parameters
    ----------
    means : DataArray, dims (dataset, anchor)
        Mean errors of the constant classifier on datasets of two classes, such as LCDB 1.1's as
        published, to four decimals; NaN where there is none.

    Returns
    -------
    pandas.DataFrame
        ``dataset``; ``levels``: how many different means; ``fifths``: whether all are e +
        k (1 − 2 e) / 5, of which e is the smallest. Datasets with one level are left out.
    """
    rows = []
    for label in means["dataset"].values.tolist():
        own = means.sel(dataset=label).dropna("anchor").values
        levels = np.unique(own)
        if len(levels) > 1:
            fifth = (1 - 2 * levels[0]) / 5
            off = levels - levels[0] - fifth * np.round((levels - levels[0]) / fifth)
            rows.append((label, len(levels), bool((np.abs(off) <= 2e-4).all())))
    return pd.DataFrame(rows, columns=["dataset", "levels", "fifths"])


def published_fifths() -> pd.DataFrame:
    """Return of how many datasets of two classes the authors' own dummy moves in fifths.

    Returns
    -------
    pandas.DataFrame
        One row: ``two_classes`` (datasets), ``moving`` (whose published means are not all equal),
        ``fifths`` (of these, those whose means are all e + k (1 − 2 e) / 5).

    Raises
    ------
    NotAtHandError
        Where the published means are not at hand.
    """
    means = open_lcdb11_summary()["error_rate"].sel(split="valid", learner="DummyClassifier")
    classes = datasets_table()["classes"]
    two = [d for d in means["dataset"].values if classes.get(int(d)) == 2]
    table = moves_in_fifths(means.squeeze(drop=True).sel(dataset=two))
    return pd.DataFrame([{"two_classes": len(two), "moving": len(table),
                          "fifths": int(table["fifths"].sum())}])


#: What is kept, as it takes minutes or needs files that not everyone has.
KEPT = {"seeds_calibration": calibrated, "seeds_experiment": experiment,
        "seeds_published_fifths": published_fifths}
