"""What of a reader's own table is used: the target's kind, the columns, the rows; and why."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from shlex import quote

import numpy as np
import pandas as pd

from collection.datasets import columns, files
from collection.datasets.dataset import DatasetError
from collection.own_table.alike import find_copies
from collection.own_table.learners import MANY_NAMES
from collection.own_table.measure import OwnTable, joined_groups
from collection.project.naming import check_known
from collection.protocol.rows import FOLDS

MOST_CLASSES = 100
SURE_CLASSES = 10  # different whole numbers up to which a target is taken for classes
SURE_NUMBERS = 20  # … above which it is taken for numbers to predict
LEAST_PER_CLASS = 10  # rows, so that each fold holds every class
LEAST_ROWS = 30
LEAST_GROUPS = 2 * FOLDS
MOST_CELLS = 5_000_000  # rows times columns that are measured on; larger tables are sampled
BINS = (20, 50)  # of a numeric column, least and most, by which it may tell the target …
BIN = 12  # … of so many rows
INNER = [0.05, 0.95]  # of numbers to predict, of which a straight line may tell the spread
BINNED = 50_000  # rows that are looked at for that, at most
#: Shares of rows that are copies from which on it is said, and is a warning.
SOME_COPIES, MANY_COPIES = 0.005, 0.01
CSV_FORMS = ({}, *({"sep": mark} for mark in ";\t|"), {"sep": ";", "decimal": ","})
GIVES_AWAY = {True: 0.98, False: 0.92}  # of the spread of numbers; of what chance leaves of classes
AGREES = 0.9  # of what chance leaves, that a column of as many values as classes tells


def read_own_table(path: Path, target: str, *, regress: bool | None = None,
                   time: str | None = None, group: str | None = None) -> OwnTable:
    """Read a file as `collection.datasets.files.read_file` does, and see what of it is used.

    Parameters
    ----------
    path : Path
    target, regress, time, group
        As in `use_table`.

    Raises
    ------
    DatasetError
        The file cannot be read, or as in `use_table`.
    UnknownNameError
        As in `use_table`.
    """
    frame, notes = files.read_file(path, target, 2 * MOST_CELLS)
    return use_table(frame, target, regress=regress, time=time, group=group,
                     what=str(path), notes=notes)


def source_of(path: Path, target: str, used: pd.DataFrame) -> str:
    """Return Python code that reads a file: pandas alone where that gives the same columns.

    Parameters
    ----------
    path : Path
    target : str
    used : pandas.DataFrame
        The columns that are used, as `read_own_table` typed them.
    """
    suffix, is_numeric = path.suffix.lower(), pd.api.types.is_numeric_dtype
    name = ("read_parquet" if suffix in files.PARQUET else
            "read_excel" if suffix in files.EXCEL else "read_csv")
    for settings in CSV_FORMS if name == "read_csv" else ({},):
        try:  # of a large text its first rows
            rows = {"nrows": MOST_CELLS // len(used.columns)} if name == "read_csv" else {}
            frame = getattr(pd, name)(path, **settings, **rows)
        except (ValueError, OSError, ImportError):
            continue
        if all(c in frame and is_numeric(frame[c]) >= is_numeric(used[c]) for c in used):
            given = "".join(f", {key}={value!r}" for key, value in settings.items())
            left = [c for c in frame if c not in used] if len(used.columns) > MANY_NAMES else []
            return f"pd.{name}({str(path)!r}{given})" + f".drop(columns={left!r})" * bool(left)
    return f"read_own_table(Path({str(path)!r}), {target!r}).frame"


def use_table(frame: pd.DataFrame, target: str, seed: int = 0, *, regress: bool | None = None,
              time: str | None = None, group: str | None = None, what: str = "the table",
              notes: list[str] | None = None) -> OwnTable:
    """See what of a table is used.

    Parameters
    ----------
    frame : pandas.DataFrame
    target : str
        The column to predict.
    seed : int
        Of the sample that is taken of a very large table.
    regress : bool, optional
        Whether the target's numbers are to be predicted, or are classes; by default what looks
        right, and said.
    time, group : str, optional
        Columns by which to split: forward in time; a group's rows on one side.
    what : str
        The table's name, for messages.
    notes : list of str, optional
        What there is to say already.

    Raises
    ------
    DatasetError
        Columns of the same name; a target with one class, with too small or too many classes, with
        text where numbers are asked for; nothing to learn from; times or groups that are none.
    UnknownNameError
        There is no such column; names the close ones.
    """
    notes = list(notes or [])
    names = columns.check_names(list(frame.columns), what)
    frame = frame.reset_index(drop=True).set_axis(names, axis=1)
    check_known(f"column of {what}", [target, *filter(None, (time, group))], frame.columns)
    if time and group:
        raise DatasetError("TIME and GROUP exclude each other: give the one by which new rows will "
                           "differ from those you have.")
    if target in (time, group):
        raise DatasetError(f"{'TIME' if time else 'GROUP'}: {target!r} is the column to predict, "
                           "which is not known of new rows; name another.")
    judged = columns.judge_columns(frame, target, (time, group))
    notes += [note for column in judged.values() for note in column.notes]
    if endless := [name for name, column in judged.items() if column.endless]:
        notes.append(f"Values that are infinite or beyond {columns.LARGEST:.0e} count as missing: "
                     + _names(endless) + ".")
    labels, regression = _labelled(judged.pop(target).values, regress, notes)
    judged = {name: column.at(labels.index) for name, column in judged.items()}
    frame = pd.DataFrame({name: labels if name == target else judged[name].values
                          for name in frame})
    times, groups = _asked(judged, time, group)
    if time and np.isnan(times).any():
        notes.append(f"{int(np.isnan(times).sum()):,} rows have no date in {time!r} and are left "
                     "out.")
        frame, times = frame[~np.isnan(times)].reset_index(drop=True), times[~np.isnan(times)]
    noticed = {} if time or group else _noticed(judged, notes)
    numbered = {name for name, one in judged.items() if one.days is not None
                and pd.api.types.is_numeric_dtype(one.values)}  # years, which learners can use
    splits = {time, group} | {name for name, _ in noticed.values()} - numbered
    kept = _useful(frame, target, splits, judged, what, notes)
    texts = frame[[name for name, one in judged.items() if one.unused == columns.FREE_TEXT]
                  ].reset_index(drop=True)
    whole = _sampled(OwnTable(frame=kept.join(texts), target=target, notes=notes, times=times,
                              regression=regression, groups=groups, noticed=noticed), seed)
    table = replace(whole, frame=whole.frame[kept.columns])
    leaking = leaking_columns(table.frame, target, regression)
    table.notes.extend(leaking.values())
    # Rows of other texts are no copies.
    copies = _copies(whole.frame, table.notes, groups is not None)
    if copies is not None and table.groups is not None and (
            joined_groups([table.groups, copies]).max() + 1 < FOLDS):
        raise DatasetError(f"GROUP: rows of different {group!r} are copies of each other, so that "
                           f"fewer than {FOLDS} groups could be told apart. Leave the "
                           "copies out, or give a column that copies share.")
    return replace(table, copies=copies, leaking=tuple(leaking))


def _names(names: list[str]) -> str:
    return ", ".join(map(repr, names[:6])) + (", …" if len(names) > 6 else "")


def _labelled(labels: pd.Series, regress: bool | None,
              notes: list[str]) -> tuple[pd.Series, bool]:
    """Return what can be learned of a target, its rows by their names, and its kind."""
    target, missing = labels.name, int(labels.isna().sum())
    if missing == len(labels):
        raise DatasetError(f"The target {target!r} is empty in every row.")
    if missing:
        notes.append(f"{missing:,} rows have no value in {target!r} and are left out.")
    labels = _spelled_alike(labels.dropna(), notes)
    if labels.nunique() < 2:
        raise DatasetError(f"The target {target!r} is {labels.iloc[0]!r} in every row; there is "
                           "nothing to learn. Give another column, or rows with other values.")
    if len(labels) < LEAST_ROWS:
        raise DatasetError(f"The target {target!r} is known in {len(labels)} rows, too few for a "
                           f"learning curve: {LEAST_ROWS} are the least.")
    regression = _is_regression(labels, regress, notes)
    return labels if regression else _in_large_classes(labels, notes), regression


def _spelled_alike(labels: pd.Series, notes: list[str]) -> pd.Series:
    """Return labels that differ by case or blanks as one, the most frequent."""
    if pd.api.types.is_numeric_dtype(labels) or not labels.map(type).eq(str).all():
        return labels
    plain = labels.str.strip().str.casefold()
    if plain.nunique() == labels.nunique():
        return labels
    spelled = labels.str.strip().groupby(plain).agg(lambda own: own.mode().iloc[0])
    merged = plain.map(spelled)
    changed = labels[labels != merged]
    notes.append(f"Warning: {len(changed):,} labels of {labels.name!r} differ from others by "
                 f"capitals or blanks alone and count as those: {_names(sorted(set(changed)))}.")
    return merged.rename(labels.name)


def _is_regression(labels: pd.Series, regress: bool | None, notes: list[str]) -> bool:
    """Tell whether the target is numbers to predict; say what it is taken for where unclear."""
    target, distinct = labels.name, labels.nunique()
    numeric = pd.api.types.is_numeric_dtype(labels) and not pd.api.types.is_bool_dtype(labels)
    if not numeric:
        if regress:
            raise DatasetError(f"The target {target!r} holds text such as {labels.iloc[0]!r}, no "
                               "numbers: leave REGRESS out, or give another target.")
        return False
    whole = not (labels % 1 != 0).any()
    guess = (not whole and distinct > 2) or (distinct > SURE_CLASSES and (
        distinct > SURE_NUMBERS or labels.value_counts().min() < LEAST_PER_CLASS))
    taken = guess if regress is None else regress
    if regress is None and distinct > 2 and (whole or distinct <= SURE_NUMBERS):
        said = "numbers to predict" if guess else "classes"
        other = "no if they are classes" if guess else "yes to predict them as numbers"
        notes.append(f"The target {target!r} holds {distinct:,} different numbers, taken for "
                     f"{said}; REGRESS={other}.")
    return taken


def _in_large_classes(labels: pd.Series, notes: list[str]) -> pd.Series:
    """Return the labels of classes with enough rows."""
    target, counts = labels.name, labels.value_counts()
    small = counts[counts < LEAST_PER_CLASS]
    if len(counts) - len(small) < 2:
        few = ", ".join(f"{label!r}: {n}" for label, n in counts.head(5).items())
        raise DatasetError(f"The classes of {target!r} are too small ({few}): at least two need "
                           f"{LEAST_PER_CLASS} rows each, to train on some and test on others.")
    if len(counts) - len(small) > MOST_CLASSES:
        raise DatasetError(f"The target {target!r} has {len(counts):,} different values, too many "
                           f"for classes ({MOST_CLASSES} are the most): is it a name or an "
                           "identifier? Give another column, or put the values into groups.")
    if len(small):
        are = "class is" if len(small) == 1 else "classes are"
        notes.append(f"Warning: {len(small)} {are} left out, with fewer than {LEAST_PER_CLASS} "
                     f"rows each ({int(small.sum())} rows): {_names(list(small.index))}. What "
                     "follows says nothing of them.")
    return labels[~labels.isin(small.index)]


def _asked(judged: Mapping[str, columns.Column], time: str | None,
           group: str | None) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return the times and groups asked for."""
    times = groups = None
    if time:
        values, days = judged[time].values, judged[time].days
        times = (pd.to_numeric(values, errors="coerce") if days is None else days).to_numpy(float)
        if np.isnan(times).mean() > 0.5 or len(np.unique(times[~np.isnan(times)])) < LEAST_GROUPS:
            raise DatasetError(f"TIME: {time!r} holds no times ({values.iloc[0]!r}); dates or "
                               f"numbers that ascend are needed, at least {LEAST_GROUPS} different "
                               "ones.")
    if group:
        groups = pd.factorize(judged[group].values.astype(str))[0]
        if groups.max() + 1 < FOLDS:
            raise DatasetError(f"GROUP: {group!r} has {groups.max() + 1} different values; at least"
                               f" {FOLDS} groups are needed, to train on some and test on "
                               "others.")
    return times, groups


