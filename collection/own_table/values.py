"""What the values of a column are: numbers however they are written, dates, identifiers, text."""

import re
import warnings

import numpy as np
import pandas as pd

from collection.datasets.tables import counts_rows

MOSTLY = 0.9  # share of values that are numbers from which on a column is of numbers
SOME = 200  # different values that are looked at
LEAST_ROWS = 20  # with fewer, every value may differ by chance
MANY_LEVELS = 0.5  # share of rows with a value of their own from which on text is no category
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
DATE = re.compile(r"\d{1,4}\s*[-/. ]\s*(\d{1,2}|[A-Za-z]{3,9})\.?,?\s*[-/. ]\s*\d{1,4}"
                  r"|[A-Za-z]{3,9}\.? \d{1,2},? \d{4}")
NAMED_ID = re.compile(r"(?i)(.*[\W_])?(id|patient|subject|customer|user|person|client|household|"
                      r"device|machine|session|plot|sample|animal|student)([\W_]*(id|no|nr|"
                      r"number|key|name))?|.*[a-z]I[Dd]")


def as_numbers(column: pd.Series) -> tuple[pd.Series, str] | None:
    """Return a column of text as numbers, with what has to be said; None where it is none.

    Parameters
    ----------
    column : pandas.Series
        Of dtype object; NaN where missing.

    Returns
    -------
    numbers : pandas.Series of float
        NaN where missing or no number.
    said : str
        Empty where every value is a plain number.
    """
    there = column.dropna()
    text = there.astype(str).str.strip()
    text = text[~text.str.lower().isin(WITHOUT_VALUE)]
    if not len(text) or not text.head(SOME).str.contains(r"\d").mean() >= MOSTLY:
        return None
    bare = text.str.replace(MARKS, "", regex=True)
    fits = [bare.str.fullmatch(pattern) for pattern, *_ in WRITTEN]
    best = max(range(len(WRITTEN)), key=lambda k: (int(fits[k].sum()), -k))
    if fits[best].mean() < MOSTLY:
        return None
    _, dropped, point, words = WRITTEN[best]
    plain = bare[fits[best]]
    for mark in dropped:
        plain = plain.str.replace(mark, "", regex=False)
    numbers = pd.to_numeric(plain.str.replace(point, ".", regex=False)).reindex(column.index)
    odd = text[~fits[best]]
    marked = text[fits[best] & bare.map(lambda value: any(m in value for m in dropped))]
    said = [f"{words} ({marked.iloc[0]!r})"] if len(marked) else []
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
        return "as numbers that count the rows (identifiers)" if counts_rows(column) else ""
    if values.nunique() / len(values) > MANY_LEVELS and len(values) > LEAST_ROWS:
        if values.astype(str).str.contains(" ").mean() > 0.5:
            return "as free text (turn it into numbers, such as counts of words, to use it)"
        return "as identifiers, with a value of its own in most rows"
    return ""


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
