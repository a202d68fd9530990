"""Figures of the chapter *When do methods differ?*."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.drawing.charts import add_legend, figure
from analysis.drawing.style import PALETTE
from chapters.when_methods_differ.power import detection

COLOURS = {"name": PALETTE[0], "position": PALETTE[1]}
WORDS = {"name": "paired by name", "position": "paired by position (published)"}
GROUPS = ("complexity", "statistical", "info-theory", "model-based", "landmarking", "relative",
          "clustering", "concept", "itemset", "general")


@figure
def draw_chance(chance: pd.DataFrame, methods: pd.DataFrame) -> Figure:
    """Draw what chance makes of the largest correlation, and the largest there is.

    Parameters
    ----------
    chance : pandas.DataFrame
        Columns ``method, pairing, level, largest``: percentiles under permutation.
    methods : pandas.DataFrame
        Columns ``method, pairing, rho``.

    Returns
    -------
    matplotlib.figure.Figure
    """
    order = list(dict.fromkeys(methods["method"]))
    drawn, axes = plt.subplots(2, -(-len(order) // 2), figsize=(7, 4.4), sharex=True, sharey=True,
                                squeeze=False)
    for ax, method in zip(axes.flat, order, strict=False):
        for pairing, colour in COLOURS.items():
            here = chance[(chance["method"] == method) & (chance["pairing"] == pairing)]
            ax.plot(here["largest"], 100 * (1 - here["level"]), color=colour, label=WORDS[pairing])
            found = methods[(methods["method"] == method) & (methods["pairing"] == pairing)]
            at = abs(found["rho"].iloc[0])
            as_large = np.interp(at, here["largest"], 100 * (1 - here["level"]))
            ax.vlines(at, 0, as_large, color=colour, lw=1, ls=":")
            ax.plot(at, as_large, "o" if pairing == "name" else "s", color=colour)
        ax.set_title(method)
        ax.set_ylim(0, 100)
    drawn.supxlabel("largest |rank correlation| of all meta-features")
    drawn.supylabel("permutations with a larger one (%)")
    add_legend(drawn, axes[0, 0], 2)
    return drawn


@figure
def draw_leaders(leaders: pd.DataFrame) -> Figure:
    """Draw the published pairing's leaders, and what is left of them by name.

    Parameters
    ----------
    leaders : pandas.DataFrame
        From `chapters.when_methods_differ.study.leaders`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    rows = leaders[(leaders["pairing"] == "position") & (leaders["place"] <= 3)]
    rows = rows.reset_index(drop=True)
    at = rows.index.to_numpy() + rows["method"].ne(rows["method"].shift()).cumsum().to_numpy() - 1
    drawn, ax = plt.subplots(figsize=(7, 0.33 * len(rows) + 1.5))
    ax.hlines(at, rows["low"], rows["high"], color=COLOURS["name"], lw=1.2)
    ax.plot(rows["by_name"], at, "o", color=COLOURS["name"], label=WORDS["name"])
    ax.plot(rows["rho"], at, "s", color=COLOURS["position"], label=WORDS["position"])
    ax.axvline(0, color="0.5", lw=1)
    ax.set_yticks(at, rows["method"] + ": " + rows["meta_feature"], fontsize="small")
    ax.invert_yaxis()
    ax.set_xlabel("rank correlation with the gain")
    drawn.legend(loc="outside upper center", ncols=2)
    return drawn


@figure
def draw_groups(leaders: pd.DataFrame) -> Figure:
    """Draw how many of the top meta-features are of which group, by pairing.

    Parameters
    ----------
    leaders : pandas.DataFrame
        As in `draw_leaders`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    methods = list(dict.fromkeys(leaders["method"]))
    counts = leaders.groupby(["pairing", "method", "group"]).size()
    groups = [g for g in GROUPS if g in counts.index.get_level_values("group")]
    drawn, axes = plt.subplots(1, 2, figsize=(7, 0.5 * len(methods) + 1.6), sharey=True)
    for ax, pairing in zip(axes, ("position", "name"), strict=True):
        table = counts[pairing].unstack(fill_value=0).reindex(methods)
        left = np.zeros(len(methods))
        for k, group in enumerate(groups):
            width = table.get(group, pd.Series(0, index=methods)).to_numpy()
            ax.barh(methods, width, left=left, label=group, color=PALETTE[k % len(PALETTE)],
                    hatch="//" if k >= len(PALETTE) else None, edgecolor="white")
            left = left + width
        ax.set_title(WORDS[pairing], fontsize="small")
        ax.set_xlabel("of the top ten")
    axes[0].invert_yaxis()
    add_legend(drawn, axes[0], fontsize="small")
    return drawn


@figure
def draw_power(least: dict[str, float], n: int) -> Figure:
    """Draw with what probability a true correlation is found, with `n` problems and with more.

    Parameters
    ----------
    least : dict of str to float
        As in `chapters.when_methods_differ.power.power_table`.
    n : int
        Problems there are; lines for twice and for five times as many beside.

    Returns
    -------
    matplotlib.figure.Figure
    """
    rho = np.linspace(0, 0.85, 120)
    drawn, axes = plt.subplots(1, len(least), figsize=(7, 3), sharey=True, squeeze=False)
    for ax, (question, distance) in zip(axes[0], least.items(), strict=True):
        for k, times in enumerate((1, 2, 5)):
            ax.plot(rho, 100 * detection(rho, times * n, distance), color=PALETTE[k],
                    ls=("-", "--", ":")[k], label=f"{times * n} problems")
        ax.axhline(80, color="0.7", lw=0.8)
        ax.set_title(question, fontsize="small")
        ax.set_xlabel("true |rank correlation|")
    axes[0, 0].set_ylabel("found (%)")
    axes[0, 0].legend(fontsize="small")
    return drawn
