"""Figures of portfolios at a real size: by configs, by time, by datasets."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, StrMethodFormatter

from analysis.drawing.charts import add_legend, draw_bands, figure
from analysis.drawing.style import PALETTE
from analysis.portfolios.matrix import AVERAGE, RANDOM
from chapters.portfolios.how_many import RIVALS, SIZE

COLOURS = {"random": PALETTE[1], "average": PALETTE[2], "default": PALETTE[3]}
METHODS = {"published": "portfolio, by ranks", "normalized": "portfolio, by normalised errors",
           "cost_aware": "portfolio, by gain per second", AVERAGE: "best on average",
           RANDOM: "random configs"}


@figure
def draw_sizes(sizes: pd.DataFrame) -> Figure:
    """Draw what portfolios and their rivals are worth, by configs and by training time.

    Parameters
    ----------
    sizes : pandas.DataFrame
        From `analysis.portfolios.matrix.compare_sizes`.
    """
    made, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4), sharey=True)
    shown = sizes[sizes["method"].isin(list(METHODS)) & sizes["size"].isin(
        [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 104])]
    shown = shown.assign(method=shown["method"].map(METHODS))
    shown = shown.sort_values("method", key=lambda m: m.map(list(METHODS.values()).index),
                              kind="stable")
    for ax, x in ((left, "size"), (right, "seconds")):
        draw_bands(ax, shown, x, "normalized_error", "normalized_error_low",
                   "normalized_error_high", by="method")
        ax.xaxis.set_minor_formatter(NullFormatter())
    left.set(xlabel="configs tried", ylabel="normalised error\n(0: the best of all, 1: the median)",
             ylim=(0, 0.95))
    right.set_xlabel("training time together [s]")
    add_legend(made, left, 3, loc="outside lower center", fontsize="small")
    return made


@figure
def draw_how_many(numbers: pd.DataFrame, decided: pd.DataFrame, rivals: dict[str, float],
                  ours: int) -> Figure:
    """Draw how many datasets it takes to learn a portfolio, and to tell that it is better.

    Parameters
    ----------
    numbers : pandas.DataFrame
        From `chapters.portfolios.how_many.by_number`.
    decided : pandas.DataFrame
        From `chapters.portfolios.how_many.decided`.
    rivals : dict of str to float
        Normalised errors of the rivals: key of `RIVALS` → value.
    ours : int
        Datasets of our own repository, which are marked.
    """
    made, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4))
    own = numbers[numbers["criterion"] == "ranks"]
    draw_bands(left, own, "number", "normalized_error")
    left.annotate(f"portfolio of {SIZE}\n(band: nine draws in ten)", (30, 0.21), va="top",
                  color=PALETTE[0])
    for key in ("random", "average"):
        left.axhline(rivals[key], color=COLOURS[key], linestyle="--")
        left.annotate(RIVALS[key], (92, rivals[key]), (0, 3), textcoords="offset points",
                      color=COLOURS[key], ha="right")
    left.set(title="How good is what is learned?", xlabel="datasets to learn from",
             ylabel="error on a new dataset\n(0: the best of 104 configs, 1: the median)",
             ylim=(0.15, 0.4))
    told = decided[decided["studies"] > 1].assign(percent=lambda table: 100 * table["right"])
    told = told.drop(columns=["low", "high"])
    draw_bands(right, told, "number", "percent", by="rival", colours=COLOURS)
    for key, (at, above) in {"default": (50, -14), "average": (42, 8), "random": (50, -34)}.items():
        line = told[told["rival"] == key]
        height = np.interp(at, line["number"], line["percent"])
        right.annotate(f"than {RIVALS[key]}", (at, height), (0, above), color=COLOURS[key],
                       textcoords="offset points", ha="right")
    right.set(title="How often does a study find it better?", ylim=(-3, 103),
              xlabel="datasets of the study", ylabel="studies that find it, surely [%]")
    for ax, ticks in ((left, own["number"]), (right, told["number"])):
        _mark_ours(ax, ours, sorted(set(ticks.astype(int))))
    return made


def _mark_ours(ax: Axes, ours: int, ticks: list[int]) -> None:
    ax.axvline(ours, color="0.4", linewidth=1, linestyle=":")
    ax.annotate("our own\nrepository", (ours, ax.get_ylim()[0]), (3, 4), color="0.3",
                textcoords="offset points", fontsize="x-small")
    ax.set_xticks(ticks, ticks)
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
    ax.minorticks_off()
