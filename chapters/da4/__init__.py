"""What crossing curves cost who chooses a learner on less data (DA4 of the paper)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from analysis import selection
from analysis.databases.chapter_data import contenders, database_title
from analysis.databases.load import load_curves
from analysis.databases.naming import learner_title
from analysis.drawing.chart import Chart
from analysis.published.computed import compute_or_recall
from analysis.published.printed import published_table
from analysis.selection import (
    PROCEDURES,
    STRATEGIES,
    Ladders,
    build_ladders,
    compare_strategies,
    cost_measure,
    halving_frame,
    summarise_strategies,
)
from analysis.selection.contest import open_contest
from analysis.selection.crossing import (
    PAIR,
    bootstrap_crossings,
    crossing_frame,
    crossing_probabilities,
)
from analysis.statistics.bootstrap import (
    mean_interval,
    percentile_interval,
    ratio_of_sums,
    resample_datasets,
)
from analysis.statistics.families import chosen_elsewhere
from analysis.statistics.summary import interval_texts
from chapters.chapter import Chapter
from chapters.facts import Facts
from chapters.sufficient import lacks_races, sufficient_database

# --- Races between learners whose curves cross little or much: what choosing on less data costs.
# And which sets of learners those are.

JOIN = "; "  # between the learners of a set, in tables
KINDS = ("least", "most")


def mean_crossing(matrix: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return the mean crossing probability within sets of learners, the diagonal included.

    Parameters
    ----------
    matrix : ndarray, shape (..., n_learners, n_learners)
    members : ndarray of int, shape (n_sets, size)
        Positions of each set's learners.

    Returns
    -------
    ndarray, shape (..., n_sets)
        NaN where a pair of the set could be compared on no dataset.
    """
    either_way = matrix + np.swapaxes(matrix, -1, -2)
    size = members.shape[1]
    total = np.zeros((*matrix.shape[:-2], len(members)))
    for i, j in combinations(range(size), 2):
        total += either_way[..., members[:, i], members[:, j]]
    return total / size**2


def every_set(cases: xr.Dataset, size: int = 5) -> np.ndarray:
    """Return all sets of learners of a size, as positions, shape (n_sets, size).

    Raises
    ------
    ValueError
        If `size` is below 2 or above the number of learners.
    """
    n = cases.sizes["learner_a"]
    if not 2 <= size <= n:
        raise ValueError(f"size is {size}; choose between 2 and {n} learners.")
    return np.array(list(combinations(range(n), size)))


def extreme_sets(cases: xr.Dataset, members: np.ndarray) -> dict[str, tuple[int, ...]]:
    """Return the set that crosses least and the one that crosses most, by `KINDS`.

    Parameters
    ----------
    cases : xarray.Dataset
        From `analysis.selection.crossing.crossings`, of the datasets that are to choose.
    members : ndarray of int, shape (n_sets, size)
    """
    scores = mean_crossing(crossing_probabilities(cases)["crosses"].values, members)
    known = np.flatnonzero(~np.isnan(scores))
    at = known[scores[known].argmin()], known[scores[known].argmax()]
    return {kind: tuple(members[k].tolist()) for kind, k in zip(KINDS, at, strict=True)}


def learner_subsets(cases: xr.Dataset, database: str, size: int = 5, top: int = 5, seed: int = 0,
                    n_resamples: int = 1000) -> pd.DataFrame:
    """Find the sets of learners that cross least and most, among all of that size.

    Parameters
    ----------
    cases : xarray.Dataset
        What `crossings` returns.
    database : str
        Its name, for the table.
    size : int
        Learners per set.
    top : int
        How many sets of each kind.
    seed, n_resamples : int
        Of the bootstrap over datasets.

    Returns
    -------
    pandas.DataFrame
        Columns: database, rule, kind (of `KINDS`), place (1 is the extreme), learners (joined by
        "; "), probability (mean over the size × size pairs, the diagonal included, as published),
        low and high (95 % percentile interval for the set as found: choosing the extreme set is
        not part of what is resampled).
    """
    learners, members = cases["learner_a"].values, every_set(cases, size)
    scores = mean_crossing(crossing_probabilities(cases)["crosses"].values, members)
    order = np.argsort(scores, kind="stable")  # NaN last
    order = order[~np.isnan(scores[order])]
    samples = bootstrap_crossings(cases, seed, n_resamples)
    parts = []
    for kind, chosen in zip(KINDS, (order[:top], order[::-1][:top]), strict=True):
        low, high = percentile_interval(mean_crossing(samples, members[chosen]))
        parts.append(pd.DataFrame({
            "database": database, "rule": cases.attrs["rule"], "kind": kind,
            "place": np.arange(1, len(chosen) + 1),
            "learners": [JOIN.join(learners[m]) for m in members[chosen]],
            "probability": scores[chosen], "low": low, "high": high}))
    return pd.concat(parts, ignore_index=True)


