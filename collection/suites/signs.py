"""Signs in the data that help a person with the questions no check can answer."""

import numpy as np
import pandas as pd

from collection.datasets import Dataset
from collection.suites.criteria import CRITERIA

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
