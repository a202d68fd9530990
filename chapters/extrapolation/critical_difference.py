"""Which models differ in rank: autorank's tests and critical-difference diagram."""

import contextlib
import io

import matplotlib.pyplot as plt
import pandas as pd
from autorank import autorank, plot_stats
from matplotlib.figure import Figure


def rank_models(table: pd.DataFrame, rows: list[str], model: str = "model", score: str = "points",
                alpha: float = 0.05) -> tuple:
    """Compare models over many observations by a Friedman test and Nemenyi's post-hoc test.

    Parameters
    ----------
    table : DataFrame
        Long: a row per observation and model, as `extrapolate` of DA3 returns.
    rows : list of str
        Columns that name an observation. Rows that share them are averaged first: ``["dataset"]``
        makes the curves on one dataset, which are not independent, a single observation.
    model, score : str
        Columns of the models and of what is compared; lower is better.
    alpha : float
        Family-wise level.

    Returns
    -------
    autorank.RankResult
        A named tuple: ``rankdf`` (mean ranks, medians, effect sizes), ``cd`` (the critical
        difference of mean ranks), ``pvalue`` (Friedman's). Observations that lack a model are
        left out.

    Raises
    ------
    ValueError
        Where fewer than five observations have all models, autorank's minimum.
    """
    wide = table.pivot_table(index=rows, columns=model, values=score).dropna()
    if len(wide) < 5:
        raise ValueError(f"Only {len(wide)} observations (by {', '.join(rows)}) have a {score} for "
                         "every model; ranks need at least 5.")
    with contextlib.redirect_stdout(io.StringIO()):  # it says that normality is not looked at
        return autorank(wide, alpha=alpha, order="ascending", approach="frequentist",
                        force_mode="nonparametric")


def plot_critical_difference(result: tuple, ax: plt.Axes | None = None) -> plt.Axes:
    """Draw the critical-difference diagram: models under one bar do not differ significantly.

    Parameters
    ----------
    result : autorank.RankResult
        From `rank_models`, of three models or more.
    ax : matplotlib.axes.Axes, optional
        By default new ones.
    """
    return plot_stats(result, allow_insignificant=True, ax=ax)


def draw_rank_diagrams(results: dict[str, tuple]) -> Figure:
    """Draw critical-difference diagrams below each other.

    Parameters
    ----------
    results : dict
        Title of each diagram, and what `rank_models` returns.
    """
    figure, axes = plt.subplots(len(results), 1, figsize=(9, 3.6 * len(results)), squeeze=False)
    for ax, (title, result) in zip(axes[:, 0], results.items(), strict=True):
        plot_critical_difference(result, ax)
        ax.set_title(title)
    plt.close(figure)
    return figure
