"""What of a table of results is a task, a method, a value, and whether lower is better.

The panel of the book reads by the same rules (``book/_static/reading/reader.js``); one corpus of
files tests both.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.leaderboards import as_results
from analysis.leaderboards.cells import ResultsError
from collection.datasets.files import as_text
from collection.project.naming import check_known
from collection.reading import names as reading
from collection.reading.numbers import NUMBER, is_numeric, is_yes_or_no
from collection.reading.text import in_words

GUESSED = ("task", "method", "fold", "seed", "family", "metric", "part", "variant", "reason",
           *as_results.DIRECTIONS)
MEASURED = re.compile(r"(.+?)\s*(?:~|__|\s-\s|\|)\s*([^~|]+)")  # of the measure behind a name
BESIDE = {kind: re.compile(known) for kind, known in reading.VOCABULARY["beside"].items()}
METHODS = re.compile(reading.VOCABULARY["methods"], re.IGNORECASE)
DOMAINS = 6  # kinds of tasks that count once each: fewer separate nobody
FAILED, OK, UNDONE = (reading.WORDS[kind] for kind in ("failed", "ok", "unfinished"))
LOOKED_AT = 200  # cells of a column


@dataclass(frozen=True)
class _Values:
    """Columns that may hold the values: one, or one a repeat."""

    name: str
    columns: tuple[int, ...]
    repeats: tuple[str, ...] = ()
    role: str = "seed"


def read_table(names: list[str], rows: list[list[str]], columns: Mapping[str, str] | None = None,
               only: Mapping[str, str] | None = None, skip: Iterable[str] = (),
               sized: bool = False) -> pd.DataFrame:
    """Return a long or wide table with the columns of `SCHEMA` by name.

    Parameters
    ----------
    names : list of str
    rows : list of list of str
        Values as they are written; empty where missing.
    columns : mapping, optional
        Which column is ``task, method, value, fold, seed, family, size``. In a wide table
        ``value`` is the name of its metric.
    only : mapping, optional
        Of which rows only: a value by column.
    skip : iterable of str, optional
        Columns, tasks and methods to leave out.
    sized : bool
        Whether a column of sizes (rows of the training set) is looked for, which tells results of
        one task and method apart.

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
    if bare := [n for n in names if re.fullmatch(r"-?[0-9]*\.[0-9]+", n)]:
        raise ResultsError(f"The first line holds no names of columns but values, such as "
                           f"{bare[0]}: name the columns in a line above.")
    names, rows = _without(names, rows, tuple(skip))
    frame = pd.DataFrame(rows, columns=range(len(names)), dtype=object)
    found = _values(frame, names)
    metric = columns.pop("value") if columns.get("value") not in (
        None, *names, *(v.name for v in found)) and \
        reading.lower_is_better(columns["value"]) is not None else None
    named = columns.pop("value", None)
    for role, name in (*columns.items(), *([("value", named)] if named else [])):
        if name not in (*names, *(v.name for v in found if role == "value")):
            raise ResultsError(f"There is no column {name!r} for the {role}; there are "
                               f"{', '.join(names[:as_results.FEW])}.")
    at = _guessed(frame, names, {role: names.index(name) for role, name in columns.items()})
    if sized and "size" not in at:
        at |= _size(frame, names, at)
    value = next((v for v in (*found, *_single(names, at)) if v.name == named), None)
    if "method" in at and value is None and metric is None:
        value = _value_column(frame, names, at, found)
    if "method" in at and value is not None:
        return _from_long(frame, names, at, value)
    if "method" not in at and {"task", "metric"} <= {*at} and any(map(reading.is_measure, names)):
        raise ResultsError("There is no column of methods: it seems that all are results of one. "
                           "Add a column `method`, and the results of others below.")
    return _from_wide(frame, names, at, metric)


