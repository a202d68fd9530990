"""How much more data does one need: the report and the page, held against what came."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from analysis.drawing.chart import Chart
from analysis.extrapolation.compact import PATH as COMPACT
from analysis.published.computed import recall
from analysis.report.points import as_curves, parse_points
from analysis.report.report import Answers, answer_points
from analysis.report.uncertainty import BOUNDED, ENDLESS
from chapters.chapter import Chapter
from chapters.facts import Facts
from chapters.how_much_more.row_judge import BINOMIAL, RIVAL, as_levels
from chapters.how_much_more.row_tables import ROLES
from chapters.how_much_more.sample_sizes import LARGEST, judge_criteria, size_words

EXAMPLE = """\
100, 0.34
100, 0.31
200, 0.27
200, 0.28
400, 0.22
400, 0.24
800, 0.19
800, 0.20
1600, 0.17
"""
WANTED = 0.12
KINDS = {"classes": "error rates", "numbers": "root mean squared errors"}
STRATA = {"little": "errors fall little", "steep": "errors fall steeply", "rare": "a rare class",
          "heavy": "heavy tails", "wide": "more columns than rows"}
METHODS = ("report", RIVAL, BINOMIAL)


@dataclass(frozen=True)
class Study:
    """The chapter's tables.

    Attributes
    ----------
    rows, ranges, strata, headlines : pandas.DataFrame
        The report's ranges on parts of tables, their summary beside simpler ranges and by what
        tables are like, and how headlines did: `chapters.how_much_more.row_judge`.
    panel : pandas.DataFrame
        The page's forecaster on collections it had not seen, as
        `analysis.extrapolation.training.compact.judge`.
    sizes : pandas.DataFrame
        From `chapters.how_much_more.sample_sizes`.
    example : Answers
        To the points of `EXAMPLE`.
    """

    rows: pd.DataFrame
    ranges: pd.DataFrame
    strata: pd.DataFrame
    headlines: pd.DataFrame
    panel: pd.DataFrame
    sizes: pd.DataFrame
    example: Answers


def compute() -> Study:
    """Return the chapter's study: what is kept, and the example's answers."""
    kept = (recall(f"row_backtest{part}")
            for part in ("", "_summary", "_strata", "_headlines"))
    return Study(*kept, pd.read_csv(COMPACT.with_suffix(".csv")), judge_criteria(),
                 answer_points(as_curves(parse_points(EXAMPLE)), "The example", WANTED))


def tables(found: Study) -> Mapping[str, pd.DataFrame]:
    """Return the tables that are written."""
    return {"row_backtest": as_levels(found.rows), "row_ranges": found.ranges,
            "row_strata": found.strata, "headlines": found.headlines, "panel": found.panel,
            "sample_sizes": found.sizes, "answer": found.example.later}


def panel_words(found: Study) -> pd.DataFrame:
    """Return how the page's forecaster did, a row a collection, in words."""
    own = found.panel[(found.panel["view"] == "all") & (found.panel["from_doublings"] == 0)
                      & ~(found.panel["to_doublings"] < 9)]
    ends = 100 * own[["covered90", "covered90_low", "covered90_high"]].to_numpy()
    return pd.DataFrame({
        "collection": own["collection"], "families": own["n_families"],
        "90 % range holds [%]": [f"{v:.0f} [{low:.0f}, {high:.0f}]" for v, low, high in ends],
        "CRPS [points]": 100 * own["crps"], "large forecast": 100 * own["crps_recommended"],
        "nothing changes": 100 * own["crps_same"]})


def range_words(found: Study) -> pd.DataFrame:
    """Return the summary of ranges, all multiples together, in words."""
    own = found.ranges[(found.ranges["times"] == 0) & (found.ranges["role"] != "tuning")]
    ends = 100 * own[["coverage90", "low", "high"]].to_numpy()
    return pd.DataFrame({
        "split": own["role"].replace("held out", "at random"), "of": own["kind"].map(KINDS),
        "range": own["method"], "tables": own["n_tables"],
        "90 % range holds [%]": [f"{v:.0f} [{low:.0f}, {high:.0f}]" for v, low, high in ends],
        "width": 100 * own["width90"], "interval score": 100 * own["interval_score"],
        "CRPS": 100 * own["crps"]})


def stratum_words(found: Study) -> pd.DataFrame:
    """Return coverage by what tables are like, in words."""
    ends = 100 * found.strata[["coverage90", "low", "high"]].to_numpy()
    return pd.DataFrame({
        "tables": found.strata["tables"], "n": found.strata["n_tables"],
        "90 % range holds [%]": [f"{v:.0f} [{low:.0f}, {high:.0f}]" for v, low, high in ends],
        "width": 100 * found.strata["width90"]})


def headline_words(found: Study) -> pd.DataFrame:
    """Return how headlines did, in words."""
    own = found.headlines
    ends = 100 * own[["bias", "bias_low", "bias_high"]].to_numpy()
    shares = 100 * own[["plain_bias", "below", "plain_below", "coverage90", "regret",
                        "regret_leader", "regret_trees"]]
    shares.columns = ["not corrected", "below the truth [%]", "not corrected, below [%]",
                      "90 % range holds [%]", "regret of the learner named", "of today's leader",
                      "of boosted trees"]
    bias = [f"{v:.1f} [{low:.1f}, {high:.1f}]" for v, low, high in ends]
    return pd.concat([pd.DataFrame({
        "of": own["kind"].map(KINDS), "times": own["times"].map(lambda t: f"{t:g}" if t else "all"),
        "tables": own["n_tables"], "bias [%]": bias}), shares], axis=1)


