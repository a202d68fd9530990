"""The candidates of the suite *classic*, and datasets that hold the same rows; seconds, kept.

Read by the page *How are the datasets of a benchmark chosen?*, and by the baselines on PMLBmini,
which leave out its twins. PMLBmini's files do not come with this project.
"""

from functools import cache

import pandas as pd

from analysis.published.computed import NotAtHandError
from collection.datasets.pmlb_source import pmlb_folder
from collection.suites import create
from collection.suites.duplicates import find_duplicates
from collection.suites.qualities import parse_filters
from collection.suites.specs import find_suite
from collection.tasks import CrossValidation

SAME_ROWS = "the same rows as another candidate"


@cache
def candidates() -> create.Candidates:
    """Return every dataset that comes with KEEL's package and scikit-learn."""
    return create.load_candidates(["keel", "sklearn"], CrossValidation())


def classic_candidates() -> pd.DataFrame:
    """Say what each candidate fails: a program's checks made again, a person's decisions as kept.

    Returns
    -------
    pandas.DataFrame
        ``dataset``; ``step``, the first requirement that it fails, None of a member; ``criterion``
        and ``why``, where a person decided.
    """
    suite = find_suite("classic")
    checked = create.choose(candidates(), parse_filters(suite.filters),
                            [name for name in create.AUTOMATIC if name in suite.criteria])
    out = pd.DataFrame(suite.decisions).query("not keep").set_index("dataset")
    table = checked[["dataset"]].join(out[["criterion", "why"]], on="dataset")
    asked = {name: known.requires for name, known in create.CRITERIA.items()}
    asked[create.DUPLICATE] = SAME_ROWS
    steps = checked["why"].where(~checked["passes"], table["criterion"].map(asked))
    return table.assign(step=steps)[["dataset", "step", "criterion", "why"]]


def duplicates() -> pd.DataFrame:
    """Find candidates that hold the same rows."""
    return find_duplicates(candidates().datasets.values())


def pmlb_duplicates() -> pd.DataFrame:
    """Find PMLBmini's datasets that hold the same rows, among themselves and the candidates.

    Raises
    ------
    NotAtHandError
        Where the files of PMLB are not in the cache.
    """
    pmlb = create.load_candidates(["pmlb"], CrossValidation()).datasets
    if not pmlb:
        raise NotAtHandError(f"PMLBmini's datasets are not at hand: {pmlb_folder()} holds none. "
                             "The package pmlb fetches them.")
    found = find_duplicates([*pmlb.values(), *candidates().datasets.values()])
    ours = found["dataset"].str.startswith("pmlb:") | found["twin"].str.startswith("pmlb:")
    return found[ours].reset_index(drop=True)


KEPT = {"suites_classic": classic_candidates, "suites_duplicates": duplicates,
        "suites_duplicates_pmlb": pmlb_duplicates}
