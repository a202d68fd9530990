"""The report as one self-contained HTML page: the answer in words, one figure, then the tables."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from jinja2 import Environment, select_autoescape
from markupsafe import Markup

from analysis.comparison.judge import Verdict, short_names
from analysis.drawing.charts import as_svg
from analysis.leaderboards.wilcoxon import draw_ranks
from collection.shipped.small import LOGISTIC

TEMPLATE = Path(__file__).with_name("page.html")
SHOWN = 30  # kinds of failures on the page; every one is in the file
WORDS = {"error": "error", "timeout": "out of time", "memory": "out of memory",
         "not_run": "not run"}


def write_page(verdict: Verdict, own: Sequence[str], how: str, lost: Mapping[str, int]) -> str:
    """Return the page; it loads nothing.

    Parameters
    ----------
    verdict : Verdict
    own : sequence of str
        The learners in question.
    how : str
        How it was done, in words.
    lost : mapping of str to int
        Reasons why fits could not be made, and how many.
    """
    short = short_names(list(verdict.test.columns))
    verdict, own = _shortened(verdict, short), [short.get(method, method) for method in own]
    failures = _failures(verdict.failures)
    practical = verdict.practical.drop(columns="against", errors="ignore").rename(
        columns=lambda c: c.replace("p_", "probability "))
    bands = verdict.bands.rename(
        columns=lambda c: c.replace("_", " ").replace("n datasets", "datasets"))
    chosen = verdict.chosen[verdict.chosen["split"] == "train"].drop(columns="split")
    template = Environment(autoescape=select_autoescape(default=True)).from_string(
        TEMPLATE.read_text(encoding="utf-8"))
    return template.render(
        title=" and ".join(own) or LOGISTIC, answers=[_answer(verdict, m) for m in own],
        lost=lost, notes=verdict.notes, how=how, ranks=_ranks(verdict),
        practical=_cells(practical) if len(practical) else None,
        test=_cells(verdict.test.reset_index()), train=_cells(verdict.train.reset_index()),
        bands=_cells(bands), chosen=_cells(chosen) if len(chosen) else None,
        failures=_cells(failures.head(SHOWN)) if len(failures) else None,
        more_failures=max(len(failures) - SHOWN, 0)) + "\n"


def _shortened(verdict: Verdict, short: Mapping[str, str]) -> Verdict:
    """Return a verdict with other names of its methods."""
    tables = {name: table.assign(**{c: table[c].map(short) for c in ("method", "one", "other")
                                    if c in table}).rename(columns=short)
              for name, table in vars(verdict).items() if isinstance(table, pd.DataFrame)}
    return replace(verdict, **tables, ranks=verdict.ranks.rename(short),
                   groups=[[short[method] for method in group] for group in verdict.groups])


def _answer(verdict: Verdict, method: str) -> dict:
    """Return what is said of a learner in question."""
    scores = verdict.test.get(method, pd.Series(dtype=float))
    failed = verdict.failures[verdict.failures["method"] == method]
    practical = verdict.practical
    against = practical[practical["method"] == method] if len(practical) else practical
    ranked = method in verdict.ranks
    return {
        "name": method,
        "total": len(scores), "scored": int(scores.notna().sum()),
        "median": None if scores.isna().all() else float(scores.median()),
        "failures": [{"status": WORDS.get(status, status), "fits": len(some),
                      "datasets": some["dataset"].nunique()}
                     for status, some in failed.groupby("status", sort=False)],
        "rank": float(verdict.ranks[method]) if ranked else None,
        "place": list(verdict.ranks.index).index(method) + 1 if ranked else None,
        "ranked": len(verdict.ranks),
        "against": against.iloc[0].to_dict() if len(against) else None}


def _ranks(verdict: Verdict) -> dict | None:
    """Return the figure of mean ranks and the table of pairs; None where nothing is ranked."""
    if verdict.ranks.empty:
        return None
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "comparison", "font.size": 11,
                         "figure.constrained_layout.use": True}):
        drawn = as_svg(draw_ranks(verdict.ranks, verdict.groups))
    pairs = verdict.pairs.sort_values("p_adjusted", kind="stable")[
        ["one", "other", "wins", "ties", "losses", "difference", "p_adjusted"]]
    pairs = pairs.rename(columns={"difference": "median difference", "p_adjusted": "adjusted p"})
    return {"figure": Markup(drawn), "pairs": _cells(pairs)}


def _failures(failures: pd.DataFrame) -> pd.DataFrame:
    """Return kinds of failures: method, status, message, how many fits, on which datasets."""
    table = failures.assign(status=failures["status"].map(lambda s: WORDS.get(s, s)))
    return table.groupby(["method", "status", "message"], sort=False)["dataset"].agg(
        fits="size", datasets=lambda names: ", ".join(dict.fromkeys(names))).reset_index()


def _cells(table: pd.DataFrame) -> dict:
    """Return a table's head and rows as texts with the class of each cell."""
    kinds = ["" if pd.api.types.is_numeric_dtype(table.iloc[:, k]) else "words"
             for k in range(table.shape[1])]
    rows = [[_cell(value) for value in row] for row in table.itertuples(index=False)]
    return {"head": list(zip(map(str, table.columns), kinds, strict=True)), "rows": rows}


def _cell(value: object) -> tuple[str, str]:
    if isinstance(value, float):
        return ("–" if pd.isna(value) else f"{value:.3f}"), ""
    if isinstance(value, int):
        return f"{value:,}", ""
    return re.sub(r"\s+", " ", str(value)), "words"