SUMMARY = "lcdb11-summary"
REFERENCE = {"start": 16, "increase": 1.0, "dropout": 1}  # the paper's Figure 6
BASE = "full evaluation"
#: Ways of choosing that race within sets of learners, and their settings.
WAYS = {
    BASE: ("full", {}),
    "halving from 16 rows": ("halving", REFERENCE),
    "halving from 64 rows": ("halving", REFERENCE | {"start": 59}),
    "one look at half of the data": ("early", {"doublings": 1}),
    "learning-curve cross-validation": ("lccv", {"start": 64, "z": 1.0, "seed": 0}),
}
N_SETS, SIZE, HALVINGS = 120, 5, 10


def mean_regrets(ladders: Ladders, groups: Mapping[object, Sequence[str]],
                 datasets: np.ndarray) -> dict[str, np.ndarray]:
    """Run the ways of choosing on groups of learners; count nothing but regret.

    Returns
    -------
    dict of str to ndarray, shape (n_datasets, n_groups)
        Points of regret by way of choosing, means over the outer seeds; NaN where a group has no
        race.
    """
    regret = {way: [] for way in WAYS}
    for group, learners in groups.items():
        contest = open_contest(ladders, str(group), learners)
        for way, (name, params) in WAYS.items():
            chosen = STRATEGIES[name].run(contest, **params).chosen
            own = pd.Series(100 * contest.regret[contest.context, chosen])
            regret[way].append(own.groupby(contest.dataset).mean().reindex(datasets))
    return {way: np.column_stack(columns) for way, columns in regret.items()}


def race_by_halves(cases: xr.Dataset, ladders: Ladders) -> pd.DataFrame:
    """Race the five that cross least and the five that cross most on other datasets.

    Parameters
    ----------
    cases : xarray.Dataset
        From `analysis.selection.crossing.crossings`, corrected rule.
    ladders : Ladders
        Of the same curves.

    Returns
    -------
    DataFrame
        ``way``; ``kind``: "cross least", "cross most" or "difference" (most minus least);
        ``regret`` in points, the mean over ``datasets``, with its 95 % interval ``low`` to
        ``high`` over families. On each dataset the mean over `HALVINGS` random halvings
        (`analysis.statistics.families`).
    """
    datasets, members = cases["dataset"].values, every_set(cases, SIZE)
    picks = list(chosen_elsewhere(
        datasets, lambda here: extreme_sets(cases.isel(dataset=here), members), HALVINGS))
    groups = {five: cases["learner_a"].values[list(five)].tolist()
              for _, chosen in picks for five in chosen.values()}
    place = {five: k for k, five in enumerate(groups)}
    rows = []
    for way, regret in mean_regrets(ladders, groups, datasets).items():
        mean = {}
        for kind in KINDS:
            total = np.zeros(len(datasets))
            for judged, chosen in picks:
                total[judged] += regret[judged, place[chosen[kind]]]
            mean[kind] = pd.Series(total / HALVINGS)
        mean["difference"] = mean["most"] - mean["least"]
        for kind, values in mean.items():
            there = values.dropna()
            low, high = mean_interval(there, pd.Series(datasets)[there.index])
            named = kind if kind == "difference" else f"cross {kind}"
            rows.append((way, named, there.mean(), low, high, len(there)))
    return pd.DataFrame(rows, columns=["way", "kind", "regret", "low", "high", "datasets"])


