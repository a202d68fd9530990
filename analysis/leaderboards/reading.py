"""What of a table of results is a task, a method, a value, and whether lower is better.

The panel of the book reads by the same rules (``book/_static/reading/reader.js``); one corpus of
files tests both.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.leaderboards.cells import ResultsError, yes_or_no
from analysis.reading.directions import directions_of
from analysis.reading.names import (
    INDEX,
    PARTS,
    REPEATED,
    VOCABULARY,
    WORDS,
    is_bare_measure,
    is_measure,
    is_no_result,
    key_of,
    layout_of,
    limits,
    lower_is_better,
    part_of,
    roles,
    words_of,
)
from analysis.reading.numbers import is_numeric, is_yes_or_no, parse_numbers
from analysis.reading.text import in_words
from collection.datasets.files import as_text

GUESSED = ("task", "method", "fold", "seed", "family", "metric", "part")
METHODS = re.compile(VOCABULARY["methods"], re.IGNORECASE)
REPEAT = re.compile(r"(fold|split|seed|repeat|run|rep|cv|iter)[\s_-]*\d+", re.IGNORECASE)
DIRECTIONS = ("lower_is_better", "higher_is_better")
LOOKED_AT = 200  # cells of a column
ONE = "one dataset"
FEW = 12  # names that a message lists
MOST_CHOICES = 50  # values of a column that tells results apart
PERCENT = 20  # times the shares of others from which on a method is in percent
SPEAKS = ("These are repeats on one dataset, which are no tasks: the order speaks of that dataset "
          "alone, and separates nobody.")


class ChoiceError(ResultsError):
    """Several things may be meant; the message asks.

    Attributes
    ----------
    role : str
        What is to be chosen: a column for the ``value``, ``method`` or ``task``, or ``only`` which
        rows.
    column : str
        The column that tells results apart, if one does.
    options : list of str
    """

    def __init__(self, message: str, role: str, column: str, options: list[str]) -> None:
        super().__init__(message)
        self.role, self.column, self.options = role, column, options


@dataclass(frozen=True)
class _Values:
    """Columns that may hold the values: one, or one a repeat."""

    name: str
    columns: tuple[int, ...]
    repeats: tuple[str, ...] = ()
    role: str = "seed"


def read_table(names: list[str], rows: list[list[str]], columns: Mapping[str, str] | None = None,
               only: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return a long or wide table with the columns of `SCHEMA` by name.

    Parameters
    ----------
    names : list of str
    rows : list of list of str
        Values as they are written; empty where missing.
    columns : mapping, optional
        Which column is ``task, method, value, fold, seed, family``. In a wide table ``value`` is
        the name of its metric.
    only : mapping, optional
        Of which rows only: a value by column.

    Returns
    -------
    pandas.DataFrame
        ``attrs["read"]``: ``layout``, ``told`` (what says which direction is better, or why it has
        to be asked), ``out`` (what was left out) and ``speaks`` (of what, where there are no
        tasks), in words. Without a column of directions where it has to be asked.

    Raises
    ------
    ResultsError
        Where there are no columns that can be tasks, methods and values; for values that are no
        numbers; a `ChoiceError` where several things may be meant.
    """
    columns = dict(columns or {})
    rows = _only(names, rows, only or {})
    frame = pd.DataFrame(rows, columns=range(len(names)), dtype=object)
    found = _values(frame, names)
    metric = columns.pop("value") if columns.get("value") not in (
        None, *names, *(v.name for v in found)) and \
        lower_is_better(columns["value"]) is not None else None
    named = columns.pop("value", None)
    for role, name in (*columns.items(), *([("value", named)] if named else [])):
        if name not in (*names, *(v.name for v in found if role == "value")):
            raise ResultsError(f"There is no column {name!r} for the {role}; there are "
                               f"{', '.join(names[:FEW])}.")
    at = _guessed(frame, names, {role: names.index(name) for role, name in columns.items()})
    value = next((v for v in (*found, *_single(names, at)) if v.name == named), None)
    if "method" in at and value is None and metric is None:
        value = _value_column(frame, names, at, found)
    if "method" in at and value is not None:
        return _from_long(frame, names, at, value)
    return _from_wide(frame, names, at, metric)


