"""How many tasks does a benchmark need? How far rankings hang on which tasks were drawn."""

import pandas as pd

from analysis.drawing.chart import Chart
from analysis.published.computed import DATE, compute_or_recall
from analysis.statistics.families import families
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from chapters.suite_worth import stability as measured
from chapters.suite_worth.stability import task_ranks
from lab.scores import AMLB, amlb_scores, lcdb10_scores, study_scores

TOLD = 0.95  # reliability that is asked for
LCDB10, CLASSIC = "LCDB 1.0", "classic"
CLOSE = "AutoML benchmark, its leaders"
OUTSIDERS = 2  # systems that are left out of the leaders: those with the worst mean ranks


def amlb_systems() -> pd.DataFrame:
    """Return the AutoML benchmark's systems, the best mean rank first.

    Returns
    -------
    pandas.DataFrame
        ``method, rank`` (mean over tasks), ``tasks`` (how many), ``leader`` (whether it is not
        among the `OUTSIDERS` worst).
    """
    ranks = _amlb_ranks()
    found = ranks.mean().sort_values(kind="stable").rename_axis("method").rename("rank")
    return found.reset_index().assign(tasks=len(ranks),
                                      leader=[k < len(found) - OUTSIDERS for k in
                                              range(len(found))])


def _amlb_ranks() -> pd.DataFrame:
    return task_ranks(amlb_scores())


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
}


def compute() -> Study:
    """Return what the chapter shows; the AutoML benchmark's part is kept.

    Returns
    -------
    Study
        ``stability, claims``: from `suite_stability` and `claim_worth`, of all studies.
        ``systems``: from `amlb_systems`. ``computed_on`` (str): when the kept part was computed.
    """
    ranks = {name: (own := task_ranks(scores)).groupby(families(own.index)).mean()
             for name, scores in ((LCDB10, lcdb10_scores()), (CLASSIC, study_scores()))}
    kept = {name: compute_or_recall(name, compute) for name, compute in KEPT.items()}
    found = [pd.concat([*(t for source, r in ranks.items() if len(t := compute(r, source))),
                        kept[f"suites_amlb_{name}"].drop(columns=DATE)], ignore_index=True)
             for name, compute in (("stability", measured.suite_stability),
                                   ("claims", measured.claim_worth))]
    stability, claims = found
    return Study(
        {"stability": stability, "systems": kept["suites_amlb_systems"].drop(columns=DATE),
         "claims": claims.assign(of=[f"{r.source}, {r.n_tasks} tasks" for r in
                                     claims.itertuples()])},
        computed_on=str(kept["suites_amlb_stability"][DATE].iloc[0]))


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, made = Facts(), study.tables
    rows.add("draws", measured.DRAWS, note="pairs of suites, for each size")
    rows.add("amlb_date", study.computed_on)
    of_all = made["stability"].query("source != @CLOSE")
    swaps = 100 * of_all.loc[of_all["n_tasks"] == 10, "swap_probability"]
    rows.add("swaps_10_least", swaps.min(), unit="%", note="of pairs in another order, ten tasks")
    rows.add("swaps_10_most", swaps.max(), unit="%", note="the same, most of a study")
    by_source = dict(list(of_all.groupby("source")))
    reached = by_source[LCDB10]["reliability"] >= TOLD
    rows.add("lcdb10_enough", int(by_source[LCDB10].loc[reached, "n_tasks"].min()),
             note=f"tasks, the fewest tried that reach a reliability of {TOLD}")
    rows.add("lcdb10_too_few", int(by_source[LCDB10].loc[~reached, "n_tasks"].max()),
             note="tasks, the most tried that do not")
    for source, key in ((CLASSIC, "classic"), (AMLB, "amlb")):
        last = by_source[source].iloc[-1]
        rows.add(f"{key}_largest", int(last["n_tasks"]), note="half of the tasks there are")
        rows.row(f"{key}_reliability", last, "reliability", digits=2,
                 note="with that many; 95 % of draws")
    against = made["claims"].query("n_tasks == 44").groupby("claim")["reversed"]
    for name, key in (("significant", "sure"), ("not significant", "unsure")):
        rows.add(f"{key}_least", 100 * against.min()[name],
                 note=f"% of {name} claims that another suite of 44 tasks reverses")
        rows.add(f"{key}_most", 100 * against.max()[name], unit="%", note="the same, at most")
    of_ten = made["stability"].query("n_tasks == 10").set_index("source")
    for key, source in (("amlb", AMLB), ("leaders", CLOSE)):
        rows.row(f"{key}_reliability_10", of_ten.loc[source], "reliability", digits=2,
                 note="ten tasks; 95 % of draws")
    last = made["systems"].query("not leader")
    rows.add("outsiders", " and ".join(last["method"]))
    rows.add("amlb_tasks", int(made["systems"]["tasks"].max()))
    return rows.table()


chapter = Chapter(
    "suite_worth", compute, facts,
    charts={
        "swaps": Chart(
            "stability", "lines", "n_tasks", "swap_probability", "tasks in each of two suites",
            "pairs in another order [%]", by="source", low="", high="", log="x", percent=True,
            height=3.4, title="Ten tasks put many pairs of methods in another order"),
        "claims": Chart(
            "claims", "dots", "reversed", "of", "reversed by another suite [% of claims]",
            by="claim", keep="claim != 'any' and n_tasks < 50", percent=True,
            title="Significant differences seldom turn round")})