def random_sets(cases: xr.Dataset, ladders: Ladders) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Regress regret on crossing over random sets of learners.

    The five that cross most are one set, peculiar in other ways too. Over many sets it shows what
    crossing itself goes with.

    Parameters
    ----------
    cases, ladders
        As in `race_by_halves`.

    Returns
    -------
    fives : DataFrame
        A row for each of `N_SETS` sets of `SIZE` learners, drawn without repetition, that raced:
        ``set`` (number), ``crossing`` (mean over the ordered pairs of two, in percent),
        ``learners``, and each way's mean regret in points, by its name in `WAYS`.
    slopes : DataFrame
        From `regret_on_crossing`.
    """
    learners, every = cases["learner_a"].values, every_set(cases, SIZE)
    members = every[np.sort(np.random.default_rng(0).choice(
        len(every), min(N_SETS, len(every)), replace=False))]
    chance = mean_crossing(crossing_probabilities(cases)["crosses"].values, members)
    members = members[~np.isnan(chance)]
    datasets = cases["dataset"].values
    regret = mean_regrets(ladders, dict(enumerate(learners[members].tolist())), datasets)
    raced = np.logical_and.reduce([np.isfinite(v).any(axis=0) for v in regret.values()])
    members, regret = members[raced], {way: v[:, raced] for way, v in regret.items()}
    pairs = SIZE / (SIZE - 1)  # `mean_crossing` counts a learner with itself
    crossing = 100 * pairs * mean_crossing(crossing_probabilities(cases)["crosses"].values, members)
    fives = pd.DataFrame({"set": range(len(members)), "crossing": crossing,
                          "learners": [JOIN.join(learners[m]) for m in members]} | {
                              way: np.nanmean(values, axis=0) for way, values in regret.items()})
    drawn = 100 * pairs * mean_crossing(bootstrap_crossings(cases), members)
    return fives, regret_on_crossing(crossing, drawn, regret, resample_datasets(datasets))


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
        families of datasets; ``explained``: percent of the variance over the sets. NaN where all
        sets cross alike.
    """
    rows = []
    for way, values in regret.items():
        extra = values if way == BASE else values - regret[BASE]
        there = np.isfinite(extra)
        filled = np.where(there, extra, 0)
        mean = ratio_of_sums(filled, there, np.ones((1, len(filled))))
        slope, share = _line(crossing[None], mean)
        low, high = percentile_interval(_line(drawn, ratio_of_sums(filled, there, times))[0])
        rows.append((way, 10 * slope[0], 10 * float(low), 10 * float(high), 100 * share[0]))
    return pd.DataFrame(rows, columns=["way", "slope", "low", "high", "explained"])


