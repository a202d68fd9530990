"""Measurements of any model: text of training-set sizes and errors, read as the book's page does.

``book/_static/forecast/engine.js`` reads by the same rules and refuses in the same words; the cases
in ``tests/analysis/report/points.json`` hold for both.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import xarray as xr

from collection.project.opening import read_bytes

LEAST_SIZES = 4  # below, the intervals of an extrapolation were not tested
LEAST_SPAN = 2  # times the smallest size: from less nothing is to be seen
MOST_ROWS = 1e12  # a size above is a slip
MOST_LINES, MOST_SIZES, MOST_LEARNERS = 5000, 200, 50
MOST_BYTES = 1_000_000  # of a file
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
BLANK_FIRST = re.compile(r"\s*[^\s,]+\s+[^\s,]*,")
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
    """

    learner: str
    errors: dict[float, list[float]] = field(default_factory=dict)
    tested: float = np.nan


def read_points(path: Path) -> xr.DataArray:
    """Read a file of points as `parse_points` reads its text.

    Returns
    -------
    xarray.DataArray, dims (learner, repeat, anchor)
        Errors; NaN where a size has fewer repeats. The attribute ``tested`` says for each learner
        how many rows its errors at the largest size were measured on, where the file does.

    Raises
    ------
    PointsError
        The file is absent or no text, or as `parse_points`.
    """
    raw = read_bytes(path, PointsError, MOST_BYTES)
    if b"\0" in raw:
        raise PointsError(f"{path} is no short text of sizes and errors.")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("cp1252", errors="replace")
    try:
        return as_curves(parse_points(text))
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
            "tested": {c.learner: c.tested for c in curves if np.isfinite(c.tested)}})


def parse_points(text: str) -> list[PointsCurve]:
    """Read points.

    Parameters
    ----------
    text : str
        A line for each measurement: the rows trained on and the error, as a share or in percent
        with its sign, separated by a comma, semicolon, tab or blanks. A first line with letters
        names the columns, in any case: ``size``, ``error`` (or ``accuracy``), ``learner``,
        ``repeat`` and ``tested`` (rows that the error was measured on); others are not read. Empty
        lines and those that begin with # are skipped. The same size again is a repeat.

    Raises
    ------
    PointsError
        No line, too many, a value that is none, a learner or repeat that is empty, fewer than 4
        sizes of a learner, or sizes that do not even double.
    """
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
        mark = ""  # and decimal commas
    names = ["size", "error"]
    if re.search("[a-z]", re.sub(r"(?<=\d)e[+-]?\d", "", lines[0][0].lower())):
        names = [cell.lower() for cell in _cells(lines.pop(0)[0], mark)]
        lacking = "size" if "size" not in names else (
            "error" if not {"error", "accuracy"} & set(names) else "")
        if lacking:
            raise PointsError(f"The first line has no column {lacking}; it has {', '.join(names)}.")
        if not lines:
            raise PointsError("There is no line below the names of the columns.")
    curves: dict[str, PointsCurve] = {}
    taken = set()
    for line, number in lines:
        cells = _cells(line, mark)
        while len(cells) > len(names) and not cells[-1]:  # a mark at the line's end
            cells.pop()
        if len(cells) > len(names):
            raise PointsError(f"Line {number} has {len(cells)} values for {len(names)} columns. "
                              "Write decimals with a point: 0.34")
        _take(dict.fromkeys(names, "") | dict(zip(names, cells, strict=False)), number, mark,
              curves, taken)
    if len(curves) > MOST_LEARNERS:
        raise PointsError(f"There are {len(curves)} learners, more than {MOST_LEARNERS}.")
    for curve in curves.values():
        _check(curve)
    return list(curves.values())


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


def _take(row: dict[str, str], line: int, mark: str, curves: dict[str, PointsCurve],
          taken: set) -> None:
    """Put one line's measurement where it belongs."""
    for name in ("learner", "repeat"):
        if not row.get(name, "-"):
            raise PointsError(f"Line {line} has no {name}. Give every line one.")
    size = _number(row["size"], line, "size", mark)
    if not 1 <= size <= MOST_ROWS or size % 1:
        raise PointsError(f"Line {line}: {row['size']} is no number of rows.")
    name = "error" if "error" in row else "accuracy"
    text = row[name]
    if not text:
        raise PointsError(f"Line {line} has no error beside the size {row['size']}.")
    error = _number(text.removesuffix("%").strip(), line, name, mark) / (
        100 if text.endswith("%") else 1)
    error = error if name == "error" else 1 - error
    if not 0 <= error <= 1:
        raise PointsError(f"Line {line}: the {name} {text} is not between 0 and 1. Errors are "
                          "shares: write 12 % as 0.12 or 12%.")
    learner = row.get("learner", YOURS)
    curve = curves.setdefault(learner, PointsCurve(learner))
    if "repeat" in row:
        if (learner, row["repeat"], size) in taken:
            raise PointsError(f"Line {line}: the size {row['size']} of repeat {row['repeat']} is "
                              "there more than once.")
        taken.add((learner, row["repeat"], size))
    if row.get("tested"):
        tested = _number(row["tested"], line, "tested", mark)
        if tested < 1:
            raise PointsError(f"Line {line}: {row['tested']} is no number of rows tested on.")
        if size >= max(curve.errors, default=0):
            curve.tested = tested
    elif size > max(curve.errors, default=0):
        curve.tested = np.nan
    curve.errors.setdefault(size, []).append(error)


def _number(text: str, line: int, name: str, mark: str) -> float:
    plain = text if mark == "," else text.replace(",", ".")
    if not NUMBER.fullmatch(plain):
        raise PointsError(f"Line {line}: {name} is {text or 'empty'}, not a number.")
    return float(plain)


def _check(curve: PointsCurve) -> None:
    of, n = "" if curve.learner == YOURS else f" of {curve.learner}", len(curve.errors)
    if n < LEAST_SIZES:
        raise PointsError(f"There {'is 1 size' if n == 1 else f'are {n} different sizes'}{of}, and "
                          f"a forecast needs {LEAST_SIZES}. Train on parts of the data too: half, "
                          "a quarter, an eighth.")
    if n > MOST_SIZES:
        raise PointsError(f"There are {n} different sizes{of}, more than {MOST_SIZES}.")
    if max(curve.errors) < LEAST_SPAN * min(curve.errors):
        raise PointsError(f"The sizes{of} do not even double: from so short a stretch nothing is "
                          "to be seen. Train on half and a quarter of the data too.")
