"""Races between learners whose curves cross little or much: what choosing on less data costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from analysis.databases.load import load_curves
from analysis.published.computed import compute_or_recall
from analysis.published.printed import published_table
from analysis.selection import (
    PROCEDURES,
    Ladders,
    build_ladders,
    compare_groups,
    compare_strategies,
    halving_frame,
    halving_regrets,
    summarise_strategies,
)
from analysis.selection.contest import open_contest
from analysis.selection.crossing import bootstrap_crossings, crossing_probabilities
from analysis.selection.registry import STRATEGIES
from analysis.statistics.bootstrap import percentile_interval, resample_datasets
from chapters.da4.crossings import CrossingStudy, mean_crossing

SUMMARY = "lcdb11-summary"
REFERENCE = {"start": 16, "increase": 1.0, "dropout": 1}  # the paper's Figure 6
NO_CURVE = 1  # test errors above are of learners without a curve
#: Strategies whose regret is regressed on how much a set of learners crosses, and their settings.
REGRESSED = {
    "full evaluation": ("full", {}),
    "successive halving from 16 rows": ("halving", REFERENCE),
    "successive halving from 64 rows": ("halving", REFERENCE | {"start": 59}),
    "one early look at half of the data": ("early", {"doublings": 1}),
    "learning-curve-based cross-validation": ("lccv", {"start": 64, "z": 1.0, "seed": 0}),
}
N_SETS, SIZE = 120, 5
BASE = "full evaluation"


@dataclass(frozen=True)
class Races:
    """What the races of all databases come to.

    Attributes
    ----------
    halving : DataFrame
        From `halving_frame`, both procedures.
    regrets : DataFrame
        Of every race of the first database under `REFERENCE`.
    strategies, extra : DataFrame
        From `summarise_strategies` and `compare_groups` ("most" against "least").
    without_curve : dict
        Group → share of the published procedure's races that choose a learner without a curve.
    published_means : DataFrame
        Halving on LCDB 1.1's means, from `halve_published_means`.
    fives, slopes : DataFrame
        From `random_sets` and `regret_on_crossing`, on the first database.
    """

    halving: pd.DataFrame
    regrets: pd.DataFrame
    strategies: pd.DataFrame
    extra: pd.DataFrame
    without_curve: dict[str, float]
    published_means: pd.DataFrame
    fives: pd.DataFrame
    slopes: pd.DataFrame


def race(studies: list[CrossingStudy]) -> Races:
    """Run all races; the first study's database is the one that the text is about."""
    ladders = {(s.database, p): build_ladders(s.curves, p) for s in studies for p in PROCEDURES}
    halving = pd.concat([
        halving_frame(ladders[s.database, p], s.groups[p], dropouts=(1, 2, 4, 0.5))
        for s in studies for p in PROCEDURES], ignore_index=True)
    main = studies[0]
    own = {p: ladders[main.database, p] for p in PROCEDURES}
    results = [compare_strategies(ladders[s.database, "corrected"], s.groups["corrected"] | {
        "all": s.curves["learner"].values.tolist()}) for s in studies]
    lost = compare_strategies(own["published"], main.groups["published"],
                              [("halving", REFERENCE)])
    lost = lost.assign(lost=lost["test_error"] > NO_CURVE).groupby("group")["lost"].mean()
    fives, slopes = random_sets(main, own["corrected"])
    return Races(
        halving, halving_regrets(own["corrected"], main.groups["corrected"], **REFERENCE),
        pd.concat([summarise_strategies(r) for r in results], ignore_index=True),
        pd.concat([compare_groups(r, "most", "least") for r in results], ignore_index=True),
        lost.to_dict(), compute_or_recall("da4_halving_lcdb11", halve_published_means),
        fives, slopes)