def read_frame(frame: pd.DataFrame, columns: Mapping[str, str] | None = None,
               only: Mapping[str, str] | None = None, skip: Iterable[str] = ()) -> pd.DataFrame:
    """Return a frame as `read_table` reads its CSV; the index is a column where it has a name."""
    if frame.index.names != [None] or not pd.api.types.is_numeric_dtype(frame.index):
        frame = frame.reset_index()
    names = [" | ".join(sorted(map(str, name), key=reading.is_measure)) if isinstance(name, tuple)
             else str(name) for name in frame]
    return read_table(names, as_text(frame).to_numpy().tolist(), columns, only, skip)


def _without(names: list[str], rows: list[list[str]],
             skip: tuple[str, ...]) -> tuple[list[str], list[list[str]]]:
    """Return a table without some columns, and without the rows of some tasks or methods."""
    cells = {cell for row in rows for cell in row if not NUMBER.fullmatch(cell)} if skip else set()
    check_known("column, task or method", skip, [*names, *sorted(cells)])
    kept = [k for k, name in enumerate(names) if name not in skip]
    return [names[k] for k in kept], [[row[k] for k in kept] for row in rows
                                      if not set(skip) & set(row)]


def _only(names: list[str], rows: list[list[str]], only: Mapping[str, str]) -> list[list[str]]:
    for column, value in only.items():
        if column not in names:
            raise ResultsError(f"There is no column {column!r}; there are "
                               f"{', '.join(names[:as_results.FEW])}.")
        k = names.index(column)
        kept = [row for row in rows if row[k] == value]
        if not kept:
            there = list(dict.fromkeys(row[k] for row in rows))[:as_results.FEW]
            raise ResultsError(f"No row has {value!r} in column {column}; there are "
                               f"{', '.join(there)}.")
        rows = kept
    return rows


def _guessed(frame: pd.DataFrame, names: list[str], known: Mapping[str, int]) -> dict[str, int]:
    """Return the columns of roles, those that only look like one left out."""
    parts = [k for k in frame if len(frame) and all(map(reading.is_part, frame[k].unique()))]
    at = reading.roles(names, GUESSED, {**({"part": parts[0]} if parts else {}), **known})
    if "part" in at and at["part"] not in parts:
        k = at.pop("part")
        if "fold" not in at and reading.key_of(names[k]) == "split" and is_numeric(frame[k]):
            at["fold"] = k
    arrows = [k for k in frame if len(frame) and frame[k].isin(["↑", "↓"]).all()]
    if arrows:
        at.setdefault("higher_is_better", arrows[0])
    for role in {*as_results.DIRECTIONS} & {*at}:
        told = frame[at[role]].str.lower().isin([*reading.VOCABULARY["ways"]])
        if reading.key_of(names[at[role]]) != role and not told.all():
            at.pop(role)
    if "metric" in at and "metric" not in reading.words_of(names[at["metric"]]) and not any(
            reading.lower_is_better(c) is not None for c in frame[at["metric"]].unique()):
        at.pop("metric")
    if "family" in at and reading.key_of(names[at["family"]]) != "family" and (
            frame[at["family"]].nunique() < DOMAINS):
        at.pop("family")
    return at


def _size(frame: pd.DataFrame, names: list[str], at: Mapping[str, int]) -> dict[str, int]:
    """Return the column of sizes: one of which most tasks, or a task's methods, have several."""
    keys = [at[role] for role in ("task", "method", "variant", "fold", "seed") if role in at]
    return next(({"size": k} for k, name in enumerate(names) if keys and k not in at.values()
                 and reading.key_of(name) in reading.ROLES["size"]
                 and is_numeric(frame[k].head(LOOKED_AT))
                 and frame.groupby(keys)[k].nunique().gt(1).mean() > 0.5), {})


def _single(names: list[str], at: Mapping[str, int]) -> list[_Values]:
    return [_Values(n, (k,)) for k, n in enumerate(names) if k not in at.values()]


