"""The folds of the training datasets, near-duplicates together.

An extrapolator that learnt from the curves of a dataset is not to be judged on its near-duplicates.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd

from analysis.statistics.families import families, family_of
from collection.project.paths import DATA, shipped

FOLDER = DATA / "extrapolation"
FOLDS = 5
SEED = 0
UNSEEN = -1  # the fold of a dataset that took no part in training


def draw_folds(datasets: Sequence[object]) -> np.ndarray:
    """Return each dataset's fold, families together, drawn with `SEED`."""
    names, which = np.unique(families(datasets).astype(str), return_inverse=True)
    return (np.random.default_rng(SEED).permutation(len(names)) % FOLDS)[which]


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


@lru_cache(maxsize=1)
def torn_datasets() -> frozenset[str]:
    """Return training datasets whose family was in several folds: none of which judges fairly.

    It is empty right after `make extrapolators`; what the registry has learnt since is here.
    """
    table = training_datasets()
    torn = table.groupby("family")["fold"].transform("nunique") > 1
    return frozenset(table.index[torn.to_numpy(bool)])


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
