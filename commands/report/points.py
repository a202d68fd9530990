"""Measurements of any model: text of training-set sizes and errors, read as the book's page does.

``book/_static/forecast/engine.js`` reads by the same rules and refuses in the same words; the cases
in ``tests/commands/report/points.json`` hold for both.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import xarray as xr

from collection.datasets.dataset import DatasetError
from collection.datasets.files import EXCEL, PARQUET, read_cells
from collection.project.opening import read_bytes
from collection.project.parameters import Share
from collection.reading import names as reading
from collection.reading.numbers import DECIMAL_COMMA, NUMBER, bare, is_missing, is_numeric, rows_of
from collection.reading.text import in_words, structured_cells

LEAST_SIZES = 4  # below, the intervals of an extrapolation were not tested
LEAST_SPAN = 2  # times the smallest size: from less nothing is to be seen
MOST_ROWS = 1e12  # a size above is a slip
MOST_LINES, MOST_SIZES, MOST_LEARNERS = 5000, 200, 50
MOST_BYTES = 1_000_000  # of a file
POINT_ROLES = ("size", "tested", "part", "metric", "repeat", "learner", "task")
PLAIN = re.compile(r"(?<=\d)(e[+-]?\d|[km]\b)|\bnan\b")  # letters that are in numbers, too
BLANK_FIRST = re.compile(r"\s*(\d{1,3}(,\d{3})+\s+\S+\s*$|[^\s,]+\s+[^\s,]*,)")
SIZE_NAMES = "size, train_size, n, rows, samples, Anzahl, taille"
VALUE_NAMES = "error, error rate, accuracy, AUC, F1, Fehler, erreur"
#: What is written between numbers: ``1 024``, ``0.39 ± 0.02``, ``n=100: 0.39``, ``100 -> 0.39``.
FOREIGN = ("LaTeX", "an ARFF", "HTML")  # kinds of text that are told what to do
BETWEEN = ((re.compile(r"(?<=\d)[\u00a0\u202f](?=\d{3}(?!\d))"), ""),
           (re.compile(r"[^\S\n]*(±|\+/-)[^\S\n]*"), r"\1"),
           (re.compile(r"(?im)^[^\S\n]*(?:(?:n|size|rows)[^\S\n]*=[^\S\n]*)?(\d[\d.,']*)"
                       r"[^\S\n]*(?::|->|→|(?=[^\S\n]err))[^\S\n]*"
                       r"(?:err(?:or)?[^\S\n]*=[^\S\n]*)?"), r"\1 "))
YOURS = "your model"


class PointsError(ValueError):
    """Points that cannot be used; the message says what is wrong, where, what to do."""


@dataclass
class PointsCurve:
    """One learner's points.

    Attributes
    ----------
    learner : str
    errors : dict of float to list of float
        By size in rows.
    tested : float
        Rows that the errors at the largest size were measured on; NaN where not said.
    read, label : str
        What was read, and what the errors are, in words.
    percent : bool
        Whether they were given in percent, without the sign.
    """

    learner: str
    errors: dict[float, list[float]] = field(default_factory=dict)
    tested: float = np.nan
    read: str = ""
    label: str = "error"
    percent: bool = False


def read_points(path: Path, rows: float | None = None) -> xr.DataArray:
    """Read a file of points as `parse_points` reads its text.

    Parameters
    ----------
    path : Path
        Text, or a spreadsheet or Parquet file, or one of these packed.
    rows : float, optional
        As in `parse_points`.

    Returns
    -------
    xarray.DataArray, dims (learner, repeat, anchor)
        Errors; NaN where a size has fewer repeats. Attributes: ``tested`` says for each learner
        how many rows its errors at the largest size were measured on, where the file does;
        ``read`` what was read, in words; ``label`` what the errors are; ``percent`` whether they
        were given in percent, without the sign.

    Raises
    ------
    PointsError
        The file is absent or no text, or as `parse_points`.
    """
    if path.suffix.lower() in (*EXCEL, *PARQUET):
        try:
            names, cells, _ = read_cells(path)
        except DatasetError as error:
            raise PointsError(str(error)) from None
        text = "\n".join("\t".join(row) for row in (names, *cells))
    else:
        raw = read_bytes(path, PointsError, MOST_BYTES)
        if b"\0" in raw:
            raise PointsError(f"{path} is no short text of sizes and errors.")
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = raw.decode("cp1252", errors="replace")
    try:
        return as_curves(parse_points(text, rows))
    except PointsError as error:
        raise PointsError(f"{path}: {error}") from None


def as_curves(curves: list[PointsCurve]) -> xr.DataArray:
    """Return parsed points as `read_points` does."""
    sizes = np.array(sorted({size for curve in curves for size in curve.errors}))
    repeats = max(len(values) for curve in curves for values in curve.errors.values())
    errors = np.full((len(curves), repeats, len(sizes)), np.nan)
    for own, curve in zip(errors, curves, strict=True):
        for size, values in curve.errors.items():
            own[:len(values), np.searchsorted(sizes, size)] = values
    return xr.DataArray(errors, dims=("learner", "repeat", "anchor"), name="error", coords={
        "learner": [curve.learner for curve in curves], "anchor": sizes}, attrs={
            "tested": {c.learner: c.tested for c in curves if np.isfinite(c.tested)},
            "read": curves[0].read, "label": curves[0].label, "percent": curves[0].percent})


def error_of(wanted: float, errors: xr.DataArray) -> float:
    """Return the error that is wanted, of a value in the measure of the points.

    Parameters
    ----------
    wanted : float or Share
        An error where errors were given, a score where scores were; in percent where they are.
    errors : xarray.DataArray
        From `read_points`.

    Raises
    ------
    PointsError
        Where it is between 0 and 1 in no way, or has to be asked for what it is meant.
    """
    score = errors.attrs.get("label", "error").removeprefix("1 − ")
    if errors.attrs.get("percent") and not isinstance(wanted, Share):
        if wanted < 1:
            raise PointsError(f"WANTED: the points are in percent. Is {wanted:g} % meant, or "
                              f"{100 * wanted:g} %? Write the sign.")
        wanted /= 100
    if not 0 < wanted < 1:
        raise PointsError(f"WANTED: a value of {score} between 0 and 1 is needed, not "
                          f"{wanted:g}; {wanted:g} percent is written {wanted:g}%.")
    error = wanted if score == "error" else 1 - wanted
    means = errors.mean("repeat")
    now = min(float(one.dropna("anchor")[-1]) for one in means)
    if error >= float(means.max()) and 1 - error < now:
        raise PointsError(f"WANTED: the points are values of {score}, and {100 * wanted:g} % "
                          f"is worse than each of them. Is {100 - 100 * wanted:g} % meant?")
    return error


def parse_points(text: str, rows: float | None = None) -> list[PointsCurve]:
    """Read points.

    Parameters
    ----------
    text : str
        A line for each measurement: the rows trained on and the error, as a share or in percent,
        separated by a comma, semicolon, tab or blanks; or a table in Markdown or JSON. A first line
        with letters names the columns, by any name that stands for it: of sizes, of a value (an
        error, or a score, whose complement is the error), and perhaps ``learner``, ``repeat``,
        ``tested`` (rows that it was measured on), ``metric`` and ``split`` (test before others).
        Empty lines and those that begin with # are skipped. The same size again is a repeat.
    rows : float, optional
        How many rows all the data are, where sizes are shares of it.

    Raises
    ------
    PointsError
        No line, too many, a value that is none, a learner or repeat that is empty, fewer than 4
        sizes of a learner, or sizes that do not even double; a loss without an upper end; where it
        has to be asked which column is meant, how many rows the data are, or whether values are
        errors.
    """
    names, lines, mark, headed = _table(text)
    names, lines = _sizes_below(names, lines)
    out: list[str] = []
    parts = [k for k in range(len(names)) if lines and all(reading.is_part(c[k]) for c, _ in lines)]
    at = reading.roles(names, POINT_ROLES, {"part": parts[0]} if parts else None)
    if "size" not in at:
        raise PointsError(f"The first line has no column size; it has {', '.join(names)}. Sizes "
                          f"are called {SIZE_NAMES} or alike, values {VALUE_NAMES} or alike.")
    if not lines:
        raise PointsError("There is no line below the names of the columns.")
    lines = _judged(names, lines, at, out)
    names, lines = _with_repeats(names, lines, at)
    names, lines = _one_value(names, lines, at, out)
    lines = _with_value(lines, at["value"], out)
    _ask_of_others(names, lines, at, out)
    comma = mark != "," and any("," in cells[at["value"]] for cells, _ in lines)
    values = [_number(cells, at, line, names, mark) for cells, line in lines]
    sizes = [rows_of(cells[at["size"]], comma) for cells, _ in lines]
    sizes = _as_rows(sizes, rows, reading.measure_of(names[at["size"]]).percent)
    errors, label, how, percent = _as_errors(names, lines, at, values, sizes, headed)
    if "tested" in at and not _of_rows(label):
        out.append(f"column `{names[at['tested']]}`, as {label} is no share of wrong rows")
        del at["tested"]
    curves: dict[str, PointsCurve] = {}
    taken: set = set()
    several = "task" in at and len({cells[at["task"]] for cells, _ in lines}) > 1
    for (cells, line), size, error in zip(lines, sizes, errors, strict=True):
        row = {role: cells[k] for role, k in at.items()}
        if several:
            row["learner"] = " on ".join(row[r] for r in ("learner", "task") if r in row)
        _take(row, line, size, error, curves, taken)
    if len(curves) > MOST_LEARNERS:
        raise PointsError(f"There are {len(curves)} learners, more than {MOST_LEARNERS}.")
    least, most = min(sizes, default=0), max(sizes, default=0)
    left = f" Left out: {in_words(out)}." if out else ""
    read = f"{len(set(sizes))} sizes, {least:,.0f} to {most:,.0f} rows{how}.{left}"
    for curve in curves.values():
        _check(curve, f" (left out: {in_words(out)})" if out else "")
        curve.read, curve.label, curve.percent = read, label, percent
    return list(curves.values())


def _table(text: str) -> tuple[list[str], list[tuple[list[str], int]], str, bool]:
    """Return names, the cells of each line with its number, what parts them, if names are there."""
    if structured := structured_cells(text):
        names, rows = structured
        return _named(names), [(row, k) for k, row in enumerate(rows, 2)], "\t", True
    for known, what in reading.VOCABULARY["foreign"].items():
        if what.startswith(FOREIGN) and re.match(known, text):
            raise PointsError(f"The text is {what}.")
    for pattern, plain in BETWEEN:
        text = pattern.sub(plain, text)
    lines = [(line, k) for k, line in enumerate(re.split(r"\r?\n", text.lstrip("\ufeff")), 1)
             if line.strip() and not line.strip().startswith("#")]
    if not lines:
        raise PointsError("Give a line for each size: the rows trained on and the error, such as "
                          "100, 0.34")
    if len(lines) > MOST_LINES:
        raise PointsError(f"There are {len(lines)} lines, more than {MOST_LINES}. Give the mean of "
                          "your repeats.")
    every = "\n".join(line for line, _ in lines)
    mark = next((mark for mark in "\t;," if mark in every), "")
    if mark == "," and all(BLANK_FIRST.match(line) for line, _ in lines if "," in line):
        mark = ""  # and decimal commas, or thousands
    names, headed = ["size", "error"], bool(re.search("[a-z]", PLAIN.sub("", lines[0][0].lower())))
    if headed:
        names = _named(_cells(lines.pop(0)[0], mark))
    found = []
    for line, number in lines:
        cells = _cells(line, mark)
        while len(cells) > len(names) and not cells[-1]:  # a mark at the line's end
            cells.pop()
        if len(cells) > len(names):
            raise PointsError(f"Line {number} has {len(cells)} values for {len(names)} columns. "
                              "Write decimals with a point: 0.34")
        found.append((cells + [""] * (len(names) - len(cells)), number))
    return names, found, mark, headed


def _named(names: list[str]) -> list[str]:
    twice = next((n for n in names if n and [m.lower() for m in names].count(n.lower()) > 1), None)
    if twice:
        raise PointsError(f"There are two columns named {twice}. Give each its own name.")
    return names


def _sizes_below(names: list[str], lines: list) -> tuple[list[str], list]:
    """Return a table whose columns are sizes, a row per learner, with a line for each of them."""
    sizes = [k for k, n in enumerate(names) if rows_of(n) >= 1]
    if len(sizes) < LEAST_SIZES or len(sizes) < len(names) - 1:
        return names, lines
    rest = [names[k] for k in range(len(names)) if k not in sizes]
    if not rest or not reading.is_measure(rest[0]):
        raise PointsError("Sizes are names of columns here: are the values errors, or scores of "
                          "which higher is better? Name the column before them error or accuracy.")
    first = names.index(rest[0])
    return (["learner", "size", rest[0]],
            [([cells[first], names[k], cells[k]], line) for cells, line in lines for k in sizes
             if cells[k]])


def _judged(names: list[str], lines: list, at: dict[str, int], out: list[str]) -> list:
    """Return the lines of rows that were tested, where a column says which are."""
    k = at.pop("part", None)
    if k is None or not all(reading.part_of(cells[k]) for cells, _ in lines):
        return lines
    best = max((reading.part_of(cells[k]) for cells, _ in lines), key=reading.PARTS.index)
    others = dict.fromkeys(cells[k] for cells, _ in lines if reading.part_of(cells[k]) != best)
    out += [f"lines with `{other}` in column `{names[k]}`" for other in others]
    return [line for line in lines if reading.part_of(line[0][k]) == best]


def _with_repeats(names: list[str], lines: list, at: dict[str, int]) -> tuple[list[str], list]:
    """Return a table with one column of repeats, of several that tell repeats apart."""
    every = [k for k, n in enumerate(names) if reading.is_repeat(n, [c[k] for c, _ in lines])
             and k not in [v for role, v in at.items() if role != "repeat"]]
    if not every or every == [at.get("repeat")]:
        return names, lines
    at["repeat"] = len(names)
    return ([*names, "repeat"], [([*cells, "/".join(cells[k] for k in every)], line)
                                 for cells, line in lines])


def _one_value(names: list[str], lines: list, at: dict[str, int],
               out: list[str]) -> tuple[list[str], list]:
    """Find the values, of tested rows first, an error before a score; columns of them below."""
    free = [k for k, n in enumerate(names) if k not in at.values() and not reading.is_no_result(n)
            and not reading.is_spread_beside(n, names)
            and reading.key_of(n) not in reading.ROLES["repeat"]]
    numeric = [k for k in free if is_numeric([c[k] for c, _ in lines])]
    found = [k for k in numeric or free if reading.is_measure(names[k])]
    if not found:
        means = [k for k in numeric if {*reading.words_of(names[k])} & reading.WORDS["means"]]
        found = means or numeric
        if len(found) > 1 and "learner" not in at and not _are_repeats(names, found):
            some = in_words([f"`{names[k]}`" for k in found])
            raise PointsError(f"Are the values of {some} errors, or scores of which higher is "
                              f"better? Name the columns, such as `{names[found[0]]} error` or "
                              f"`{names[found[0]]} accuracy`.")
    if not found:
        raise PointsError(f"The first line has no column error; it has {', '.join(names)}. Values "
                          f"are called {VALUE_NAMES} or alike.")
    best = max(reading.PARTS.index(reading.part_of(names[k])) for k in found)
    if reading.PARTS[best] == "train":
        raise PointsError(f"There are training values only (`{names[found[0]]}`), which say how a "
                          "model fits, not how it predicts: give values of rows that were not "
                          "trained on.")
    parts = [k for k in found if reading.PARTS.index(reading.part_of(names[k])) == best]
    parts = [k for k in parts if reading.key_of(names[k]) == "error"] or parts
    out += [f"column `{names[k]}`" for k in found if k not in parts]
    at["value"] = parts[0]
    if len(parts) == 1:
        return names, lines
    words = [reading.words_of(names[k]) for k in parts]
    shared = [w for w in words[0] if all(w in some for some in words)]
    own = [" ".join(w for w in some if w not in shared) for some in words]
    one = reading.is_measure("_".join(shared)) and len({*own}) == len(parts)
    if _are_repeats(names, parts):
        role, shared = "repeat", shared if one else ["mean"]
    elif one and all(label.isdigit() or reading.REPEATED.search(label) for label in own):
        role = "repeat"
    elif one and "learner" not in at and not any(reading.is_measure(label) for label in own):
        role = "learner"
    else:
        raise PointsError(f"Which column is meant, {' or '.join(f'`{names[k]}`' for k in parts)}? "
                          "Leave the others out.")
    kept = [k for k in range(len(names)) if k not in parts]
    at |= {r: kept.index(k) for r, k in at.items() if k in kept}
    at |= {role: len(kept), "value": len(kept) + 1}
    return ([*(names[k] for k in kept), role, "_".join(shared)],
            [([*(cells[j] for j in kept), label, cells[k]], line)
             for cells, line in lines for k, label in zip(parts, own, strict=True)])


def _are_repeats(names: list[str], columns: list[int]) -> bool:
    """Tell whether columns are named as repeats and nothing else: ``seed 0``, ``run1``."""
    return all(reading.REPEATED.fullmatch(names[k].strip()) for k in columns)


def _ask_of_others(names: list[str], lines: list, at: dict[str, int], out: list[str]) -> None:
    """Ask where lines of a size differ in a column that is not used; name those left out."""
    known = [at[role] for role in ("learner", "task", "repeat", "size") if role in at]
    keys = [tuple(cells[k] for k in known) for cells, _ in lines]
    for k, name in enumerate(names):
        if k in at.values() or not name or reading.key_of(name) in reading.ROLES["repeat"]:
            continue
        cells = [cells[k] for cells, _ in lines]
        sizes = {(c, key[-1]) for c, key in zip(cells, keys, strict=True)}
        measured = reading.is_measure(name) or {*reading.words_of(name)} & (
            reading.WORDS["times"] | reading.WORDS["spread"])
        if reading.tells_apart(keys, cells) and len(sizes) > len({*cells}) and not (
                measured and is_numeric(cells)):
            raise PointsError(
                f"Which is meant? There are several values of one size, and column `{name}` tells "
                f"them apart: {in_words(list(dict.fromkeys(cells))[:6], 'or')}. Give the lines of "
                "one alone, or name the column learner, or repeat, if it is that.")
        if not any(f"column `{name}`" in said for said in out):
            out.append(f"column `{name}`")


def _with_value(lines: list, k: int, out: list[str]) -> list:
    """Return the lines with a value, those left out named."""
    without = [number for cells, number in lines if cells[k] and is_missing(cells[k])]
    if without:
        out.append(f"line{'s' * (len(without) > 1)} {in_words(list(map(str, without)))}, without a "
                   "value")
    return [line for line in lines if line[1] not in without]


def _as_rows(sizes: list[float], rows: float | None, percent: bool) -> list[float]:
    """Return sizes in rows, of shares of the data, or percent, too."""
    shares = bool(sizes) and max(sizes) <= 1 and 0 < min(sizes) < 1
    if percent and not shares:
        sizes, shares = [size / 100 for size in sizes], True
    if shares and rows is None:
        raise PointsError(f"Sizes are shares of the data ({min(sizes):g} to {max(sizes):g}): how "
                          "many rows is 1.0? Say ROWS=1000 (in Python rows=1000), or give sizes in "
                          "rows.")
    return [float(round(size * rows)) if shares and rows else size for size in sizes]


def _as_errors(names: list[str], lines: list, at: dict[str, int], values: list[float],
               sizes: list[float], headed: bool) -> tuple[list[float], str, str, bool]:
    """Return errors as shares, what they are, what was done, and whether they are in percent."""
    name = names[at["value"]]
    said = {cells[at["metric"]] for cells, _ in lines} if "metric" in at else set()
    if len(said) > 1:
        raise PointsError(f"Column `{names[at['metric']]}` has several metrics, "
                          f"{' and '.join(sorted(said))}: give one.")
    source = next(iter(said)) if said and reading.lower_is_better(name) is None else name
    lower, signed = reading.lower_is_better(source), [cells[at["value"]] for cells, _ in lines]
    plain = [v for v, text in zip(values, signed, strict=True) if not text.endswith("%")]
    risen = _rises(sizes, values)
    if reading.layout_of(names) and {"score", "scores"} & set(reading.words_of(name)):
        lower = False
    if lower and risen and not reading.measure_of(source).whole:
        lower, risen = None, False
    if lower is None:
        if values and max(values) <= 0 and min(values) < 0:
            lower, source = True, f"minus {name}"
        elif risen or {*reading.words_of(name)} <= reading.WORDS["means"]:
            lower = not risen  # of means that say no more: as of no name at all
        else:
            raise PointsError(f"Are `{name}` errors, or scores of which higher is better? Name the "
                              "column: error or accuracy.")
    found = reading.measure_of(source)
    endless = found.unit == "signed" and found.high == np.inf
    if endless or found.unit in ("endless", "time", "rank") or source.startswith("minus ") or (
            reading.words_of(source)[-1:] == ["loss"]) or (
                reading.lower_is_better(source) is False and reading.limits(source)[1] == np.inf):
        raise PointsError(
            f"`{source}` has no upper end, and a forecast of points needs shares, from 0 to 1: "
            "give error rates, accuracies, AUC or F1. For a loss or a numeric target, make report "
            "CSV=… TARGET=… METRIC=… measures and forecasts it.")
    percent = found.percent or (bool(plain) and min(plain) > 1 and max(plain) <= 100)
    shares = [v / 100 if percent or text.endswith("%") else v
              for v, text in zip(values, signed, strict=True)]
    errors = shares if lower else [1 - v for v in shares]
    for error, (_, line), text in zip(errors, lines, signed, strict=True):
        if not 0 <= error <= 1:
            raise PointsError(f"Line {line}: the {name} {text} is not between 0 and 1. Errors are "
                              "shares: write 12 % as 0.12 or 12%.")
    if not headed and all(s >= 1 and not s % 1 for s in sizes) and _rises(sizes, values):
        raise PointsError(f"The values rise with the rows, from {min(values):g} to "
                          f"{max(values):g}: are they errors, or accuracies? Name the columns in "
                          "a first line: size, error or size, accuracy.")
    unit = ", in percent" if percent or any(t.endswith("%") for t in signed) else ""
    label = "error" if lower else f"1 − {source}"
    minus = "" if lower else "1 − "
    how = "" if label == source + unit else f"; errors are {minus}`{source}`{unit}"
    return errors, label, how, percent


def _of_rows(label: str) -> bool:
    """Tell whether errors of that name are shares of rows: 1 − R² or 1 − kappa is none."""
    return reading.measure_of(label.removeprefix("1 − ")).unit not in ("skill", "signed")


def _rises(sizes: list[float], values: list[float]) -> bool:
    """Tell whether values are higher at the most rows than at the fewest."""
    by_size: dict[float, list[float]] = {}
    for size, value in zip(sizes, values, strict=True):
        by_size.setdefault(size, []).append(value)
    means = [float(np.mean(by_size[size])) for size in sorted(by_size)]
    return len(means) > 1 and means[-1] > means[0]


def _cells(line: str, mark: str) -> list[str]:
    """Return a line's values, blanks around them dropped; in quotes a mark is a letter."""
    cells, quoted = [""], False
    for letter in re.sub(r"\s+%", "%", line):
        if letter == '"':
            quoted = not quoted
        elif not quoted and (letter == mark if mark else letter.isspace()):
            cells.append("")
        else:
            cells[-1] += letter
    cells = [cell.strip() for cell in cells]
    return cells if mark else [cell for cell in cells if cell]


