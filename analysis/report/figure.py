"""The report's one figure: the best learner with its range, the others as thin labelled lines."""

from __future__ import annotations

import io

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from analysis.drawing.style import PALETTE
from analysis.report.answers import Answered, curve_means
from analysis.report.sentences import title_of

FARTHEST_DRAWN = 10  # times the rows now
BEST, OTHER = PALETTE[0], "0.45"
CLEAR = {"fc": "white", "ec": "none", "alpha": 0.8, "pad": 0.5}  # behind words over lines
APART = 0.055  # of the axis, between two labels


def draw_report(answers: Answered) -> str:
    """Draw the curves and the forecast; return SVG text that scales to a phone.

    No `Chart`: curves and forecasts end in labels, and "now", "wanted" and "always" stand at lines.
    """
    settings = {"svg.fonttype": "none", "svg.hashsalt": "report", "font.size": 11,
                "axes.spines.top": False, "axes.spines.right": False, "text.parse_math": False}
    with plt.rc_context(settings):
        figure, ax = plt.subplots(figsize=(6.0, 4.0), layout="constrained")
        labels = [_draw_learner(ax, answers, name, k == 0)
                  for k, name in enumerate(answers.now["learner"])]
        _finish(ax, answers)
        _label(ax, labels)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
        plt.close(figure)
    return text.getvalue()[text.getvalue().index("<svg"):]


def _draw_learner(ax: Axes, answers: Answered, learner: str, best: bool) -> tuple:
    """Draw one learner; return where its label goes: x, y, name, colour."""
    colour, width = (BEST, 2.2) if best else (OTHER, 1.0)
    mean = curve_means(answers.curves.errors, learner)
    ahead = answers.path[answers.path["learner"] == learner]
    ahead = ahead[ahead["size"] <= FARTHEST_DRAWN * answers.now["size"].max()]
    ax.plot(mean["anchor"], mean, color=colour, lw=width, marker="o", ms=4 if best else 2.5)
    x = np.r_[mean["anchor"].values[-1], ahead["size"]]
    y = np.r_[mean.values[-1], ahead["error"]]
    ax.plot(x, y, "--", color=colour, lw=width)
    if best:
        now = answers.now.iloc[0]
        low, high = (now[c] if np.isfinite(now[c]) else now["error"] for c in ("low", "high"))
        ax.fill_between(x, np.r_[low, ahead["low"]], np.r_[high, ahead["high"]], color=colour,
                        alpha=0.18, lw=0)
    return x[-1], y[-1], title_of(learner), colour


def _finish(ax: Axes, answers: Answered) -> None:
    unit = f",\nin the unit of {answers.unit!r}" if answers.unit else ""
    ax.set_xscale("log")
    low, high = ax.get_xlim()
    ax.xaxis.set_major_locator(LogLocator(subs=(1,) if high > 200 * low else (1, 2, 5)))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set(xlabel="rows trained on", ylabel=answers.label + unit)
    top = max(answers.now["high"].fillna(answers.now["error"]).max(),
              float(answers.curves.errors.mean(["outer", "inner"]).max()))
    if np.isfinite(answers.baseline):
        top = max(min(top, 1.6 * answers.baseline), 1.05 * answers.baseline)
        ax.axhline(answers.baseline, color="0.3", lw=0.9, ls=(0, (6, 3)))
        ax.annotate(f"always {answers.always}", (0.01, answers.baseline),
                    xycoords=("axes fraction", "data"), xytext=(0, 3),
                    textcoords="offset points", fontsize=9, color="0.25",
                    bbox=CLEAR, zorder=5)
    if answers.wanted_error is not None:
        ax.axhline(answers.wanted_error, color=PALETTE[1], lw=1.2, ls=":")
        ax.annotate("wanted", (0.01, answers.wanted_error), xytext=(0, 3), fontsize=9,
                    xycoords=("axes fraction", "data"), textcoords="offset points",
                    color=PALETTE[1], bbox=CLEAR, zorder=5)
    ax.set_ylim(0, 1.05 * top)
    if top >= 1000:
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.axvline(answers.now["size"].max(), color="0.3", lw=1)
    ax.annotate("now", (answers.now["size"].max(), 0.98), xytext=(3, -9), fontsize=9, color="0.25",
                xycoords=("data", "axes fraction"), textcoords="offset points")


def _label(ax: Axes, labels: list[tuple]) -> None:
    """Write the names at the lines' ends, moved apart where they would meet."""
    low, high = ax.get_ylim()
    gap, last = APART * (high - low), -np.inf
    for x, y, name, colour in sorted(labels, key=lambda label: label[1]):
        last = max(min(y, high), last + gap)
        ax.annotate(name, (x, last), xytext=(5, -3), textcoords="offset points", fontsize=9,
                    color=colour, annotation_clip=False)
