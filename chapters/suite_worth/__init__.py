"""How many tasks does a benchmark need? How far rankings hang on which tasks were drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
from scipy.stats import norm, rankdata, wilcoxon

from analysis.databases.scores import AMLB, amlb_scores, lcdb10_scores, study_scores
from analysis.drawing.chart import Chart
from analysis.leaderboards.measures import task_ranks
from analysis.leaderboards.tables import task_families
from analysis.published.computed import DATE, compute_or_recall
from analysis.statistics.bootstrap import percentile_interval
from analysis.statistics.families import families
from analysis.statistics.summary import TIE
from chapters.chapter import Chapter
from chapters.facts import Facts

# --- How far a ranking of methods depends on which tasks happen to be in the suite.
# Two disjoint suites of the same size are drawn from all tasks of a study, and each ranks the
# methods by their mean rank. How well the two agree is the split-half reliability of a suite of
# that size; how often they order a pair of methods differently is the probability of a swap.

SIZES = (2, 3, 5, 7, 10, 14, 20, 30, 44, 60, 72, 98)
DRAWS = 1000
ALPHA = 0.05
FEWEST = 6  # tasks without which a test of signed ranks tells nobody apart
WINS = (0, 50, 55, 60, 65, 70, 80, 90, 100)  # percent: bands of how often the better one wins


def suite_stability(ranks: pd.DataFrame, source: str, sizes: tuple[int, ...] = SIZES,
                    draws: int = DRAWS, seed: int = 0) -> pd.DataFrame:
    """Return how well two suites of the same size agree, for several sizes.

    Parameters
    ----------
    ranks : pandas.DataFrame
        From `analysis.leaderboards.measures.task_ranks`.
    source : str
        Name of the study, for the column of that name.
    sizes : tuple of int
        Numbers of tasks; those above half of the tasks there are, which leave no second suite, are
        left out, and half of them is added.
    draws, seed : int
        Pairs of suites drawn for each size, and the seed.

    Returns
    -------
    pandas.DataFrame
        ``source``; ``n_tasks`` of each suite; ``reliability``, the mean over draws of Spearman's
        correlation between the two orders of the methods' mean ranks; ``low`` and ``high``, between
        which 95 % of the draws fall; ``swap_probability``, the share of pairs of methods that the
        two suites order differently (equal in one of them: half).
    """
    values, half = ranks.to_numpy(float), len(ranks) // 2
    rows = []
    for size in sorted({*(s for s in sizes if s <= half), half}):
        one, two = _means_of_two_suites(values, size, draws, seed)
        agreement = _spearman(one, two)
        low, high = percentile_interval(agreement[:, None])
        rows.append((source, size, agreement.mean(), low[0], high[0], _swaps(one, two).mean()))
    return pd.DataFrame(rows, columns=["source", "n_tasks", "reliability", "low", "high",
                                       "swap_probability"])


def _means_of_two_suites(values: np.ndarray, size: int, draws: int,
                         seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the methods' mean ranks on two disjoint suites, each of shape (draws, methods)."""
    rng = np.random.default_rng([seed, size])
    order = rng.random((draws, len(values))).argsort(axis=1)
    return tuple(values[order[:, k * size:(k + 1) * size]].mean(axis=1) for k in (0, 1))


