"""Numbers as people write them: percent, deviations, commas, yes and no."""

import re
from collections.abc import Iterable

import numpy as np

from collection.reading.names import MISSING, VOCABULARY

MARKUP = re.compile(r"\\(?:textbf|mathbf|textit|underline|emph)\{([^{}]*)\}|[*†‡$]")
SPREAD = re.compile(VOCABULARY["behind"])
# Digits are 0 to 9, as JavaScript has them: of other scripts' the panel would read other numbers.
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?", re.ASCII)
POINTED = re.compile(r"[1-9]\d{0,2}([.'\u00a0\u202f ]\d{3})+", re.ASCII)
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.ASCII)
#: With a decimal comma and perhaps points between thousands, and no ``1,234``.
DECIMALS = re.compile(r"(?![+-]?[1-9]\d{0,2}(,\d{3})+$)[+-]?(\d{1,3}(\.\d{3})+|\d*),\d+(e.?\d+)?")
ANSWERS = {"true": 1.0, "false": 0.0}
UNITS = {"k": 1e3, "m": 1e6}


def is_missing(text: str) -> bool:
    """Tell whether a cell says that there is no value."""
    return text.lower() in MISSING


def bare(text: str) -> str:
    """Return a value without marks and what stands behind it."""
    text = _unmarked(text)
    found = SPREAD.match(text)
    return (found[1] or found[2]).strip() if found else text


def has_spread(text: str) -> bool:
    """Tell whether something stands behind a value, after a ± or in brackets."""
    return SPREAD.match(_unmarked(text)) is not None


def _unmarked(text: str) -> str:
    return MARKUP.sub(lambda m: m[1] or "", text).replace("−", "-").strip()


def is_numeric(cells: Iterable[str]) -> bool:
    """Tell whether at least half of the cells that are there begin like numbers, or all say yes."""
    there = [c for c in cells if not is_missing(c)]
    like = sum(bool(re.match(VOCABULARY["like numbers"], c)) for c in there)
    return bool(there) and (2 * like >= len(there) or is_yes_or_no(there))


def is_yes_or_no(cells: Iterable[str]) -> bool:
    """Tell whether all cells that are there say true or false."""
    there = {c.lower() for c in cells if not is_missing(c)}
    return bool(there) and there <= set(ANSWERS)


def parse_numbers(cells: Iterable[str]) -> dict[str, float | str]:
    """Return the number that each cell stands for, NaN where missing; words where it is none.

    Percent signs, deviations behind a ± or in brackets, marks of boldness, decimal commas, commas
    for thousands, true and false are understood.
    """
    cells = list(cells)
    if all(NUMBER.fullmatch(text) for text in cells if text):  # as of most files, and quicker
        found = {text: float(text) if text else np.nan for text in cells}
        if not np.isinf([*found.values()]).any():
            return found
    plain = {text: bare(text) for text in cells}
    there = [b for text, b in plain.items() if not is_missing(text) and not is_missing(b)]
    unsigned = [b.rstrip("% ").lower() for b in there]
    decimal = any(map(DECIMALS.fullmatch, unsigned)) and all(
        "." not in b or DECIMALS.fullmatch(b) for b in unsigned)
    percent = [b.endswith("%") for b in there]
    mixed, answers = any(percent) and not all(percent), is_yes_or_no(there)
    found = {}
    for text, b in plain.items():
        if is_missing(text) or is_missing(b):
            found[text] = np.nan
            continue
        if answers:
            found[text] = ANSWERS[b.lower()]
            continue
        b = b.removesuffix("%").strip()
        if decimal:
            b = b.replace(".", "").replace(",", ".")
        elif THOUSANDS.fullmatch(b):
            b = b.replace(",", "")
        if mixed:
            found[text] = ("carries a percent sign or not, where others differ: write all alike")
        elif NUMBER.fullmatch(b) and np.isfinite(float(b)):
            found[text] = float(b)
        else:
            infinite = re.fullmatch(r"[+-]?inf(inity)?", b.lower()) or NUMBER.fullmatch(b)
            found[text] = ("is infinite: leave a missing result empty" if infinite
                           else "is no number: leave a missing result empty")
    return found


def rows_of(text: str, decimal_comma: bool = False) -> float:
    """Return a number of rows: ``1k``, ``1,000``, ``1 000``, ``2e3``; NaN where it is none.

    Parameters
    ----------
    text : str
    decimal_comma : bool
        Whether other numbers of the file are written with a decimal comma: then a point parts
        thousands, too.
    """
    plain, unit = text.strip().lower(), 1.0
    if plain[-1:] in UNITS:
        plain, unit = plain[:-1].strip(), UNITS[plain[-1]]
    if THOUSANDS.fullmatch(plain) and not decimal_comma:
        plain = plain.replace(",", "")
    elif POINTED.fullmatch(plain) and (decimal_comma or "." not in plain):
        plain = re.sub(r"[.'\u00a0\u202f ]", "", plain)
    elif decimal_comma:
        plain = plain.replace(",", ".")
    return unit * float(plain) if NUMBER.fullmatch(plain) else np.nan
