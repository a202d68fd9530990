"""Figures of the protocol: which rows are held out, where the anchors lie, what leaks."""

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from analysis.drawing.charts import figure
from analysis.drawing.style import PALETTE
from collection.anchors import anchor_grid, lcdb10_grid
from collection.container import SPLITS

SPLIT_COLOURS = dict(zip(SPLITS, ("#56B4E9", "#E69F00", "#D55E00"), strict=True))


@figure
def draw_splits(split: xr.DataArray) -> Figure:
    """Draw which rows train, validate and test in each repeat.

    Parameters
    ----------
    split : xarray.DataArray of int, dims (outer, inner, row)
        Position in `SPLITS`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    repeats = split.stack(repeat=("outer", "inner")).transpose("repeat", "row")
    figure, ax = plt.subplots(figsize=(7.5, 3.6))
    ax.imshow(repeats, aspect="auto", interpolation="nearest",
              cmap=ListedColormap(list(SPLIT_COLOURS.values())), vmin=0, vmax=len(SPLITS) - 1)
    n_inner = split.sizes["inner"]
    for edge in range(n_inner, repeats.sizes["repeat"], n_inner):
        ax.axhline(edge - 0.5, color="black", lw=1)
    middles = np.arange(split.sizes["outer"]) * n_inner + (n_inner - 1) / 2
    ax.set_yticks(middles, split["outer"].values)
    ax.set(xlabel="row of the dataset", ylabel=f"outer seed ({n_inner} inner seeds each)")
    figure.legend(handles=[Patch(color=c, label=s) for s, c in SPLIT_COLOURS.items()],
                  loc="outside upper center", ncols=len(SPLITS))
    return figure


@figure
def draw_anchors(train_size: int) -> Figure:
    """Draw the anchors of LCDB 1.0 and 1.1 for a training set of `train_size` rows."""
    grids = {"LCDB 1.1 and here": anchor_grid(train_size),
             "LCDB 1.0": lcdb10_grid()[lcdb10_grid() <= train_size]}
    figure, ax = plt.subplots(figsize=(7.5, 1.9))
    for y, (grid, colour) in enumerate(zip(grids.values(), PALETTE, strict=False)):
        ax.scatter(grid, np.full(len(grid), y), s=90, marker="|", color=colour, lw=2)
    ax.axvline(train_size, color="0.5", ls=":")
    ax.annotate("whole training set ", (train_size, 1.45), ha="right", va="center",
                fontsize="small", color="0.3")
    ax.set_xscale("log", base=2)
    ax.set_yticks(range(len(grids)), [f"{name}: {len(grid)}" for name, grid in grids.items()])
    ticks = [n for n in (16, 32, 64, 128, 256, 512, 1024, 2048) if n <= train_size]
    ax.set_xticks(ticks, [f"{n:,}" for n in ticks])
    ax.set(xlabel="training-set size (anchors)", ylim=(-0.6, 1.8))
    return figure


@figure
def draw_learned_scale(learned: xr.DataArray, of_all: float, label: str) -> Figure:
    """Draw what a scaler learns from the training set, against what it learns from all rows.

    Parameters
    ----------
    learned : xarray.DataArray, dims (repeat, anchor)
        A statistic of one feature in each training set.
    of_all : float
        The same of all rows.
    label : str
        Name of the statistic, with its unit.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, ax = plt.subplots(figsize=(7, 3.2))
    for curve in learned:
        ax.plot(learned["anchor"], curve, color=PALETTE[0], alpha=0.3, lw=1)
    ax.plot([], [], color=PALETTE[0], label=f"without leakage ({len(learned)} repeats)")
    ax.axhline(of_all, color=PALETTE[1], lw=2, label="with leakage")
    ax.set_xscale("log", base=2)
    ax.set_xticks(ticks := [16, 32, 64, 128], [str(n) for n in ticks])
    ax.set(xlabel="training-set size", ylabel=label)
    ax.legend()
    return figure
