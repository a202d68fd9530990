"""The report's backtest by rows: parts of tables, drawn before anything is split, and what came.

A part of 300 or 1,000 rows is measured as the report measures a table. The truth is what the same
learners err on, trained on as many rows as the report speaks of (the part's own first, as a user
who gathers more would), and tested on rows that the part never held: any others, those of other
groups, or those that come next in time (`chapters.how_much_more.row_cuts`). `measure_parts` keeps
each part in a file of its own and goes on where it stopped; `row_judge` makes tables of them.
"""

import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from chapters.how_much_more.row_cuts import cut_part, split_columns
from chapters.how_much_more.row_tables import ROLES, RowTable, load_row_table
from collection.own_table.learners import default_learners
from collection.own_table.measure import (
    Measurable,
    as_measurable,
    curve_fits,
    fit_model,
)
from collection.project.paths import cache_dir
from collection.protocol.rows import FOLDS, LEAST, sizes_up_to

PARTS = "row_backtest"  # folder in the cache
TIMES = (1.0, 1.5, 2.0, 4.0, 10.0)
DRAWS = {300: 2, 1000: 1}  # parts of a table, by their rows
SPLIT_DRAWS = {300: 1, 1000: 1}  # … split in time or by group
LEAST_PER_CLASS = 10  # as the report leaves rarer classes out
MOST_CLASSES = 3  # up to which boosted trees, one for each class and step, are measured


def measure_parts(tables: Iterable[RowTable] = tuple(t for own in ROLES.values() for t in own),
                  folder: Path | None = None) -> Iterator[str]:
    """Measure every part that is not there yet, draw by draw.

    Yields
    ------
    str
        What was measured.
    """
    folder = folder or cache_dir() / PARTS
    folder.mkdir(parents=True, exist_ok=True)
    tables = tuple(tables)
    for draw in range(max(DRAWS.values())):
        for table in tables:
            draws_of = SPLIT_DRAWS if table.time or table.group else DRAWS
            for rows in (n for n, draws in draws_of.items() if draw < draws):
                path = folder / f"{table.name}-{rows}-{draw}.npz"
                if not path.exists() and (found := measure_part(table, rows, draw)):
                    part = path.with_suffix(".part")
                    with part.open("wb") as stream:
                        np.savez_compressed(stream, **found)
                    part.replace(path)
                    yield path.stem


def measure_part(table: RowTable, rows: int, draw: int) -> dict[str, np.ndarray]:
    """Measure one part, and what its answers are held against.

    Returns
    -------
    dict of str to ndarray
        ``learner``; ``size``; ``said`` of the rows at the largest size, shape (n_learners, n_rows,
        …), NaN for rows never held out; ``units``, what the part is a sample of; ``fold`` of each
        row; ``error``, shape (n_learners, FOLDS, n_sizes): the share of wrong rows, or root mean
        square; ``target``; ``true``, shape (n_learners, n_times): the same errors on rows never
        seen, NaN where the table is too small; ``tested``, how many those are. Empty where the
        table is too small for the part.
    """
    frame, target = load_row_table(table)
    rng = np.random.default_rng([zlib.crc32(table.name.encode()), rows, draw])
    frame, by = split_columns(frame[frame[target].notna()].reset_index(drop=True), table)
    cut = cut_part(len(frame), rows, rng, **by)
    if cut is None:
        return {}
    if not table.regression:
        counts = frame[target].iloc[cut.own].value_counts()
        cut = cut.of(frame[target].isin(counts[counts >= LEAST_PER_CLASS].index).to_numpy())
    whole = as_measurable(frame, target, table.regression)
    part = as_measurable(frame.iloc[cut.own].reset_index(drop=True), target, table.regression,
                         **cut.own_splits())
    if part.rows.largest() < 2 * LEAST:  # the report refuses it too
        return {}
    few = bool(draw or table.time or table.group) or rows > min(DRAWS)
    learners = _learners(part, few)
    found = _measured(part, learners)
    folds = [cut.truth(round(times * int(found["size"][-1]))) for times in TIMES]
    return found | {"learner": np.array(learners), "target": part.rows.target,
                    "units": part.rows.units(),
                    "true": np.array([[_truth(whole, name, at) for at in folds]
                                      for name in learners]),
                    "tested": np.array([sum(len(test) for _, test in at) for at in folds])}


def _learners(part: Measurable, few: bool) -> tuple[str, ...]:
    """Return the learners that a part is measured with: all, or a linear model and trees."""
    names = default_learners(part.rows.regression)
    names = names if len(part.classes) <= MOST_CLASSES else names[:-1]
    return (names[0], names[-1]) if few else names


def _measured(part: Measurable, learners: tuple[str, ...]) -> dict[str, np.ndarray]:
    sizes = sizes_up_to(part.rows.largest())
    n, width = len(part.rows.target), () if part.rows.regression else (len(part.classes),)
    said = np.full((len(learners), n, *width), np.nan, np.float32)
    fold, error = np.full(n, -1), np.full((len(learners), FOLDS, len(sizes)), np.nan)
    for k, learner in enumerate(learners):
        for outer in range(FOLDS):
            test = part.rows.split(outer, 0).test
            fold[test] = outer
            for at, fit in enumerate(curve_fits(part, learner, outer, 0, sizes)):
                if fit.said is not None:
                    error[k, outer, at] = _error(part.rows.target[test], fit.said)
                    if fit.size == sizes[-1]:
                        said[k, test] = fit.said
    return {"size": np.array(sizes), "said": said, "fold": fold, "error": error}


def _truth(whole: Measurable, learner: str, folds: Iterable[tuple]) -> float:
    """Return the error on rows never seen, trained and tested as `Cut.truth` says; NaN of none."""
    if not folds:
        return np.nan
    said = np.concatenate([fit_model(whole, learner, train, test) for train, test in folds])
    return _error(whole.rows.target[np.concatenate([test for _, test in folds])], said)


def _error(target: np.ndarray, said: np.ndarray) -> float:
    """Return the share of wrong rows, or the root of the mean squared error."""
    if said.ndim == 2:
        return float((said.argmax(1) != target).mean())
    return float(np.sqrt(((said - target) ** 2).mean()))


def main() -> None:
    """Measure what is missing, saying so."""
    for done in measure_parts():
        print(done, flush=True)


if __name__ == "__main__":
    main()