def _spearman(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Return Spearman's correlation of each row of `one` with that of `two`; 0 if all are equal."""
    a, b = (rankdata(x, axis=1) for x in (one, two))
    a, b = (x - x.mean(axis=1, keepdims=True) for x in (a, b))
    scale = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    return np.divide((a * b).sum(axis=1), scale, out=np.zeros(len(a)), where=scale > 0)


def _swaps(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Return the share of pairs in another order, per draw."""
    i, j = np.triu_indices(one.shape[1], k=1)
    a, b = (np.sign(np.round(x[:, i] - x[:, j], 9)) for x in (one, two))
    return np.abs(a - b).mean(axis=1) / 2


def claim_worth(ranks: pd.DataFrame, source: str, sizes: tuple[int, ...] = (10, 44, 72),
                draws: int = 200, seed: int = 0) -> pd.DataFrame:
    """Return how often 'A beats B on this suite' does not hold on another suite of the same size.

    Parameters
    ----------
    ranks : pandas.DataFrame
        From `task_ranks`.
    source : str
        Name of the study.
    sizes : tuple of int
        Numbers of tasks; those above half of the tasks are left out.
    draws, seed : int
        Pairs of suites drawn, and the seed.

    Returns
    -------
    pandas.DataFrame
        A row per size and claim: ``claim`` is ``any`` (A's mean rank is better), ``significant``
        or ``not significant`` (Wilcoxon's signed-rank test of the two methods' ranks on the tasks,
        two-sided, at 0.05, not corrected for the number of pairs). ``share`` of all claims,
        ``reversed``: the share of these claims in which B beats A on the other suite.
    """
    values, rows = ranks.to_numpy(float), []
    i, j = np.triu_indices(values.shape[1], k=1)
    for size in (s for s in sizes if s <= len(values) // 2):
        rng = np.random.default_rng([seed, size])
        order = rng.random((draws, len(values))).argsort(axis=1)
        first, second = values[order[:, :size]], values[order[:, size:2 * size]]
        claim, check = (np.sign(np.round((x.mean(axis=1)[:, i] - x.mean(axis=1)[:, j]), 9))
                        for x in (first, second))
        sure = _significant(first[:, :, i] - first[:, :, j]) & (claim != 0)
        for name, which in (("any", claim != 0), ("significant", sure),
                            ("not significant", ~sure & (claim != 0))):
            rows.append((source, size, name, which.mean(),
                         (claim * check < 0)[which].mean() if which.any() else np.nan))
    return pd.DataFrame(rows, columns=["source", "n_tasks", "claim", "share", "reversed"])


def _significant(differences: np.ndarray) -> np.ndarray:
    """Tell which differences, along the middle axis, are not 0 by Wilcoxon's test."""
    moved = np.where(differences == 0, TIE, differences)  # all equal: no test, and no difference
    p = wilcoxon(moved, axis=1, method="approx", zero_method="zsplit").pvalue
    return (p < ALPHA) & (differences != 0).any(axis=1)


def pair_needs(ranks: pd.DataFrame, source: str, power: float = 0.8,
               family: Sequence[str] | None = None) -> pd.DataFrame:
    """Return how many tasks it takes to tell each two methods apart.

    Parameters
    ----------
    ranks : pandas.DataFrame
        From `analysis.leaderboards.measures.task_ranks`.
    source : str
        Name of the study.
    power : float
        Chance with which a test of this pair alone, at 0.05, is to tell them apart.
    family : sequence of str, optional
        Of each task; by default `analysis.statistics.families` of the tasks' labels as datasets.

    Returns
    -------
    pandas.DataFrame
        A row per pair, the better one as ``one``: ``source, one, other``; ``wins``, on what share
        of the tasks it has the better rank (equal: half); ``effect``, the mean difference of ranks
        in standard deviations; ``tasks``, families of tasks as these that are needed (normal
        approximation, at least six; infinite without an effect); ``n_families`` there are.
        Near-duplicate tasks count as one, with their mean.
    """
    family = families(ranks.index) if family is None else np.asarray(family, object)
    of_family = ranks.groupby(family).mean()
    quantiles = norm.isf(ALPHA / 2) + norm.ppf(power)
    rows = []
    for one, other in combinations(of_family.mean().sort_values(kind="stable").index, 2):
        gap = (of_family[other] - of_family[one]).to_numpy()
        effect = gap.mean() / max(gap.std(ddof=1), TIE)
        tasks = max(np.ceil((quantiles / effect) ** 2), FEWEST) if effect > TIE else np.inf
        wins = (gap > TIE).mean() + (np.abs(gap) <= TIE).mean() / 2
        rows.append((source, one, other, wins, effect, tasks, len(gap)))
    return pd.DataFrame(rows, columns=["source", "one", "other", "wins", "effect", "tasks",
                                       "n_families"])


def needs_by_wins(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the tasks that pairs need by how often the better one wins.

    Parameters
    ----------
    pairs : pandas.DataFrame
        From `pair_needs`, of one study or several.

    Returns
    -------
    pandas.DataFrame
        ``wins`` (a band of percent), ``pairs``, and the ``median``, ``lower_quartile`` and
        ``upper_quartile`` of the tasks needed; bands without a pair are left out.
    """
    labels = [f"{low} to {high} %" for low, high in pairwise(WINS)]
    band = pd.cut(100 * pairs["wins"], WINS, labels=labels, include_lowest=True)
    found = pairs["tasks"].groupby(band, observed=True)
    ends = {name: partial(pd.Series.quantile, q=q, interpolation="lower")
            for name, q in (("lower_quartile", 0.25), ("upper_quartile", 0.75))}
    return found.agg(pairs="size", median="median", **ends).reset_index()

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


def _amlb_pairs() -> pd.DataFrame:
    """Return what pairs of systems need; OpenML's numbers are of tasks, not of datasets."""
    ranks = _amlb_ranks()
    known = task_families(ranks.index, "automl_2022")
    return pair_needs(ranks, AMLB, family=[known[str(task)] for task in ranks.index])


def _amlb_stability() -> pd.DataFrame:
    """Return how stable the order of all systems is, and that of the leaders among themselves."""
    scores, systems = amlb_scores(), amlb_systems()
    leaders = scores[scores["method"].isin(systems.loc[systems["leader"], "method"])]
    return pd.concat([suite_stability(_amlb_ranks(), AMLB),
                      suite_stability(task_ranks(leaders), CLOSE)], ignore_index=True)


KEPT = {
    "suites_amlb_systems": amlb_systems,
    "suites_amlb_stability": _amlb_stability,
    "suites_amlb_claims": lambda: claim_worth(_amlb_ranks(), AMLB),
    "suites_amlb_pairs": _amlb_pairs,
}


@dataclass(frozen=True, eq=False)
class Study:
    """What the chapter shows.

    Attributes
    ----------
    stability, claims, pairs : pandas.DataFrame
        From `suite_stability`, `claim_worth` and `pair_needs`, of all studies.
    systems : pandas.DataFrame
        From `amlb_systems`.
    computed_on : str
        When the kept part was computed.
    """

    stability: pd.DataFrame
    claims: pd.DataFrame
    pairs: pd.DataFrame
    systems: pd.DataFrame
    computed_on: str


def compute() -> Study:
    """Return what the chapter shows; the AutoML benchmark's part is kept."""
    ranks = {LCDB10: task_ranks(lcdb10_scores()), CLASSIC: task_ranks(study_scores())}
    kept = {name: compute_or_recall(name, compute) for name, compute in KEPT.items()}
    found = [pd.concat([*(t for source, r in ranks.items() if len(t := compute(r, source))),
                        kept[f"suites_amlb_{name}"].drop(columns=DATE)], ignore_index=True)
             for name, compute in (("stability", suite_stability),
                                   ("claims", claim_worth),
                                   ("pairs", pair_needs))]
    return Study(*found, kept["suites_amlb_systems"].drop(columns=DATE),
                 str(kept["suites_amlb_stability"][DATE].iloc[0]))


def tables(study: Study) -> Mapping[str, pd.DataFrame]:
    """Return the chapter's tables; claims with what they are of in words, for a figure."""
    return {"stability": study.stability, "pairs": study.pairs, "systems": study.systems,
            "claims": study.claims.assign(of=[f"{r.source}, {r.n_tasks} tasks" for r in
                                              study.claims.itertuples()])}


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows = Facts()
    rows.add("draws", DRAWS, note="pairs of suites, for each size")
    rows.add("amlb_date", study.computed_on)
    of_all = study.stability[study.stability["source"] != CLOSE]
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
        rows.add(f"{key}_reliability", last["reliability"], last["low"], last["high"], digits=2,
                 note="with that many; 95 % of draws")
    against = study.claims[study.claims["n_tasks"] == 44].groupby("claim")["reversed"]
    for name, key in (("significant", "sure"), ("not significant", "unsure")):
        rows.add(f"{key}_least", 100 * against.min()[name],
                 note=f"% of {name} claims that another suite of 44 tasks reverses")
        rows.add(f"{key}_most", 100 * against.max()[name], unit="%", note="the same, at most")
    every, close = (study.stability[study.stability["source"] == s].set_index("n_tasks")
                    for s in (AMLB, CLOSE))
    for key, table in (("amlb", every), ("leaders", close)):
        row = table.loc[10]
        rows.add(f"{key}_reliability_10", row["reliability"], row["low"], row["high"], digits=2,
                 note="ten tasks; 95 % of draws")
    rows.add("outsiders", " and ".join(study.systems.loc[~study.systems["leader"], "method"]))
    rows.add("amlb_tasks", int(study.systems["tasks"].max()))
    bands = needs_by_wins(study.pairs).set_index("wins")["median"]
    for low, high in ((55, 60), (70, 80)):
        rows.add(f"needs_{low}", bands[f"{low} to {high} %"], note=f"tasks, {low} to {high} % won")
    rows.add("pairs", len(study.pairs), note="of methods, in the three studies")
    return rows.table()


chapter = Chapter(
    "suite_worth", compute, tables, facts,
    charts={
        "swaps": Chart(
            "stability", "lines", "n_tasks", "swap_probability", "tasks in each of two suites",
            "pairs in another order [%]", by="source", low="", high="", log="x", percent=True,
            height=3.4, title="Ten tasks put many pairs of methods in another order"),
        "claims": Chart(
            "claims", "dots", "reversed", "of", "reversed by another suite [% of claims]",
            by="claim", keep="claim != 'any' and n_tasks < 50", percent=True,
            title="Significant differences seldom turn round")},
    shown={"needs": lambda study: needs_by_wins(study.pairs).rename(
        columns=lambda c: c.replace("_", " "))})