def read_frame(frame: pd.DataFrame, columns: Mapping[str, str] | None = None,
               only: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return a frame as `read_table` reads its CSV; the index is a column where it has a name."""
    if frame.index.names != [None]:
        frame = frame.reset_index()
    names = [str(name) for name in frame]
    return read_table(names, as_text(frame).to_numpy().tolist(), columns, only)


def _only(names: list[str], rows: list[list[str]], only: Mapping[str, str]) -> list[list[str]]:
    for column, value in only.items():
        if column not in names:
            raise ResultsError(f"There is no column {column!r}; there are "
                               f"{', '.join(names[:FEW])}.")
        k = names.index(column)
        kept = [row for row in rows if row[k] == value]
        if not kept:
            raise ResultsError(f"No row has {value!r} in column {column}; there are "
                               f"{', '.join(list(dict.fromkeys(row[k] for row in rows))[:FEW])}.")
        rows = kept
    return rows


def _guessed(frame: pd.DataFrame, names: list[str], known: Mapping[str, int]) -> dict[str, int]:
    """Return the columns of roles, those that only look like one left out."""
    at = roles(names, GUESSED, known)
    if "part" in at:
        cells = frame[at["part"]]
        if not all(part_of(c) for c in cells):
            k = at.pop("part")
            if "fold" not in at and key_of(names[k]) == "split" and is_numeric(cells):
                at["fold"] = k
    if "metric" in at and "metric" not in words_of(names[at["metric"]]) and not any(
            lower_is_better(c) is not None for c in frame[at["metric"]].unique()):
        at.pop("metric")
    return at


def _single(names: list[str], at: Mapping[str, int]) -> list[_Values]:
    return [_Values(n, (k,)) for k, n in enumerate(names) if k not in at.values()]


def _values(frame: pd.DataFrame, names: list[str]) -> list[_Values]:
    """Return what may be repeats in columns of their own: as many as two of a name."""
    groups: dict[str, list[tuple[int, re.Match]]] = {}
    for k, name in enumerate(names):
        if found := REPEATED.search(name):
            groups.setdefault(key_of(REPEATED.sub(" ", name)), []).append((k, found))
    return [_Values(base or f"{names[found[0][0]]} … {names[found[-1][0]]}",
                    tuple(k for k, _ in found), tuple(m[2] for _, m in found),
                    "fold" if found[0][1][1].lower() in ("fold", "split") else "seed")
            for base, found in groups.items() if len(found) > 1
            and all(is_numeric(frame[k].head(LOOKED_AT)) for k, _ in found)]


def _value_column(frame: pd.DataFrame, names: list[str], at: Mapping[str, int],
                  groups: list[_Values]) -> _Values | None:
    """Return which column, or columns of repeats, hold the values of a long table.

    Rows that were tested come before others; times, counts and spreads are no values; of two that
    may be meant, the reader is asked.
    """
    taken = {k for v in groups for k in v.columns} | set(at.values())
    free = [k for k, n in enumerate(names) if k not in taken and key_of(n) not in WORDS["own"]]
    numeric = [k for k in free if is_numeric(frame[k].head(LOOKED_AT))]
    answers = [k for k in numeric if is_yes_or_no(frame[k])]
    lists = [k for k in free if frame[k].str.match(r"\[.*\d.*\]$").any()]
    several = [v for v in groups if not is_no_result(v.name) or "seed" in v.name]
    found = several + [_Values(names[k], (k,)) for k in numeric
                       if is_measure(names[k]) and not is_no_result(names[k])
                       and key_of(names[k]).replace("mean_", "") not in {v.name for v in several}]
    found += [_Values(names[k], (k,)) for k in lists if is_measure(names[k].rstrip("s"))]
    sure = [v for v in found if v.columns[0] not in answers]
    found = sure or found
    if not found and ("task" in at or "fold" in at):
        rest = [k for k in numeric if k not in answers and not set(words_of(names[k]))
                & WORDS["times"]]
        alone = [k for k in rest if not is_no_result(names[k])] or rest
        means = [k for k in alone if words_of(names[k]) == ["mean"]]
        alone = means or alone or answers
        return _Values(names[alone[0]], (alone[0],)) if len(alone) == 1 else None
    if not found:
        return None
    if "task" not in at:
        bare = [k for k in numeric if is_bare_measure(names[k])]
        if 2 * len(bare) < len(numeric) and not several:
            return None  # with tasks in columns, a column named like a value is a task
        if not several and not {"fold", "seed"} & set(at):
            raise _unlike([names[k] for k in bare] or [v.name for v in found])
    best = max(PARTS.index(part_of(v.name)) for v in found)
    found = [v for v in found if PARTS.index(part_of(v.name)) == best]
    general = [v for v in found if key_of(v.name) in WORDS["generic"]]
    if len(general) == 1 and ("metric" in at or _metric_by_column(
            frame, names, at, general[0]) is not None):
        found = general
    if len(found) > 1 and any("[" in str(frame[v.columns[0]].iloc[0]) for v in found):
        found = [v for v in found if v.columns[0] in lists]
    if len(found) > 1:
        options = [v.name for v in found]
        raise ChoiceError(
            f"Which column holds the results: {in_words([f'`{n}`' for n in options], 'or')}? Say "
            f"VALUE={options[0]} (in Python columns={{\"value\": \"{options[0]}\"}}).",
            "value", "", options)
    return found[0]


def _unlike(names: list[str]) -> ResultsError:
    """Return why a row per method of unlike measures is no table of results."""
    return ResultsError(
        f"This is no table of results: it has a row per method of unlike measures "
        f"({', '.join(f'`{n}`' for n in names[:6])}), but no tasks. An order takes a column of "
        "tasks (datasets), or a column per task of one measure.")


def _metric_by_column(frame: pd.DataFrame, names: list[str], at: Mapping[str, int],
                      value: _Values) -> pd.Series | None:
    """Return which metric a value is, by row, where columns of metrics repeat it; None where not.

    So do results of the AutoML benchmark: ``result`` is ``auc``, or minus ``logloss``.
    """
    if "task" not in at or len(value.columns) > 1:
        return None
    own = pd.to_numeric(frame[value.columns[0]], errors="coerce")
    task, metric = frame[at["task"]], pd.Series(None, frame.index, dtype=object)
    known = own.notna().groupby(task).transform("sum")
    for k, name in enumerate(names):
        if k in (*at.values(), *value.columns) or lower_is_better(name) is None:
            continue
        other = pd.to_numeric(frame[k], errors="coerce")
        for words, same in ((name, own.eq(other)), (f"neg_{name}", own.eq(-other) & own.ne(0))):
            mostly = same.groupby(task).transform("sum") > known / 2
            metric = metric.mask(mostly & metric.isna(), words)
    return metric if metric.notna().all() else None


def _from_long(frame: pd.DataFrame, names: list[str], at: dict[str, int],
               value: _Values) -> pd.DataFrame:
    metric = None if "metric" in at or key_of(value.name) not in WORDS["generic"] else \
        _metric_by_column(frame, names, at, value)
    said = names[at["metric"]] if "metric" in at else "metric"
    frame, out = _judged_part(frame, names, at)
    own = {key: k for k, n in enumerate(names) if (key := {"info": "reason"}.get(
        key_of(n), key_of(n))) in WORDS["own"] and k not in (*at.values(), *value.columns)}
    used = {**{r: k for r, k in at.items() if r != "part"}, **own}
    unused = [k for k in range(len(names)) if k not in (*used.values(), *value.columns)
              and k != at.get("part")]
    out += [f"column `{names[k]}`" for k in unused if names[k]]
    speaks = "" if "task" in at else SPEAKS
    long = frame[list(used.values())].set_axis(list(used), axis=1)
    if metric is not None:
        long["metric"] = metric[frame.index]
    if "task" not in at:
        if not value.repeats and not {"fold", "seed"} & set(at):
            raise ResultsError(f"There is no column of tasks among {', '.join(names[:FEW])}: name "
                               "it (TASK=…).")
        long["task"] = ONE
    long, speaks = _tasks_that_are_repeats(long, speaks)
    cells = frame[list(value.columns)]
    _check_once(long, frame[unused].set_axis([names[k] for k in unused], axis=1), said)
    long = _stacked(long, cells, value)
    long, summaries = _without_summaries(long, "task")
    return _finished(long, value.name, "a row per result", [*summaries, *out], speaks,
                     metric=said, whose=layout_of(names))


def _judged_part(frame: pd.DataFrame, names: list[str],
                 at: Mapping[str, int]) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows that were tested, where a column says so, and which others are left out."""
    if "part" not in at:
        return frame, []
    part = frame[at["part"]].map(part_of)
    best = max(part, key=PARTS.index, default="")
    others = list(dict.fromkeys(frame.loc[part != best, at["part"]]))
    return (frame[part == best],
            [f"rows with `{o}` in column `{names[at['part']]}`" for o in others])


def _stacked(long: pd.DataFrame, cells: pd.DataFrame, value: _Values) -> pd.DataFrame:
    """Return a row per value: of columns of repeats, or of lists in a cell, one each."""
    if value.repeats:
        parts = [long.assign(value=cells[k], **{value.role: n})
                 for k, n in zip(value.columns, value.repeats, strict=True)]
        return pd.concat(parts, ignore_index=True)
    column = cells.iloc[:, 0]
    if not column.str.startswith("[").any():
        return long.assign(value=column).reset_index(drop=True)
    split = column.str.strip("[] ").str.split(r"[,\s]+", regex=True)
    fold = [list(range(len(row))) for row in split]
    return long.assign(value=split, fold=fold).explode(["value", "fold"], ignore_index=True).assign(
        fold=lambda t: t["fold"].astype(str))


def _tasks_that_are_repeats(long: pd.DataFrame, speaks: str) -> tuple[pd.DataFrame, str]:
    """Return a table whose tasks are called folds as one of repeats on one dataset."""
    if not long["task"].map(lambda t: bool(REPEAT.fullmatch(t))).all() or "fold" in long:
        return long, speaks
    return long.assign(fold=long["task"], task=ONE), SPEAKS


def _check_once(long: pd.DataFrame, others: pd.DataFrame, metric: str) -> None:
    """Ask what is meant where results stand there several times, told apart by another column."""
    keys = [k for k in ("task", "method", "variant", "fold", "seed") if k in long]
    code = long.groupby(keys, sort=False, dropna=False).ngroup().to_numpy()
    if len(np.unique(code)) == len(code):
        return
    if "metric" in long:
        others = others.assign(**{metric: long["metric"]})
    differ = {}
    for name in others:
        number = pd.factorize(others[name])[0]
        pairs = np.unique(np.c_[code, number], axis=0)
        levels = len(np.unique(number))
        fractions = others[name].str.contains(r"\d\.\d").any()
        if len(pairs) > len(np.unique(code)) and levels <= MOST_CHOICES and not fractions:
            differ[name] = (name != metric, len(pairs) < len(code), levels)
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
        f"{python}).", role, name, options if role == "only" else [name])


