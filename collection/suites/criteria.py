"""The criteria by which CC-18 was chosen, each a named check or a question to a person.

Section 6.1 of the paper on OpenML's suites: its requirements (a) to (g), the opinionated (a) to
(d), and the two for easiness.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from collection.datasets import Dataset
from collection.suites.easiness import one_attribute_suffices, tree_suffices

ROWS = (500, 100_000)
ONE_HOT_LIMIT = 5000
LEAST_CLASS_ROWS = 20
LEAST_RATIO = 0.05


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
    by_qualities : callable, optional
        Mapping of qualities to True (passes) or False; not called where one of `needs` is unknown.
    needs : tuple of str
        The qualities that it looks at.
    by_data : callable, optional
        Dataset to True (passes) or False.
    question : str
        What a person is asked where neither can tell; yes means that the dataset passes.
    """

    name: str
    letter: str
    requires: str
    by_qualities: Callable[[Mapping], bool] | None = None
    needs: tuple[str, ...] = ()
    by_data: Callable[[Dataset], bool] | None = None
    question: str = ""

    @property
    def is_automatic(self) -> bool:
        """Whether no person needs to be asked."""
        return not self.question


CRITERIA = {
    c.name: c
    for c in (
        Criterion("rows", "a", "between 500 and 100,000 rows",
                  lambda q: ROWS[0] <= q["rows"] <= ROWS[1], ("rows",)),
        Criterion("one_hot_features", "b", "fewer than 5,000 features after one-hot encoding",
                  lambda q: q["features_after_one_hot"] < ONE_HOT_LIMIT,
                  ("features_after_one_hot",)),
        Criterion("class_rows", "c", "at least two classes, none with fewer than 20 rows",
                  lambda q: q["classes"] >= 2 and q["smallest_class"] >= LEAST_CLASS_ROWS,
                  ("classes", "smallest_class")),
        Criterion("class_ratio", "d",
                  "rows of the rarest class above 0.05 of those of the most frequent one",
                  lambda q: q["class_ratio"] > LEAST_RATIO, ("class_ratio",)),
        Criterion("dense", "e", "not sparse", lambda q: not q["sparse"], ("sparse",)),
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
    )
}
BY_QUALITIES = tuple(name for name, c in CRITERIA.items() if c.by_qualities)
BY_DATA = tuple(name for name, c in CRITERIA.items() if c.by_data)
ASKED = tuple(name for name, c in CRITERIA.items() if c.question)


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
    return pd.DataFrame(
        {name: [_judge(CRITERIA[name], row) for row in table.to_dict("records")]
         for name in criteria}, index=table.index, dtype=object)


def _judge(criterion: Criterion, qualities: Mapping) -> bool | None:
    if any(pd.isna(qualities[name]) for name in criterion.needs):
        return None
    return bool(criterion.by_qualities(qualities))
