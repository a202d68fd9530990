"""A table of results, checked and laid out: a value a task and method, with families of tasks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from collection.project.parameters import yes_or_no as parse_yes_or_no
from collection.reading.directions import directions_of

KEYS = ("task", "method", "fold", "seed")
DIGITS = 12  # of a mean: sums of the same numbers in another order are equal


class ResultsError(ValueError):
    """A table of results cannot be ordered; the message is one line and says what to do."""


class DirectionError(ResultsError):
    """Fewer than two witnesses say whether lower is better; the message asks."""


@dataclass(frozen=True)
class Cells:
    """What each method reached on each task.

    Attributes
    ----------
    methods, tasks : tuple of str
        Sorted; tasks by family first.
    families : tuple of str
        Sorted; tasks that share one are near-duplicates and count once together.
    starts : ndarray of int, shape (family,)
        Position in `tasks` at which each family begins.
    value : ndarray of float, shape (task, method)
        Mean over folds and seeds; higher is better whatever the metric (turned where it is not).
        NaN: missing.
    deviation : ndarray of float, shape (task, method)
        Standard deviation of one fold or seed, what all methods share in it taken out. NaN where
        there is one only.
    repeats : ndarray of int, shape (task, method)
        Folds and seeds behind a mean.
    turned : ndarray of bool, shape (task,)
        Where lower is better.
    metrics : tuple of str
        Names of the metrics, where known.
    named : bool
        Whether the table says of any task which family it is of.
    read : mapping
        How a file was read: ``layout, told, out, speaks`` of
        `analysis.leaderboards.reading.read_table`.
    """

    methods: tuple[str, ...]
    tasks: tuple[str, ...]
    families: tuple[str, ...]
    starts: np.ndarray
    value: np.ndarray
    deviation: np.ndarray
    repeats: np.ndarray
    turned: np.ndarray
    metrics: tuple[str, ...] = ()
    named: bool = False
    read: Mapping[str, object] = field(default_factory=dict)

    @cached_property
    def missing(self) -> int:
        """Cells without a value."""
        return int(np.isnan(self.value).sum())

    @property
    def family_of(self) -> np.ndarray:
        """Position in `families` of each task."""
        return np.repeat(np.arange(len(self.families)), self.sizes)

    @property
    def sizes(self) -> np.ndarray:
        """Tasks in each family."""
        return np.diff(np.r_[self.starts, len(self.tasks)])

    def keep(self, tasks: np.ndarray | slice = slice(None),
             methods: np.ndarray | list[int] | slice = slice(None)) -> "Cells":
        """Return the cells of some tasks (bool) and methods (bool, or positions) only."""
        kept, starts = np.unique(self.family_of[tasks], return_index=True)
        return replace(self, methods=tuple(np.array(self.methods, object)[methods]),
                       tasks=tuple(np.array(self.tasks, object)[tasks]),
                       families=tuple(np.array(self.families, object)[kept]), starts=starts,
                       value=self.value[tasks][:, methods],
                       deviation=self.deviation[tasks][:, methods],
                       repeats=self.repeats[tasks][:, methods], turned=self.turned[tasks])


def to_cells(results: "pd.DataFrame | Cells", least: int = 2) -> Cells:
    """Check a table of results and lay it out.

    Parameters
    ----------
    results : pandas.DataFrame
        Columns ``task, method, value`` and, where there are any, ``family``, ``fold``, ``seed``,
        ``variant`` (of a method), ``metric``, and one of ``lower_is_better`` and
        ``higher_is_better``, unless two witnesses tell (`collection.reading.directions`); or
        ``error`` in place of ``value``, of which lower is better. NaN is a missing value. Published
        means may come with ``deviation`` over ``repeats`` seeds.
    least : int
        How many methods are needed.

    Raises
    ------
    ResultsError
        For columns that lack, values that are no finite numbers, a result given twice, a task with
        two directions, metrics or families, fewer than two methods, no value at all; a
        `DirectionError` where it has to be asked which direction is better.
    """
    if isinstance(results, Cells):
        return results
    rows, turned = _check(results)
    codes, names, value = rows.codes, rows.names, rows.value
    tasks, methods = len(names[0]), len(names[1])
    _check_enough(value, codes[1], names[1], least)
    cell = codes[0] * methods + codes[1]
    mean, repeats = _means(value, cell, tasks * methods)
    deviation = _deviations(value, codes, cell, mean, repeats, methods)
    mean, repeats, deviation = (x.reshape(tasks, methods) for x in (mean, repeats, deviation))
    if {"deviation", "repeats"} <= set(results):
        given = [_numbers(results[c], results)[rows.order] for c in ("deviation", "repeats")]
        if (given[0] < 0).any():
            at = int(np.flatnonzero(given[0] < 0)[0])
            raise ResultsError(f"A deviation is 0 or more, not {given[0][at]:g}, of "
                               f"{names[1][codes[1, at]]} on {names[0][codes[0, at]]}.")
        if (given[1] < 1).any():
            raise ResultsError(f"{(given[1] < 1).sum()} values of the column repeats are below 1.")
        deviation.flat[cell], repeats.flat[cell] = given[0], np.nan_to_num(given[1], nan=1)
    family, metrics, named = names[0], (), False
    if "family" in results:  # by default a task's own name
        text = results["family"].map(_name, na_action="ignore").fillna("")
        found = rows.per_task(text, "families")
        family, named = np.where(found == "", names[0], found), bool((found != "").any())
    if "metric" in results:
        found = rows.per_task(results["metric"].fillna("").astype(str), "metrics")
        metrics = tuple(sorted(set(found) - {""}))
    by_family = np.lexsort([np.arange(tasks), family])
    families, starts = np.unique(family[by_family], return_index=True)
    signed = np.where(turned[:, None], -mean, mean)
    return Cells(methods=tuple(names[1]), tasks=tuple(names[0][by_family]),
                 families=tuple(families), starts=starts, value=_rounded(signed)[by_family],
                 deviation=deviation[by_family], repeats=repeats[by_family],
                 turned=turned[by_family], metrics=metrics, named=named,
                 read=results.attrs.get("read") or {})


@dataclass(frozen=True)
class _Rows:
    """Rows of results in the order of their keys.

    Attributes
    ----------
    codes : ndarray of int, shape (key, row)
        Position of each row's keys among `names`.
    names : list of ndarray
        Of each of `KEYS`, sorted.
    value : ndarray of float, shape (row,)
    order : ndarray of int, shape (row,)
        Which row of the table each is.
    """

    codes: np.ndarray
    names: list[np.ndarray]
    value: np.ndarray
    order: np.ndarray

    def name(self, which: np.ndarray) -> str:
        """Return in words what the first of some rows (bool, shape (row,)) is of."""
        task, method, fold = (names[code[which][0]] for names, code in
                              zip(self.names[:3], self.codes[:3], strict=True))
        return f"{method} on task {task}, fold {fold}"

    def per_task(self, values: pd.Series, what: str) -> np.ndarray:
        """Return the one value of a column that each task has; refuse a task with two."""
        task, found = self.codes[0], values.to_numpy()[self.order]
        first = found[np.searchsorted(task, np.arange(len(self.names[0])))]
        other = found != first[task]
        if other.any():
            at = int(np.argmax(other))
            raise ResultsError(f"Task {self.names[0][task[at]]} has two {what} "
                               f"({first[task[at]]} and {found[at]}): a task has one.")
        return first


def _check(results: pd.DataFrame) -> tuple[_Rows, np.ndarray]:
    """Return the rows of a table of results, and of which tasks lower is better."""
    column = "error" if "error" in results and "value" not in results else "value"
    lacking = [c for c in ("task", "method", column) if c not in results]
    if lacking:
        raise ResultsError(f"Results need the columns task, method and value; there is no "
                           f"{' and no '.join(lacking)} among {_some(results.columns)}.")
    codes, names = _codes(results)
    value = _numbers(results[column], results)
    order = np.lexsort(codes[::-1])
    rows = _Rows(codes[:, order], names, value[order], order)
    twice = np.r_[False, (rows.codes[:, 1:] == rows.codes[:, :-1]).all(axis=0)]
    if twice.any():
        raise ResultsError(f"{twice.sum()} results are given twice, the first: {rows.name(twice)}. "
                           "Tell repeats apart by a column fold or seed.")
    return rows, rows.per_task(lower_by_row(results, column), "directions")


def _codes(results: pd.DataFrame) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return each row's position among the sorted names of `KEYS`, and these names."""
    codes, names = [], []
    for key in KEYS:
        column = results[key] if key in results else pd.Series(0, results.index)
        if key in ("task", "method") and column.isna().any():
            raise ResultsError(f"{int(column.isna().sum())} rows have no {key}.")
        code, found = pd.factorize(column, use_na_sentinel=False)
        found = np.array([_name(x) for x in found], object)
        if key == "method" and "variant" in results:
            code, found = _with_variant(code, found, results["variant"])
        known, place = np.unique(found, return_inverse=True)
        codes.append(place[code] if len(code) else code)
        names.append(known)
    return np.array(codes), names


