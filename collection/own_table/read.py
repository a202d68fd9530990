"""Read a reader's CSV file, leave out what no learner here can use, and say so."""

import csv
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from collection.datasets.dataset import DatasetError
from collection.datasets.separators import find_separators
from collection.datasets.suspects import are_dates, counts_rows
from collection.datasets.tables import MISSING
from collection.naming import UnknownNameError

MOST_CLASSES = 100  # distinct numbers from which on a numeric target is no class label
FEW_VALUES = 20  # distinct numbers up to which a numeric target is taken for classes without a word
LEAST_PER_CLASS = 10  # rows, so that each split of the protocol can hold every class
MOST_CELLS = 5_000_000  # rows times columns that are measured on; larger tables are sampled
MANY_LEVELS = 0.5  # share of rows with a value of their own from which on text is free text
GIVES_AWAY = 0.999  # share of rows whose target one column tells


@dataclass(frozen=True)
class OwnTable:
    """A table that is ready for the protocol.

    Attributes
    ----------
    frame : pandas.DataFrame
        The columns that are used and the target, the rows that are used.
    target : str
        Name of the target's column.
    n_rows : int
        Rows of the file that have a label; `frame` holds fewer where it was sampled.
    notes : list of str
        What was left out or looks wrong, in plain words.
    """

    frame: pd.DataFrame
    target: str
    n_rows: int
    notes: list[str] = field(default_factory=list)


def read_own_table(path: Path, target: str, seed: int = 0) -> OwnTable:
    """Read a CSV file with a line of column names.

    Parameters
    ----------
    path : Path
        The file; separated by commas, semicolons or tabs.
    target : str
        Name of the column to predict.
    seed : int
        Of the sample that is taken of a very large table.

    Returns
    -------
    OwnTable

    Raises
    ------
    DatasetError
        The file is absent, empty, has one row, is no table, has columns of the same name, or its
        target has one class, classes with fewer than 10 rows each, or is a number to be predicted.
    UnknownNameError
        There is no such column; names the close ones.
    """
    frame = _read(path, target)
    if target not in frame:
        raise UnknownNameError(f"column of {path}", target, frame.columns)
    notes: list[str] = []
    frame = _labelled(frame, target, path, notes)
    frame = _without_useless(frame, target, path, notes)
    notes += giveaways(frame, target)
    n_rows = len(frame)
    return OwnTable(_sampled(frame, target, seed, notes), target, n_rows, notes)


def _read(path: Path, target: str) -> pd.DataFrame:
    if not path.is_file():
        raise DatasetError(f"There is no file {path}. Give its path, from the folder that the "
                           "command is run in: CSV=data/my.csv")
    try:
        head = path.read_text(encoding="utf-8-sig")[:100_000]
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path} is not text in UTF-8 ({error}). Save it as CSV, UTF-8.") \
            from error
    if not head.strip() or "\0" in head:
        raise DatasetError(f"{path} is {'empty' if not head.strip() else 'not a text file'}. It "
                           "has to hold a line of column names and a line for each row.")
    form = find_separators(path, target)
    names = next(csv.reader([head.splitlines()[0]], delimiter=form["sep"]))
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DatasetError(f"{path} has several columns named {', '.join(map(repr, twice))}. Give "
                           "each its own name.")
    if len(names) < 2:
        raise DatasetError(f"{path} has one column only, {names[0]!r}: it is no table of columns "
                           "separated by commas, semicolons or tabs.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # more values than names
            frame = pd.read_csv(path, na_values=MISSING, low_memory=False, skipinitialspace=True,
                                encoding="utf-8-sig", index_col=False, **form)
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError) as error:
        raise DatasetError(f"{path} cannot be read as a table, each row with a value for each of "
                           f"its {len(names)} column names: {error}") from error
    frame.columns = [str(name).strip() for name in frame.columns]
    if len(frame) < 2:
        raise DatasetError(f"{path} has {len(frame)} row(s) below its line of names; a learning "
                           "curve needs at least some 30.")
    return frame