def _noticed(judged: Mapping[str, columns.Column],
             notes: list[str]) -> dict[str, tuple[str, np.ndarray]]:
    """Return the first column of dates and the first repeated identifier, with their values."""
    found = {}
    for name, column in judged.items():
        days = column.days
        if "time" not in found and days is not None and (
                days.notna().mean() > MOSTLY_THERE and days.nunique() >= LEAST_GROUPS):
            found["time"] = (name, days.fillna(days.min()).to_numpy())
        if "group" not in found and days is None and column.repeats:
            found["group"] = (name, pd.factorize(column.values.astype(str))[0])
    for kind, (name, _) in sorted(found.items(), reverse=True):
        words = ("holds times: if new rows come later" if kind == "time" else
                 "looks like an identifier that several rows share: if new rows are of others")
        notes.append(f"The column {name!r} {words}, give {quote(f'{kind.upper()}={name}')}.")
    return found


MOSTLY_THERE = 0.9  # share of rows with a date


def _useful(frame: pd.DataFrame, target: str, splits: set,
            judged: Mapping[str, columns.Column], what: str, notes: list[str]) -> pd.DataFrame:
    """Return the columns that a learner can use; say why the others are ignored."""
    ignored: dict[str, list[str]] = {}
    for name in frame.columns.drop(target):
        reason = ("as it only says what to split by" if name in splits else
                  "as dates (turn them into numbers such as a month or an age to use them)"
                  if judged[name].days is not None and not pd.api.types.is_numeric_dtype(
                      judged[name].values) else judged[name].unused)
        if reason:
            ignored.setdefault(reason, []).append(name)
    notes += [f"Ignored, {reason}: {_names(names)}." for reason, names in ignored.items()]
    kept = frame.drop(columns=[name for names in ignored.values() for name in names])
    if kept.shape[1] < 2:
        cures = [f"Add numbers made of {name!r}, such as the month or the day of the week."
                 for name, one in judged.items() if name != target and one.days is not None]
        raise DatasetError(" ".join([f"{what} has no column left to learn from beside {target!r}.",
                                     *notes, *cures[:1]]))
    return kept.reset_index(drop=True)