def _line(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return slope and share of explained variance along the last axis."""
    x, y = (v - v.mean(axis=-1, keepdims=True) for v in (x, y))
    both, spread = (x * y).sum(axis=-1), (x**2).sum(axis=-1)
    slope = np.divide(both, spread, out=np.full(both.shape, np.nan), where=spread > 0)
    return slope, slope * both / np.maximum((y**2).sum(axis=-1), 1e-300)


def paper_groups() -> dict[str, list[str]]:
    """Return the five learners that cross least and most, as the published notebook has them."""
    table = published_table("notebooks").query(
        "property == 'crossing_probability' and scaling == 'minmax'")
    table = table.sort_values("value", kind="stable")
    return {name: learners.split(JOIN)
            for name, learners in zip(KINDS, table["learner"], strict=True)}


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

EARLY, LATER = list(WAYS)[1:3]
#: Of the strategies' settings, those that the page shows.
SHOWN = ("full", "random", "early", "halving", "hyperband", "lccv", "forecast", "extrapolate")
HELD_BACK = ("doublings=3", "z=0.0", "dropout=0.5", "doublings=1, model", "model=MMF4",
             "model=POW2")
SMALLEST = "group == 'most' and start == 16 and increase == 0.125 and dropout == 1 and k == 2"


@dataclass(frozen=True)
class Study:
    """Crossings and races.

    Attributes
    ----------
    database, note : str
        The database that the text is about, and why not the one asked for, if so.
    scope : str
        What takes part, in words.
    crossing : DataFrame
        Every ordered pair's crossing probability by both rules, from `crossing_frame`.
    subsets : DataFrame
        The sets of five that cross least and most, from `learner_subsets`.
    halves : DataFrame
        From `race_by_halves`.
    fives, slopes : DataFrame
        From `random_sets`.
    halving : DataFrame
        The grid of Figure 20 on the two extreme sets, from `halving_frame`.
    strategies : DataFrame
        All learners, this database and mini, from `summarise_strategies`.
    published_means : DataFrame
        Halving on LCDB 1.1's means.
    """

    database: str
    note: str
    scope: str
    crossing: pd.DataFrame
    subsets: pd.DataFrame
    halves: pd.DataFrame
    fives: pd.DataFrame
    slopes: pd.DataFrame
    halving: pd.DataFrame
    strategies: pd.DataFrame
    published_means: pd.DataFrame


def compute() -> Study:
    """Find the crossings of a database, and run the races."""
    database, note = sufficient_database("lcdb10", lacks_races)
    curves = contenders(database)
    valid = curves["error_rate"].sel(split="valid", drop=True)
    cases = {rule: selection.crossing.crossings(valid, rule) for rule in ("published", "corrected")}
    subsets = learner_subsets(cases["corrected"], database)
    first = subsets[subsets["place"] == 1]
    groups = {row.kind: row.learners.split(JOIN) for row in first.itertuples()}
    ladders = build_ladders(curves)
    strategies = [summarise_strategies(compare_strategies(
        made, {"all": every["learner"].values.tolist()})) for made, every in _both(
            database, curves, ladders)]
    scope = (f"{curves.sizes['dataset']} datasets, {curves.sizes['learner']} learners, scaling "
             f"{curves.attrs['scaling']}")
    return Study(
        database, note, scope,
        pd.concat([crossing_frame(c, database) for c in cases.values()], ignore_index=True),
        subsets, race_by_halves(cases["corrected"], ladders),
        *random_sets(cases["corrected"], ladders), halving_frame(ladders, groups),
        pd.concat(strategies, ignore_index=True),
        compute_or_recall("da4_halving_lcdb11", KEPT["da4_halving_lcdb11"]))


def _both(database, curves, ladders):
    """Yield ladders and curves of the database, and of mini."""
    yield ladders, curves
    if database != "mini":
        mini = contenders("mini")
        yield build_ladders(mini), mini


def tables(study: Study) -> Mapping[str, pd.DataFrame]:
    """Return crossings, sets, races and strategies."""
    return {"crossing": study.crossing, "subsets": study.subsets, "races": study.halves,
            "random_fives": study.fives, "regret_on_crossing": study.slopes,
            "halving": study.halving, "strategies": study.strategies}


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows = Facts()
    rows.update({"title": database_title(study.database), "note": study.note, "scope": study.scope,
                 "n_sets": len(study.fives),
                 "computed_on": str(study.published_means["computed_on"].iloc[0])})
    means = study.crossing.groupby("rule")["probability"].mean()
    for rule in ("published", "corrected"):
        rows.add(f"{rule}_pairs", 200 * means[rule], unit="%",
                 note="of pairs of learners and datasets, either way")
    raced = study.halves.set_index(["way", "kind"])[["regret", "low", "high", "datasets"]]
    for start, way in (("", EARLY), ("_59", LATER)):
        for kind, key in (("cross least", "regret_least"), ("cross most", "regret_most"),
                          ("difference", "extra")):
            *values, n = raced.loc[(way, kind)]
            rows.add(f"{key}{start}", *values, digits=2, unit="points", n=int(n))
    slopes = study.slopes.set_index("way")
    for key, way in (("halving", EARLY), ("later", LATER)):
        rows.add(f"slope_{key}", *slopes.loc[way, ["slope", "low", "high"]], digits=2,
                 unit="points", n=len(study.fives),
                 note="regret for ten points more of crossing, over random sets of five")
    rows.add("explained", slopes.loc[EARLY, "explained"], unit="%")
    for key, table in (("", study.halving),
                       ("_lcdb11", study.published_means.query("procedure == 'published'"))):
        found = table.query(SMALLEST).iloc[0]
        rows.add(f"not_two{key}", *(100 - 100 * found[["top_k_rate", "top_k_high", "top_k_low"]]),
                 unit="%")
    mine = study.strategies[study.strategies["database"] == study.database]
    spent = cost_measure(study.strategies)
    at = mine.set_index(["strategy", "params"])
    for key, setting in (("look", ("early", "doublings=1")), ("everyone", ("full", ""))):
        rows.add(key, *(100 * at.loc[setting, ["regret", "regret_low", "regret_high"]]), digits=2,
                 unit="points")
    rows.add("look_cost", 100 * at.loc[("early", "doublings=1"), spent], unit="%")
    forecasts = study.strategies.query("strategy == 'forecast'").set_index("database")[spent]
    rows.add("forecast_cost", forecasts[study.database], digits=1)
    rows.add("forecast_cost_mini", forecasts["mini"], digits=1)
    rows.add("cost_word", {"seconds_share": "processor time", "rows_share": "training rows"}[spent])
    return rows.table()


def _setting(strategy: str, params: str) -> str:
    """Return a strategy and its parameters in words, without the seed."""
    shown = ", ".join(p for p in params.split(", ") if p and not p.startswith("seed="))
    return STRATEGIES[strategy].title + (f" ({shown})" if shown else "")


def _shown_strategies(study: Study) -> pd.DataFrame:
    table = study.strategies[study.strategies["strategy"].isin(SHOWN)]
    table = table[~table["params"].str.contains("|".join(HELD_BACK))]
    cost = cost_measure(table)
    shown = pd.DataFrame({
        "way of choosing": [_setting(*r) for r in table[["strategy", "params"]].to_numpy()],
        "database": table["database"].map(lambda name: database_title(name).split(",")[0]),
        "regret": interval_texts(table, "regret", "regret_low", "regret_high", 2, 100),
        "cost": table[cost].map("{:.2f}".format)})
    wide = shown.pivot(index="way of choosing", columns="database", values=["regret", "cost"])
    wide.columns = [f"{what}, {where}" for what, where in wide.columns]
    return wide.loc[shown["way of choosing"].drop_duplicates()].reset_index()


def _shown_slopes(study: Study) -> pd.DataFrame:
    slopes = study.slopes
    return pd.DataFrame({
        "way of choosing": slopes["way"],
        "points of regret": interval_texts(slopes, "slope", digits=2),
        "explained, %": slopes["explained"].map("{:.0f}".format)})


def draw_matrix(crossing: pd.DataFrame) -> Figure:
    """Draw how often each learner's curve crosses another's, by the corrected rule (Figure 19)."""
    rows = crossing[crossing["rule"] == "corrected"]
    order = rows.groupby(PAIR[0])["starts_better"].mean().sort_values(ascending=False).index
    wide = rows.pivot(index=PAIR[0], columns=PAIR[1], values="probability").loc[order, order]
    cells = wide.rename(index=learner_title, columns=learner_title).stack(future_stack=True).rename(
        "% of datasets").rename_axis(["starts", "ends"]).reset_index()
    return Chart("cells", "heat", "ends", "starts", "ends better", "starts better", height=6.1,
                 value="% of datasets", percent=True).draw({"cells": cells})


def draw_random_sets(fives: pd.DataFrame) -> Figure:
    """Draw regret beyond full evaluation's against crossing over random sets of learners."""
    rows = []
    for way in (EARLY, LATER):
        sets = pd.DataFrame({"crossing": fives["crossing"], "extra": fives[way] - fives[BASE]})
        rows.append(sets.assign(way=way, what="a set of five learners"))
        if sets["crossing"].nunique() > 1:
            line = np.poly1d(np.polyfit(sets["crossing"], sets["extra"], 1))
            ends = sets["crossing"].agg(["min", "max"])
            rows.append(pd.DataFrame({"crossing": ends, "extra": line(ends), "way": way,
                                      "what": "straight line"}))
    return Chart("rows", "points", "crossing", "extra", "ordered pairs that cross [%]",
                 "regret beyond full\nevaluation's [points]", by="what", panel="way", reference=0,
                 marks={"straight line": "-"}).draw({"rows": pd.concat(rows)})


chapter = Chapter(
    "da4", compute, tables, facts,
    charts={
        "races": Chart("races", "dots", "regret", "way", by="kind", height=2.9,
                       keep="kind != 'difference'",
                       xlabel="mean regret (points of error rate)"),
        "random": lambda study: draw_random_sets(study.fives),
        "matrix": lambda study: draw_matrix(study.crossing)},
    shown={"strategies": _shown_strategies, "regret_on_crossing": _shown_slopes})