def _name(found: object) -> str:
    """Return a name as text; a whole number read as a float is a whole number."""
    whole = isinstance(found, float | np.floating) and float(found).is_integer()
    return str(int(found)) if whole else str(found).strip()


def _with_variant(code: np.ndarray, found: np.ndarray,
                  variant: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Return methods told apart by their variants, such as "XGBoost (tuned)"."""
    which, kinds = pd.factorize(variant.fillna(""))
    both = code * max(len(kinds), 1) + which
    pairs, place = np.unique(both, return_inverse=True)
    split = [divmod(int(p), len(kinds)) for p in pairs]
    labels = [f"{found[m]} ({kinds[v]})" if str(kinds[v]) else found[m] for m, v in split]
    return place, np.array(labels, object)


def _numbers(values: pd.Series, results: pd.DataFrame) -> np.ndarray:
    """Return values as numbers; refuse text, percent signs and infinite ones."""
    if values.dtype.kind in "cO" and (odd := [v for v in values if isinstance(v, complex)]):
        raise ResultsError(f"{len(odd)} values are complex numbers, the first {odd[0]}: give real "
                           "ones.")
    numbers = pd.to_numeric(values, errors="coerce")
    wrong = numbers.isna() & values.notna()
    if wrong.any():
        shown = str(values[wrong].iloc[0])
        what = ("carries a percent sign: give plain numbers" if "%" in shown else
                "is no number: leave a missing result empty")
        raise ResultsError(f"{int(wrong.sum())} values are not numbers; the first, {shown!r} of "
                           f"{_row(results, wrong)}, {what}.")
    infinite = np.isinf(numbers.to_numpy(float))
    if infinite.any():
        raise ResultsError(f"{infinite.sum()} values are infinite, the first of "
                           f"{_row(results, infinite)}: leave a missing result empty.")
    return numbers.to_numpy(float)


def _row(results: pd.DataFrame, which: Iterable[bool]) -> str:
    first = results[np.asarray(which)].iloc[0]
    return f"{first['method']} on {first['task']}"


def _check_enough(value: np.ndarray, method: np.ndarray, names: np.ndarray, least: int) -> None:
    """Refuse what has fewer methods with values than are needed."""
    having = np.unique(method[~np.isnan(value)])
    if len(names) < least:
        alone = f"There is one method only ({names[0]})" if len(names) else "There is no method"
        raise ResultsError(f"{alone}: an order needs two or more.")
    if len(having) < len(names):
        lacking = np.setdiff1d(np.arange(len(names)), having)
        raise ResultsError(f"{len(lacking)} of {len(names)} methods have no value at all, the "
                           f"first: {names[lacking[0]]}. Leave them out.")


def _means(value: np.ndarray, cell: np.ndarray, cells: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and the number of values of each cell, those that are NaN left out."""
    known = ~np.isnan(value)
    repeats = np.bincount(cell[known], minlength=cells)
    sums = np.bincount(cell[known], value[known], minlength=cells)
    mean = np.full(cells, np.nan)
    np.divide(sums, repeats, out=mean, where=repeats > 0)
    return mean, repeats


def _deviations(value: np.ndarray, codes: np.ndarray, cell: np.ndarray, mean: np.ndarray,
                repeats: np.ndarray, methods: int) -> np.ndarray:
    """Return each cell's standard deviation over repeats, what methods share taken out."""
    apart = np.nan_to_num(value - mean[cell])
    repeat = (codes[0] * (codes[2].max() + 1) + codes[2]) * (codes[3].max() + 1) + codes[3]
    _, place, count = np.unique(repeat, return_inverse=True, return_counts=True)
    apart -= (np.bincount(place, apart) / count)[place]
    squares = np.bincount(cell, apart**2, minlength=len(mean))
    deviation = np.full(len(mean), np.nan)
    np.divide(squares, repeats - 1, out=deviation, where=repeats > 1)
    return np.sqrt(deviation * methods / max(methods - 1, 1))


def lower_by_row(results: pd.DataFrame, name: str = "value") -> pd.Series:
    """Return whether lower is better, by row; raise a `DirectionError` where nothing says."""
    said = [(column, yes_or_no(results[column], column))
            for column in ("lower_is_better", "higher_is_better") if column in results]
    if len(said) == 2:
        check_ways(said[0][1], said[1][1])
    for column, way in said:
        return way != (column == "higher_is_better")
    lower, told = directions_of(results.assign(value=_numbers(results[name], results)), name)
    if lower is None:
        raise DirectionError(f"{ask(told)} Say lower_is_better=True or False.")
    return lower


def ask(told: Iterable[str]) -> str:
    """Return the question which direction is better, and why it has to be asked."""
    why = ", ".join(filter(None, told)) or "No name in the table tells"
    return f"Is higher or lower better? {why}."


def check_ways(lower: pd.Series, higher: pd.Series) -> None:
    """Raise a `DirectionError` where a row says that both are better, or neither."""
    if (lower == higher).any():
        raise DirectionError("The columns `lower_is_better` and `higher_is_better` contradict each "
                             "other: leave one of them out.")


def yes_or_no(values: pd.Series, column: str) -> pd.Series:
    """Return values such as yes, no, true, 0 as bool; refuse others."""
    try:
        known = {v: parse_yes_or_no(_name(v).removesuffix(".0")) for v in values.unique()}
    except ValueError as error:
        said = str(error).removeprefix("yes or no is needed")
        raise ResultsError(
            f"Column {column} says yes or no (true or false, 1 or 0){said}.") from None
    return values.map(known).astype(bool)


def _rounded(value: np.ndarray) -> np.ndarray:
    """Return values with `DIGITS` significant digits."""
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.floor(np.log10(np.abs(value)))
        scale = 10.0 ** (DIGITS - 1 - np.where(np.isfinite(size), size, 0))
        return np.where(value == 0, 0.0, np.round(value * scale) / scale)


def _some(names: Iterable[object]) -> str:
    shown = [str(n) for n in names]
    return ", ".join(shown[:8]) + (", …" if len(shown) > 8 else "")
