"""Figures of the chapter on ensembles' learning curves."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from analysis.drawing.style import PALETTE
from analysis.ensemble_curves.survival import MEMBERS

MARKERS = "osD^vPX*"
TITLES = {"non_monotone": "non-monotone", "peaking": "peaking", "dipping": "dipping"}


def draw_curves(errors, datasets: Sequence[str], learners: Sequence[str], members: Sequence[str]
                ) -> Figure:
    """Draw mean test curves of some datasets, a panel each: members thin, ensembles thick.

    Parameters
    ----------
    errors : xarray.DataArray
        From `analysis.ensemble_curves.judged.judged_errors`.
    datasets, learners, members : sequence of str
        Labels; `learners` are the ensembles.
    """
    figure, axes = plt.subplots(1, len(datasets), figsize=(3.2 * len(datasets), 3.4), squeeze=False)
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
    _legend(figure, axes[0, 0])
    plt.close(figure)
    return figure


def draw_survival(tables: Mapping[str, pd.DataFrame], label: str) -> Figure:
    """Draw members and ensembles by shape, a panel per shape.

    Parameters
    ----------
    tables : mapping of title to pandas.DataFrame
        From `analysis.ensemble_curves.survival`, one verdict each.
    label : str
        Of the axis.
    """
    figure, axes = plt.subplots(1, len(tables), figsize=(2.6 + 2.2 * len(tables), 3.6),
                                sharey=True, squeeze=False)
    for ax, (title, table) in zip(axes[0], tables.items(), strict=True):
        place = np.arange(len(table))[::-1]
        colours = ["#000000" if name == MEMBERS else PALETTE[0] for name in table["ensemble"]]
        ax.hlines(place, table["low"], table["high"], color=colours)
        ax.scatter(table["percent"], place, c=colours, zorder=3)
        ax.set_yticks(place, table["ensemble"])
        ax.set(title=title, xlabel=label)
    plt.close(figure)
    return figure


def draw_advantages(table: pd.DataFrame, baselines: Mapping[str, str]) -> Figure:
    """Draw how far ensembles are from baselines, by training rows, a panel per baseline.

    Parameters
    ----------
    table : pandas.DataFrame
        From `analysis.ensemble_curves.advantage.advantages`.
    baselines : mapping of str to str
        Baselines with the panels' titles.
    """
    figure, axes = plt.subplots(1, len(baselines), figsize=(1 + 2.8 * len(baselines), 3.6),
                                sharey=True, squeeze=False)
    names = list(dict.fromkeys(table["ensemble"]))
    for ax, (baseline, title) in zip(axes[0], baselines.items(), strict=True):
        for k, name in enumerate(names):
            own = table[(table["ensemble"] == name) & (table["baseline"] == baseline)]
            _band(ax, own, "difference", k, name)
        ax.axhline(0, color="#666666", linewidth=1)
        ax.set_title(title, fontsize="small")
        _rows_axis(ax, own["anchor"].to_numpy())
    axes[0, 0].set_ylabel("difference in test error\n[percentage points]")
    _legend(figure, axes[0, 0])
    plt.close(figure)
    return figure


def draw_weights(curves: pd.DataFrame, titles: Mapping[str, str]) -> Figure:
    """Draw the members' mean weights by training rows, stacked to 100 %.

    Parameters
    ----------
    curves : pandas.DataFrame
        From `analysis.ensemble_curves.drift.weight_curves`.
    titles : mapping of str to str
        Members' names for the page, in the order from the bottom.
    """
    figure, ax = plt.subplots(figsize=(7.4, 4.2))
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
    plt.close(figure)
    return figure


def draw_few_rows(table: pd.DataFrame, ways: Sequence[str], words: Mapping[str, str]) -> Figure:
    """Draw what choosing on few validation rows costs, by training rows, a panel per way.

    Parameters
    ----------
    table : pandas.DataFrame
        From `analysis.ensemble_curves.validation_rows.cost_of_few`.
    ways : sequence of str
    words : mapping of str to str
        Numbers of validation rows with their names for the page.
    """
    figure, axes = plt.subplots(1, len(ways), figsize=(1 + 2.8 * len(ways), 3.6), sharey=True,
                                squeeze=False)
    for ax, way in zip(axes[0], ways, strict=True):
        for k, (rows, name) in enumerate(words.items()):
            own = table[(table["way"] == way) & (table["rows"] == rows)]
            _band(ax, own, "cost", k, name)
        ax.axhline(0, color="#666666", linewidth=1)
        ax.set_title(way, fontsize="small")
        _rows_axis(ax, table["anchor"].to_numpy())
    axes[0, 0].set_ylabel("higher test error\n[percentage points]")
    _legend(figure, axes[0, 0])
    plt.close(figure)
    return figure


def _band(ax: Axes, own: pd.DataFrame, value: str, k: int, name: str) -> None:
    own = own.sort_values("anchor")
    ax.fill_between(own["anchor"], own["low"], own["high"], color=PALETTE[k], alpha=0.12,
                    linewidth=0)
    ax.plot(own["anchor"], own[value], color=PALETTE[k], marker=MARKERS[k], markersize=4,
            label=name)


def _rows_axis(ax: Axes, anchors: np.ndarray) -> None:
    ax.set_xscale("log", base=2)
    ax.set(xlabel="training rows", xlim=(anchors.min(), anchors.max()))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda n, _: f"{n:g}"))
    ax.xaxis.set_minor_locator(NullLocator())


def _legend(figure: Figure, ax: Axes) -> None:
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize="small")
