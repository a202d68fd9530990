"""What is kept of results that need data not everyone has: the AutoML benchmark's, PMLBmini's."""

import pandas as pd

from analysis.records.at_hand import NotAtHandError
from analysis.suites.own import local_datasets
from analysis.suites.scores import amlb_scores
from analysis.suites.stability import carrying_tasks, claim_worth, suite_stability, task_ranks
from collection.datasets.dataset import make_dataset
from collection.paths import cache_dir
from collection.suites.duplicates import find_duplicates

AMLB = "AutoML benchmark"


def _amlb_ranks() -> pd.DataFrame:
    return task_ranks(amlb_scores())


def pmlb_duplicates() -> pd.DataFrame:
    """Find PMLBmini's datasets that hold the same rows, among themselves and at KEEL.

    Raises
    ------
    NotAtHandError
        Where the files of PMLB are not in the cache.
    """
    folder = cache_dir() / "pmlb"
    files = sorted(folder.glob("*/*.tsv.gz"))
    if not files:
        raise NotAtHandError(f"PMLBmini's datasets are not at hand: {folder} holds none. The "
                             "package pmlb fetches them.")
    pmlb = [make_dataset(pd.read_csv(file, sep="\t", dtype={"target": str}), "target",
                         name=file.parent.name, source=f"pmlb:{file.parent.name}")
            for file in files]
    found = find_duplicates([*pmlb, *local_datasets().values()])
    ours = found["dataset"].str.startswith("pmlb:") | found["twin"].str.startswith("pmlb:")
    return found[ours].reset_index(drop=True)


KEPT = {
    "suites_duplicates_pmlb": pmlb_duplicates,
    "suites_amlb_stability": lambda: suite_stability(_amlb_ranks(), AMLB),
    "suites_amlb_claims": lambda: claim_worth(_amlb_ranks(), AMLB),
    "suites_amlb_tasks": lambda: carrying_tasks(_amlb_ranks(), AMLB),
}