def _values(frame: pd.DataFrame, names: list[str]) -> list[_Values]:
    """Return what may be repeats in columns of their own: as many as two of a name."""
    groups: dict[str, list[tuple[int, re.Match]]] = {}
    for k, name in enumerate(names):
        if found := reading.REPEATED.search(name):
            base = reading.key_of(reading.REPEATED.sub(" ", name))
            groups.setdefault(base, []).append((k, found))
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
    free = [k for k, n in enumerate(names)
            if k not in taken and reading.key_of(n) not in reading.WORDS["own"]]
    numeric = [k for k in free if is_numeric(frame[k].head(LOOKED_AT))]
    answers = [k for k in numeric if is_yes_or_no(frame[k])]
    lists = [k for k in free if frame[k].str.match(r"\[.*\d.*\]$").any()]
    several = [v for v in groups if not reading.is_no_result(v.name) or "seed" in v.name]
    numeric = [k for k in numeric if not reading.is_spread_beside(names[k], names)]
    found = several + [_Values(names[k], (k,)) for k in numeric
                       if reading.is_measure(names[k]) and not reading.is_no_result(names[k])
                       and reading.key_of(names[k]).replace("mean_", "") not in [
                           v.name for v in several]]
    found += [_Values(names[k], (k,)) for k in lists if reading.is_measure(names[k].rstrip("s"))]
    sure = [v for v in found if v.columns[0] not in answers]
    found = sure or found
    if not found and ("task" in at or "fold" in at):
        rest = [k for k in numeric if k not in answers and not set(reading.words_of(names[k]))
                & reading.WORDS["times"]]
        alone = [k for k in rest if not reading.is_no_result(names[k])] or rest
        means = [k for k in alone if reading.key_of(names[k]) in reading.WORDS["means"]]
        alone = means[:1] or alone or answers
        return _Values(names[alone[0]], (alone[0],)) if len(alone) == 1 else None
    if not found:
        return None
    if "task" not in at:
        bare = [k for k in numeric if reading.is_bare_measure(names[k])]
        if 2 * len(bare) < len(numeric) and not several:
            return None  # with tasks in columns, a column named like a value is a task
        if not several and not {"fold", "seed"} & set(at):
            raise _unlike([names[k] for k in bare] or [v.name for v in found])
    best = max(reading.PARTS.index(reading.part_of(v.name)) for v in found)
    found = [v for v in found if reading.PARTS.index(reading.part_of(v.name)) == best]
    if best == reading.PARTS.index("train"):
        raise ResultsError(f"There are training values only (`{found[0].name}`), which say how "
                           f"methods fit, not how they predict: add a column of test values, or "
                           f"say VALUE={found[0].name} if they are meant.")
    keys = [reading.key_of(n) for n in names]
    usual = {value for key, value in reading.VOCABULARY["defaults"].items() if key in keys}
    found = [v for v in found if reading.key_of(v.name) in usual] or found
    general = [v for v in found if reading.key_of(v.name) in reading.WORDS["generic"]]
    if len(general) == 1 and ("metric" in at or _metric_by_column(
            frame, names, at, general[0]) is not None):
        found = general
    if len(found) > 1 and any("[" in str(frame[v.columns[0]].iloc[0]) for v in found):
        found = [v for v in found if v.columns[0] in lists]
    if len(found) > 1:
        options = [v.name for v in found]
        raise as_results.ChoiceError(
            f"Which column holds the results: {in_words([f'`{n}`' for n in options], 'or')}? Say "
            f"VALUE={options[0]} (in Python columns={{\"value\": \"{options[0]}\"}}).")
    return found[0]


def _unlike(names: list[str]) -> ResultsError:
    """Return why a row per method of unlike measures is no table of results."""
    return ResultsError(
        f"This is no table of results: it has unlike measures of methods "
        f"({', '.join(f'`{n}`' for n in names[:6])}), but no tasks. An order takes a column of "
        "tasks (TASK=… names it), or a column per task of one measure: leave others out (SKIP=…).")


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
        if k in (*at.values(), *value.columns) or reading.lower_is_better(name) is None:
            continue
        other = pd.to_numeric(frame[k], errors="coerce")
        for words, same in ((name, own.eq(other)), (f"neg_{name}", own.eq(-other) & own.ne(0))):
            mostly = same.groupby(task).transform("sum") > known / 2
            metric = metric.mask(mostly & metric.isna(), words)
    return metric if metric.notna().all() else None


