"""Our own suite ``classic``: how it was chosen, and which of the datasets at hand are the same."""

from functools import cache

import pandas as pd

from collection.datasets import Dataset, list_datasets, load_dataset
from collection.suites.create import Candidates, choose
from collection.suites.criteria import CRITERIA
from collection.suites.duplicates import find_duplicates
from collection.suites.filters import parse_filters
from collection.suites.protocol import AUTOMATIC, DUPLICATE
from collection.suites.suite import Suite
from collection.tasks import Task

ORIGINS = ("keel", "sklearn")


@cache
def local_datasets() -> dict[str, Dataset]:
    """Return every dataset that comes with KEEL's package and scikit-learn, by its spec."""
    specs = [f"{origin}:{name}" for origin in ORIGINS for name in list_datasets(origin)]
    return {spec: load_dataset(spec) for spec in specs}


def local_duplicates() -> pd.DataFrame:
    """Return which of `local_datasets` hold the same rows; see `find_duplicates`."""
    return find_duplicates(local_datasets().values())


def suite_funnel(suite: Suite) -> pd.DataFrame:
    """Return how many of `local_datasets` each step of the suite's criteria left out.

    What a program checks is checked again; what a person decided is read from the suite.

    Returns
    -------
    pandas.DataFrame
        A row per step, the first being all candidates: ``step``, ``by`` (a program, a person),
        ``left_out``, ``left``.
    """
    datasets = local_datasets()
    candidates = Candidates({spec: Task(spec) for spec in datasets}, datasets, {})
    automatic = [name for name in AUTOMATIC if name in suite.criteria]
    table = choose(candidates, parse_filters(suite.filters), automatic)
    out = {d.dataset: d for d in suite.decisions if not d.keep}
    said = {spec: CRITERIA[d.criterion].requires if d.criterion != DUPLICATE
            else "the same rows as another candidate" for spec, d in out.items()}
    steps = [(CRITERIA[n].requires, "a program") for n in automatic]
    steps = [(str(f), "a program") for f in parse_filters(suite.filters)] + steps
    steps += [(why, "a person") for why in dict.fromkeys(said.values())]
    why = table["why"].where(table["why"] != "", table["dataset"].map(said).fillna(""))
    rows, left = [("all candidates", "", 0, len(table))], len(table)
    for step, by in steps:
        left -= (gone := int((why == step).sum()))
        rows.append((step, by, gone, left))
    return pd.DataFrame(rows, columns=["step", "by", "left_out", "left"])