def _take(row: dict[str, str], line: int, size: float, error: float,
          curves: dict[str, PointsCurve], taken: set) -> None:
    """Put one line's measurement where it belongs."""
    for role in ("learner", "repeat"):
        if not row.get(role, "-"):
            raise PointsError(f"Line {line} has no {role}. Give every line one.")
    if not row["size"]:
        raise PointsError(f"Line {line}: size is empty, not a number.")
    if not 1 <= size <= MOST_ROWS or size % 1:
        raise PointsError(f"Line {line}: {row['size']} is no number of rows.")
    learner = row.get("learner", YOURS)
    curve = curves.setdefault(learner, PointsCurve(learner))
    if "repeat" in row:
        if (learner, row["repeat"], size) in taken:
            raise PointsError(f"Line {line}: the size {row['size']} of repeat {row['repeat']} is "
                              "there more than once.")
        taken.add((learner, row["repeat"], size))
    if row.get("tested"):
        tested = rows_of(row["tested"])
        if np.isnan(tested):
            raise PointsError(f"Line {line}: tested is {row['tested']}, not a number.")
        if tested < 1:
            raise PointsError(f"Line {line}: {row['tested']} is no number of rows tested on.")
        if size >= max(curve.errors, default=0):
            curve.tested = tested
    elif size > max(curve.errors, default=0):
        curve.tested = np.nan
    curve.errors.setdefault(size, []).append(error)