def _from_long(frame: pd.DataFrame, names: list[str], at: dict[str, int],
               value: _Values) -> pd.DataFrame:
    general = "metric" not in at and reading.key_of(value.name) in reading.WORDS["generic"]
    metric = _metric_by_column(frame, names, at, value) if general else None
    said = names[at["metric"]] if "metric" in at else "metric"
    frame, out = _judged_part(frame, names, at)
    own = {key: k for k, n in enumerate(names) if (key := reading.key_of(n)) in reading.WORDS["own"]
           and k not in (*at.values(), *value.columns)}
    used = {**{r: k for r, k in at.items() if r != "part"}, **own}
    frame, again = _more_repeats(frame, names, used, value)
    spread = {} if {"fold", "seed", "deviation"} & {*used} or value.repeats else (
        _spread_beside(names, [*used.values(), *value.columns], value))
    used |= spread
    frame, failures = _without_failures(frame, names, [*used.values(), *again], value)
    unused = [k for k in range(len(names)) if k not in (*used.values(), *value.columns, *again)
              and k != at.get("part")]
    out += [f"column `{names[k]}`" for k in unused if names[k]
            and not any(f"`{names[k]}`" in said for said in failures)] + failures
    speaks = "" if "task" in at else as_results.SPEAKS
    long = frame[list(used.values())].set_axis(list(used), axis=1)
    long.attrs = {role: names[used[role]] for role in as_results.DIRECTIONS if role in used}
    if metric is not None:
        long["metric"] = metric[frame.index]
    if {*spread} == {"deviation"}:  # of the mean: as of one result
        long["repeats"] = "1"
    if "variant" in long and long.groupby("method")["variant"].nunique().max() == 1:
        long = long.drop(columns="variant")  # of no method are there two
    if "task" not in at:
        if not value.repeats and not {"fold", "seed"} & set(at):
            raise ResultsError("There is no column of tasks among "
                               f"{', '.join(names[:as_results.FEW])}: name it (TASK=…).")
        long["task"] = as_results.ONE
    long, speaks = as_results.tasks_that_are_repeats(long, speaks)
    cells = frame[list(value.columns)]
    as_results.check_once(long, frame[unused].set_axis([names[k] for k in unused], axis=1), said)
    long = _stacked(long, cells, value)
    long, summaries = as_results.without_summaries(long, "task")
    long, best = as_results.without_summaries(long, "method")
    layout = " over ".join(f"`{names[k]}`" for k in spread.values())
    return as_results.finished(long, value.name, f"a row per result{layout and ' with '}{layout}",
                    [*summaries, *best, *out], speaks,
                    metric=said, whose=reading.layout_of(names))


def _spread_beside(names: list[str], taken: list[int | str], value: _Values) -> dict[str, int]:
    """Return the columns of results' deviation and of how many there are, or of a mean's error."""
    about, found = {*reading.words_of(value.name), *reading.WORDS["means"]}, {}
    for k, name in enumerate(names):
        left = "_".join(word for word in reading.words_of(name) if word not in about)
        for kind, known in BESIDE.items():
            if k not in taken and (known.fullmatch(reading.key_of(name)) or known.fullmatch(left)):
                found.setdefault(kind, k)
    if {"deviation", "repeats"} <= {*found}:
        return {kind: found[kind] for kind in ("deviation", "repeats")}
    return {"deviation": found["error"]} if "error" in found else {}


