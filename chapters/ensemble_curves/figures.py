"""Figures of the chapter on ensembles' learning curves."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from analysis.drawing.charts import add_legend, draw_bands, draw_dots, figure
from analysis.drawing.style import PALETTE
from chapters.ensemble_curves.survival import MEMBERS


@figure
def draw_curves(errors: xr.DataArray, datasets: Sequence[str], learners: Sequence[str],
                members: Sequence[str]) -> Figure:
    """Draw mean test curves of some datasets, a panel each: members thin, ensembles thick.

    Parameters
    ----------
    errors : xarray.DataArray
        From `chapters.ensemble_curves.judged.judged_errors`.
    datasets, learners, members : sequence of str
        Labels; `learners` are the ensembles.
    """
    made, axes = plt.subplots(1, len(datasets), figsize=(3.2 * len(datasets), 3.4), squeeze=False)
    for ax, dataset in zip(axes[0], datasets, strict=True):
        mean = errors.sel(dataset=dataset).mean(["outer", "inner"]).dropna("anchor", how="all")
        for name in members:
            ax.plot(mean["anchor"], mean.sel(learner=name), color="#BBBBBB", linewidth=1,
                    label="members" if name == members[0] else None)
        for k, name in enumerate(learners):
            ax.plot(mean["anchor"], mean.sel(learner=name), color=PALETTE[k], linewidth=2,
                    label=name)
        ax.set_title(dataset.rpartition("/")[2])
        _rows_axis(ax, mean["anchor"].values)
    axes[0, 0].set_ylabel("test error rate")
    _legend(made, axes[0, 0])
    return made


@figure
def draw_survival(tables: Mapping[str, pd.DataFrame], label: str) -> Figure:
    """Draw members and ensembles by shape, a panel per shape.

    Parameters
    ----------
    tables : mapping of title to pandas.DataFrame
        From `chapters.ensemble_curves.survival`, one verdict each.
    label : str
        Of the axis.
    """
    made, axes = plt.subplots(1, len(tables), figsize=(2.6 + 2.2 * len(tables), 3.6),
                              sharey=True, squeeze=False)
    for ax, (title, table) in zip(axes[0], tables.items(), strict=True):
        reference = table.loc[table["ensemble"] == MEMBERS, "percent"].item()
        draw_dots(ax, table, "ensemble", "percent", reference=reference)
        ax.set(title=title, xlabel=label)
    return made


@figure
def draw_advantages(table: pd.DataFrame, baselines: Mapping[str, str]) -> Figure:
    """Draw how far ensembles are from baselines, by training rows, a panel per baseline.

    Parameters
    ----------
    table : pandas.DataFrame
        From `chapters.ensemble_curves.advantage.advantages`.
    baselines : mapping of str to str
        Baselines with the panels' titles.
    """
    panels = {title: table[table["baseline"] == name] for name, title in baselines.items()}
    return _panels(panels, "difference", "ensemble",
                   "difference in test error\n[percentage points]")


@figure
def draw_few_rows(table: pd.DataFrame, ways: Sequence[str], words: Mapping[str, str]) -> Figure:
    """Draw what choosing on few validation rows costs, by training rows, a panel per way.

    Parameters
    ----------
    table : pandas.DataFrame
        From `chapters.ensemble_curves.costs.cost_of_few`.
    ways : sequence of str
    words : mapping of str to str
        Numbers of validation rows with their names for the page.
    """
    named = table.assign(rows=table["rows"].map(words)).dropna(subset="rows")
    panels = {way: named[named["way"] == way] for way in ways}
    return _panels(panels, "cost", "rows", "higher test error\n[percentage points]")


@figure
def draw_weights(curves: pd.DataFrame, titles: Mapping[str, str]) -> Figure:
    """Draw the members' mean weights by training rows, stacked to 100 %.

    Parameters
    ----------
    curves : pandas.DataFrame
        From `chapters.ensemble_curves.weights.weight_curves`.
    titles : mapping of str to str
        Members' names for the page, in the order from the bottom.
    """
    made, ax = plt.subplots(figsize=(7.4, 4.2))
    order = [name for name in titles if name in curves]
    colours = plt.get_cmap("viridis")(np.linspace(0, 1, len(order)))
    ax.stackplot(curves.index, 100 * curves[order].to_numpy().T, colors=colours,
                 labels=[titles[name] for name in order], edgecolor="white", linewidth=0.6)
    _rows_axis(ax, curves.index.to_numpy())
    ax.set(ylabel="mean weight [%]", ylim=(0, 100))
    ax.margins(x=0)
    handles, labels = ax.get_legend_handles_labels()
    ax.legend(handles[::-1], labels[::-1], loc="center left", bbox_to_anchor=(1, 0.5),
              fontsize="small")
    return made


def _panels(panels: Mapping[str, pd.DataFrame], value: str, by: str, label: str) -> Figure:
    """Draw lines with bands over training rows around 0, a panel each."""
    made, axes = plt.subplots(1, len(panels), figsize=(1 + 2.8 * len(panels), 3.6), sharey=True,
                              squeeze=False)
    for ax, (title, table) in zip(axes[0], panels.items(), strict=True):
        draw_bands(ax, table, "anchor", value, by=by)
        ax.axhline(0, color="#666666", linewidth=1)
        ax.set_title(title, fontsize="small")
        _rows_axis(ax, table["anchor"].to_numpy())
    axes[0, 0].set_ylabel(label)
    _legend(made, axes[0, 0])
    return made


def _rows_axis(ax: Axes, anchors: np.ndarray) -> None:
    ax.set_xscale("log", base=2)
    ax.set(xlabel="training rows", xlim=(anchors.min(), anchors.max()))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda n, _: f"{n:g}"))
    ax.xaxis.set_minor_locator(NullLocator())


def _legend(made: Figure, ax: Axes) -> None:
    add_legend(made, ax, 3, loc="outside lower center", fontsize="small")
