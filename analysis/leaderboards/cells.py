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
    rows = _rows(results)
    tasks = _tasks(rows)
    _check_enough(rows, least)
    own = rows.groupby(["task", "method"], observed=True)
    mean, repeats = own["value"].mean().unstack(), own["value"].count().unstack(fill_value=0)
    deviation = _deviations(rows, own["value"])
    if {"deviation", "repeats"} <= {*rows}:
        given = own[["deviation", "repeats"]].last().unstack()
        deviation, repeats = given["deviation"], given["repeats"].fillna(repeats.clip(upper=1))
    families, starts = np.unique(tasks["family"].to_numpy(object), return_index=True)
    turned = tasks["lower"].to_numpy(bool)
    signed = np.where(turned[:, None], -mean.loc[tasks.index], mean.loc[tasks.index])
    return Cells(methods=tuple(mean.columns), tasks=tuple(tasks.index), families=tuple(families),
                 starts=starts, value=_rounded(signed),
                 deviation=deviation.loc[tasks.index].to_numpy(),
                 repeats=repeats.loc[tasks.index].to_numpy(int), turned=turned,
                 metrics=tuple(sorted({*tasks["metric"]} - {""})),
                 named=bool((rows["family"] != "").any()),
                 read=results.attrs.get("read") or {})


def _rows(results: pd.DataFrame) -> pd.DataFrame:
    """Return a checked row per result: `KEYS`, value, lower, family, metric and what is given."""
    column = "error" if "error" in results and "value" not in results else "value"
    lacking = [c for c in ("task", "method", column) if c not in results]
    if lacking:
        raise ResultsError(f"Results need the columns task, method and value; there is no "
                           f"{' and no '.join(lacking)} among {_some(results.columns)}.")
    for key in ("task", "method"):
        if nameless := int(results[key].isna().sum()):
            raise ResultsError(f"{nameless} rows have no {key}.")
    rows = pd.DataFrame({key: _names(results[key]) if key in results else "0" for key in KEYS}
                        | {"value": _numbers(results[column], results)})
    if "variant" in results:  # methods told apart by it, such as "XGBoost (tuned)"
        variant = results["variant"].fillna("").astype(str).to_numpy()
        rows["method"] = rows["method"].where(variant == "", rows["method"] + " (" + variant + ")")
    rows = rows.astype(dict.fromkeys(KEYS, "category"))  # which are grouped fast
    twice = rows.duplicated(list(KEYS))
    if twice.any():
        task, method, fold = rows.loc[twice.idxmax(), ["task", "method", "fold"]]
        raise ResultsError(f"{twice.sum()} results are given twice, the first: {method} on task "
                           f"{task}, fold {fold}. Tell repeats apart by a column fold or seed.")
    rows["lower"] = lower_by_row(results, column).to_numpy()
    rows["family"] = rows["metric"] = ""
    if "family" in results:
        rows["family"] = _names(results["family"].fillna(""))
    if "metric" in results:
        rows["metric"] = _names(results["metric"].fillna(""))
    if {"deviation", "repeats"} <= set(results):
        for name in ("deviation", "repeats"):
            rows[name] = _numbers(results[name], results)
        _check_given(rows)
    return rows


def _names(column: pd.Series) -> np.ndarray:
    """Return the names in a column as text."""
    code, found = pd.factorize(column, use_na_sentinel=False)
    return np.array([_name(x) for x in found], object)[code]


def _tasks(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what is of whole tasks, by task, family after family; refuse a task with two."""
    facts = rows[["task", "lower", "family", "metric"]].drop_duplicates().astype({"task": object})
    facts["family"] = facts["family"].where(facts["family"] != "", facts["task"])
    first = facts.groupby("task").transform("first")
    for name, what in (("lower", "directions"), ("family", "families"), ("metric", "metrics")):
        other = first[name] != facts[name]
        if other.any():
            k = other.idxmax()
            raise ResultsError(f"Task {facts['task'][k]} has two {what} ({first[name][k]} and "
                               f"{facts[name][k]}): a task has one.")
    facts = facts.drop_duplicates("task").set_index("task")
    return facts.sort_index().sort_values("family", kind="stable")


def _check_given(rows: pd.DataFrame) -> None:
    """Refuse deviations and numbers of repeats that are none."""
    if (odd := rows["deviation"] < 0).any():
        first = rows.loc[odd.idxmax()]
        raise ResultsError(f"A deviation is 0 or more, not {first['deviation']:g}, of "
                           f"{first['method']} on {first['task']}.")
    if few := int((rows["repeats"] < 1).sum()):
        raise ResultsError(f"{few} values of the column repeats are below 1.")


def _name(found: object) -> str:
    """Return a name as text; a whole number read as a float is a whole number."""
    whole = isinstance(found, float | np.floating) and float(found).is_integer()
    return str(int(found)) if whole else str(found).strip()


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


def _check_enough(rows: pd.DataFrame, least: int) -> None:
    """Refuse what has fewer methods with values than are needed."""
    methods = rows["method"].unique()
    if len(methods) < least:
        alone = f"There is one method only ({methods[0]})" if len(methods) else "There is no method"
        raise ResultsError(f"{alone}: an order needs two or more.")
    if lacking := sorted({*methods} - {*rows.loc[rows["value"].notna(), "method"]}):
        raise ResultsError(f"{len(lacking)} of {len(methods)} methods have no value at all, the "
                           f"first: {lacking[0]}. Leave them out.")


def _deviations(rows: pd.DataFrame, values: "pd.core.groupby.SeriesGroupBy") -> pd.DataFrame:
    """Return each cell's standard deviation over repeats, what methods share taken out."""
    apart = (rows["value"] - values.transform("mean")).fillna(0)
    apart -= apart.groupby([rows[key] for key in ("task", "fold", "seed")],
                           observed=True).transform("mean")
    squares = (apart**2).groupby([rows["task"], rows["method"]], observed=True).sum()
    several = values.count().where(lambda n: n > 1)
    methods = rows["method"].nunique()
    return np.sqrt(squares / (several - 1) * methods / max(methods - 1, 1)).unstack()


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
