"""What crossing curves cost who chooses a learner on less data (DA4 of the paper)."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.databases.naming import learner_title
from analysis.databases.paper_curves import contenders, database_title
from analysis.drawing.chart import Chart
from analysis.drawing.tables import interval_texts
from analysis.published.computed import compute_or_recall
from analysis.selection import (
    STRATEGIES,
    build_ladders,
    compare_strategies,
    cost_measure,
    halving_frame,
    summarise_strategies,
)
from analysis.selection.crossing import PAIR, crossing_frame, crossings
from chapters.chapter import Chapter
from chapters.da4.races import (
    BASE,
    KEPT,
    WAYS,
    every_set,
    extreme_sets,
    race_by_halves,
    random_sets,
)
from chapters.sufficient import DatabaseStudy, lacks_races, sufficient_database

EARLY, LATER = list(WAYS)[1:3]
SMALLEST = "group == 'most' and start == 16 and increase == 0.125 and dropout == 1 and k == 2"


def compute() -> DatabaseStudy:
    """Find the crossings of a database, and run the races.

    Returns
    -------
    DatabaseStudy
        Its tables are ``crossing``, every ordered pair's probability by both rules, from
        `crossing_frame`; ``races`` from `race_by_halves`; ``random_fives, regret_on_crossing`` from
        `random_sets`; ``halving``, the grid of Figure 20 on the sets of five that cross least and
        most, from `halving_frame`; ``strategies``, all learners of this database and of mini, from
        `summarise_strategies`. ``scope`` (str): what takes part, in words. ``published_means``:
        halving on LCDB 1.1's means.
    """
    database, note = sufficient_database("lcdb10", lacks_races)
    curves = contenders(database)
    valid = curves["error_rate"].sel(split="valid", drop=True)
    cases = {rule: crossings(valid, rule) for rule in ("published", "corrected")}
    fives = extreme_sets(cases["corrected"], every_set(cases["corrected"]))
    groups = {kind: curves["learner"].values[list(five)].tolist() for kind, five in fives.items()}
    ladders = build_ladders(curves)
    raced = [(curves, ladders)]
    if database != "mini":
        mini = contenders("mini")
        raced.append((mini, build_ladders(mini)))
    strategies = [summarise_strategies(compare_strategies(
        made, {"all": every["learner"].values.tolist()})) for every, made in raced]
    scope = (f"{curves.sizes['dataset']} datasets, {curves.sizes['learner']} learners, scaling "
             f"{curves.attrs['scaling']}")
    fives, slopes = random_sets(cases["corrected"], ladders)
    tables = {
        "crossing": pd.concat([crossing_frame(c, database) for c in cases.values()],
                              ignore_index=True),
        "races": race_by_halves(cases["corrected"], ladders),
        "random_fives": fives, "regret_on_crossing": slopes,
        "halving": halving_frame(ladders, groups),
        "strategies": pd.concat(strategies, ignore_index=True)}
    return DatabaseStudy(
        database, note, tables, scope=scope,
        published_means=compute_or_recall("da4_halving_lcdb11", KEPT["da4_halving_lcdb11"]))


def facts(study: DatabaseStudy) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, tables = study.facts(), study.tables
    rows.update({"scope": study.scope, "n_sets": len(tables["random_fives"]),
                 "computed_on": str(study.published_means["computed_on"].iloc[0])})
    means = tables["crossing"].groupby("rule")["probability"].mean()
    for rule in ("published", "corrected"):
        rows.add(f"{rule}_pairs", 200 * means[rule], unit="%",
                 note="of pairs of learners and datasets, either way")
    raced = tables["races"].set_index(["way", "kind"])
    for key, way, kind in (("regret_least", EARLY, "cross least"),
                           ("regret_most", EARLY, "cross most"), ("extra", EARLY, "difference"),
                           ("extra_59", LATER, "difference")):
        rows.row(key, raced.loc[(way, kind)], "regret", n="datasets", digits=2, unit="points")
    rows.add("n_raced", int(raced.loc[(EARLY, "difference"), "datasets"]))
    slopes = tables["regret_on_crossing"].set_index("way")
    for key, way in (("halving", EARLY), ("later", LATER)):
        rows.add(f"slope_{key}", *slopes.loc[way, ["slope", "low", "high"]], digits=2,
                 unit="points", n=len(tables["random_fives"]),
                 note="regret for ten points more of crossing, over random sets of five")
    rows.add("explained", slopes.loc[EARLY, "explained"], unit="%")
    for key, table in (("", tables["halving"]),
                       ("_lcdb11", study.published_means.query("procedure == 'published'"))):
        found = table.query(SMALLEST).iloc[0]
        rows.add(f"not_two{key}", *(100 - 100 * found[["top_k_rate", "top_k_high", "top_k_low"]]),
                 unit="%")
    spent = cost_measure(tables["strategies"])
    at = tables["strategies"].set_index(["database", "strategy", "params"]).loc[study.database]
    for key, setting in (("look", ("early", "doublings=1")), ("everyone", ("full", ""))):
        rows.row(key, at.loc[setting], "regret", "regret_low", "regret_high", scale=100, digits=2,
                 unit="points")
    shares = tables["strategies"].set_index(["strategy", "params", "database"])[spent]
    rows.add("look_cost", 100 * shares["early", "doublings=1", study.database], unit="%")
    for key, database in (("", study.database), ("_mini", "mini")):
        rows.add(f"forecast_cost{key}", shares["forecast"].droplevel(0)[database], digits=1)
    rows.add("cost_word", {"seconds_share": "processor time", "rows_share": "training rows"}[spent])
    rows.anew("da4", ("extra", "n_raced"))
    return rows.table()


def _setting(strategy: str, params: str) -> str:
    """Return a strategy and its parameters in words, without the seed."""
    shown = ", ".join(p for p in params.split(", ") if p and not p.startswith("seed="))
    return STRATEGIES[strategy].title + (f" ({shown})" if shown else "")


def _shown_strategies(study: DatabaseStudy) -> pd.DataFrame:
    table = study.tables["strategies"].query("strategy != 'oracle'")
    cost = cost_measure(table)
    shown = pd.DataFrame({
        "way of choosing": list(map(_setting, table["strategy"], table["params"])),
        "database": table["database"].map(lambda name: database_title(name).split(",")[0]),
        "regret": interval_texts(table, "regret", "regret_low", "regret_high", 2, 100),
        "cost": table[cost].map("{:.2f}".format)})
    wide = shown.pivot(index="way of choosing", columns="database", values=["regret", "cost"])
    wide.columns = [f"{what}, {where}" for what, where in wide.columns]
    return wide.loc[shown["way of choosing"].drop_duplicates()].reset_index()


def _shown_slopes(study: DatabaseStudy) -> pd.DataFrame:
    slopes = study.tables["regret_on_crossing"]
    return pd.DataFrame({
        "way of choosing": slopes["way"],
        "points of regret": interval_texts(slopes, "slope", digits=2),
        "explained, %": slopes["explained"].map("{:.0f}".format)})


def draw_matrix(study: DatabaseStudy) -> Figure:
    """Draw how often each learner's curve crosses another's, by the corrected rule (Figure 19)."""
    rows = study.tables["crossing"].query("rule == 'corrected'")
    order = rows.groupby(PAIR[0])["starts_better"].mean().sort_values(ascending=False).index
    wide = rows.pivot(index=PAIR[0], columns=PAIR[1], values="probability").loc[order, order]
    cells = wide.rename(index=learner_title, columns=learner_title).stack(future_stack=True).rename(
        "% of datasets").rename_axis(["starts", "ends"]).reset_index()
    return Chart("cells", "heat", "ends", "starts", "ends better", "starts better", height=6.1,
                 value="% of datasets", percent=True).draw({"cells": cells})


def draw_random_sets(study: DatabaseStudy) -> Figure:
    """Draw regret beyond full evaluation's against crossing over random sets of learners."""
    fives, rows = study.tables["random_fives"], []
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


def draw_races(study: DatabaseStudy) -> Figure:
    """Draw the regret of each way by how often curves cross; the title is how they compare."""
    raced = study.tables["races"].set_index(["way", "kind"])
    more = raced.loc[(EARLY, "difference"), "low"] > 0
    return Chart("races", "dots", "regret", "way", "mean regret (points of error rate)", by="kind",
                 height=2.9, keep="kind != 'difference'",
                 title=f"Dropping learners early costs {'' if more else 'not clearly '}more where "
                       "curves cross").draw(study.tables)


chapter = Chapter(
    "da4", compute, facts,
    charts={
        "races": draw_races, "random": draw_random_sets, "matrix": draw_matrix},
    shown={"strategies": _shown_strategies, "regret_on_crossing": _shown_slopes})
