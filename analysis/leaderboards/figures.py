"""Figures of leaderboards: ratings, who beats whom, error against time."""

from collections.abc import Iterable, Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from analysis.drawing.style import PALETTE

ROW = 0.28  # inches per method
LETTER = 0.1  # inches of a method's name, about
TITLES = {"elo": "Elo", "rank": "mean rank", "normalized_error": "normalised error",
          "win_rate": "win rate", "improvability": "improvability"}


def draw_elo(board: pd.DataFrame) -> Figure:
    """Draw Elo ratings with their intervals, the best method on top.

    Parameters
    ----------
    board : pandas.DataFrame
        From `analysis.leaderboards.leaderboard`.
    """
    board = board.sort_values("elo")
    figure, ax = plt.subplots(figsize=(4.5 + _width(board.index), 0.8 + ROW * len(board)))
    spread = np.abs(board[["elo_low", "elo_high"]].T - board["elo"]).to_numpy()
    ax.errorbar(board["elo"], range(len(board)), xerr=spread, fmt="o", color=PALETTE[0],
                ecolor="#999999")
    ax.set_yticks(range(len(board)), board.index)
    ax.set(xlabel="Elo [points]")
    plt.close(figure)
    return figure


def draw_win_matrix(wins: pd.DataFrame, order: list[str] | None = None) -> Figure:
    """Draw the share of tasks, in percent, on which each method (row) beats each other (column).

    Columns carry the numbers of the rows.

    Parameters
    ----------
    wins : pandas.DataFrame
        From `analysis.leaderboards.win_matrix`.
    order : list of str, optional
        Methods from top to bottom; by default by their mean share of wins.
    """
    order = order or list(wins.mean(axis=1).sort_values(ascending=False).index)
    shown = wins.loc[order, order].to_numpy(copy=True)
    np.fill_diagonal(shown, np.nan)
    side = 0.42 * len(order)
    figure, ax = plt.subplots(figsize=(1.7 + side + _width(order), 0.7 + side))
    image = ax.imshow(shown, cmap="RdBu", vmin=0, vmax=1)
    for row, column in np.argwhere(~np.isnan(shown)):
        share = shown[row, column]
        ax.text(column, row, f"{100 * share:.0f}", ha="center", va="center", fontsize="x-small",
                color="white" if abs(share - 0.5) > 0.35 else "black")
    ax.set_xticks(range(len(order)), range(1, len(order) + 1))
    ax.set_yticks(range(len(order)), [f"{name}  {k}" for k, name in enumerate(order, 1)])
    ax.tick_params(length=0)
    figure.colorbar(image, ax=ax, label="share of tasks won", shrink=0.8)
    plt.close(figure)
    return figure


def draw_pareto(
    table: pd.DataFrame, error: str, times: Mapping[str, str], front: Mapping[str, pd.Series]
) -> Figure:
    """Draw error against times, a panel each, methods on the front named and joined.

    Parameters
    ----------
    table : pandas.DataFrame
        A row per method.
    error : str
        Column of the error.
    times : mapping of str to str
        Columns of times, and their axis labels.
    front : mapping of str to pandas.Series of bool
        By column of `times`, from `analysis.leaderboards.pareto_front` of it and the error.
    """
    figure, axes = plt.subplots(1, len(times), figsize=(4.6 * len(times), 3.6), sharey=True,
                                squeeze=False)
    for ax, (column, label) in zip(axes[0], times.items(), strict=True):
        on = table[front[column]].sort_values(column)
        ax.scatter(table[column], table[error], color="#999999", s=18)
        ax.step(on[column], on[error], where="post", color=PALETTE[1])
        ax.scatter(on[column], on[error], color=PALETTE[1], s=24)
        for name, row in on.iterrows():
            ax.annotate(str(name), (row[column], row[error]), xytext=(3, 4),
                        textcoords="offset points", fontsize="x-small")
        ax.set(xscale="log", xlabel=label)
        ax.xaxis.set_minor_formatter(NullFormatter())
    axes[0, 0].set_ylabel(TITLES.get(error, error))
    plt.close(figure)
    return figure


def _width(names: Iterable[str]) -> float:
    """Return the inches that names need beside the axes."""
    return LETTER * max(len(str(name)) for name in names)
