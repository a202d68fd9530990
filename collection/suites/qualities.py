"""What a suite chooses datasets by: qualities, and filters on them.

A filter is a condition on a quality: ``rows=500..100000 classes=2.. source=keel licence=CC*``.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np
import pandas as pd

from collection.datasets import Dataset
from collection.project.naming import check_known

# Quality → what it is. Counts are of the features alone, without the target.
QUALITIES = {
    "rows": "rows with a label",
    "features": "columns besides the target",
    "features_after_one_hot": "features once each category has a column of its own",
    "classes": "distinct labels (0: a regression problem)",
    "smallest_class": "rows of the rarest class",
    "class_ratio": "rows of the rarest class over rows of the most frequent one",
    "missing_values": "cells without a value",
    "categorical_share": "share of the features that are categorical",
    "sparse": "whether it is stored sparse (1) or not (0)",
    "source": "where it comes from: keel, sklearn, openml, csv, …",
    "licence": "as the source states it",
}
TEXTS = ("source", "licence")  # all others are numbers


def qualities_of(datasets: Iterable[Dataset]) -> pd.DataFrame:
    """Measure datasets that are at hand.

    Returns
    -------
    pandas.DataFrame
        A row per dataset: ``dataset`` (its spec), ``name``, and the columns `QUALITIES`. Whether
        a dataset was stored sparse is not known any more once it is loaded: 0.
    """
    return pd.DataFrame([_measure(d) for d in datasets], columns=["dataset", "name", *QUALITIES])


def _measure(dataset: Dataset) -> dict[str, object]:
    categories = [len(dataset.features[c].cat.categories) for c in dataset.categorical]
    n_features = dataset.features.shape[1]
    counts = [] if dataset.is_regression else np.unique(dataset.target, return_counts=True)[1]
    return {
        "dataset": dataset.source, "name": dataset.name, "rows": dataset.n_rows,
        "features": n_features,
        "features_after_one_hot": n_features - len(categories) + sum(categories),
        "classes": len(counts),
        "smallest_class": min(counts, default=np.nan),
        "class_ratio": min(counts) / max(counts) if len(counts) else np.nan,
        "missing_values": dataset.n_missing,
        "categorical_share": len(categories) / n_features,
        "sparse": 0, "source": dataset.source.partition(":")[0], "licence": dataset.licence,
    }


NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
RANGE = re.compile(rf"({NUMBER})?\.\.({NUMBER})?")


class FilterError(ValueError):
    """A filter that cannot be understood; the message says what it should look like."""


@dataclass(frozen=True)
class Filter:
    """One condition on one quality.

    Attributes
    ----------
    quality : str
        Of `QUALITIES`.
    low, high : float
        Bounds of a number, both included.
    patterns : tuple of str
        For text: what it may look like, ``*`` for anything; upper and lower case are alike.
    """

    quality: str
    low: float = float("-inf")
    high: float = float("inf")
    patterns: tuple[str, ...] = ()

    def passes(self, table: pd.DataFrame) -> pd.Series:
        """Tell which rows pass; one whose quality is not known does not."""
        values = table[self.quality]
        if self.patterns:
            text = values.fillna("").astype(str).str.casefold()
            return text.map(lambda t: any(fnmatchcase(t, p.casefold()) for p in self.patterns))
        return values.between(self.low, self.high)

    def __str__(self) -> str:
        if self.patterns:
            return f"{self.quality}={','.join(self.patterns)}"
        low, high = (f"{v:g}" if abs(v) != float("inf") else "" for v in (self.low, self.high))
        return f"{self.quality}={low}" if low == high else f"{self.quality}={low}..{high}"


def parse_filters(words: str | Sequence[str]) -> list[Filter]:
    """Return the filters that text asks for.

    Parameters
    ----------
    words : str or sequence of str
        ``QUALITY=VALUE``, ``QUALITY=LOW..HIGH`` (either may lack; both are included), and for
        ``source`` and ``licence`` patterns separated by commas. All must hold.

    Raises
    ------
    UnknownNameError
        For a quality that there is not.
    FilterError
        For a value that is none, or bounds that leave nothing.
    """
    return [_parse(word) for word in (words.split() if isinstance(words, str) else words)]


def _parse(word: str) -> Filter:
    quality, equals, value = word.partition("=")
    form = (f"{word!r} is no filter. Write QUALITY=VALUE or QUALITY=LOW..HIGH, such as "
            "rows=500..100000 or missing_values=0.")
    if not equals or not value:
        raise FilterError(form)
    check_known("quality", [quality], QUALITIES)
    if quality in TEXTS:
        return Filter(quality, patterns=tuple(value.split(",")))
    yes_no = {"yes": "1", "no": "0"}.get(value, value)
    if re.fullmatch(NUMBER, yes_no):
        return Filter(quality, float(yes_no), float(yes_no))
    bounds = RANGE.fullmatch(value)
    if not bounds or value == "..":
        raise FilterError(form)
    low, high = (float(b) if b else default
                 for b, default in zip(bounds.groups(), (float("-inf"), float("inf")),
                                       strict=True))
    if low > high:
        raise FilterError(f"{word!r} lets nothing through: {low:g} is more than {high:g}.")
    return Filter(quality, low, high)
