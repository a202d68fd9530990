"""How much more data does one need: the report and the page, held against what came."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import binom

from analysis.drawing.chart import Chart
from analysis.drawing.tables import interval_texts
from analysis.published.computed import recall
from analysis.report.assurance import ALL, JUDGED
from analysis.statistics.bootstrap import FEW
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from chapters.how_much_more.parts import CALIBRATING
from chapters.how_much_more.row_judge import LATEST, NEW

KINDS = {"classes": "error rates", "numbers": "root mean squared errors"}
HELD = "90 % range holds [%]"
WHERE = {NEW: "new tables", LATEST: "those named last", "wide": "new, more columns than rows",
         CALIBRATING: "LCDB 1.0, folds for calibration",
         "lcdb10": "LCDB 1.0, other folds", "lcdb11-anew": "gathered anew",
         "regression": "regression", "by group": "tables, by group", "by time": "tables, by time"}
FROM = {"": NEW, "_latest": LATEST, "_group": "by group", "_time": "by time"}
CURVES = {"classes": {"_anew": "lcdb11-anew"}, "numbers": {"_curves": "regression"}}
STRATA = {"little": ("errors fall little", NEW), "steep": ("errors fall steeply", NEW),
          "rare": ("a rare class", NEW), "heavy": ("heavy tails", NEW),
          "wide": ("more columns than rows", "wide")}
OFF = 8  # points that a tenth of `FEW` families or more may be off


def compute() -> Study:
    """Return the chapter's study of what is kept.

    Returns
    -------
    Study
        ``row_ranges, row_strata, chances, choices``: the report's ranges beside staying, by what
        tables are like, its chances of a fall beside what came, and what naming a learner cost:
        `chapters.how_much_more.row_judge`. ``panel``: the page's forecaster on collections it had
        not seen: `chapters.how_much_more.panel`. ``planned``: what look-alikes' curves promise
        before any data: `chapters.how_much_more.planned`.
    """
    kept = {"row_ranges": "row_backtest_summary", "row_strata": "row_backtest_strata",
            "chances": "row_backtest_chances", "choices": "row_backtest_choices",
            "panel": "panel_backtest", "planned": JUDGED}
    return Study({table: recall(name) for table, name in kept.items()})


def panel_words(found: Study) -> pd.DataFrame:
    """Return how the page's forecaster did, a row a collection, in words."""
    own = found.tables["panel"]
    return pd.DataFrame({
        "collection": own["collection"], "families": own["n_families"],
        HELD: interval_texts(own, "covered90", digits=0, scale=100)})


def range_words(found: Study) -> pd.DataFrame:
    """Return the summary of ranges, all multiples together, in words."""
    own = found.tables["row_ranges"].query("times == 0")
    return pd.DataFrame({
        "where": own["role"].map(WHERE), "of": own["kind"].map(KINDS),
        "range": own["method"], "tables": own["n_tables"],
        HELD: interval_texts(own, "coverage90", digits=0, scale=100),
        "width": 100 * own["width90"], "interval score": 100 * own["interval_score"],
        "CRPS": 100 * own["crps"]})


def chance_words(found: Study) -> pd.DataFrame:
    """Return the chances of a fall beside what came, all tenths together, in words."""
    own = found.tables["chances"].query("tenth < 0")
    return pd.DataFrame({
        "where": own["role"].map(WHERE), "of": own["kind"].map(KINDS),
        "rows": own["times"].map("{:g} ×".format),
        "fall": own["event"].map({"any": "at all", "enough": "a point or more"}),
        "families": own["n_families"], "said [%]": 100 * own["said"],
        "came [%]": interval_texts(own, "came", digits=0, scale=100)})


def facts(found: Study) -> pd.DataFrame:
    """Return the chapter's facts."""
    rows, made = Facts(), found.tables
    panel = made["panel"].query("n_families >= @FEW")
    rows.add("panel_collections", len(panel),
             note=f"collections of {FEW} families or more, no part of training or widening it")
    for end, value in (("least", panel["covered90"].min()), ("most", panel["covered90"].max())):
        rows.add(f"panel_{end}", 100 * value, unit="%", n=int(panel["n_families"].sum()),
                 note="90 % ranges of the page that held, on the worst and best collection")
    _chance_facts(rows, made["chances"])
    strata = made["row_strata"].set_index(["tables", "role"])
    for key, (name, role) in STRATA.items():
        rows.row(f"held_{key}", strata.loc[(name, role)], "coverage90", n="n_tables", scale=100,
                 unit="%", note=f"90 % ranges that held, {role}: {name}")
    for kind in KINDS:
        _range_facts(rows, made["row_ranges"], kind)
        _choice_facts(rows, made["choices"].query("kind == @kind").iloc[0], kind)
    planned = made["planned"].set_index("learner").loc[ALL]
    rows.row("assured", planned, "share", n="n", scale=100, unit="%",
             note="families set aside on which the rows named before any data sufficed; 80 asked")
    rows.add("assured_named", 100 * planned["answered"], unit="%",
             note="of such questions, for which rows could be named")
    return rows.table()


