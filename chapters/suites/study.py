"""Our own suite ``classic``: how it was chosen, which datasets are the same, learners compared."""

from dataclasses import dataclass
from functools import cache

import pandas as pd

from analysis.databases.naming import learner_title
from analysis.databases.scores import study_scores
from analysis.leaderboards import Order, leaderboard, order
from analysis.published.computed import DATE, NotAtHandError, compute_or_recall
from analysis.statistics.families import families
from chapters.facts import Facts
from collection.curation.create import Candidates, choose
from collection.curation.criteria import CRITERIA
from collection.curation.duplicates import find_duplicates
from collection.curation.protocol import AUTOMATIC, DUPLICATE
from collection.curation.qualities import parse_filters
from collection.datasets import Dataset, list_datasets, load_dataset
from collection.datasets.dataset import make_dataset
from collection.paths import cache_dir
from collection.suites.specs import find_suite
from collection.suites.suite import Suite
from collection.tasks import Task

ORIGINS = ("keel", "sklearn")
NUMBERED = r"\d$|-\d"  # names of KEEL's many versions of ecoli, glass, yeast and the like


@dataclass(frozen=True, eq=False)
class Study:
    """What the chapter shows.

    Attributes
    ----------
    suite : Suite
    funnel, decisions, duplicates, scores, board : pandas.DataFrame
        From `suite_funnel`; the datasets left out by hand (``dataset, criterion, why``); pairs that
        share their rows; errors of learners on tasks; their leaderboard.
    ranks : Order
        From `analysis.leaderboards.order`, on the tasks that all learners have finished.
    """

    suite: Suite
    funnel: pd.DataFrame
    decisions: pd.DataFrame
    duplicates: pd.DataFrame
    scores: pd.DataFrame
    board: pd.DataFrame
    ranks: Order


def study(name: str = "classic") -> Study:
    """Return what the chapter shows of a suite on the shelf."""
    suite, scores = find_suite(name), study_scores()
    decisions = pd.DataFrame([(d.dataset, d.criterion, d.why) for d in suite.decisions
                              if not d.keep], columns=["dataset", "criterion", "why"])
    duplicates = pd.concat([find_duplicates(local_datasets().values()),
                            kept_pmlb_duplicates().drop(columns=DATE)], ignore_index=True)
    named = scores.assign(method=scores["method"].map(learner_title))
    board = leaderboard(scores, missing="worst").rename_axis("learner").reset_index()
    whole = named.groupby("task").filter(lambda task: task["error"].notna().all())
    ranks = order(whole.rename(columns={"error": "value"}).assign(
        lower_is_better=True, family=families(whole["task"])))
    return Study(suite, suite_funnel(suite), decisions, duplicates, scores, board, ranks)


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


@cache
def kept_pmlb_duplicates() -> pd.DataFrame:
    """Return `pmlb_duplicates`, computed where the files are at hand, else as kept."""
    name, compute = next(iter(KEPT.items()))
    return compute_or_recall(name, compute)


def telling_pairs(duplicates: pd.DataFrame) -> pd.DataFrame:
    """Leave out the pairs of which both are numbered versions of one KEEL dataset."""
    numbered = (duplicates[c].str.contains(NUMBERED) for c in ("dataset", "twin"))
    return duplicates[~(next(numbered) & next(numbered))]


def board_in_words(board: pd.DataFrame) -> pd.DataFrame:
    """Return the leaderboard's main columns, learners and columns named in words."""
    columns = ["rank", "normalized_error", "win_rate", "elo", "elo_low", "elo_high"]
    whole = {c: int for c in columns if c.startswith("elo")}
    named = board[columns].round(dict.fromkeys(whole, 0)).astype(whole).rename(
        columns=lambda c: c.replace("_", " ").replace("normalized", "normalised"))
    return named.assign(learner=board["learner"].map(learner_title))[["learner", *named]]


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, funnel, scores = Facts(), study.funnel, study.scores
    rows.add("candidates", int(funnel["left"].iloc[0]))
    rows.add("passed", int(funnel.loc[funnel["by"] == "a program", "left"].iloc[-1]))
    rows.add("members", len(study.suite.tasks))
    rows.add("pairs", len(study.duplicates), note="pairs of datasets that share their rows")
    rows.add("pmlb_date", str(kept_pmlb_duplicates()[DATE].iloc[0]))
    rows.add("tasks", scores["task"].nunique())
    rows.add("methods", scores["method"].nunique())
    slow = scores[scores["error"].isna()].groupby("method")["task"].unique()
    rows.add("slow", "; ".join(f"{learner_title(m)} on {', '.join(t)}" for m, t in slow.items())
             or "none", note="learners that took too long, and where")
    finished = scores.groupby("task")["error"].agg(lambda e: e.notna().all())
    rows.add("finished", int(finished.sum()), note="tasks that all learners have finished")
    _add_ranks(rows, study)
    return rows.table()


def _add_ranks(rows: Facts, study: Study) -> None:
    """Add who leads over all tasks and over those that all have finished, and who is level."""
    ranks, pairs = study.ranks.ranks, study.ranks.pairs
    best = ranks["method"][0]
    rows.add("best", best, note="the best mean rank where all have finished")
    rows.add("others", len(ranks) - 1)
    rows.add("level", int((pairs.loc[pairs["one"] == best, "p_adjusted"] > 0.05).sum()),
             note="learners that cannot be told apart from the best, all pairs tested at once")
    rows.add("first_of_all", learner_title(study.board.sort_values("rank",
                                                                   kind="stable")["learner"].iloc[0]))
