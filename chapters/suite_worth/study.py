"""What a suite is worth in three studies, and the chapter's facts."""

from dataclasses import dataclass

import pandas as pd

from analysis.databases.naming import dataset_title
from analysis.databases.scores import AMLB, amlb_scores, lcdb10_scores, study_scores
from analysis.leaderboards.measures import task_ranks
from analysis.leaderboards.tables import task_families
from analysis.published.computed import DATE, compute_or_recall
from chapters.facts import Facts
from chapters.suite_worth import stability as measured

TOLD = 0.95  # reliability that is asked for
LCDB10, CLASSIC = "LCDB 1.0", "classic"
CLOSE = "AutoML benchmark, its leaders"
OUTSIDERS = 2  # systems that are left out of the leaders: those with the worst mean ranks
KEYS = {LCDB10: "lcdb10", CLASSIC: "classic", AMLB: "amlb"}  # in the names of facts


def amlb_systems() -> pd.DataFrame:
    """Return the AutoML benchmark's systems, the best mean rank first.

    Returns
    -------
    pandas.DataFrame
        ``method, rank`` (mean over tasks), ``seconds`` (of training, the median over tasks and
        folds), ``leader`` (whether it is not among the `OUTSIDERS` worst).
    """
    scores = amlb_scores()
    found = pd.DataFrame({"rank": task_ranks(scores).mean(),
                          "seconds": scores.groupby("method")["seconds"].median()})
    found = found.rename_axis("method").sort_values("rank", kind="stable").reset_index()
    return found.assign(leader=found.index < len(found) - OUTSIDERS)


def _amlb_ranks() -> pd.DataFrame:
    return task_ranks(amlb_scores())


def _amlb_pairs() -> pd.DataFrame:
    """Return what pairs of systems need; OpenML's numbers are of tasks, not of datasets."""
    ranks = _amlb_ranks()
    known = task_families(ranks.index, "automl_2022")
    return measured.pair_needs(ranks, AMLB, family=[known[str(task)] for task in ranks.index])


def _amlb_stability() -> pd.DataFrame:
    """Return how stable the order of all systems is, and that of the leaders among themselves."""
    scores, systems = amlb_scores(), amlb_systems()
    leaders = scores[scores["method"].isin(systems.loc[systems["leader"], "method"])]
    return pd.concat([measured.suite_stability(_amlb_ranks(), AMLB),
                      measured.suite_stability(task_ranks(leaders), CLOSE)], ignore_index=True)


KEPT = {
    "suites_amlb_systems": amlb_systems,
    "suites_amlb_stability": _amlb_stability,
    "suites_amlb_claims": lambda: measured.claim_worth(_amlb_ranks(), AMLB),
    "suites_amlb_tasks": lambda: measured.carrying_tasks(_amlb_ranks(), AMLB),
    "suites_amlb_pairs": _amlb_pairs,
}


@dataclass(frozen=True, eq=False)
class Study:
    """What the chapter shows.

    Attributes
    ----------
    stability, claims, tasks, pairs : pandas.DataFrame
        From `suite_stability`, `claim_worth`, `carrying_tasks` and `pair_needs`, of all studies.
    systems : pandas.DataFrame
        From `amlb_systems`.
    computed_on : str
        When the kept part was computed.
    """

    stability: pd.DataFrame
    claims: pd.DataFrame
    tasks: pd.DataFrame
    pairs: pd.DataFrame
    systems: pd.DataFrame
    computed_on: str


def study() -> Study:
    """Return what the chapter shows; the AutoML benchmark's part is kept."""
    ranks = {LCDB10: task_ranks(lcdb10_scores()), CLASSIC: task_ranks(study_scores())}
    kept = {name: compute_or_recall(name, compute) for name, compute in KEPT.items()}
    tables = [
        pd.concat([*(t for source, r in ranks.items() if len(t := compute(r, source))),
                   kept[f"suites_amlb_{name}"].drop(columns=DATE)], ignore_index=True)
        for name, compute in (("stability", measured.suite_stability),
                              ("claims", measured.claim_worth), ("tasks", measured.carrying_tasks),
                              ("pairs", measured.pair_needs))]
    systems = kept["suites_amlb_systems"].drop(columns=DATE)
    return Study(*tables, systems, str(kept["suites_amlb_stability"][DATE].iloc[0]))


