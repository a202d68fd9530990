"""Whether the end of a learning curve can be predicted: formulas, and what other curves teach."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
import xarray as xr

from analysis.databases.chosen import database_title
from analysis.drawing.chart import Chart
from analysis.extrapolation import EXTRAPOLATORS, RECOMMENDED
from analysis.fitting.registry import MODELS
from analysis.published.computed import recall
from analysis.statistics.families import count_families
from chapters.chapter import Chapter
from chapters.extrapolation.contest import (
    CHOSEN,
    CONTESTS,
    NEW,
    NOW,
    UNKNOWN,
    contest_curves,
    contest_table,
    hold_contest,
    shapes_table,
)
from chapters.extrapolation.cuts import cut_at_share
from chapters.extrapolation.figures import draw_examples
from chapters.extrapolation.judge import INTERVALS, error_ratio
from chapters.facts import Facts

WORST_LEARNER = "TabNet"  # of those that LCDB 1.1 has and no extrapolator has met
#: Comparisons that no choice of ours has seen: database, scope.
FAIR = {("lcdb11-summary", "new datasets"): "LCDB 1.1, new datasets",
        ("lcdb11-summary", "new learners on new datasets"): "LCDB 1.1, new learners there",
        ("mini", "new learners"): "mini, new learners"}
SHOWN = ("LAST1", "POW2", "POW3", "POW4", "MMF4", "WBL4", "ILOG2", "EXP3", "median", "nearest",
         "gaussian", "boosted", "network", RECOMMENDED)


@dataclass(frozen=True)
class Study:
    """The contest, half of the anchors seen.

    Attributes
    ----------
    curves : DataArray
        From `contest_curves`, of LCDB 1.0.
    shapes, live : DataFrame
        Of these curves: from `shapes_table`, and the scores of `CHOSEN`, computed just now.
    contest, rivals : DataFrame
        Kept, with the date: the contests of all extrapolators on three databases, and those
        against fair rivals.
    """

    curves: xr.DataArray
    shapes: pd.DataFrame
    live: pd.DataFrame
    contest: pd.DataFrame
    rivals: pd.DataFrame


def compute() -> Study:
    """Hold the contest of `CHOSEN`, and recall that of all."""
    curves = contest_curves("lcdb10")
    kept = pd.concat([recall(name) for name in CONTESTS], ignore_index=True)
    return Study(curves, shapes_table(curves), hold_contest(
        cut_at_share(curves, 0.5, "lcdb10"), CHOSEN), kept, recall("extrapolation_rivals"))


def tables(study: Study) -> Mapping[str, pd.DataFrame]:
    """Return the contests, and what the page draws of them."""
    return {"contest": study.contest, "rivals": study.rivals, "fair": fair_ratios(study.rivals),
            "ranking": ranking(study.contest), "coverage": coverage(study)}


def fair_ratios(rivals: pd.DataFrame) -> pd.DataFrame:
    """Return the errors of the recommended forecast as multiples of its rivals'.

    Returns
    -------
    DataFrame
        ``where`` (of `FAIR`), ``rival``, ``value, low, high``, ``n_curves``, ``n_families``.
    """
    errors = rivals[rivals["measure"] == "error"]
    where = [FAIR.get(pair) for pair in zip(errors["database"], errors["scope"], strict=True)]
    table = errors.assign(where=where).dropna(subset="where")
    rival = table["rival"].map(lambda name: "nothing changes" if name == NOW else
                               "the best formula there")
    return table.assign(rival=rival)[["where", "rival", "value", "low", "high", "n_curves",
                                      "n_families"]]


def ranking(contest: pd.DataFrame) -> pd.DataFrame:
    """Return the mean errors on LCDB 1.0, half of the anchors seen, the closest first."""
    half = contest.query("database == 'lcdb10' and seen == 0.5 and group == 'all' "
                         "and horizon == 'all'")
    kinds = {name: one.kind for name, one in EXTRAPOLATORS.items()}
    half = half.assign(kind=half["extrapolator"].map(kinds)).sort_values("mean_points",
                                                                         kind="stable")
    return half[["extrapolator", "kind", "mean_points", "mean_low", "mean_high", "crps",
                 "coverage90", "width90", "regret", "n_curves"]]


def coverage(study: Study) -> pd.DataFrame:
    """Return how often the recommended ranges held, by group; learners truly new come last."""
    half = contest_table(study.live, study.shapes)
    mine = half[(half["extrapolator"] == RECOMMENDED) & (half["horizon"] == "all")]
    known = mine["group"].str.startswith(("all", "shape")) | (mine["group"] == UNKNOWN)
    new = study.contest.query("extrapolator == @RECOMMENDED and database == 'lcdb11-summary'")
    new = new[new["group"].isin([NEW, f"learner: {WORST_LEARNER}"])]
    both = pd.concat([mine[known], new.assign(group=new["group"] + " (LCDB 1.1)")])
    long = both.melt(["group", "n_curves"], [f"coverage{p}" for p in INTERVALS],
                     "range", "held")
    return long.assign(range=long["range"].str.removeprefix("coverage") + " % range",
                       group=long["group"].str.replace("_", "-"))


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, fair = Facts(), fair_ratios(study.rivals)
    keys = dict(zip(FAIR.values(), ("new_datasets", "new_learners", "mini_learners"), strict=True))
    for row in fair.itertuples():
        key = keys[row.where] + ("" if row.rival.startswith("the best") else "_stays")
        rows.add(key, row.value, row.low, row.high, digits=2, n=row.n_families,
                 note=f"times the error of {row.rival}; {row.where}")
    board = ranking(study.contest).set_index("extrapolator")
    formula = board.loc[list(MODELS), "mean_points"].idxmin()
    rows.add("formula", formula)
    for key, name in (("formula_points", formula), ("learned_points", RECOMMENDED)):
        rows.add(key, *board.loc[name, ["mean_points", "mean_low", "mean_high"]], digits=1,
                 unit="points", n=int(board.loc[name, "n_curves"]))
    alone = study.live[(study.live["group"] == UNKNOWN)
                       & (study.live["extrapolator"] == RECOMMENDED)]
    rival = study.live[(study.live["group"] == "")
                       & (study.live["extrapolator"] == formula)]
    rows.add("alone", *error_ratio(pd.concat([alone, rival]), RECOMMENDED, formula), digits=2,
             note="without the learner's name and the other learners' curves")
    choice = study.rivals.query("measure == 'regret' and scope == 'all'").set_index("database")
    for name, row in choice.iterrows():
        rows.add(f"choice_{name.removesuffix('-summary')}", row["value"], row["low"], row["high"],
                 digits=2, unit="points", n=row["n_families"])
    held = coverage(study).query("range == '90 % range'").set_index("group")
    shapes = held[held.index.str.startswith("shape")]
    for key, group in (("held", "all"), ("worst", shapes["held"].idxmin()),
                       ("new", f"{NEW} (LCDB 1.1)"),
                       ("tabnet", f"learner: {WORST_LEARNER} (LCDB 1.1)")):
        rows.add(f"coverage_{key}", 100 * held.loc[group, "held"], unit="%",
                 n=int(held.loc[group, "n_curves"]))
    rows.add("worst_shape", shapes["held"].idxmin().removeprefix("shape: "))
    rows.add("n_curves", int(board.loc[RECOMMENDED, "n_curves"]))
    rows.add("n_families", count_families(study.curves["dataset"].values))
    rows.add("computed_on", str(study.rivals["computed_on"].max()))
    return rows.table()


def shown_ranking(study: Study) -> pd.DataFrame:
    """Return some extrapolators' errors in words and points."""
    table = ranking(study.contest)
    table = table[table["extrapolator"].isin(SHOWN)].rename(columns={
        "mean_points": "mean error [points]", "mean_low": "from", "mean_high": "to",
        "coverage90": "truths in the 90 % range [%]", "width90": "width of the range [points]",
        "regret": "lost by choosing a learner [points]"})
    table["truths in the 90 % range [%]"] *= 100
    return table.drop(columns=["crps", "n_curves"])


def shown_rivals(study: Study) -> pd.DataFrame:
    """Return all comparisons with rivals, databases by their names."""
    return study.rivals.assign(database=study.rivals["database"].map(database_title)).drop(
        columns="computed_on")


chapter = Chapter(
    "extrapolation", compute, tables, facts,
    charts={"fair": Chart(
                "fair", "dots", x="value", y="where", by="rival", reference=1,
                xlabel="error of the learnt forecast, times that of its rival",
                title="Other datasets' curves help on new datasets, not clearly on new learners"),
            "examples": lambda study: draw_examples(study.curves, study.live, study.shapes),
            "coverage": Chart("coverage", "dots", x="held", y="group", by="range", percent=True,
                              xlabel="curves whose end lies in the range [%]")},
    shown={"ranking": shown_ranking, "rivals": shown_rivals})