def _labelled(frame: pd.DataFrame, target: str, path: Path, notes: list[str]) -> pd.DataFrame:
    """Return the rows with a label that can be learned."""
    there = frame[target].notna()
    if not there.any():
        raise DatasetError(f"The target {target!r} of {path} is empty in every row.")
    if missing := int((~there).sum()):
        notes.append(f"{missing:,} rows have no value in {target!r} and are left out.")
    frame = frame[there].reset_index(drop=True)
    labels = frame[target]
    distinct = labels.nunique()
    broken = pd.api.types.is_float_dtype(labels) and (labels % 1 != 0).any()
    if broken or distinct > MOST_CLASSES:
        kind = "numbers" if pd.api.types.is_numeric_dtype(labels) else "texts"
        raise DatasetError(f"The target {target!r} has {distinct:,} different {kind}: this is no "
                           "classification but regression (predicting a number), which this report "
                           "cannot do. Give a column of classes, or put the numbers into ranges.")
    if distinct < 2:
        raise DatasetError(f"The target {target!r} is {labels.iloc[0]!r} in every row; there is "
                           "nothing to learn. Give another column, or rows of another class.")
    if pd.api.types.is_numeric_dtype(labels) and distinct > FEW_VALUES:
        notes.append(f"The target {target!r} holds {distinct} different numbers, taken for "
                     "classes.")
    counts = labels.value_counts()
    small = counts[counts < LEAST_PER_CLASS]
    if len(counts) - len(small) < 2:
        few = ", ".join(f"{label!r}: {n}" for label, n in counts.head(5).items())
        raise DatasetError(f"The classes of {target!r} are too small ({few}): at least two need "
                           f"{LEAST_PER_CLASS} rows each, to train on some and test on others.")
    if len(small):
        notes.append(f"{len(small)} classes with fewer than {LEAST_PER_CLASS} rows each are left "
                     f"out ({int(small.sum())} rows): "
                     + ", ".join(repr(label) for label in small.index[:5]) + ".")
        frame = frame[~labels.isin(small.index)].reset_index(drop=True)
    return frame


def _without_useless(frame: pd.DataFrame, target: str, path: Path,
                     notes: list[str]) -> pd.DataFrame:
    """Return the columns that a learner can use; say why the others are ignored."""
    ignored = {}
    for name in frame.columns.drop(target):
        if reason := _why_ignored(frame[name]):
            ignored.setdefault(reason, []).append(name)
    for reason, names in ignored.items():
        shown = ", ".join(map(repr, names[:6])) + (", …" if len(names) > 6 else "")
        notes.append(f"Ignored, {reason}: {shown}.")
    kept = frame.drop(columns=[name for names in ignored.values() for name in names])
    if kept.shape[1] < 2:
        raise DatasetError(f"{path} has no column left to learn from beside {target!r}. "
                           + " ".join(notes))
    return kept


def _why_ignored(column: pd.Series) -> str:
    values = column.dropna()
    if values.empty:
        return "as no row has a value"
    if values.nunique() == 1:
        return "as the same in every row"
    distinct = values.nunique() / len(values)
    if pd.api.types.is_bool_dtype(values):
        return ""
    if pd.api.types.is_numeric_dtype(values):
        return "as numbers that count the rows (identifiers)" if counts_rows(column) else ""
    text = values.astype(str)
    if distinct > MANY_LEVELS and len(values) > FEW_VALUES:
        if are_dates(pd.Index(text)):
            return "as dates (turn them into numbers such as a month or an age to use them)"
        if text.str.contains(" ").mean() > 0.5:
            return "as free text (turn it into numbers, such as counts of words, to use it)"
        return "as identifiers, with a value of its own in most rows"
    return ""


def giveaways(frame: pd.DataFrame, target: str) -> list[str]:
    """Return a warning for each column that tells the target nearly by itself.

    Parameters
    ----------
    frame : pandas.DataFrame
    target : str
        Column with the classes.
    """
    found = []
    for name in frame.columns.drop(target):
        values = frame[name]
        if pd.api.types.is_numeric_dtype(values) and values.nunique() > FEW_VALUES:
            values = pd.qcut(values, FEW_VALUES, duplicates="drop")
        told = frame[target].groupby(values.astype(str)).agg(lambda y: y.value_counts().iloc[0])
        if told.sum() >= GIVES_AWAY * len(frame):
            found.append(f"Warning: the column {name!r} alone tells {target!r} in "
                         f"{told.sum() / len(frame):.1%} of the rows. Is it known before the "
                         "target is? If not, leave it out: the errors below would be too good.")
    return found


def _sampled(frame: pd.DataFrame, target: str, seed: int, notes: list[str]) -> pd.DataFrame:
    """Return at most as many rows as can be measured on, classes in proportion."""
    most = max(MOST_CELLS // frame.shape[1], 1000)
    if len(frame) <= most:
        return frame
    share = most / len(frame)
    chosen = frame.groupby(target, group_keys=False).sample(frac=share, random_state=seed)
    notes.append(f"Warning: of {len(frame):,} rows, a random sample of {len(chosen):,} is measured "
                 "on (classes in proportion). \"Now\" and \"times the rows\" below count from this "
                 f"sample: up to {1 / share:.3g} times, these are rows that you have already; "
                 "what they bring is predicted.")
    return chosen.sample(frac=1, random_state=seed).reset_index(drop=True)
