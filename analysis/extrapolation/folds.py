"""The folds of the training datasets, near-duplicates together.

An extrapolator that learnt from the curves of a dataset is not to be judged on its near-duplicates.
"""

from functools import lru_cache

import pandas as pd

from analysis.statistics.families import families, family_of
from collection.project.paths import DATA, shipped

FOLDER = DATA / "extrapolation"
FOLDS = 5
UNSEEN = -1  # the fold of a dataset that took no part in training


@lru_cache(maxsize=1)
def training_datasets() -> pd.DataFrame:
    """Return what the shipped extrapolators learnt from.

    Returns
    -------
    pandas.DataFrame
        Index the OpenML ids as text; ``name``; ``family``, by today's registry of near-duplicates;
        ``fold``, as it was when they were trained. Empty where nothing is shipped.
    """
    path = shipped(FOLDER / "datasets.csv")
    if not path.exists():
        return pd.DataFrame(columns=["name", "family", "fold"])
    table = pd.read_csv(path, dtype={"dataset": str}, index_col="dataset")
    return table.assign(family=families(table.index))


def fold_of(dataset: object) -> int:
    """Return the fold that a dataset, or a near-duplicate of it, was in; `UNSEEN` if in none.

    Parameters
    ----------
    dataset : int or str
        As in `analysis.statistics.families.family_of`.
    """
    table = training_datasets()
    if str(dataset) in table.index:
        return int(table.at[str(dataset), "fold"])
    known = table.drop_duplicates("family").set_index("family")["fold"]
    return int(known.get(family_of(dataset), UNSEEN))