def _judged_part(frame: pd.DataFrame, names: list[str],
                 at: Mapping[str, int]) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows that were tested, where a column says so, and which others are left out."""
    if "part" not in at:
        return frame, []
    part = frame[at["part"]].map(reading.part_of)
    best = max(part, key=reading.PARTS.index, default="")
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


def _more_repeats(frame: pd.DataFrame, names: list[str], used: dict[str, int | str],
                  value: _Values) -> tuple[pd.DataFrame, list[int]]:
    """Return a table whose further columns of repeats are one with its seeds, and which."""
    again = [k for k, n in enumerate(names) if k not in (*used.values(), *value.columns)
             and reading.is_repeat(n, frame[k].unique())]
    if again:
        every = [*([used["seed"]] if "seed" in used else []), *again]
        frame = frame.assign(**{"_": frame[every].agg("/".join, axis=1)})
        used["seed"] = "_"
    return frame, again


def _without_failures(frame: pd.DataFrame, names: list[str], used: list[int],
                      value: _Values) -> tuple[pd.DataFrame, list[str]]:
    """Return a table in which failed results have no value, and how many these are, in words."""
    said, frame = [], frame.copy()
    for k, name in enumerate(names):
        if k in (*used, *value.columns) or frame.empty:
            continue
        cells, words = frame[k].map(reading.key_of), {*reading.words_of(name)}
        if is_yes_or_no(cells) and words & (FAILED | OK):
            bad = cells.eq("true" if words & FAILED else "false")
        else:
            bad = cells.map(lambda c: c not in OK and bool({c, *c.split("_")} & (FAILED | UNDONE)))
            bad &= bool(words & {"status", "state"}) or (bad | cells.isin([*OK, ""])).all()
        if bad.any():
            frame.loc[bad, list(value.columns)] = ""
            said.append(f"{int(bad.sum())} results that failed by column `{name}`, which count as "
                        "missing")
    return frame, said


def _from_wide(frame: pd.DataFrame, names: list[str], at: dict[str, int],
               metric: str | None) -> pd.DataFrame:
    """Return a wide table, a row per task and a column per method (or the other way), as long."""
    first, speaks = _naming_column(frame, names, at)
    measured = [name for name in frame[first] if reading.lower_is_better(name) is not None]
    if 2 * len(measured) > len(frame):
        raise _unlike(measured)
    keep = {role: k for role, k in at.items() if k != first and role in (
        "fold", "seed", "family", "size", "metric", *as_results.DIRECTIONS)}
    frame, rest, why, out = _results_alone(frame, names, first, [*keep.values()])
    by_method = "method" in at or ("task" not in at and not speaks and (
        _share_of_methods(frame[first]) > _share_of_methods(names[k] for k in rest)))
    bare = [k for k in rest if reading.is_bare_measure(names[k])
            and (reading.is_no_result(names[k]) or not by_method)]
    if by_method or 2 * len(bare) < len(rest):
        why |= dict.fromkeys(bare, "no result" if by_method else "a measure, no method")
        rest = [k for k in rest if k not in bare]
    rest, labels, measures, metric = _measures_within(
        {k: names[k] for k in rest}, metric, by_method)
    source = metric or ("" if speaks else names[first])
    if measures and not metric:
        source = "value"
    elif by_method or not METHODS.search(" ".join(names[k] for k in rest)):
        source = _measure_of_columns([names[k] for k in rest], source, metric)
    if len(rest) < 2:
        raise ResultsError("This is no table of results, with no column of tasks and methods: it "
                           "takes columns task, method and value, or a row per task with a column "
                           "per method. There are "
                           f"{', '.join(n or '(no name)' for n in names[:as_results.FEW])}.")
    rows, columns = ("method", "task") if by_method else ("task", "method")
    wide = frame[[first, *keep.values(), *rest]].set_axis(
        ["_row", *(f"_{role}" for role in keep), *rest], axis=1)
    long = wide.melt(["_row", *(f"_{role}" for role in keep)], rest, var_name="_column",
                     value_name="_value").rename(
        columns={"_row": rows, "_column": columns, "_value": "value",
                 **{f"_{role}": role for role in keep}})
    if measures and not metric:
        long["metric"] = long[columns].map(measures)
    long[columns] = long[columns].map(labels)
    said = names[keep["metric"]] if "metric" in keep else "metric"
    others = frame.drop(columns=[first, *keep.values(), *rest]).rename(columns=names.__getitem__)
    as_results.check_once(long[:2 * len(frame)], pd.concat([others] * 2, ignore_index=True), said)
    if not by_method:
        long = _repeats_of_methods(long)
    if speaks:
        long = long.assign(fold=long["task"], task=as_results.ONE)
    else:
        long, speaks = as_results.tasks_that_are_repeats(long, "")
    unused = [f"column `{names[k]}` ({w})" if names[k] else f"a column without a name ({w})"
              for k, w in sorted(why.items())]
    long.attrs = {role: names[k] for role, k in keep.items()}
    return as_results.finished(long, source, f"a {'row' if by_method else 'column'} per method",
                               [*unused, *out], speaks, metric=said)


def _naming_column(frame: pd.DataFrame, names: list[str], at: dict[str, int]) -> tuple[int, str]:
    """Return the column that names a wide table's rows, and what is said where they are folds."""
    named = at.get("method", at.get("task"))
    text = [k for k in frame if not is_numeric(frame[k].head(LOOKED_AT)) and frame[k].ne("").any()]
    if named is not None or text:
        return text[0] if named is None else named, ""
    fold = at.get("fold", at.get("seed"))
    if fold is None and ({*reading.words_of(names[0])} & reading.WORDS["facts"]
                         or frame[0].str.contains(r"[.,]\d").any()):
        raise as_results.ChoiceError(f"Does column `{names[0]}` name the tasks? Say TASK={names[0]}"
                                     ", or put a column that does before it.")
    return (0, "") if fold is None else (fold, as_results.SPEAKS)