def _finished(long: pd.DataFrame, source: str, layout: str, out: list[str], speaks: str = "",
              metric: str = "metric", whose: str = "") -> pd.DataFrame:
    """Return a long table with numbers, names, its direction, and how it was read."""
    written = [c for c in ("value", "deviation", "repeats") if c in long]
    for name in written:
        long[name] = numbers(long[name], long["method"], long["task"])
    for role in ("task", "fold", "seed"):
        if role in long:
            long[role] = long[role].map(_name)
    text = long.columns.drop(written)
    long[text] = long[text].where(long[text] != "", None)
    _check_units(long, source)
    told: str | None = None
    for column in DIRECTIONS:
        if column in long and told is None:
            long[column] = yes_or_no(long[column], column)
            told = f"column `{column}`"
    if told is None and long["task"].notna().all() and long["method"].notna().all():
        lower, words = directions_of(long, source, metric, whose)
        told = ", ".join(words)
        if lower is not None:
            long["lower_is_better"] = lower
    long.attrs = {"read": {"layout": layout, "told": told, "out": out, "speaks": speaks}}
    return long


def _check_units(long: pd.DataFrame, source: str) -> None:
    """Refuse a table in which one method is in percent and others are shares."""
    names = long["metric"].dropna().unique() if "metric" in long else [source]
    if any(limits(n)[1] == np.inf and lower_is_better(n) is not None
           and set(words_of(n)) & WORDS["endless"] for n in names):
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