def facts(found: Study) -> pd.DataFrame:
    """Return the chapter's facts."""
    rows = Facts()
    rows.add("panel_size", f"{COMPACT.stat().st_size / 1000:.0f} kB")
    whole = found.panel[(found.panel["view"] == "all") & (found.panel["from_doublings"] == 0)
                        & ~(found.panel["to_doublings"] < 9)]
    rows.add("panel_collections", len(whole), note="collections that took no part in training")
    for end, value in (("least", whole["covered90"].min()), ("most", whole["covered90"].max())):
        rows.add(f"panel_{end}", 100 * value, unit="%", n=int(whole["n_families"].sum()),
                 note="90 % ranges of the page that held, on the worst and best collection")
    for kind, stretch in (("classes", BOUNDED), ("numbers", ENDLESS)):
        rows.add(f"tuning_{kind}", sum(
            table.regression == (kind == "numbers") for table in ROLES["tuning"]),
                 note="tables named for making ranges")
        rows.add(f"gain_{kind}", 100 * stretch.gain, unit="%",
                 note="of the gain that the forecast expects, where it is sure")
    parts = found.rows[found.rows["role"] == "held out"]
    rows.add("parts", len(parts.drop_duplicates(["table", "rows", "draw"])), note="parts of tables")
    strata = found.strata.set_index("tables")
    for key, name in STRATA.items():
        rows.add(f"held_{key}", *(100 * strata.loc[name, ["coverage90", "low", "high"]]), unit="%",
                 n=int(strata.loc[name, "n_tables"]), note=f"90 % ranges that held, tables: {name}")
    for kind in KINDS:
        _range_facts(rows, found.ranges, kind)
        own = found.headlines[(found.headlines["kind"] == kind) & (found.headlines["times"] == 0)]
        _headline_facts(rows, own.iloc[0], kind)
    for key, name in (("optimism", "optimism"), ("criteria", LARGEST)):
        own = found.sizes[found.sizes["criterion"] == name]
        rows.add(f"{key}_enough", f"{own['enough'].sum():.0f} of {own['enough'].count()}",
                 note="tables of numbers on which it asked for enough rows")
    rows.add("criteria_trees", 100 * own["trees"].median(), unit="%", n=own["trees"].count(),
             note="of boosted trees' error above the last, with as many rows as the criteria ask")
    return rows.table()


def _range_facts(rows: Facts, ranges: pd.DataFrame, kind: str) -> None:
    own = ranges[(ranges["role"] == "held out") & (ranges["kind"] == kind)
                 & (ranges["times"] == 0)].set_index("method")
    ours, n = own.loc["report"], int(own["n_tables"].max())
    rows.add(f"held_{kind}", *(100 * ours[c] for c in ("coverage90", "low", "high")),
             unit="%", n=n, note="90 % ranges that held the truth, tables nobody tuned to")
    rows.add(f"tables_{kind}", n, note="tables nobody tuned to")
    rows.add(f"score_{kind}", 100 * ours["interval_score"], digits=1, unit="points", n=n)
    rows.add(f"score_same_{kind}", 100 * own.loc[RIVAL, "interval_score"], digits=1,
             unit="points", n=n, note="of saying that nothing changes")
    rows.add(f"worse_{kind}", *(100 * ours[f"worse{end}"] for end in ("", "_low", "_high")),
             digits=1, unit="points", n=n, note="interval score above nothing changes's")


def _headline_facts(rows: Facts, own: pd.Series, kind: str) -> None:
    n = int(own["n_tables"])
    rows.add(f"bias_{kind}", *(100 * own[f"bias{end}"] for end in ("", "_low", "_high")), digits=1,
             unit="%", n=n, note="headlines' mean distance from the truth, as a share of it")
    rows.add(f"plain_bias_{kind}", 100 * own["plain_bias"], digits=1, unit="%", n=n,
             note="of the lowest forecast, not corrected")
    for key in ("regret", "regret_leader"):
        rows.add(f"{key}_{kind}", 100 * own[key], digits=1, unit="points", n=n)
    rows.add(f"trees_worse_{kind}", *(100 * own[f"trees_worse{end}"] for end in (
        "", "_low", "_high")), digits=1, unit="points", n=n,
        note="error of boosted trees above that of the learner named")


def draw_coverage(found: Study) -> Figure:
    """Draw how often 90 % ranges held on tables that nobody tuned to, by multiple of the rows."""
    shown = found.ranges[(found.ranges["times"] > 0) & (found.ranges["role"] == "held out")]
    shown = shown.sort_values(["kind", "times"], kind="stable").assign(
        at=lambda t: t["times"].map("{:g} ×".format), kind=lambda t: t["kind"].map(KINDS))
    return Chart("shown", "dots", "coverage90", "at", "90 % ranges that held [%]",
                 "times the rows now", "The report's 90 % ranges hold more often than those of "
                 "simpler ways", by="range", panel="kind", reference=90, percent=True,
                 height=2.7).draw({"shown": shown.rename(columns={"method": "range"})})


chapter = Chapter("how_much_more", compute, tables, facts, charts={"coverage": draw_coverage},
                  shown={"panel": panel_words, "row_ranges": range_words,
                         "row_strata": stratum_words, "headlines": headline_words,
                         "sample_sizes": lambda found: size_words(found.sizes)})
