"""How is a benchmark suite made? Our own, ``classic``, from the first filter on."""

from functools import cache

import pandas as pd

from analysis.drawing.chart import Chart
from analysis.published.computed import DATE, NotAtHandError, compute_or_recall
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from collection.datasets import Dataset, list_datasets, load_dataset
from collection.datasets.dataset import make_dataset
from collection.project.paths import cache_dir
from collection.suites.create import Candidates, choose
from collection.suites.criteria import CRITERIA
from collection.suites.duplicates import find_duplicates
from collection.suites.protocol import AUTOMATIC, DUPLICATE
from collection.suites.qualities import parse_filters
from collection.suites.specs import find_suite
from collection.suites.suite import Suite
from collection.tasks import Task

ORIGINS = ("keel", "sklearn")
SAME_ROWS = "the same rows as another candidate"
PROGRAM, PERSON = "a program", "a person"
#: What a figure calls the criteria, by their names.
SHORT = {"one_hot_features": "fewer than 5,000 features", "class_rows": "20 rows per class",
         "class_ratio": "class ratio", "dense": "not sparse", "several_attributes": "no stump",
         "no_perfect_tree": "no perfect tree", "own_target": "original target",
         "whole": "whole dataset", "not_artificial": "not artificial", "no_groups": "no groups"}


def compute() -> Study:
    """Return what the chapter shows of the suite ``classic``.

    Returns
    -------
    Study
        ``suite`` (Suite); ``classic_funnel``: from `suite_funnel`; ``classic_decisions``: what a
        person left out. ``duplicates``: pairs that share their
        rows, from `find_duplicates`: of KEEL's and scikit-learn's datasets, and of PMLBmini's.
        ``computed_on`` (str): when the pairs of PMLBmini's were found.
    """
    suite = find_suite("classic")
    kept = compute_or_recall("suites_duplicates_pmlb", pmlb_duplicates)
    duplicates = pd.concat([find_duplicates(local_datasets().values()), kept.drop(columns=DATE)],
                           ignore_index=True)
    words = {CRITERIA[name].requires: short for name, short in SHORT.items()}
    words |= {SAME_ROWS: "no duplicate", "rows=100..100000": "100 to 100,000 rows"}
    funnel = suite_funnel(suite)
    out = [(d.dataset, d.criterion, d.why) for d in suite.decisions if not d.keep]
    return Study({
        "classic_funnel": funnel.assign(words=funnel["step"].map(words).fillna(funnel["step"]),
                                        by=funnel["by"].replace("", "nobody yet")),
        "classic_decisions": pd.DataFrame(out, columns=["dataset", "criterion", "why"]),
        "duplicates": duplicates}, suite=suite, computed_on=str(kept[DATE].iloc[0]))


@cache
def local_datasets() -> dict[str, Dataset]:
    """Return every dataset that comes with KEEL's package and scikit-learn, by its spec."""
    specs = [f"{origin}:{name}" for origin in ORIGINS for name in list_datasets(origin)]
    return {spec: load_dataset(spec) for spec in specs}


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
    said = {d.dataset: CRITERIA[d.criterion].requires if d.criterion != DUPLICATE else SAME_ROWS
            for d in suite.decisions if not d.keep}
    steps = [(CRITERIA[n].requires, PROGRAM) for n in automatic]
    steps = [(str(f), PROGRAM) for f in parse_filters(suite.filters)] + steps
    steps += [(why, PERSON) for why in dict.fromkeys(said.values())]
    why = table["why"].where(table["why"] != "", table["dataset"].map(said).fillna(""))
    rows, left = [("all candidates", "", 0, len(table))], len(table)
    for step, by in steps:
        left -= (gone := int((why == step).sum()))
        rows.append((step, by, gone, left))
    return pd.DataFrame(rows, columns=["step", "by", "left_out", "left"])


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


KEPT = {"suites_duplicates_pmlb": pmlb_duplicates}


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, funnel = Facts(), study.tables["classic_funnel"]
    rows.add("candidates", int(funnel["left"].iloc[0]))
    rows.add("passed", int(funnel.loc[funnel["by"] == PROGRAM, "left"].iloc[-1]))
    rows.add("members", len(study.suite.tasks))
    rows.add("pairs", len(study.tables["duplicates"]),
             note="pairs of datasets that share their rows")
    rows.add("pmlb_date", study.computed_on)
    return rows.table()


chapter = Chapter(
    "suites", compute, facts,
    charts={"funnel": Chart(
        "classic_funnel", "dots", "left", "words", "datasets left", by="by", height=3.8,
        title="A person left out more than a program did")},
    shown={"decisions": lambda study: study.tables["classic_decisions"].drop_duplicates("why")[
        ["dataset", "why"]].head(10)})
