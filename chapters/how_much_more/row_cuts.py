"""Which rows are a part, and which rows tell what came: at random, by group, or forward in time."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pandas as pd

from chapters.how_much_more.row_tables import RowTable
from collection.datasets.files import as_times
from collection.protocol.rows import FOLDS, LATER

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