def _from_wide(frame: pd.DataFrame, names: list[str], at: dict[str, int],
               metric: str | None) -> pd.DataFrame:
    """Return a wide table, a row per task and a column per method (or the other way), as long."""
    numeric = [is_numeric(frame[k].head(LOOKED_AT)) for k in frame]
    text = [k for k in frame if not numeric[k] and frame[k].ne("").any()]
    first, speaks = at.get("method", at.get("task")), ""
    if first is None and {"fold", "seed"} & set(at) and not text:
        first, speaks = at.get("fold", at.get("seed")), SPEAKS
    if first is None:
        first = text[0] if text else 0
    frame, out = _without_summaries(frame, first)  # first: sums and means make no counts
    keep = {role: k for role, k in at.items() if role in ("fold", "seed", "family") and k != first}
    free = [k for k in frame if k != first and k not in keep.values()
            and key_of(names[k]) not in DIRECTIONS]
    why = _left_out(frame, names, free, first)
    rest = [k for k in free if k not in why]
    labels = frame[first].tolist()
    like = [np.mean([bool(METHODS.search(x)) for x in some] or [0])
            for some in (labels, [names[k] for k in rest])]
    by_method = "method" in at or ("task" not in at and not speaks and like[0] > like[1])
    if by_method:
        times = [k for k in rest if is_bare_measure(names[k]) and is_no_result(names[k])]
        why |= dict.fromkeys(times, "no result")
        rest = [k for k in rest if k not in times]
    source = metric or ("" if speaks else names[first])
    if by_method or not METHODS.search(" ".join(names[k] for k in rest)):
        source = _measure_of_columns([names[k] for k in rest], source, metric)
    if len(rest) < 2 or not any(numeric[k] for k in rest):
        raise ResultsError("This is no table of results, with no column of tasks and methods: it "
                           "takes columns task, method and value, or a row per task with a column "
                           "per method. There are "
                           f"{', '.join(n or '(no name)' for n in names[:FEW])}.")
    roles_ = ("method", "task") if by_method else ("task", "method")
    wide = frame[[first, *keep.values(), *rest]].set_axis(
        ["_row", *(f"_{role}" for role in keep), *rest], axis=1)
    long = wide.melt(["_row", *(f"_{role}" for role in keep)], rest, var_name="_column",
                     value_name="_value").rename(
        columns={"_row": roles_[0], "_column": roles_[1], "_value": "value",
                 **{f"_{role}": role for role in keep}})
    long[roles_[1]] = long[roles_[1]].map(lambda k: names[k])
    if not by_method:
        long = _repeats_of_methods(long)
    if speaks:
        long = long.assign(fold=long["task"], task=ONE)
    else:
        long, speaks = _tasks_that_are_repeats(long, "")
    unused = [f"column `{names[k]}` ({w})" if names[k] else f"a column without a name ({w})"
              for k, w in sorted(why.items())]
    return _finished(long, source, f"a {'row' if by_method else 'column'} per method",
                     [*unused, *out], speaks)


