"""The chapter's tables, its facts and the figure of the backtest by rows."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.pyplot import subplots

from analysis.drawing.charts import add_legend, draw_dots, figure
from analysis.extrapolation import RECOMMENDED
from analysis.extrapolation.compact import PATH as COMPACT
from analysis.published.computed import recall
from analysis.report.uncertainty import BOUNDED, ENDLESS
from chapters.facts import Facts
from chapters.how_much_more.backtest import backtest_words
from chapters.how_much_more.row_backtest import TIMES
from chapters.how_much_more.row_judge import RIVAL, as_levels
from chapters.how_much_more.row_tables import TUNING

EXAMPLE = pd.DataFrame({
    "size": [100, 100, 200, 200, 400, 400, 800, 800, 1600],
    "error": [0.34, 0.31, 0.27, 0.28, 0.22, 0.24, 0.19, 0.20, 0.17],
})
KINDS = {"classes": "error rates", "numbers": "root mean squared errors"}
SPLITS = {"time": "forward in time", "group": "whole groups"}  # the fact's key: the role
ROW_WORDS = {
    "role": "split", "kind": "of", "method": "range", "n_tables": "tables", "n_cases": "cases",
    "coverage50": "50 % range holds [%]", "coverage80": "80 % range holds [%]",
    "held": "90 % range holds [%]", "worst_table": "on the worst table [%]",
    "width90": "width [points]", "interval_score": "interval score [points]",
    "crps": "CRPS [points]"}
TABLE_WORDS = {
    "kind": "of", "table": "table", "n_cases": "cases", "coverage90": "90 % range holds [%]",
    "width90": "width", "below": "+ truths below", "above": "+ truths above",
    "interval_score": "= interval score", "rival": "binomial's score"}


@dataclass(frozen=True)
class Study:
    """The chapter's tables.

    Attributes
    ----------
    needed : pandas.DataFrame
        The rows that an error lower by a tenth takes, foretold on LCDB 1.0.
    curves : pandas.DataFrame
        The report's forecasts on mini's curves, beside what people use now.
    rows : pandas.DataFrame
        The report's ranges on parts of tables, as `row_judge.as_levels`.
    ranges : pandas.DataFrame
        Their summary beside simpler ranges, as `row_judge.summarise_parts`.
    by_table : pandas.DataFrame
        Their scores table by table, as `row_judge.by_table`.
    panel : pandas.DataFrame
        The page's forecaster on folds it had not seen, as
        `analysis.extrapolation.training.compact.judge`.
    """

    needed: pd.DataFrame
    curves: pd.DataFrame
    rows: pd.DataFrame
    ranges: pd.DataFrame
    by_table: pd.DataFrame
    panel: pd.DataFrame

    def curve_words(self) -> pd.DataFrame:
        """Return `curves` in words."""
        return backtest_words(self.curves)

    def needed_words(self) -> pd.DataFrame:
        """Return `needed` in percent, columns in words."""
        shares = ("right", "missed", "promised", "within_a_doubling")
        shown = self.needed.assign(**{c: 100 * self.needed[c] for c in shares})
        return shown.rename(columns=lambda c: c.replace("_", " "))

    def range_words(self) -> pd.DataFrame:
        """Return the summary on tables that nobody tuned to, all multiples together, in words."""
        return _in_words(self.ranges[self.ranges["role"] == "held out"]).drop(columns="split")

    def split_words(self) -> pd.DataFrame:
        """Return the same of tables split in time and by group, the report's and the rival's."""
        return _in_words(self.ranges[self.ranges["role"].isin(SPLITS.values())
                                     & self.ranges["method"].isin(("report", RIVAL))])

    def table_words(self) -> pd.DataFrame:
        """Return the scores table by table, the report's in its parts beside the rival's."""
        own = self.by_table[self.by_table["role"] == "held out"]
        rival = own[own["method"] == RIVAL].set_index("table")["interval_score"]
        own = own[own["method"] == "report"]
        own = own.assign(rival=own["table"].map(rival), kind=own["kind"].map(KINDS))
        own = own.sort_values(["kind", "interval_score"], kind="stable")
        parts = ("coverage90", "width90", "below", "above", "interval_score", "rival")
        return own.assign(**{c: 100 * own[c] for c in parts})[list(TABLE_WORDS)].rename(
            columns=TABLE_WORDS)


def _in_words(ranges: pd.DataFrame) -> pd.DataFrame:
    """Return rows of the summary, all multiples together, in words."""
    own = ranges[ranges["times"] == 0]
    percent = ("coverage50", "coverage80", "worst_table", "width90", "interval_score", "crps")
    own = own.assign(**{c: 100 * own[c] for c in percent}, kind=own["kind"].map(KINDS))
    ends = 100 * own[["coverage90", "low", "high"]].to_numpy()
    own["held"] = [f"{v:.0f} [{low:.0f}, {high:.0f}]" for v, low, high in ends]
    return own[list(ROW_WORDS)].rename(columns=ROW_WORDS)


def study() -> Study:
    """Return the chapter's tables, as they are kept."""
    return Study(recall("extrapolation_needed"), recall("report_backtest"),
                 as_levels(recall("row_backtest")), recall("row_backtest_summary"),
                 recall("row_backtest_tables"),
                 pd.read_csv(COMPACT.with_suffix(".csv")))