def _results_alone(frame: pd.DataFrame, names: list[str], first: int, kept: list[int]
                   ) -> tuple[pd.DataFrame, list[int], dict[int, str], list[str]]:
    """Return the rows and columns that hold results; why other columns, and which rows, do not."""
    frame, out = as_results.without_summaries(frame, first)  # first: sums and means make no counts
    free = [k for k in frame if k != first and k not in kept]
    empty = frame[free].apply(lambda c: c.str.fullmatch(reading.VOCABULARY["unit"])).all(axis=1)
    out += [f"row `{' '.join(row).strip()}` (no values)" for row in frame[empty].to_numpy()]
    frame = frame[~empty].reset_index(drop=True)
    why = _left_out(frame, names, free)
    rest = [k for k in free if k not in why]
    values = frame[rest].apply(pd.to_numeric, errors="coerce").to_numpy(float)
    summed, summing = as_results.computed(values), as_results.computed(values.T)
    out += [f"row `{x}` (computed from the others)" for x in frame.loc[summed, first]]
    why |= {k: "computed from the others" for k, odd in zip(rest, summing, strict=True) if odd}
    return (frame[~summed].reset_index(drop=True), [k for k in rest if k not in why], why, out)


def _share_of_methods(names: Iterable[str]) -> float:
    """Return the share of names that are methods' by a word in them."""
    return float(np.mean([bool(METHODS.search(name)) for name in names] or [0]))


def _measures_within(labels: dict[int, str], metric: str | None, by_method: bool
                     ) -> tuple[list[int], dict[int, str], dict[int, str], str | None]:
    """Return columns such as ``kNN_auc``, their names and measures, each alone, and the metric.

    Where not every name says a measure, names stay as they are and there are no measures.
    """
    found = {k: MEASURED.fullmatch(name) for k, name in labels.items()}
    if not found or not all(one and reading.lower_is_better(one[2]) is not None
                            for one in found.values()):
        return [*labels], labels, {}, metric
    labels, measures = ({k: one[n] for k, one in found.items()} for n in (1, 2))
    kinds, rest = list(dict.fromkeys(measures.values())), [*labels]
    if not by_method and metric in kinds:
        rest = [k for k in rest if measures[k] == metric]
    elif len(set(labels.values())) < len(labels):
        raise as_results.ChoiceError(
            f"Which is meant: {in_words([f'`{n}`' for n in kinds], 'or')}? Say "
            f"VALUE={kinds[0]} (in Python columns={{\"value\": \"{kinds[0]}\"}}).")
    return rest, labels, measures, metric or (kinds[0] if len(kinds) == 1 else None)