def leaking_columns(frame: pd.DataFrame, target: str,
                    regression: bool = False) -> dict[str, str]:
    """Return each column that tells the target nearly by itself, with a warning.

    Parameters
    ----------
    frame : pandas.DataFrame
    target : str
        Column with the classes, or the numbers to predict.
    regression : bool
    """
    found, counts = {}, frame[target].value_counts(normalize=True)
    some = frame.sample(min(len(frame), BINNED), random_state=0)
    labels = some[target] if regression else pd.factorize(some[target])[0]
    for name, column in some.drop(columns=target).items():
        told = _told(column, labels, regression)
        least = GIVES_AWAY[regression]
        if not regression:
            least = AGREES if column.nunique() <= len(counts) else least
            least = 1 - (1 - least) * (1 - counts.max())
        if told >= least:
            of = "of the spread" if regression else "in the rows"
            found[name] = (f"Warning: the column {name!r} alone tells {target!r} ({told:.1%} {of})."
                           " Is it known before the target is? If not, leave it out: the errors "
                           "below would be too good.")
    return found


def _told(column: pd.Series, target: pd.Series | np.ndarray, regression: bool) -> float:
    """Return the share of the target that a column tells: of its rows, or of its variance.

    Classes are given as codes. A missing value is one like the others.
    """
    numeric = pd.api.types.is_numeric_dtype(column)
    if regression:
        if not numeric or column.nunique() < 2:
            return 0.0
        both = column.notna()
        inner = both & target.between(*target.quantile(INNER))  # or a few far ones would tell it
        pairs = (column[both].rank(), target[both].rank()), (column[inner], target[inner])
        return max(float(np.corrcoef(*pair)[0, 1] ** 2) if min(map(pd.Series.nunique, pair)) > 1
                   else 0.0 for pair in pairs)
    value = pd.factorize(column)[0]
    bins = int(np.clip(len(column) // BIN, *BINS))
    if numeric and value.max() >= bins:
        numbers, there = column.to_numpy(), value >= 0
        edges = np.unique(np.quantile(numbers[there], np.linspace(0, 1, bins + 1)))[1:-1]
        value[there] = np.searchsorted(edges, numbers[there])
    classes = target.max() + 1
    count = np.bincount((value + 1) * classes + target, minlength=(value.max() + 2) * classes)
    return float(count.reshape(-1, classes).max(1).sum() / len(target))


def _copies(frame: pd.DataFrame, notes: list[str], grouped: bool) -> np.ndarray | None:
    """Return which rows are copies of each other; say how many there are, or may be, if some."""
    found = find_copies(frame)
    if found is None:
        return None
    n = found.equal + found.near
    if n < SOME_COPIES * len(frame):  # as happens: splits keep them together, nothing else
        return found.sets if found.sure else None
    more = f", {found.near:,} of them nearly (rounding, noise, or a few columns)" \
        if found.near else ""
    if not found.sure:
        notes.append(f"{n:,} of {len(frame):,} rows equal another{more}, as happens where columns "
                     "have few values. If they are copies, leave them out: the errors below would "
                     "be too good.")
        return None
    warning = "Warning: " if n >= MANY_COPIES * len(frame) else ""
    notes.append(f"{warning}{n:,} of {len(frame):,} rows are copies of another{more}. No split "
                 "parts a row from its copies, but they still count as rows. "
                 + ("Leave them out unless they are real (twins, repeated measurements)." if grouped
                    else "If they are real (twins, repeated measurements), say what they share "
                    "with GROUP=; if not, leave them out."))
    return found.sets


def _sampled(table: OwnTable, seed: int) -> OwnTable:
    """Return at most as many rows as can be measured on, classes in proportion."""
    frame = table.frame
    most = max(MOST_CELLS // frame.shape[1], 1000)
    if len(frame) <= most:
        return table
    share = most / len(frame)
    by = np.zeros(len(frame)) if table.regression else frame[table.target]
    chosen = np.sort(frame.groupby(by, group_keys=False).sample(
        frac=share, random_state=seed).index.to_numpy())
    notes = [*table.notes, f"Warning: of {len(frame):,} rows, a random sample of {len(chosen):,} "
             "is measured on. \"Now\" and \"times the rows\" below count from this sample: up to "
             f"{1 / share:.3g} times, these are rows that you have already; what they bring is "
             "predicted."]
    groups, times = table.groups, table.times
    return replace(table, frame=frame.iloc[chosen].reset_index(drop=True), notes=notes,
                   times=times if times is None else times[chosen],
                   groups=groups if groups is None else pd.factorize(groups[chosen])[0],
                   noticed={kind: (name, values[chosen])
                            for kind, (name, values) in table.noticed.items()})