def _measure_of_columns(names: list[str], source: str, metric: str | None) -> str:
    """Return what names the measure of a table with tasks in columns; refuse unlike ones."""
    says = [lower_is_better(n) for n in names]
    bare = [n for n in names if is_bare_measure(n)]
    named = [n for n, way in zip(names, says, strict=True) if way is not None]
    whole = source if lower_is_better(source) is not None else None
    if (len(bare) > 1 and 2 * len(bare) >= len(names)) or {True, False} <= {
            *says, lower_is_better(whole)} or (True in says and None in says and not whole):
        raise _unlike(bare if len(bare) > 1 else named)
    return source if metric or whole or None in says or not names else named[0]


def _repeats_of_methods(long: pd.DataFrame) -> pd.DataFrame:
    """Return columns such as ``GBM_seed0, GBM_seed1`` as repeats of one method."""
    found = {m: REPEATED.search(m) for m in long["method"].unique()}
    if "seed" in long or not all(found.values()):
        return long
    base = {m: REPEATED.sub("", m).strip(" _-.") for m in found}
    if "" in base.values() or len(set(base.values())) == len(base):
        return long
    return long.assign(seed=long["method"].map(lambda m: found[m][2]),
                       method=long["method"].map(base))


def _left_out(frame: pd.DataFrame, names: list[str], free: list[int], first: int) -> dict[int, str]:
    """Return which columns of a wide table are no methods, and why."""
    why, value = {}, {}
    for k in free:
        cells = frame[k]
        words = [w for w in re.split(r"[0-9]+|_", "_".join(words_of(names[k]))) if w]
        if not is_numeric(cells.head(LOOKED_AT)):
            why[k] = "empty" if cells.eq("").all() else "no numbers"
            continue
        value[k] = pd.to_numeric(cells, errors="coerce").to_numpy(float)
        whole = np.all(np.isnan(value[k]) | (value[k] == np.rint(value[k])))
        n = len(value[k])
        if names[k].lower() in INDEX and whole:
            counts = any(np.array_equal(value[k], np.arange(n) + start) for start in (0, 1))
            why[k] = "counts the rows" if counts else "a count"
        elif _key(names[k]) in WORDS["summary"]:
            why[k] = "a summary"
        elif whole and not np.isnan(value[k]).all() and words and (
                words[0] in ("n", "num", "number") or words[-1] in WORDS["counts"]):
            why[k] = "a count"
    for k in [k for k in value if k not in why]:
        others = np.concatenate([value[j] for j in value if j != k and j not in why] or [[np.nan]])
        others = others[~np.isnan(others)]
        mine = value[k][~np.isnan(value[k])]
        if len(others) and len(mine) > 1 and (mine == np.rint(mine)).all() and (
                others != np.rint(others)).any():
            span = np.ptp(others)
            far = not others.min() - span <= np.median(mine) <= others.max() + span
            if far:
                why[k] = "the same everywhere" if np.ptp(mine) == 0 else "a count"
    return dict(sorted(why.items()))


def _name(text: str) -> str:
    """Return a name; a whole number that was written as a float is a whole number."""
    return str(int(float(text))) if re.fullmatch(r"-?\d+\.0+", text) else text


def _key(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


def _without_summaries(table: pd.DataFrame, role: str | int) -> tuple[pd.DataFrame, list[str]]:
    """Return a table without rows that sum others up, and what these are called."""
    odd = table[role].map(lambda label: _key(label) in WORDS["summary"])
    if odd.all():
        return table, []
    shown = list(dict.fromkeys(table.loc[odd, role]))
    return table[~odd].reset_index(drop=True), [f"row `{label}` (a summary)" for label in shown]


def numbers(cells: pd.Series, method: pd.Series, task: pd.Series) -> np.ndarray:
    """Return values as numbers, NaN where missing; see `parse_numbers`.

    Raises
    ------
    ResultsError
        For a value that is no number, is infinite, or carries a percent sign where others do not.
    """
    found = parse_numbers(cells.unique())
    for text, number in found.items():
        if isinstance(number, str):
            k = int(np.argmax((cells == text).to_numpy()))
            raise ResultsError(f"{text!r} of {method.iloc[k]} on {task.iloc[k]} {number}.")
    return cells.map(found).to_numpy(float)