def _measure_of_columns(names: list[str], source: str, metric: str | None) -> str:
    """Return what names the measure of a table with tasks in columns; refuse unlike ones."""
    lower = {name: reading.lower_is_better(name) for name in names}
    bare = [name for name in names if reading.is_bare_measure(name)]
    named = [name for name in names if lower[name] is not None]
    whole = source if reading.lower_is_better(source) is not None else None
    many_measures = len(bare) > 1 and 2 * len(bare) >= len(names)
    both_ways = {True, False} <= {*lower.values(), reading.lower_is_better(whole)}
    some_errors = not whole and {True, None} <= {*lower.values()}  # the others may be scores
    if many_measures or both_ways or some_errors:
        raise _unlike(bare if len(bare) > 1 else named)
    if metric or whole or None in lower.values() or not names:
        return source
    words = [reading.words_of(n) for n in named]
    shared = "_".join(w for w in words[0] if all(w in own for own in words))
    return shared if reading.lower_is_better(shared) is not None else named[0]


def _repeats_of_methods(long: pd.DataFrame) -> pd.DataFrame:
    """Return columns such as ``GBM_seed0, GBM_seed1`` as repeats of one method."""
    found = {m: reading.REPEATED.search(m) for m in long["method"].unique()}
    if "seed" in long or not all(found.values()):
        return long
    base = {m: reading.REPEATED.sub("", m).strip(" _-.") for m in found}
    if "" in base.values() or len(set(base.values())) == len(base):
        return long
    return long.assign(seed=long["method"].map(lambda m: found[m][2]),
                       method=long["method"].map(base))


def _left_out(frame: pd.DataFrame, names: list[str], free: list[int]) -> dict[int, str]:
    """Return which columns of a wide table are no methods, and why."""
    why, values = {}, frame[free].apply(pd.to_numeric, errors="coerce")
    rows = [[k + start for k in range(len(frame))] for start in (0, 1)]
    answers = {k for k in free if is_yes_or_no(frame[k])}
    for k in free:
        words = [w for w in re.split(r"[0-9]+|_", "_".join(reading.words_of(names[k]))) if w]
        whole = _whole(values[k])
        if not is_numeric(frame[k].head(LOOKED_AT)):
            why[k] = "empty" if frame[k].eq("").all() else "no numbers"
        elif k in answers and len(answers) * 2 < len(free):
            why[k] = "yes or no"
        elif names[k].lower() in reading.INDEX and whole:
            why[k] = "counts the rows" if values[k].tolist() in rows else "a count"
        elif reading.is_summary(names[k]):
            why[k] = "a summary"
        elif reading.stands_beside(names[k], [names[j] for j in free]):
            why[k] = "beside another column"
        elif reading.WORDS["facts"] & set(words):
            why[k] = "a property"
        elif whole and values[k].notna().any() and words and (
                words[0] in ("n", "num", "number") or words[-1] in reading.WORDS["counts"]):
            why[k] = "a count"
    for k in [k for k in free if k not in why and not reading.is_bare_measure(names[k])]:
        others = values[[j for j in free if j != k and j not in why]].to_numpy().ravel()
        others = pd.Series(others).dropna()
        mine = values[k].dropna()
        same = mine.nunique() == 1 < others.nunique() and not METHODS.search(names[k])
        if len(mine) > 1 and (same or (_whole(mine) and not _whole(others))):
            span = np.ptp(others)
            if not others.min() - span <= mine.median() <= others.max() + span:
                why[k] = "the same everywhere" if np.ptp(mine) == 0 else "a count"
    return dict(sorted(why.items()))


def _whole(values: pd.Series) -> bool:
    """Tell whether all values that are there are whole numbers."""
    return bool((values.isna() | (values == np.rint(values))).all())
