"""Results once it is known which column is what: repeats, units, direction, what is left out.

Of a table with a row per result, or per task or method; `analysis.leaderboards.reading` finds the
columns.
"""

import re
from shlex import quote

import numpy as np
import pandas as pd

from analysis.leaderboards.cells import ResultsError, check_ways, yes_or_no
from collection.reading.directions import directions_of
from collection.reading.names import REPEAT, VOCABULARY, is_summary, measure_of, tells_apart
from collection.reading.numbers import has_spread, parse_numbers
from collection.reading.text import in_words

LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
DIRECTIONS = ("lower_is_better", "higher_is_better")
MARKS = [float(mark) for mark in VOCABULARY["marks"].split()]
ONE = "one dataset"
FEW = 12  # names that a message lists
LEAST_SUMMED, LEAST_OF_SUMS = 5, 3  # rows and columns in which a mean of the others is no chance
SUMMED = 1e-3  # of a value, to be such a mean as it is rounded
BEYOND = 1e4  # times any other value: from there on one of several tasks marks failures
PERCENT = 20  # times the shares of others from which on a method is in percent
SPEAKS = ("These are repeats on one dataset, which are no tasks: the order speaks of that dataset "
          "alone, and separates nobody.")


class ChoiceError(ResultsError):
    """Several columns or rows may be meant; the message asks."""


def tasks_that_are_repeats(long: pd.DataFrame, speaks: str) -> tuple[pd.DataFrame, str]:
    """Return a table whose tasks are called folds, or resamples, as one of repeats of datasets."""
    found = {t: REPEAT.match(t) for t in long["task"].unique()}
    if "fold" in long or not all(found.values()):
        return long, speaks
    base = {t: m[1] or ONE for t, m in found.items() if m[1] or m[2] or m[4]}
    several = len(set(base.values()))
    if several == len(found) > 1:
        return long, speaks
    return (long.assign(fold=long["task"], task=long["task"].map(base)),
            SPEAKS if several == 1 else speaks)


def check_once(long: pd.DataFrame, others: pd.DataFrame, metric: str) -> None:
    """Ask what is meant where results stand there several times, told apart by another column."""
    keys = [k for k in ("task", "method", "variant", "fold", "seed", "size") if k in long]
    code = long.groupby(keys, sort=False, dropna=False).ngroup().to_numpy()
    if len(np.unique(code)) == len(code):
        return
    if "metric" in long:
        others = others.assign(**{metric: long["metric"]})
    differ = {}
    for name in others:
        cells = others[name].tolist()
        if tells_apart(code.tolist(), cells):
            differ[name] = (name != metric, len({*zip(code, cells, strict=True)}) < len(code),
                            len({*cells}))
    if not differ:
        return
    name = min(differ, key=differ.__getitem__)
    options = others[name].drop_duplicates().tolist()
    first = long[pd.Series(code, long.index).duplicated(keep=False)].iloc[0]
    role = next((role for role in ("method", "task") if name != metric and long.groupby(
        others[name])[role].nunique().max() == 1), "only")
    said, python = ((f'ONLY="{name}={options[0]}"', f'only={{"{name}": "{options[0]}"}}')
                    if role == "only" else
                    (f"{role.upper()}={name}", f'columns={{"{role}": "{name}"}}'))
    raise ChoiceError(
        f"Which is meant? {first['method']} on {first['task']} has several results, and column "
        f"`{name}` tells them apart: {in_words(options[:6], 'or')}"
        f"{', …' if len(options) > 6 else ''}. "
        f"{'' if role == 'only' else f'Are these {role}s of their own? '}Say {said} (in Python "
        f"{python}){'' if role != 'only' or name == metric else f', or FOLD={name} for repeats'}.")


def finished(long: pd.DataFrame, source: str, layout: str, out: list[str], speaks: str = "",
             metric: str = "metric", whose: str = "") -> pd.DataFrame:
    """Return a long table with numbers, names, its direction, and how it was read."""
    said = long["value"]
    written = [c for c in ("value", "deviation", "repeats", "size") if c in long]
    for name in written:
        long[name] = numbers(long[name], long["method"], long["task"])
    for role in ("task", "method", "fold", "seed"):
        if role in long:
            long[role] = long[role].map({name: _name(name) for name in long[role].unique()})
    text = long.columns.drop(written)
    long[text] = long[text].where(long[text] != "", None)
    top = long["value"] == long["value"].max()
    far = long["value"].max() > BEYOND * max(1, long["value"].mask(top).abs().max())
    marks = long["value"].isin(MARKS) | (top & far & (long.loc[top, "task"].nunique() > 1))
    if marks.any():
        out = [*out, f"{int(marks.sum())} values of {said[marks].iloc[0]}, the mark of a failure, "
                     "which count as missing"]
        long["value"] = long["value"].mask(marks)
    if any(map(has_spread, said.unique())):
        out = [*out, "what stands behind ± or in brackets"]
    _check_units(long, source)
    layout += _in_one_unit(long, source)
    told: str | None = None
    for column in DIRECTIONS:
        if column in long:
            ways = long[column].str.lower()
            long[column] = yes_or_no(ways.map(VOCABULARY["ways"]).fillna(ways), column)
            told = told or f"column `{long.attrs.get(column, column)}`"
    if {*DIRECTIONS} <= {*long}:
        check_ways(*(long[column] for column in DIRECTIONS))
    if told is None and long["task"].notna().all() and long["method"].notna().all():
        lower, words = directions_of(long, source, metric, whose)
        told = ", ".join(words)
        if lower is not None:
            long["lower_is_better"] = lower
    for prefix in VOCABULARY["prefixes"].split():
        long["method"] = long["method"].str.removeprefix(prefix)
    long.attrs = {"read": {"layout": layout, "told": told, "out": out, "speaks": speaks,
                           "measure": _measured(long, source)}}
    return long


