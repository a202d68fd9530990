"""Figures of the chapter on CC-18."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.databases.naming import learner_title
from analysis.drawing.charts import figure
from analysis.drawing.style import PALETTE
from chapters.cc18.criteria import DECIDED
from collection.curation.criteria import ONE_HOT_LIMIT, ROWS


@figure
def draw_criteria(criteria: pd.DataFrame, qualities: pd.DataFrame) -> Figure:
    """Draw each dataset by its rows and features, coloured by what decided.

    Parameters
    ----------
    criteria : pandas.DataFrame
        From `chapters.cc18.criteria.cc18_criteria`.
    qualities : pandas.DataFrame
        Of the same datasets, in the same order, from `qualities_from_openml`.
    """
    drawn, ax = plt.subplots(figsize=(7, 4.2))
    markers = dict(zip(DECIDED, "o.svD^x", strict=True))
    for (decided, label), colour in zip(DECIDED.items(), PALETTE, strict=False):
        rows = qualities[(criteria["decided_by"] == decided).to_numpy()]
        ax.scatter(rows["rows"], rows["features_after_one_hot"], s=22, marker=markers[decided],
                   color=colour, label=f"{label}: {len(rows)}", linewidths=0.8,
                   alpha=0.9 if decided != "manual" else 0.6)
    for bound in ROWS:
        ax.axvline(bound, color="0.6", lw=0.8, ls="--")
    ax.axhline(ONE_HOT_LIMIT, color="0.6", lw=0.8, ls="--")
    ax.set(xscale="log", yscale="log", xlabel="rows", ylabel="features after one-hot encoding")
    ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    return drawn


@figure
def draw_rank_shifts(effect: pd.DataFrame) -> Figure:
    """Draw how mean ranks move when near-duplicates count as one.

    Parameters
    ----------
    effect : pandas.DataFrame
        From `chapters.cc18.twins.near_duplicate_effect`.
    """
    drawn, ax = plt.subplots(figsize=(7, 0.24 * len(effect) + 1))
    at = np.arange(len(effect))[::-1]
    ax.hlines(at, effect["each"], effect["grouped"], color="0.6", lw=1.5)
    ax.plot(effect["each"], at, "o", color=PALETTE[0], label="each dataset counts one")
    ax.plot(effect["grouped"], at, "D", ms=5, color=PALETTE[1],
            label="near-duplicates count as one")
    ax.set_yticks(at, effect["method"].map(learner_title), fontsize="small")
    ax.set(xlabel="mean rank (1 is best)")
    ax.legend(fontsize="small", loc="lower left")
    return drawn