def facts(tables: Study, needed: dict[str, float], wanted: float) -> pd.DataFrame:
    """Return the chapter's facts.

    Parameters
    ----------
    tables : Study
    needed : dict
        From `more_data.rows_needed`, for the example.
    wanted : float
        The example's wanted error.
    """
    rows = Facts()
    by_name = tables.needed.set_index("extrapolator")
    for key, name in (("right", RECOMMENDED), ("right_pow4", "POW4"), ("right_last", "LAST1")):
        rows.add(key, 100 * by_name.loc[name, "right"], unit="%", n=int(by_name["n_curves"].max()),
                 note=f"answers by {name} that came true")
    rows.add("n_curves", by_name["n_curves"].max(), note="curves of LCDB 1.0")
    rows.add("wanted", 100 * wanted, unit="%")
    for name, n in needed.items():
        rows.add(f"needed_{name}", "beyond 64 times the rows there are" if np.isnan(n)
                 else f"about {round(n, -2):,.0f} rows")
    _panel_facts(rows, tables.panel.iloc[0])
    _range_facts(rows, tables.ranges)
    _table_facts(rows, tables.by_table)
    _split_facts(rows, tables.ranges)
    for kind, stretch in (("classes", BOUNDED), ("numbers", ENDLESS)):
        rows.add(f"tuning_{kind}", sum(t.regression == (kind == "numbers") for t in TUNING),
                 note="tables that ranges were made on")
        rows.add(f"gain_{kind}", 100 * stretch.gain, unit="%",
                 note="of the gain that the forecast expects")
    parts = tables.rows[tables.rows["role"] == "held out"]
    rows.add("parts", len(parts.drop_duplicates(["table", "rows", "draw"])), note="parts of tables")
    _curve_facts(rows, tables.curves)
    return rows.table()


def _panel_facts(rows: Facts, every: pd.Series) -> None:
    n = int(every["n_families"])
    rows.add("panel_size", f"{COMPACT.stat().st_size / 1000:.0f} kB")
    rows.add("panel_n", int(every["n"]), note="forecasts on folds not seen")
    rows.add("panel_held", *(100 * every[f"covered90{end}"] for end in ("", "_low", "_high")),
             unit="%", n=n, note="90 % ranges of the page that held")
    for key, column in (("crps", "crps"), ("recommended", "crps_recommended")):
        rows.add(f"panel_{key}", 100 * every[column], digits=2, unit="points", n=n)
    rows.add("panel_worse", *(100 * every[f"worse{end}"] for end in ("", "_low", "_high")),
             digits=2, unit="points", n=n, note="CRPS of the page's minus the recommended")


def _range_facts(rows: Facts, ranges: pd.DataFrame) -> None:
    for kind in KINDS:
        own = ranges[(ranges["role"] == "held out") & (ranges["kind"] == kind)]
        every = own[own["times"] == 0].set_index("method")
        ours, n = every.loc["report"], int(every["n_tables"].max())
        rows.add(f"held_{kind}", 100 * ours["coverage90"], 100 * ours["low"], 100 * ours["high"],
                 unit="%", n=n, note="90 % ranges that held the truth, tables nobody tuned to")
        rows.add(f"tables_{kind}", n, note="tables nobody tuned to")
        rows.add(f"cases_{kind}", ours["n_cases"], note="forecasts")
        rows.add(f"worst_{kind}", 100 * ours["worst_table"], unit="%", note="on the worst table")
        at = own[(own["method"] == "report") & (own["times"] > 0)]["coverage90"]
        rows.add(f"least_{kind}", 100 * at.min(), unit="%", note="at the worst multiple")
        for key, method in (("alone", "forecast alone"), ("binomial", "forecast and binomial")):
            rows.add(f"{key}_{kind}", 100 * every.loc[method, "coverage90"], unit="%", n=n)
            rows.add(f"score_{key}_{kind}", 100 * every.loc[method, "interval_score"], digits=1,
                     unit="points", n=n)
        rows.add(f"score_{kind}", 100 * ours["interval_score"], digits=1, unit="points", n=n)
        rows.add(f"worse_{kind}", *(100 * ours[f"worse{end}"] for end in ("", "_low", "_high")),
                 digits=1, unit="points", n=n, note="interval score above the binomial's")