def _check_units(long: pd.DataFrame, source: str) -> None:
    """Refuse a table in which one method is in percent and others are shares."""
    if _endless(long, source):
        return
    middle = long.groupby("method")["value"].median()
    most = long.groupby("method")["value"].max()
    shares = [m for m in middle.index if 0 < middle[m] <= most[m] <= 1]
    above = PERCENT * middle[shares].max()
    percent = [m for m in middle.index if above < middle[m] <= most[m] <= 100]
    if percent and len(percent) + len(shares) == len(middle):
        one = percent if len(percent) <= len(shares) else shares
        unit = "in percent" if one is percent else "a share"
        raise ResultsError(
            f"{in_words(one[:3], 'or')} is {unit} (about {middle[one[0]]:.3g}), the others "
            f"{'shares' if one is percent else 'in percent'}, it seems: write all alike.")


def _endless(long: pd.DataFrame, source: str) -> bool:
    names = long["metric"].dropna().unique() if "metric" in long else [source]
    return any(measure_of(n).unit in ("endless", "time", "rank") for n in names)


def _measured(long: pd.DataFrame, source: str) -> str:
    """Return the name of what was measured, of several metrics nothing."""
    names = long["metric"].dropna().unique() if "metric" in long else []
    return source if not len(names) or measure_of(source).name else (
        names[0] if len(names) == 1 else "")


def _in_one_unit(long: pd.DataFrame, source: str) -> str:
    """Make the percent of some tasks shares, as the others' are; return what was done, in words."""
    if _endless(long, source) or measure_of(_measured(long, source)).unit not in ("share", "error"):
        return ""
    most, least = (long.groupby("task")["value"].agg(end) for end in ("max", "min"))
    percent, shares = most.index[(most > 1) & (most <= 100)], most.index[most <= 1]
    if not len(percent) or not len(shares) or len(percent) + len(shares) < len(most) or (
            least.min() < 0 or most[percent].median() < PERCENT * most[shares].median()):
        return ""
    among = long["task"].isin(percent)
    long["value"] = long["value"].where(~among, long["value"] / 100)
    return f", {len(percent)} tasks in percent made shares as the {len(shares)} others are"


def _name(text: str) -> str:
    """Return a name, of a link its text; a whole number that was written as a float is one."""
    text = " ".join(LINK.sub(r"\1", text).split())
    return str(int(float(text))) if re.fullmatch(r"-?[0-9]+\.0+", text) else text


def without_summaries(table: pd.DataFrame, role: str | int) -> tuple[pd.DataFrame, list[str]]:
    """Return a table without rows that sum others up, and what these are called."""
    odd = table[role].isin([name for name in table[role].unique() if is_summary(name, role)])
    if odd.all():
        return table, []
    shown = list(dict.fromkeys(table.loc[odd, role]))
    return table[~odd].reset_index(drop=True), [f"row `{label}` (a summary)" for label in shown]


def computed(values: np.ndarray) -> np.ndarray:
    """Return which rows are the mean, median or sum of the others, in all of three columns or more.

    Parameters
    ----------
    values : ndarray, shape (row, column)
    """
    rows, columns = values.shape
    if rows < LEAST_SUMMED or columns < LEAST_OF_SUMS or not np.isfinite(values).all():
        return np.zeros(rows, bool)
    others = [np.delete(values, k, axis=0) for k in range(rows)]
    near = SUMMED * np.maximum(np.abs(values), 0.1)
    unlike = [np.std(rest, axis=0) for rest in others] > near
    return unlike.all(axis=1) & np.any([
        (np.abs(values - [of(rest, axis=0) for rest in others]) <= near).all(axis=1)
        for of in (np.mean, np.median, np.sum)], axis=0)


def numbers(cells: pd.Series, method: pd.Series, task: pd.Series) -> np.ndarray:
    """Return values as numbers, NaN where missing; see `parse_numbers`.

    Raises
    ------
    ResultsError
        For a value that is no number, is infinite, or carries a percent sign where others do not.
    """
    found = parse_numbers(cells.unique())
    if bad := [text for text, number in found.items() if isinstance(number, str)]:
        odd = cells.isin(bad)
        signed = cells.str.contains("%", regex=False)  # of two ways to write, the rarer is odd
        rarer = odd & (signed == (signed[odd].mean() < 0.5))
        odd = rarer if rarer.any() else odd
        text, of, on = (names[odd].iloc[0] for names in (cells, method, task))
        alone = of if odd[method == of].all() and not odd[task == on].all() else on
        raise ResultsError(f"{text!r} of {of} on {on} {found[text]}. What is no result can be left "
                           f"out, such as SKIP={quote(alone)}.")
    return cells.map(found).to_numpy(float)
