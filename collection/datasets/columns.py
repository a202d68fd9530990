"""What a column of people's tables is: numbers, text or dates, an identifier, of use or not."""

import re
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from collection.datasets.dataset import DatasetError
from collection.reading.numbers import MISSING

MOSTLY = 0.9  # share of values that are numbers from which on a column is of numbers
SOME = 200  # different values that are looked at
LEAST_ROWS = 20  # with fewer, every value may differ by chance
FREE_TEXT = "as free text (turn it into numbers, such as counts of words, to use it)"
MANY_LEVELS = 0.5  # share of rows with a value of their own from which on text is no category
UNIT = re.compile(r"\d\s*([A-Za-zµμ°Ω][A-Za-zµμ°Ω0-9²³/·^]*)$")
MARKS = re.compile(r"^[€$£¥]\s*|\s*[€$£¥%]$")
#: How numbers are written: pattern, what is dropped, what is the decimal point, in words.
WRITTEN = (
    (re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"), "", ".", ""),
    (re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?|[+-]?\d+(\.\d+)?"), ",", ".",
     "commas are taken for thousands separators"),
    (re.compile(r"[+-]?\d{1,3}([.'  ]\d{3})+(,\d+)?|[+-]?\d+(,\d+)?"), ".'  ", ",",
     "points and blanks are taken for thousands separators"),
    (re.compile(r"[+-]?\d{1,3}(['  ]\d{3})+(\.\d+)?|[+-]?\d+(\.\d+)?"), "'  ", ".",
     "blanks and apostrophes are taken for thousands separators"),
)
WITHOUT_VALUE = {"inf", "-inf", "+inf", "infinity", "-infinity", "nan"}
#: What stands in columns of numbers where a value is missing, however often.
UNKNOWN = {*MISSING, "--", ".", "n.a.", "nil", "unknown", "missing", "not available", "not known",
           "no data", "refused", "unbekannt", "k.a.", "keine angabe", "inconnu", "desconocido"}
DATE = re.compile(r"\d{1,4}\s*[-/. ]\s*(\d{1,2}|[A-Za-z]{3,9})\.?,?\s*[-/. ]\s*\d{1,4}"
                  r"|[A-Za-z]{3,9}\.? \d{1,2},? \d{4}"
                  r"|([A-Za-z]{3,9}\.?|Q[1-4]|0[1-9]|1[0-2])[-/ ]?(1[89]|20)\d\d$"
                  r"|(1[89]|20)\d\d[-/ ]?([A-Za-z]{3,9}|Q[1-4]|0[1-9]|1[0-2])$")
QUARTER = re.compile(r"^Q([1-4])\W?(\d{4})$|^(\d{4})\W?Q([1-4])$")
NAMED_ID = re.compile(r"(?i)(.*[\W_])?(id|patient|subject|customer|user|person|client|household|"
                      r"device|machine|session|plot|sample|animal|student)([\W_]*(id|no|nr|"
                      r"number|key|name))?|.*[a-z]I[Dd]")
COLUMNS_MOST = 20_000
LARGEST = 3e38  # beyond which trees, which count in 32 bits, take no number
#: Numbers that are written where a value is missing, of either sign.
CODES = {9.0, 8.0, 98.0, 998.0, *(float(digit * n) for n in range(2, 10) for digit in "789"),
         2.0**15, 2.0**15 - 1, 2.0**16 - 1, 2.0**31, 2.0**31 - 1, 1e10, 1e20, 1e30}
SPIKE = 3  # rows, at least, of such a value
APART = 3  # times the widest step between the others on its side, that it is away from them
MANY_TIMES = 4  # as frequent as those around it, and others with its last digit, of many values …
MANY, AROUND = 20, 10  # … which are so many; so many of them are around it
IMPOSSIBLE = 3  # standard deviations from the middle, where a zero is no value …
SOMETIMES = 0.2  # … unless it has a larger share of the rows
SCALE = 0.03  # share of the rows that each step of a small scale has
YEARS = (1800, 2100)
SECONDS, PARTS = (9.4e8, 2.1e9), (1, 1e3, 1e6, 1e9)  # since 1970, and what counts parts of them
SHEET_DAYS, SHEET_ZERO = (20_000, 60_000), 25_569  # as spreadsheets count them; that of 1970
#: Dates written as one number: form, least, most; so many different ones, and nearly no other.
WHOLE_DATES = (("%Y%m%d", 1800_01_01, 2100_12_31), ("%Y%m", 1800_01, 2100_12))
FEWEST_DATES = 10
MOST_IN_TURN = 31  # values of what begins anew, as days of a month do; of more, it counts on
NAMED_DAY = re.compile(r"(?i)(.*[\W_])?(date|datum|fecha|day|created|updated|modified)s?"
                       r"|.*[\W_](at|on)")
NAMED_TIME = re.compile(r"(?i)(.*[\W_])?(year|yr|jahr|time|timestamp|unixtime|epoch|ts|date)s?"
                        rf"([\W_].*)?|{NAMED_DAY.pattern[4:]}")
NAMED_COUNT = re.compile(r"(?i)(week|wk|day|month|season|quarter|period)"
                         r"([\W_]*(no|nr|number|index|idx))?")


@dataclass(frozen=True, eq=False)
class Column:
    """What a column of people's tables is, judged once.

    Attributes
    ----------
    values : pandas.Series
        Numbers, or text; NaN where missing.
    days : pandas.Series or None
        Dates as days since 1970, NaN where missing; None of a column without dates.
    unused : str
        Why no learner here can use it, empty where one can; see `why_ignored`.
    repeats : bool
        Whether it looks like a person or thing that several rows are of.
    notes : tuple of str
        How its values were read, in plain words.
    endless : bool
        Whether values that are infinite, or beyond `LARGEST`, count as missing in it.
    """

    values: pd.Series
    days: pd.Series | None
    unused: str
    repeats: bool
    notes: tuple[str, ...]
    endless: bool

    def at(self, rows: pd.Index) -> "Column":
        """Return the column of some of the rows that it was judged on."""
        if len(rows) == len(self.values):
            return self
        values = self.values[rows]
        return replace(self, values=values, unused=why_ignored(values),
                       days=None if self.days is None else self.days[rows])


def judge_columns(frame: pd.DataFrame, target: str, as_they_are: Collection[str | None] = ()
                  ) -> dict[str, Column]:
    """Judge all columns of a table, those beside the target on the rows where it is known.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row's name is its own.
    target : str
    as_they_are : collection of str
        Columns whose text stays text that could be read as numbers.

    Returns
    -------
    dict of str to Column
        The target first.
    """
    label = judge_column(target, frame[target], predicted=True)
    known = frame[label.values.notna()]
    return {target: label} | {name: judge_column(name, known[name], as_it_is=name in as_they_are)
                              for name in frame.columns.drop(target)}


def judge_column(name: str, column: pd.Series, *, as_it_is: bool = False,
                 predicted: bool = False) -> Column:
    """Judge a column of a table.

    Parameters
    ----------
    name : str
    column : pandas.Series
    as_it_is : bool
        Whether text stays text that could be read as numbers.
    predicted : bool
        Whether it is the target, whose dates and values that stand for a missing one are labels.
    """
    notes = []
    if pd.api.types.is_bool_dtype(column) and not predicted:
        column = column.astype(float)
    days = None if predicted else as_times(column)
    if days is None and not as_it_is and not pd.api.types.is_numeric_dtype(column) and (
            found := as_numbers(column.astype(object), unknown=set() if predicted else UNKNOWN)):
        column, said = found
        notes += [f"In {name!r}, {said}."] * bool(said)
    numeric = pd.api.types.is_numeric_dtype(column) and not predicted
    if numeric and (lost := _no_values(column)).any():
        values = " and ".join(f"{value:.12g}" for value in np.unique(column[lost]))
        notes.append(f"In {name!r}, {values} counts as missing ({lost.sum():,} rows).")
        column = column.mask(lost)
    if days is None and numeric:
        days = _numbered_times(name, column)
    endless = pd.api.types.is_float_dtype(column) and bool((column.abs() > LARGEST).any())
    if endless:
        column = column.mask(column.abs() > LARGEST)
    return Column(column, None if days is None else days.astype(float), why_ignored(column),
                  repeats_an_identifier(name, column), tuple(notes), endless)


def _no_values(column: pd.Series) -> pd.Series:
    """Tell which numbers stand for a missing one.

    One of `CODES` or 0 that is away from all others, in `SPIKE` rows or more; of two digits or
    more, also near and among many others, where it is far more frequent than those around it; a
    negative one, too, where all others are from 0 on.
    """
    odd = column.abs().isin(CODES) | column.isin((0, -1))
    if not odd.any():
        return odd
    codes, counts = column[odd].unique(), column.value_counts().sort_index()
    lost: list[float] = []
    for value in sorted(codes, key=abs, reverse=True):
        rest = counts.drop([*lost, value])
        if len(rest) > 1 and _stands_for_none(value, int(counts[value]), rest):
            lost.append(value)
    return column.isin(lost)


def _stands_for_none(value: float, count: int, rest: pd.Series) -> bool:
    """Tell whether a value stands for a missing one beside others, given with their counts."""
    others, many = rest.index.to_numpy(float), len(rest) >= MANY
    negative = value < 0 <= others[0]
    if negative and (value <= -99 or (many and count >= SPIKE)):
        return True
    if count < SPIKE:
        return False
    above = value > others[-1]
    inside = not above and value > others[0]
    if abs(value) > 9 and many:
        around = [rest.iloc[np.abs(others - value).argsort()[:AROUND]].max()]
        if inside:  # where prices end in nines, others do
            around.append(rest[others % 10 == value % 10].max())
        least = 1 if (others % 1 != 0).any() else SPIKE
        if count >= MANY_TIMES * np.nanmax([least, *around]):
            return True
    if inside:
        return False
    rows = np.repeat(others, rest)
    side = others[others >= rows.mean()] if above else others[others <= rows.mean()]
    step = np.diff(side).max(initial=0)
    away = value - others[-1] if above else others[0] - value
    if value == 0:
        return (many and away >= APART * step and rows.mean() >= IMPOSSIBLE * rows.std()
                and count <= SOMETIMES * (count + len(rows)))
    if abs(value) < 10:
        whole = np.array_equal(others, np.arange(others[0], others[0] + len(others)))
        return (whole and rest.min() >= SCALE * len(rows)
                and (others[0] == 1 if value == -1 else others[0] in (0, 1) and away >= APART))
    return away >= APART * step or away > np.ptp(others)


def _numbered_times(name: str, column: pd.Series) -> pd.Series | None:
    """Return numbers that are times as days since 1970; None where they are none.

    Years, a spreadsheet's days and unix times in seconds are known by the column's name, dates as
    20240131 and unix times in `PARTS` of seconds by their values; weeks, days or months that count
    on, by their name, are in units of their own.
    """
    values = column.dropna()
    named, counts = (known.fullmatch(str(name)) for known in (NAMED_TIME, NAMED_COUNT))
    if values.empty or not (named or counts or values.max() >= WHOLE_DATES[1][1]):
        return None
    if NAMED_DAY.fullmatch(str(name)) and values.between(*SHEET_DAYS).all():
        return column - SHEET_ZERO
    if bool((values % 1 != 0).any()):
        return None
    for form, least, most in WHOLE_DATES:
        inside = values[values.between(least, most)]
        if len(inside) < MOSTLY * len(values) or inside.nunique() < FEWEST_DATES:
            continue
        moments = pd.to_datetime(inside.astype(int).astype(str), format=form, errors="coerce")
        if moments.notna().mean() >= MOSTLY:
            return _days(moments).reindex(column.index)
    if (named or counts) and values.between(*YEARS).all():
        return (column - 1970) * 365.25
    if counts and values.nunique() > MOST_IN_TURN:
        return column
    for part in PARTS:
        inside = values.between(SECONDS[0] * part, SECONDS[1] * part).all()
        if inside and (named or part > 1) and values.nunique() >= FEWEST_DATES:
            return column / (86_400 * part)
    return None


def check_names(names: list[str], what: str) -> list[str]:
    """Return the names without blanks around them.

    Raises
    ------
    DatasetError
        Where two are the same then.
    """
    plain = [str(name).strip() for name in names]
    if len(plain) > COLUMNS_MOST:
        raise DatasetError(f"{what} has {len(plain):,} columns; at most {COLUMNS_MOST:,} are read. "
                           "Leave some out, or turn it round.")
    twice = sorted({name for name in plain if plain.count(name) > 1})
    if "" in twice:
        raise DatasetError(f"{what} has several columns without a name. Give each one in line 1.")
    if twice:
        raise DatasetError(f"{what} has several columns named {', '.join(map(repr, twice))} "
                           "(blanks around a name do not count). Give each its own name.")
    return plain


def as_numbers(column: pd.Series, written: Sequence[tuple] = WRITTEN,
               unknown: Collection[str] = ()) -> tuple[pd.Series, str] | None:
    """Return a column of text as numbers, with what has to be said; None where it is none.

    Parameters
    ----------
    column : pandas.Series
        Of dtype object; NaN where missing.
    written : sequence of tuple
        Of `WRITTEN`: the ways in which numbers may be written.
    unknown : collection of str
        Words, in small letters, that stand for a missing value.

    Returns
    -------
    numbers : pandas.Series of float
        NaN where missing or no number.
    said : str
        Empty where every value is a plain number.
    """
    there = column.dropna()
    text = there.astype(str).str.strip()
    lower = text.str.lower()
    lost, text = text[lower.isin(unknown)], text[~lower.isin({*WITHOUT_VALUE, *unknown})]
    if not len(text) or not text.head(SOME).str.contains(r"\d").mean() >= MOSTLY:
        return None
    units = text.str.extract(UNIT)[0]
    unit = next(iter(units.mode()), "")
    if same := bool(unit) and bool((units == unit).mean() >= MOSTLY):
        text = text.str.removesuffix(unit).str.rstrip()
    bare = text.str.replace(MARKS, "", regex=True)
    fits = [bare.str.fullmatch(pattern) for pattern, *_ in written]
    best = max(range(len(written)), key=lambda k: (int(fits[k].sum()), -k))
    if fits[best].mean() < MOSTLY:
        return None
    _, dropped, point, words = written[best]
    plain = bare[fits[best]]
    for mark in dropped:
        plain = plain.str.replace(mark, "", regex=False)
    numbers = pd.to_numeric(plain.str.replace(point, ".", regex=False)).reindex(column.index)
    odd = pd.concat([text[~fits[best]], lost])
    marked = text[fits[best] & bare.map(lambda value: any(m in value for m in dropped))]
    said = [f"{unit!r} is taken for a unit"] * same
    said += [f"{words} ({marked.iloc[0]!r})"] if len(marked) else []
    if len(odd):
        said.append(f"{len(odd):,} of {len(there):,} values are no numbers and count as missing: "
                    + ", ".join(map(repr, odd.unique()[:3])))
    return numbers.astype(float), "; ".join(said)


def as_times(column: pd.Series) -> pd.Series | None:
    """Return a column of dates as days since 1970, NaN where missing; None where it holds none."""
    if pd.api.types.is_datetime64_any_dtype(column):
        return _days(column)
    if pd.api.types.is_numeric_dtype(column):
        return None
    text = column.dropna().astype(str).str.strip()
    some = pd.Series(text.unique()[:SOME])
    if not len(some) or some.str.match(DATE).mean() < MOSTLY:
        return None
    text = text.str.replace(QUARTER, r"\2\3Q\1\4", regex=True)
    first = pd.to_numeric(text.str.extract(r"^(\d{1,2})\s*[-/.]")[0], errors="coerce")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what it guesses
        moments = pd.to_datetime(text, errors="coerce", format="mixed", utc=True,
                                 dayfirst=bool((first > 12).any()))
    if moments.notna().mean() < MOSTLY:
        return None
    return _days(moments).reindex(column.index)


def _days(moments: pd.Series) -> pd.Series:
    return (pd.to_datetime(moments, utc=True) - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)


def why_ignored(column: pd.Series) -> str:
    """Return why no learner here can use a column, empty where one can.

    Parameters
    ----------
    column : pandas.Series
        Numbers, or text that is neither numbers nor dates.
    """
    values = column.dropna()
    if values.empty:
        return "as no row has a value"
    if values.nunique() == 1:
        return "as the same in every row"
    if pd.api.types.is_numeric_dtype(values):
        counts = all_differ(column) and column.max() - column.min() == len(column) - 1
        return "as numbers that count the rows (identifiers)" if counts else ""
    if values.nunique() / len(values) > MANY_LEVELS and len(values) > LEAST_ROWS:
        if values.astype(str).str.contains(" ").mean() > 0.5:
            return FREE_TEXT
        return "as identifiers, with a value of its own in most rows"
    return ""


def all_differ(column: pd.Series) -> bool:
    """Tell whether a numeric column holds another whole number in every row."""
    return (len(column) >= LEAST_ROWS and bool(column.notna().all()) and column.is_unique
            and bool((column % 1 == 0).all()))


def repeats_an_identifier(name: str, column: pd.Series) -> bool:
    """Tell whether a column looks like a person or thing that several rows are of.

    Called like an identifier, whole numbers or text, at least `LEAST_ROWS` different ones, each in
    two rows or more on average, and not all in the same few.
    """
    values = column.dropna()
    if len(values) < 2 * LEAST_ROWS or not NAMED_ID.fullmatch(str(name)):
        return False
    if pd.api.types.is_numeric_dtype(values) and not np.all(values % 1 == 0):
        return False
    return LEAST_ROWS <= values.nunique() <= len(values) / 2