def _table_facts(rows: Facts, by_table: pd.DataFrame) -> None:
    for kind in KINDS:
        own = by_table[(by_table["role"] == "held out") & (by_table["kind"] == kind)]
        score = 100 * own.pivot(index="table", columns="method", values="interval_score")
        rows.add(f"median_{kind}", score["report"].median(), digits=1, unit="points",
                 n=len(score), note="interval score on the table in the middle")
        rows.add(f"median_binomial_{kind}", score[RIVAL].median(), digits=1, unit="points",
                 n=len(score), note="the same of the binomial's")
        rows.add(f"better_{kind}", int((score["report"] < score[RIVAL]).sum()), n=len(score),
                 note="tables on which the report's score is the lower")


def _split_facts(rows: Facts, ranges: pd.DataFrame) -> None:
    own = ranges[ranges["times"] == 0].set_index(["role", "kind", "method"])
    for key, role in SPLITS.items():
        for kind in KINDS:
            ours, rival = (own.loc[(role, kind, method)] for method in ("report", RIVAL))
            n = int(ours["n_tables"])
            rows.add(f"held_{key}_{kind}", *(100 * ours[c] for c in ("coverage90", "low", "high")),
                     unit="%", n=n, note=f"90 % ranges that held the truth, {role}")
            rows.add(f"tables_{key}_{kind}", n, note=f"tables split: {role}")
            rows.add(f"worst_{key}_{kind}", 100 * ours["worst_table"], unit="%",
                     note="on the worst table")
            rows.add(f"binomial_{key}_{kind}", 100 * rival["coverage90"], unit="%", n=n)


def _curve_facts(rows: Facts, curves: pd.DataFrame) -> None:
    n = int(curves["n_datasets"].max())
    rows.add("n_datasets", n, note="datasets of mini, one of each family")
    for share, name in ((0.25, "quarter"), (0.5, "half")):
        own = curves[curves["share"] == share].set_index("method")
        for key, method in (("report", "report"), ("same", "nothing changes")):
            rows.add(f"best_{key}_{name}", own.loc[method, "best_right"] * n, n=n,
                     note="datasets whose best learner was named")
        still = own.loc["nothing changes"]
        rows.add(f"closer_{name}", still["closer"], still["closer_low"], still["closer_high"],
                 digits=1, unit="points", n=n, note="closer than saying that nothing changes")


@figure
def draw_coverage(ranges: pd.DataFrame) -> Figure:
    """Draw how often 90 % ranges held on tables that nobody tuned to, by multiple of the rows.

    Parameters
    ----------
    ranges : pandas.DataFrame
        From `row_judge.summarise_parts`.
    """
    methods = ["report", "forecast and binomial", "forecast alone"]
    shown = ranges[(ranges["times"] > 0) & (ranges["role"] == "held out")
                   & ranges["method"].isin(methods)]
    shown = shown.sort_values("method", key=lambda s: s.map(methods.index), kind="stable")
    drawn, axes = subplots(1, 2, figsize=(7, 3.2), sharex=True)
    for ax, (kind, title) in zip(axes, KINDS.items(), strict=True):
        own = shown[shown["kind"] == kind].assign(
            at=lambda t: t["times"].map("{:g} ×".format), held=lambda t: 100 * t["coverage90"],
            low=lambda t: 100 * t["low"], high=lambda t: 100 * t["high"])
        draw_dots(ax, own, "at", "held", by="method", reference=90,
                  order=[f"{times:g} ×" for times in TIMES])
        ax.set(title=title, xlabel="90 % ranges that held [%]", xlim=(0, 102))
    axes[0].set_ylabel("times the rows now")
    add_legend(drawn, axes[0], 3, loc="outside lower center")
    return drawn