def random_sets(study: CrossingStudy, ladders: Ladders) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Regress regret on crossing over random sets of learners.

    The five that cross most are one set, peculiar in other ways too. Over many sets it shows what
    crossing itself goes with.

    Parameters
    ----------
    study : CrossingStudy
    ladders : Ladders
        Of the same curves, corrected procedure.

    Returns
    -------
    fives : DataFrame
        A row for each of `N_SETS` sets of `SIZE` learners, drawn without repetition: ``set``
        (number), ``learners``, ``crossing`` (mean over the ordered pairs of two, in percent), and
        each strategy's mean regret in points, by its name in `REGRESSED`.
    slopes : DataFrame
        From `regret_on_crossing`.
    """
    cases = study.cases["corrected"]
    learners = cases["learner_a"].values
    every = np.array(list(combinations(range(len(learners)), SIZE)))
    members = every[np.sort(np.random.default_rng(0).choice(
        len(every), min(N_SETS, len(every)), replace=False))]
    groups = {str(k): learners[m].tolist() for k, m in enumerate(members)}
    datasets = cases["dataset"].values
    regret = mean_regrets(ladders, groups, datasets)
    pairs = SIZE / (SIZE - 1)  # `mean_crossing` counts a learner with itself
    crossing = 100 * pairs * mean_crossing(crossing_probabilities(cases)["crosses"].values, members)
    fives = pd.DataFrame({"set": range(len(members)), "crossing": crossing, "learners": [
        "; ".join(names) for names in groups.values()]} | {
            way: np.nanmean(values, axis=0) for way, values in regret.items()})
    drawn = 100 * pairs * mean_crossing(bootstrap_crossings(cases), members)
    return fives, regret_on_crossing(crossing, drawn, regret, resample_datasets(datasets))


def mean_regrets(ladders: Ladders, groups: Mapping[str, Sequence[str]],
                 datasets: np.ndarray) -> dict[str, np.ndarray]:
    """Run the strategies of `REGRESSED` on groups of learners; count nothing but regret.

    Returns
    -------
    dict of str to ndarray, shape (n_datasets, n_groups)
        Points of regret by way of choosing, means over the outer seeds; NaN where a group has no
        race.
    """
    regret = {way: [] for way in REGRESSED}
    for group, learners in groups.items():
        contest = open_contest(ladders, group, learners)
        for way, (name, params) in REGRESSED.items():
            chosen = STRATEGIES[name].run(contest, **params).chosen
            own = pd.Series(100 * contest.regret[contest.context, chosen])
            regret[way].append(own.groupby(contest.dataset).mean().reindex(datasets))
    return {way: np.column_stack(columns) for way, columns in regret.items()}


def regret_on_crossing(crossing: np.ndarray, drawn: np.ndarray,
                       regret: Mapping[str, np.ndarray], times: np.ndarray) -> pd.DataFrame:
    """Return what ten points more of crossing go with, in a regression over sets of learners.

    Parameters
    ----------
    crossing : ndarray, shape (n_sets,)
        Percent of the ordered pairs.
    drawn : ndarray, shape (n_resamples, n_sets)
        The same in resamples of the datasets.
    regret : mapping of str to ndarray, shape (n_datasets, n_sets)
        Points, by way of choosing; NaN where a set has no race.
    times : ndarray, shape (n_resamples, n_datasets)
        How often each dataset counts in these resamples.

    Returns
    -------
    DataFrame
        ``way``; ``slope, low, high``: points of regret beyond full evaluation's (of full
        evaluation: its own) for ten points more of crossing, with a 95 % interval from resampling
        families of datasets; ``explained``: percent of the variance over the sets.
    """
    rows = []
    for way, values in regret.items():
        extra = values if way == BASE else values - regret[BASE]
        there = np.isfinite(extra)
        filled = np.where(there, extra, 0)
        again = (times @ filled) / (times @ there)
        mean = filled.sum(axis=0) / there.sum(axis=0)
        slope, share = _line(crossing[None], mean[None])
        low, high = percentile_interval(_line(drawn, again)[0])
        rows.append((way, 10 * slope[0], 10 * float(low), 10 * float(high), 100 * share[0]))
    return pd.DataFrame(rows, columns=["way", "slope", "low", "high", "explained"])


def _line(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return slope and share of explained variance along the last axis."""
    x, y = (v - v.mean(axis=-1, keepdims=True) for v in (x, y))
    both, spread = (x * y).sum(axis=-1), (x**2).sum(axis=-1)
    slope = both / spread
    return slope, slope * both / np.maximum((y**2).sum(axis=-1), 1e-300)


def paper_groups() -> dict[str, list[str]]:
    """Return the five learners that cross least and most, as the published notebook has them."""
    table = published_table("notebooks").query(
        "property == 'crossing_probability' and scaling == 'minmax'")
    table = table.sort_values("value", kind="stable")
    return {name: learners.split("; ")
            for name, learners in zip(("least", "most"), table["learner"], strict=True)}


def halve_published_means(database: str = SUMMARY) -> pd.DataFrame:
    """Run the grid of Figure 20 on mean curves of LCDB 1.1 CC-18 without scaling.

    Parameters
    ----------
    database : str
        Name or path, for `analysis.load_curves`.

    Returns
    -------
    pandas.DataFrame
        As `analysis.selection.halving_frame`, both procedures. A dataset has a single race: the
        means are over all outer and inner seeds.

    Raises
    ------
    NotAtHandError
        If the means are not at hand.
    """
    curves = load_curves(database)
    curves = curves[["error_rate"]].isel(dataset=curves["cc18"].values)
    curves = curves.sel(scaling="none", leakage="no", drop=True)
    curves = curves.expand_dims(outer=[0], inner=[0]).assign_attrs(database=database)
    return pd.concat([halving_frame(build_ladders(curves, p), paper_groups()) for p in PROCEDURES],
                     ignore_index=True)


#: What is kept for those who lack the means.
KEPT = {"da4_halving_lcdb11": halve_published_means}
