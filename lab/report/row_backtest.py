"""The report's backtest by rows: parts of tables, drawn before anything is split, and what came.

A part of 300 rows is measured as the report measures a table. The truth is what the same
learners err on, trained on as many rows as the report speaks of (the part's own first, as a user
who gathers more would), and tested on others: the mean of `TRUTHS` models, whose other rows are
drawn anew each time (one model's luck had been seen to blur what came). `measure_parts` keeps each
part in a file of its own and goes on where it stopped (some sixty minutes of one core in all).
"""

import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from analysis.report.metrics import METRICS
from collection.own_table.learners import default_learners
from collection.own_table.measure import Measurable, as_measurable, curve_fits, fit_model
from collection.project.paths import cache_dir
from collection.protocol.rows import FOLDS, sizes_up_to
from lab.report.row_tables import ROLES, TUNING, RowTable, load_row_table, unit_codes

PARTS = "row_backtest"  # folder in the cache
TIMES = (1.0, 1.5, 2.0, 4.0, 10.0)
EACH = 5  # parts of a table
TRUTHS = 5  # models whose mean error is the truth; one of groups, times, and the largest size
SPAN = 13  # times a part's rows that are drawn of a table in time
LEAST_PER_CLASS = 10  # as the report leaves rarer classes out
LEAST_TESTED, MOST_TESTED = 2, 4000  # rows never seen: for each one of the part, and in all
MOST_CLASSES = 3  # up to which boosted trees, one for each class and step, are measured


def measure_parts(tables: Iterable[RowTable] = tuple(
        t for role, own in ROLES.items() if role != TUNING for t in own),
        folder: Path | None = None) -> Iterator[str]:
    """Measure the part of every table that is not there yet; by default of none for tuning.

    Yields
    ------
    str
        What was measured.
    """
    folder = folder or cache_dir() / PARTS
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        for number in range(EACH):
            path = folder / f"{table.name}.{number}.npz"
            if not path.exists() and (found := measure_part(table, number=number)):
                part = path.with_suffix(".part")
                with part.open("wb") as stream:
                    np.savez_compressed(stream, **found)
                part.replace(path)
                yield path.stem


def measure_part(table: RowTable, number: int = 0) -> dict[str, np.ndarray]:
    """Measure one part, and what its answers are held against.

    In time, each `number` begins where the one before it ends.

    Returns
    -------
    dict of str to ndarray
        ``learner``; ``size``; ``said`` of the rows at the largest size, shape (n_learners, n_rows,
        …); ``units``, what the part is a sample of; ``error``, shape (n_learners, FOLDS, n_sizes):
        the share of wrong rows, or root mean square; ``target``; ``true``, shape (n_learners,
        n_models, n_times): the same errors on rows never seen, NaN where the table is too small.
        Empty where it is too small for the part.
    """
    frame, target = load_row_table(table)
    splits = [*filter(None, (table.group, table.time))]
    frame = frame.dropna(subset=[target, *splits]).reset_index(drop=True)
    codes = unit_codes(frame, table)
    rng = np.random.default_rng([zlib.crc32(table.name.encode()), table.rows, number])
    own, rest = _divide(table, number, codes, rng.permutation(len(frame)), rng)
    least = LEAST_TESTED * max(len(own), 1)
    frame = frame.drop(columns=splits)
    if not table.regression:  # a class that is rare in the part is no class of it
        counts = frame[target].iloc[own].value_counts()
        large = frame[target].isin(counts[counts >= LEAST_PER_CLASS].index).to_numpy()
        own, rest = own[large[own]], rest[large[rest]]
    if len(rest) < least:
        return {}
    units = None if codes is None else np.unique(codes[own], return_inverse=True)[1]
    part = as_measurable(frame.iloc[own].reset_index(drop=True), target, table.regression,
                         units if table.group else None, units if table.time else None)
    learners = default_learners(table.regression)
    if len(part.classes) > MOST_CLASSES:  # boosted trees, the last, take too long
        learners = learners[:-1]
    found = _measured(part, learners)
    sizes = [round(times * int(found["size"][-1])) for times in TIMES]
    asked = [(rest, sizes)]
    if codes is None:  # rows are independent: other draws, and all rows, tell more
        asked += [(rng.permutation(rest), [*sizes[:-1], len(frame)]) for _ in range(1, TRUTHS)]
    whole = as_measurable(frame, target, table.regression)
    true = [[[_truth(whole, name, own, others, size, codes, bool(table.time)) for size in wanted]
             for others, wanted in asked] for name in learners]
    return found | {"learner": np.array(learners), "target": part.rows.target,
                    "units": part.rows.units(), "true": np.array(true)}


def _divide(table: RowTable, number: int, codes: np.ndarray | None, order: np.ndarray,
            rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the part, and the others, from rows in random order.

    Groups stay whole, so that a part may end earlier; in time, the others are later.
    """
    rows = table.rows
    if table.group:
        place = rng.permutation(codes.max() + 1)
        order = order[np.argsort(place[codes[order]], kind="stable")]
        ends = np.flatnonzero(np.diff(codes[order])) + 1
        rows = int(ends[ends <= rows][-1])
    if table.time:
        order = order[:SPAN * rows]  # what the parts are of, and what comes after them
        order = order[np.argsort(codes[order], kind="stable")][number * rows:]
    return order[:rows], order[rows:]


def _measured(part: Measurable, learners: tuple[str, ...]) -> dict[str, np.ndarray]:
    sizes = sizes_up_to(part.rows.largest())
    n, width = len(part.rows.target), () if part.rows.regression else (len(part.classes),)
    said = np.full((len(learners), n, *width), np.nan, np.float32)
    error = np.full((len(learners), FOLDS, len(sizes)), np.nan)
    for k, learner in enumerate(learners):
        for outer in range(FOLDS):
            test = part.rows.split(outer, 0).test
            for at, fit in enumerate(curve_fits(part, learner, outer, 0, sizes)):
                if fit.predictions is not None:
                    error[k, outer, at] = _error(part.rows.target[test], fit.predictions)
                    if fit.size == sizes[-1]:
                        said[k, test] = fit.predictions
    return {"size": np.array(sizes), "said": said, "error": error}


def _truth(whole: Measurable, learner: str, own: np.ndarray, rest: np.ndarray, size: int,
           codes: np.ndarray | None, later: bool) -> float:
    """Return the error of a model of `size` rows, the part's own first, on rows never seen.

    NaN where fewer than `LEAST_TESTED` rows are left for each one of the part: the truth would be
    no surer. Of groups, or moments, that are trained on none is tested on; where what is tested on
    comes `later`, the latest rows are trained on and the next ones tested.
    """
    train, test = np.r_[own, rest][:max(size, len(own))], rest[max(size - len(own), 0):]
    train = train[-size:] if later else train[:size]
    if codes is not None:
        test = test[~np.isin(codes[test], codes[train])]
    least = LEAST_TESTED * len(own)
    if len(test) < least:
        return np.nan
    test = test[:least] if later else test[-MOST_TESTED:]
    return _error(whole.rows.target[test], fit_model(whole, learner, train, test))


def _error(target: np.ndarray, said: np.ndarray) -> float:
    """Return the share of wrong rows, or the root of the mean squared error."""
    return METRICS["error_rate" if said.ndim == 2 else "rmse"].error(target, said)


def main() -> None:
    """Measure what is missing, saying so."""
    for done in measure_parts():
        print(done, flush=True)


if __name__ == "__main__":
    main()
