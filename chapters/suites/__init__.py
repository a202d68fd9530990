"""How is a benchmark suite made? Our own, ``classic``, from the first filter on."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import pandas as pd

from analysis.drawing.chart import Chart
from analysis.published.computed import DATE, NotAtHandError, compute_or_recall
from chapters.chapter import Chapter
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


@dataclass(frozen=True, eq=False)
class Study:
    """What the chapter shows.

    Attributes
    ----------
    suite : Suite
    funnel : pandas.DataFrame
        From `suite_funnel`.
    duplicates : pandas.DataFrame
        Pairs that share their rows, from `find_duplicates`: of KEEL's and scikit-learn's datasets,
        and of PMLBmini's.
    computed_on : str
        When the pairs of PMLBmini's were found.
    """

    suite: Suite
    funnel: pd.DataFrame
    duplicates: pd.DataFrame
    computed_on: str

    @property
    def decisions(self) -> pd.DataFrame:
        """Return what a person left out: ``dataset, criterion, why``."""
        out = [(d.dataset, d.criterion, d.why) for d in self.suite.decisions if not d.keep]
        return pd.DataFrame(out, columns=["dataset", "criterion", "why"])


def compute() -> Study:
    """Return what the chapter shows of the suite ``classic``."""
    suite = find_suite("classic")
    kept = compute_or_recall("suites_duplicates_pmlb", pmlb_duplicates)
    duplicates = pd.concat([find_duplicates(local_datasets().values()), kept.drop(columns=DATE)],
                           ignore_index=True)
    return Study(suite, suite_funnel(suite), duplicates, str(kept[DATE].iloc[0]))


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


def tables(study: Study) -> Mapping[str, pd.DataFrame]:
    """Return the chapter's tables; the funnel's steps with the words of a figure."""
    words = {CRITERIA[name].requires: short for name, short in SHORT.items()}
    words |= {SAME_ROWS: "no duplicate", "rows=100..100000": "100 to 100,000 rows"}
    return {"classic_funnel": study.funnel.assign(
                words=study.funnel["step"].map(words).fillna(study.funnel["step"]),
                by=study.funnel["by"].replace("", "nobody yet")),
            "classic_decisions": study.decisions, "duplicates": study.duplicates}


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, funnel = Facts(), study.funnel
    rows.add("candidates", int(funnel["left"].iloc[0]))
    rows.add("passed", int(funnel.loc[funnel["by"] == PROGRAM, "left"].iloc[-1]))
    rows.add("members", len(study.suite.tasks))
    rows.add("pairs", len(study.duplicates), note="pairs of datasets that share their rows")
    rows.add("pmlb_date", study.computed_on)
    return rows.table()


chapter = Chapter(
    "suites", compute, tables, facts,
    charts={"funnel": Chart(
        "classic_funnel", "dots", "left", "words", "datasets left", by="by", height=3.8,
        title="A person left out more than a program did")},
    shown={"decisions": lambda study: study.decisions[["dataset", "why"]].drop_duplicates(
        "why").head(10)})
