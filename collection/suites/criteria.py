"""The criteria by which CC-18 was chosen, each a named check or a question to a person.

Section 6.1 of the paper on OpenML's suites: its requirements (a) to (g), the opinionated (a) to
(d), and the two for easiness.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from collection.datasets import Dataset
from collection.suites.qualities import parse_filters

FOLDS = 10
RECURRING = 0.9  # of the rows, that a category needs to be shared with others to be no row's name


def one_attribute_suffices(dataset: Dataset) -> bool:
    """Tell whether one attribute, or a decision stump on it, classifies all rows.

    A numeric attribute does when the rows, in its order, come class by class, each in one stretch
    (for two classes: a stump's threshold). A categorical one does when each of its values has rows
    of one class only; values that occur once, as names of rows do, are no evidence. A missing
    value is a value like another.
    """
    labels = np.unique(dataset.target, return_inverse=True)[1]
    return any(_tells(dataset.features[c], labels) for c in dataset.features)


def _tells(column: pd.Series, labels: np.ndarray) -> bool:
    codes = pd.factorize(column, sort=True, use_na_sentinel=False)[0]
    order = np.lexsort((labels, codes))
    codes, in_order = codes[order], labels[order]
    if (np.diff(in_order)[np.diff(codes) == 0] != 0).any():
        return False  # a value with rows of several classes
    if column.dtype == np.float64:
        return int((np.diff(in_order) != 0).sum()) == labels.max()
    sizes = np.bincount(codes)
    return bool(sizes[sizes > 1].sum() >= RECURRING * len(labels))


def tree_suffices(dataset: Dataset) -> bool:
    """Tell whether a decision tree is right on every row in a stratified 10-fold cross-validation.

    Categories are one-hot encoded and gaps filled with the median, fitted on the training rows.
    Classes with fewer rows than folds reduce the folds; one with a single row is never predicted.

    Parameters
    ----------
    dataset : Dataset
        A classification problem.
    """
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.model_selection import StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier

    smallest = int(np.unique(dataset.target, return_counts=True)[1].min())
    if smallest < 2:
        return False
    model = make_pipeline(
        make_column_transformer(
            (SimpleImputer(strategy="median"), dataset.numeric),
            (OneHotEncoder(handle_unknown="ignore"), dataset.categorical)),
        DecisionTreeClassifier(random_state=0))
    folds = StratifiedKFold(min(FOLDS, smallest), shuffle=True, random_state=0)
    features = dataset.features.astype(dict.fromkeys(dataset.categorical, object))
    features = features.fillna(dict.fromkeys(dataset.categorical, "missing"))
    for train, test in folds.split(features, dataset.target):
        model.fit(features.iloc[train], dataset.target[train])
        if (model.predict(features.iloc[test]) != dataset.target[test]).any():
            return False  # one mistake is enough
    return True


ABOVE = np.nextafter(0.05, 1)  # the least ratio of classes


@dataclass(frozen=True)
class Criterion:
    """One requirement that a dataset has to meet.

    Attributes
    ----------
    name : str
        Short name, the key in `CRITERIA` and in a suite's file.
    letter : str
        As the paper has it: a to g, o.a to o.d (opinionated), e.a and e.b (easiness).
    requires : str
        What has to hold.
    by_qualities : str
        Filters that a dataset passes (`collection.suites.qualities.parse_filters`); empty: none.
    by_data : callable, optional
        Dataset to True (passes) or False.
    question : str
        What a person is asked where neither can tell; yes means that the dataset passes.
    """

    name: str
    letter: str
    requires: str
    by_qualities: str = ""
    by_data: Callable[[Dataset], bool] | None = None
    question: str = ""


CRITERIA = {c.name: c for c in (
    Criterion("rows", "a", "between 500 and 100,000 rows", "rows=500..100000"),
    Criterion("one_hot_features", "b", "fewer than 5,000 features after one-hot encoding",
              "features_after_one_hot=..4999"),
    Criterion("class_rows", "c", "at least two classes, none with fewer than 20 rows",
              "classes=2.. smallest_class=20.."),
    Criterion("class_ratio", "d",
              "rows of the rarest class above 0.05 of those of the most frequent one",
              f"class_ratio={ABOVE}.."),
    Criterion("dense", "e", "not sparse", "sparse=0"),
    Criterion("no_time", "f", "no dependence between rows in time",
              question="Can the rows be taken in any order (no time series, no data stream)?"),
    Criterion("no_groups", "g", "no groups of rows that a split must keep together",
              question="Is every row from a subject or object of its own?"),
    Criterion("not_artificial", "o.a", "not artificial",
              question="Was it measured or recorded, not generated or in doubt of that?"),
    Criterion("whole", "o.b", "not a subset of a larger dataset",
              question="Is it the whole dataset, not a subset of rows, columns or classes?"),
    Criterion("own_target", "o.c", "the original target, neither merged nor discretised",
              question="Is the target the original one, no classes merged, no number cut?"),
    Criterion("referenced", "o.d", "a source or reference",
              question="Is it said where the data come from?"),
    Criterion("several_attributes", "e.a", "no single attribute or stump classifies all rows",
              by_data=lambda d: not one_attribute_suffices(d)),
    Criterion("no_perfect_tree", "e.b",
              "no decision tree with an accuracy of 100 % in a 10-fold cross-validation",
              by_data=lambda d: not tree_suffices(d)),
)}
BY_QUALITIES = tuple(name for name, c in CRITERIA.items() if c.by_qualities)
BY_DATA = tuple(name for name, c in CRITERIA.items() if c.by_data)


def check_qualities(table: pd.DataFrame, criteria: Iterable[str] = BY_QUALITIES) -> pd.DataFrame:
    """Apply criteria to a table of qualities.

    Parameters
    ----------
    table : pandas.DataFrame
        As `collection.suites.qualities` makes it.
    criteria : iterable of str
        Of `BY_QUALITIES`.

    Returns
    -------
    pandas.DataFrame of object
        Indexed as `table`, a column per criterion: True (passes), False, or None where a quality
        that is needed is not known.
    """
    checked = {}
    for name in criteria:
        filters = parse_filters(CRITERIA[name].by_qualities)
        passes = pd.concat([condition.passes(table) for condition in filters], axis=1).all(axis=1)
        known = table[[condition.quality for condition in filters]].notna().all(axis=1)
        checked[name] = passes.astype(object).where(known, None)
    return pd.DataFrame(checked, index=table.index, dtype=object)


TIME_WORDS = {"date", "time", "timestamp", "day", "week", "weekday", "month", "year", "hour",
              "minute", "period", "season", "quarter"}


def is_factorial(dataset: Dataset) -> bool:
    """Tell whether the rows are every combination of the columns' values, equally often.

    Nature does not measure so; someone enumerated (criterion o.a: artificial).
    """
    codes = [pd.factorize(dataset.features[c])[0] for c in dataset.features]
    sizes = [int(c.max()) + 1 for c in codes if c.max() > 0]
    possible = np.prod([float(s) for s in sizes])
    if len(sizes) < 2 or dataset.n_missing or possible > dataset.n_rows:
        return False
    rows, times = np.unique(np.column_stack(codes), axis=0, return_counts=True)
    return len(rows) == possible and times.min() == times.max()


def time_columns(dataset: Dataset) -> list[str]:
    """Return the columns whose names say that rows have a place in time (criterion f)."""
    def words(name: str) -> set[str]:
        return set("".join(c if c.isalnum() else " " for c in name.lower()).split())
    return [c for c in dataset.features if words(c) & TIME_WORDS]


def class_runs(dataset: Dataset) -> float:
    """Return how much more often neighbouring rows have the same class than by chance.

    0: as in random order; 1: sorted by class. In between, and clearly above 0, the order of rows
    may be one of time or of groups (criteria f and g).
    """
    share = np.unique(dataset.target, return_counts=True)[1] / dataset.n_rows
    same = float((dataset.target[1:] == dataset.target[:-1]).mean())
    most = 1 - (len(share) - 1) / (dataset.n_rows - 1)
    chance = float((share**2).sum())
    return (same - chance) / (most - chance) if most > chance else 0.0


def repeated_rows(dataset: Dataset) -> float:
    """Return the share of rows whose features another row has too (criterion g)."""
    return float(dataset.features.duplicated(keep=False).mean())


def show_signs(dataset: Dataset, criterion: str) -> str:
    """Return what the data say to the question of a criterion; empty where nothing.

    Parameters
    ----------
    dataset : Dataset
        A classification problem.
    criterion : str
        Name of `CRITERIA`.
    """
    letter, signs = CRITERIA[criterion].letter, []
    if letter == "o.a" and is_factorial(dataset):
        signs.append("the rows are every combination of the columns' values")
    if letter == "f" and (columns := time_columns(dataset)):
        signs.append(f"columns named after times: {', '.join(columns)}")
    if letter in "fg" and 0.1 < (runs := class_runs(dataset)) < 0.99:
        signs.append(f"neighbouring rows share their class more often than by chance ({runs:.0%})")
    if letter == "g" and (repeated := repeated_rows(dataset)) > 0.01:
        signs.append(f"{repeated:.0%} of the rows have the features of another row")
    return "; ".join(signs)