def _number(cells: list[str], at: dict[str, int], line: int, names: list[str], mark: str) -> float:
    text, name = cells[at["value"]], names[at["value"]]
    if not text:
        raise PointsError(f"Line {line} has no {name} beside the size {cells[at['size']]}.")
    plain = bare(text).removesuffix("%").strip()
    if mark != "," or DECIMAL_COMMA.fullmatch(plain):
        plain = plain.replace(",", ".")
    if not NUMBER.fullmatch(plain):
        raise PointsError(f"Line {line}: {name} is {text}, not a number.")
    return float(plain)


def _check(curve: PointsCurve, out: str) -> None:
    of, n = ("" if curve.learner == YOURS else f" of {curve.learner}") + out, len(curve.errors)
    if n < LEAST_SIZES:
        raise PointsError(f"There {'is 1 size' if n == 1 else f'are {n} different sizes'}{of}, and "
                          f"a forecast needs {LEAST_SIZES}. Train on parts of the data too: half, "
                          "a quarter, an eighth.")
    if n > MOST_SIZES:
        raise PointsError(f"There are {n} different sizes{of}, more than {MOST_SIZES}.")
    if max(curve.errors) < LEAST_SPAN * min(curve.errors):
        raise PointsError(f"The sizes{of} do not even double: from so short a stretch nothing is "
                          "to be seen. Train on half and a quarter of the data too.")