def weakest_tasks(tasks: pd.DataFrame, least: int = 3) -> pd.DataFrame:
    """Return the tasks of each study that agree least with the rest, named as on a page."""
    weakest = tasks.groupby("source", sort=False).tail(least)
    names = [dataset_title(int(task)) if source == LCDB10 else str(task)
             for source, task in zip(weakest["source"], weakest["task"], strict=True)]
    return weakest.assign(task=names, pairs_moved=weakest["pairs_moved"].map("{:g}".format)
                          ).rename(columns={"pairs_moved": "pairs moved"})


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows = Facts()
    rows.add("draws", measured.DRAWS, note="pairs of suites, for each size")
    rows.add("amlb_date", study.computed_on)
    rows.add("told", TOLD, digits=2, note="reliability that is asked for")
    by_task = study.tasks.groupby("source", sort=False)
    for source, key in KEYS.items():
        rows.add(f"{key}_tasks", int(by_task.size()[source]))
        rows.add(f"{key}_weak", int((by_task.get_group(source)["agreement"] <= 0).sum()),
                 note="tasks whose agreement with the rest is 0 or less")
        rows.add(f"{key}_moved", float(by_task["pairs_moved"].max()[source]),
                 note="pairs that one task moves, at most")
        _add_sizes(rows, study.stability[study.stability["source"] == source], key)
    of_all = study.stability[study.stability["source"].isin(KEYS)]
    ten = of_all.loc[of_all["n_tasks"] == 10, "swap_probability"]
    rows.add("swaps_least", 100 * ten.min(), note="% of pairs in another order, ten tasks")
    rows.add("swaps_most", 100 * ten.max(), unit="%", note="the same, the study with most")
    against = study.claims[study.claims["n_tasks"] == 44].groupby("claim")["reversed"]
    for name, key in (("significant", "sure"), ("not significant", "unsure")):
        rows.add(f"{key}_least", 100 * against.min()[name],
                 note=f"% of {name} claims that another suite of 44 tasks reverses")
        rows.add(f"{key}_most", 100 * against.max()[name], unit="%", note="the same, at most")
    _add_leaders(rows, study)
    _add_needs(rows, study.pairs)
    return rows.table()


def _add_needs(rows: Facts, pairs: pd.DataFrame) -> None:
    """Add the tasks that a pair needs, by how often the better one wins."""
    bands = measured.needs_by_wins(pairs).set_index("wins")["median"]
    for low, high in ((55, 60), (60, 65), (70, 80)):
        rows.add(f"needs_{low}", bands[f"{low} to {high} %"], note=f"tasks, {low} to {high} % won")
    rows.add("pairs", len(pairs), note="of methods, in the three studies")
    for source, key in KEYS.items():
        here = pairs[pairs["source"] == source]
        rows.add(f"{key}_told_44", 100 * (here["tasks"] <= 44).mean(), unit="%", n=len(here),
                 note="of the pairs need at most 44 tasks")


def _add_leaders(rows: Facts, study: Study) -> None:
    """Add what is left of the AutoML benchmark's reliability without its outsiders."""
    every, close = (study.stability[study.stability["source"] == s].set_index("n_tasks")[
        "reliability"] for s in (AMLB, CLOSE))
    for size in (10, every.index.max()):
        rows.update({f"amlb_reliability_{size}": every[size],
                     f"leaders_reliability_{size}": close[size]}, digits=2)
    rows.add("outsiders", " and ".join(study.systems.loc[~study.systems["leader"], "method"]))
    of_gluon = study.systems[study.systems["method"].str.startswith("AutoGluon")]
    for row in of_gluon.itertuples():
        rows.add("seconds_" + ("four_hours" if "4 h" in row.method else "one_hour"), row.seconds,
                 unit="s", digits=0 if row.seconds >= 10 else 1, note="median training time")


def _add_sizes(rows: Facts, stability: pd.DataFrame, key: str) -> None:
    """Add swaps by size, and how many tasks are enough or the most there are."""
    for row in stability[stability["n_tasks"].isin((10, 44, 72))].itertuples():
        rows.add(f"{key}_swaps_{row.n_tasks}", 100 * row.swap_probability, unit="%")
    enough = stability.loc[stability["reliability"] >= TOLD, "n_tasks"]
    last = stability.iloc[-1]
    rows.add(f"{key}_largest", int(last["n_tasks"]), note="half of the tasks there are")
    rows.add(f"{key}_reliability", last["reliability"], digits=2, note="with that many")
    rows.add(f"{key}_enough", int(enough.min()) if len(enough) else "more than there are",
             note=f"tasks, the fewest tried that reach a reliability of {TOLD}")
    short = stability.loc[stability["reliability"] < TOLD, "n_tasks"]
    rows.add(f"{key}_too_few", int(short.max()) if len(short) else 0,
             note="tasks, the most tried that do not")
