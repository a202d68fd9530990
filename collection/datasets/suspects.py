"""What a table of a user's own may hold by mistake: copies of the target, identifiers, dates, text.

Nothing is changed. A learner takes such columns as it takes any other; their curves mislead.
"""

import re
import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd

from collection.datasets.dataset import Dataset

LEAST_ROWS = 20  # with fewer, every value may differ by chance
MANY_NUMBERS = 20  # different labels that are numbers: more look like something to regress on
IDENTIFIER = re.compile(r"(?i)(.*[\W_])?(id|index|key|no|nr|number|unnamed: 0)|.*[a-z]I[Dd]")
WORDS = 4  # on average, from which on values are text rather than names


def suspicious_columns(dataset: Dataset) -> Iterator[str]:
    """Yield a sentence for every column that a classifier had better not get.

    Parameters
    ----------
    dataset : Dataset
        As it was loaded.
    """
    labels = pd.factorize(dataset.target)[0]
    for name, column in dataset.features.items():
        codes = pd.factorize(column)[0]
        if len(labels) >= LEAST_ROWS and np.array_equal(codes, labels):
            yield (f"column {name!r} tells the target {dataset.target_name!r} without error: is it "
                   "a copy of it, or known only afterwards?")
        elif column.dtype == np.float64:
            if counts_rows(column) or (IDENTIFIER.fullmatch(name) and _all_differ(column)):
                yield f"column {name!r} has another whole number in every row: an identifier?"
        else:
            yield from _of_text(name, column.dropna())


def looks_continuous(labels: np.ndarray) -> bool:
    """Tell whether labels are numbers that a regression rather than a classifier would predict.

    They are where more than `MANY_NUMBERS` different numbers occur, and some are not whole or
    occur in fewer rows than the protocol's splits need.
    """
    numbers = pd.to_numeric(pd.Series(labels), errors="coerce")
    values, counts = np.unique(numbers, return_counts=True)
    return (bool(numbers.notna().all()) and len(values) > MANY_NUMBERS
            and bool((values % 1 != 0).any() or counts.min() < 3))


def _all_differ(column: pd.Series) -> bool:
    return (len(column) >= LEAST_ROWS and bool(column.notna().all()) and column.is_unique
            and bool((column % 1 == 0).all()))


def counts_rows(column: pd.Series) -> bool:
    """Tell whether a numeric column holds a run of whole numbers, another in every row."""
    return _all_differ(column) and column.max() - column.min() == len(column) - 1


def _of_text(name: str, column: pd.Series) -> Iterator[str]:
    """Yield what is odd about a categorical column without its gaps."""
    values = column.cat.categories.astype(str)
    n = len(values)
    if are_dates(values):
        yield f"column {name!r} holds dates, taken for {n} categories: make numbers of them."
    elif n > max(LEAST_ROWS, len(column) / 2):
        words = np.mean([len(value.split()) for value in values])
        what = "free text" if words >= WORDS else "an identifier"
        yield (f"column {name!r} has {n} different values in {len(column)} rows, each a category "
               f"of its own: {what}?")


def are_dates(values: pd.Index) -> bool:
    """Tell whether texts are dates."""
    some = values[:100]
    if not some.str.contains(r"\d\s*[-/.:]\s*\d|\d \w+ \d").all():
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what it guesses
        return bool(pd.to_datetime(pd.Series(some), errors="coerce", format="mixed").notna().all())
