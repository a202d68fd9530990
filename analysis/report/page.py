"""The report as a document: one sentence, one figure, one table, and all else folded."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from shlex import quote

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from analysis.drawing.chart import name_lines
from analysis.drawing.charts import as_svg
from analysis.drawing.document import cut, render
from analysis.drawing.style import PALETTE, SIZE
from analysis.published.computed import recall
from analysis.report import sentences as wording
from analysis.report.answers import FARTHEST, Report, curve_means
from collection.protocol.rows import FOLDS

HERE = Path(__file__).parent
FARTHEST_DRAWN = 10  # times the rows now
BEST, OTHER = PALETTE[0], "0.45"
CLEAR = {"fc": "white", "ec": "none", "alpha": 0.8, "pad": 0.5}  # behind words over lines
LETTERS = 28  # of a learner's name in the figure
PROMISED = 0.9  # of the ranges are to hold
TOO_FEW = 0.85  # of 90 % ranges that held, below which they are called too narrow
CANNOT = (
    "Whether tomorrow's rows are like these. If the world drifts, or new rows come from elsewhere, "
    "all of this can be off.",
    "Whether rows of one value of a column resemble each other where that raises the error little. "
    "GROUP= asks that.",
    "How many labels are wrong. What is called out of reach may be due to labels.",
    "What other columns, other learners or more tuning would bring; often more than rows do.",
    f"Anything beyond {FARTHEST} times the rows there are.",
)


def write_page(answers: Report) -> str:
    """Return the page, whole."""
    words, largest = wording.Words(answers), answers.now["size"].max()
    notes, told = list(answers.notes), dict(wording.sentences(answers))
    if answers.metric not in ("error_rate", "rmse"):
        notes.append("How often the ranges hold was tried on error rates and root mean squared "
                     "errors; for this metric they are a guide.")
    if next(iter(told)) != "More rows":  # more data made it worse
        notes.insert(0, f"Warning: {told[next(iter(told))]}")
    ways = list(ways_said(answers, words))
    notes += [f"Warning: {text}" for far, text in ways if far]
    return render(
        HERE / "page.html", title=answers.title, rows=_size(answers), figure=draw_report(answers),
        decision=wording.decision(answers), wanted_said=told.get("The error you want", ""),
        label=words.label, unit=f", in the unit of {answers.unit!r}" if answers.unit else "",
        answers=list(told.items()),
        learners=", ".join(map(wording.title_of, answers.now["learner"])),
        warnings=[n.removeprefix("Warning: ") for n in notes if n.startswith("Warning")],
        notes=[n for n in notes if not n.startswith("Warning")], how=answers.how,
        ways=[text for far, text in ways if not far], cannot=CANNOT,
        promise=(points_promise() if answers.curves.tested is not None else
                 promise(answers.metric == "rmse", answers.split)),
        code=answers.code() if answers.table is not None else "",
        best=wording.title_of(answers.now["learner"].iloc[0]), pooled=answers.metric == "rmse",
        ahead=_ahead(answers, words), by_learner=list(_rows(answers, words, largest)),
        heads=[("now", f"{largest:,} rows"), *((f"{t} times", f"{t * largest:,} rows")
                                               for t in wording.MULTIPLES)],
        chances=len(answers.now) > 1, always=answers.always, beside=_beside(answers, words),
        baseline=words.number(answers.baseline) if np.isfinite(answers.baseline) else "")


def _size(answers: Report) -> str:
    if answers.table is not None:
        return f"{len(answers.table.frame):,} rows, {answers.now['size'].max():,} to train on"
    anchors = answers.curves.errors["anchor"].values
    return f"measured at {len(anchors)} sizes, {anchors[0]:,.0f} to {anchors[-1]:,.0f} rows"


def _ahead(answers: Report, words: wording.Words) -> pd.DataFrame:
    """Return what to expect of more rows, as text; a column with one value is left out."""
    table = answers.expected[answers.expected["times"].isin((1, *wording.MULTIPLES))]
    shown = pd.DataFrame({
        "": ["now", *(f"{t} times" for t in wording.MULTIPLES)],
        "rows to train on": table["size"].map("{:,}".format),
        words.label: table["error"].map(words.number),
        "90 % range": [words.span(row) for _, row in table.iterrows()],
        "with": table["learner"].map(wording.title_of)}, index=table.index)
    if not wording.too_few_wrong(answers):
        fall = "higher" if words.score else "lower"
        for head, of in ((fall, "falls"), (f"by {words.limit(answers.less)} or more",
                                           "falls_enough")):
            shown[head] = ["–", *table[of].iloc[1:].map(wording.chance_words)]
    return shown.loc[:, shown.nunique() > 1]


def _rows(answers: Report, words: wording.Words, largest: int) -> Iterator[dict]:
    for now in answers.now.itertuples():
        own = answers.later[answers.later["learner"] == now.learner].set_index("times")
        at = [pd.Series(now._asdict())] + [own.loc[t] if t in own.index else None
                                           for t in wording.MULTIPLES]
        yield {"name": wording.title_of(now.learner), "chance": f"{now.chance_best:.0%}",
               "remark": "" if now.reached == largest else
               f"measured up to {now.reached:,} rows; now is a forecast",
               "cells": [{"error": "–", "range": ""} if one is None else
                         {"error": words.number(one["error"]), "range": words.span(one, "–")}
                         for one in at]}


def ways_said(answers: Report, words: wording.Words) -> Iterator[tuple[bool, str]]:
    """Say whether the error is far worse split by a column, or without some, and what it is."""
    of_quick = "root mean squared error" if answers.unit else "error rate"
    for way in answers.ways.itertuples():
        again = quote(f"{way.kind.upper()}={way.column}")
        asks = f"Run it again with {again} to plan for such rows"
        if way.kind == "group" and answers.table.noticed["group"][1].max() + 1 < FOLDS:
            asks = f"They are too few to be dealt to {FOLDS} folds"
        label = of_quick if way.quick else words.label
        expect = f"expect {wording.article(label)} {label} of"
        split, random = (words.amount(error) if way.quick else words.number(error)
                         for error in (way.split, way.random))
        same = f"(a quick learner's, on {way.size:,} rows)" if way.quick else (
            f"(both trained on {way.size:,} rows)")
        if way.kind == "without":
            text = f"Without {way.column} the {label} is {split}, with all columns {random} {same}."
        elif not way.far:
            how = "forward in time" if way.kind == "time" else "each one's rows on one side"
            text = (f"Split by {way.column!r}, {how}, the {label} is {split}; at random "
                    f"{random} {same}. That may be chance.")
        elif way.kind == "time":
            text = (f"By {way.column!r} later rows differ from earlier ones: for them {expect} "
                    f"{split}, not {random} {same}. {asks}; all else on this page is for "
                    "rows of the same times.")
        else:
            text = (f"Rows of one {way.column!r} resemble each other: for a new {way.column!r} "
                    f"{expect} {split}, not {random} {same}. {asks}; all else on this "
                    "page is for more rows of those that are here.")
        yield way.far, text


def _beside(answers: Report, words: wording.Words) -> str:
    if not len(answers.beside):
        return ""
    found = answers.beside.set_index("name")
    if answers.unit:
        root, mean = (f"{found.loc[name, 'words']} {words.number(found.loc[name, 'value'])}"
                      for name in ("rmse", "mae"))
        r2, left = found.loc["r2", "value"], found.loc["spread_left"]
        return (f"The best now: {root}, {mean}, R² {r2:.2f}; {left['value']:.0%} {left['words']}.")
    recall_of, precision = found.loc["recall"], found.loc["precision"]
    said = "Nothing" if np.isnan(precision["value"]) else f"{precision['value']:.0%}"
    hint = ("" if answers.metric == "auc" else
            " Where classes are so unequal, METRIC=auc judges how well they are told apart.")
    return (f"{found.loc['auc', 'words']}: {found.loc['auc', 'value']:.3f}. "
            f"{recall_of['value']:.0%} {recall_of['words']}. {said} {precision['words']}.{hint}")


@lru_cache(maxsize=1)
def points_promise() -> str:
    """Say how often such ranges held on the curves of collections that had no part in them."""
    whole = recall("panel_backtest")["covered90"]
    wide = " More than 90 were promised: they are rather wide." if whole.min() > PROMISED else ""
    return (f"On {len(whole)} collections of curves that had no part in them, such ranges held the "
            f"truth in {100 * whole.min():.0f} to {100 * whole.max():.0f} of 100 cases.{wide}")


@lru_cache(maxsize=6)
def promise(regression: bool, split: str = "at random") -> str:
    """Say how often such ranges held on tables that took no part in them.

    Those of numbers by group and by time were widened on the first such tables: newer ones tell.

    Parameters
    ----------
    regression : bool
    split : str
        How rows were split: "at random", "group" or "time".
    """
    drawn = split == "at random"
    kept = recall("row_backtest_summary")
    role = "latest" if drawn else f"newer by {split}" if regression else f"by {split}"
    row = kept[(kept["role"] == role)
               & (kept["method"] == "report") & (kept["times"] == 0)
               & (kept["kind"] == ("numbers" if regression else "classes"))].iloc[0]
    narrow = "" if row["coverage90"] >= TOO_FEW else " Take them for too narrow."
    which = "" if drawn else f" split by {split}"
    return (f"On {row['n_tables']:.0f} tables{which}, named before any was measured, cut to some "
            f"hundred rows, such ranges held the truth in {100 * row['coverage90']:.0f} of 100 "
            f"cases.{narrow}")


def draw_report(answers: Report) -> str:
    """Draw the curves and the forecast; return SVG text that scales to a phone.

    No `Chart`: curves and forecasts end in labels, and "now", "wanted" and "always" stand at lines.
    """
    settings = {"svg.fonttype": "none", "svg.hashsalt": "report", "font.size": 11,
                "axes.spines.top": False, "axes.spines.right": False, "text.parse_math": False}
    with plt.style.context(["default", settings]):  # whatever was set before
        figure, ax = plt.subplots(figsize=(6.0, 4.0), layout="constrained")
        figure.get_layout_engine().set(h_pad=0.12)  # inches: a label at the top is not cut
        for k, name in enumerate(answers.now["learner"]):
            _draw_learner(ax, answers, name, k == 0)
        _finish(ax, answers)
        name_lines(ax, 9)
        if wording.Words(answers).score:  # drawn as errors, read as what was given
            ax.invert_yaxis()
        return as_svg(figure)


def _draw_learner(ax: Axes, answers: Report, learner: str, best: bool) -> None:
    colour, width = (BEST, 2.2) if best else (OTHER, 1.0)
    mean = curve_means(answers.curves.errors, learner)
    ahead = answers.path[answers.path["learner"] == learner]
    ahead = ahead[ahead["size"] <= FARTHEST_DRAWN * answers.now["size"].max()]
    ax.plot(mean["anchor"], mean, color=colour, lw=width, marker="o", ms=4 if best else 2.5)
    now = answers.now.set_index("learner").loc[learner]
    x, y = np.r_[now["size"], ahead["size"]], np.r_[now["error"], ahead["error"]]
    if now["reached"] < now["size"]:
        ax.plot([mean["anchor"].values[-1], x[0]], [mean.values[-1], y[0]], "--", color=colour,
                lw=width)
    ax.plot(x, y, "--", color=colour, lw=width,
            label=cut(wording.title_of(learner), LETTERS) if len(answers.now) > 1 else None)
    if best:
        low, high = (now[c] if np.isfinite(now[c]) else now["error"] for c in ("low", "high"))
        ax.fill_between(x, np.r_[low, ahead["low"]], np.r_[high, ahead["high"]], color=colour,
                        alpha=0.18, lw=0)
        twice, words = answers.expected.set_index("times").loc[2], wording.Words(answers)
        ax.plot(twice["size"], twice["error"], "o", color=colour, ms=6)
        ax.annotate(f"{twice['size']:,}: {words.number(twice['error'])}",
                    (twice["size"], twice["error"]), xytext=(4, 6), fontsize=9, color=colour,
                    textcoords="offset points")


def _finish(ax: Axes, answers: Report) -> None:
    unit = f",\nin the unit of {answers.unit!r}" if answers.unit else ""
    ax.set_xscale("log")
    low, high = ax.get_xlim()
    ax.xaxis.set_major_locator(LogLocator(subs=(1,) if high > 200 * low else (1, 2, 5)))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    words = wording.Words(answers)
    ax.set(xlabel=SIZE, ylabel=words.label + unit)
    top = max(answers.now["high"].fillna(answers.now["error"]).max(),
              float(answers.curves.errors.mean(["outer", "inner"]).max()))
    if np.isfinite(answers.baseline):
        top = max(min(top, 1.6 * answers.baseline), 1.05 * answers.baseline)
        ax.axhline(answers.baseline, color="0.3", lw=0.9, ls=(0, (6, 3)))
        _name_line(ax, cut(f"always {answers.always}"), answers.baseline, "0.25")
    if answers.wanted_error is not None:
        ax.axhline(answers.wanted_error, color=PALETTE[1], lw=1.2, ls=":")
        _name_line(ax, "wanted", answers.wanted_error, PALETTE[1])
    ax.set_ylim(0, 1.05 * top)
    if words.score or words.percent:
        ax.yaxis.set_major_formatter(lambda y, _: words.number(y).replace(".0 %", " %"))
    elif top >= 1000:
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.axvline(answers.now["size"].max(), color="0.3", lw=1)
    ax.annotate("now", (answers.now["size"].max(), 0.98), xytext=(3, -9), fontsize=9, color="0.25",
                xycoords=("data", "axes fraction"), textcoords="offset points")


def _name_line(ax: Axes, words: str, height: float, colour: str) -> None:
    ax.annotate(words, (0.01, height), xycoords=("axes fraction", "data"), xytext=(0, 3),
                textcoords="offset points", fontsize=9, color=colour, bbox=CLEAR, zorder=5)