def _range_facts(rows: Facts, ranges: pd.DataFrame, kind: str) -> None:
    whole = ranges.query("method == 'report' & kind == @kind & times == 0").set_index("role")
    rows.add(f"tables_{kind}", int(whole.loc[NEW, "n_tables"]), note="new tables")
    for end, role in (FROM | CURVES[kind]).items():
        rows.row(f"held_{kind}{end}", whole.loc[role], "coverage90", n="n_tables", scale=100,
                 unit="%", note=f"90 % ranges that held the truth, {role}")
        rows.row(f"worse_{kind}{end}", whole.loc[role], "worse", "worse_low", "worse_high",
                 n="n_tables", scale=100, digits=1, unit="points",
                 note="interval score less that of nothing changes")


def _chance_facts(rows: Facts, chances: pd.DataFrame) -> None:
    classes = chances[chances["kind"] == "classes"]
    twice = classes[(classes["times"] == 2) & (classes["tenth"] < 0)].set_index(["role", "event"])
    for key, where in {"tables": (NEW, "any"), "point": (NEW, "enough"),
                       "anew": ("lcdb11-anew", "any")}.items():
        every = twice.loc[where]
        rows.add(f"said_{key}", 100 * every["said"], unit="%", n=int(every["n_families"]),
                 note="mean chance that twice the rows lower an error rate")
        rows.row(f"came_{key}", every, "came", n="n_families", scale=100, unit="%",
                 note="how often they did")
    tenths = classes[(classes["role"] == NEW) & (classes["tenth"] >= 0)
                     & (classes["n_families"] >= FEW)]
    off = 100 * (tenths["came"] - tenths["said"]).abs()
    rows.add("tenths", f"{(off <= OFF).sum()} of {len(off)}",
             note=f"tenths of chances, of {FEW} families or more, at most {OFF} points off")
    least, most = (tenths_if_right(tenths["said"], tenths[n], OFF / 100)
                   for n in ("n_families", "n_cases"))
    rows.add("tenths_right", f"{least:.0f} to {most:.0f}",
             note="as many would be so off on average if each chance were exactly right: "
             "where all cases of a family fall together, and where each falls on its own")


def tenths_if_right(chance: pd.Series, n: pd.Series, off: float) -> float:
    """Return how many shares of `n` draws are expected within `off` of their chance.

    Parameters
    ----------
    chance, n : pandas.Series
        Of each share.
    off : float
    """
    low, high = np.ceil(n * (chance - off) - 1e-9), np.floor(n * (chance + off) + 1e-9)
    return float((binom.cdf(high, n, chance) - binom.cdf(low - 1, n, chance)).sum())


def _choice_facts(rows: Facts, own: pd.Series, kind: str) -> None:
    n = int(own["n_tables"])
    for key in ("regret", "regret_leader"):
        rows.add(f"{key}_{kind}", 100 * own[key], digits=1, unit="points", n=n)
    rows.row(f"trees_worse_{kind}", own, "trees_worse", "trees_worse_low", "trees_worse_high",
             n="n_tables", scale=100, digits=1, unit="points",
             note="error of boosted trees above that of the learner named")


def draw_coverage(found: Study) -> Figure:
    """Draw how often 90 % ranges held on new tables, by multiple of the rows."""
    shown = found.tables["row_ranges"].query("times > 0 and role == @NEW")
    shown = shown.sort_values(["kind", "times"], kind="stable").assign(
        at=lambda t: t["times"].map("{:g} ×".format), kind=lambda t: t["kind"].map(KINDS))
    return Chart("shown", "dots", "coverage90", "at", "90 % ranges that held [%]",
                 "times the rows now", "With more rows, wider ranges hold more often",
                 by="range", panel="kind", reference=90, percent=True, height=2.7
                 ).draw({"shown": shown.rename(columns={"method": "range"})})


chapter = Chapter("how_much_more", compute, facts, charts={"coverage": draw_coverage},
                  shown={"panel": panel_words, "row_ranges": range_words,
                         "chances": chance_words})
