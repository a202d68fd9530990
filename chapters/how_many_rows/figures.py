"""Figures of the chapter *From how many rows on?*."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.databases.chosen import database_title
from analysis.databases.naming import learner_title
from analysis.drawing.charts import add_legend, draw_bands, draw_dots, figure
from analysis.drawing.style import PALETTE
from chapters.how_many_rows.overtaking import SIZES


@figure
def draw_chart(shares: pd.DataFrame) -> Figure:
    """Draw the chart for who wants to know: learners by rows, the share of problems in each cell.

    Parameters
    ----------
    shares : pandas.DataFrame
        From `overtaking_shares`, of one or more databases, a panel each; learners are sorted by
        their share at 500 rows. Cells of too few problems stay empty.
    """
    databases = list(dict.fromkeys(shares["database"]))
    tables = [_square(shares[shares["database"] == d]) for d in databases]
    heights = [len(t[0]) for t in tables]
    height = 0.52 * sum(heights) + 1.1 * len(tables)
    drawn, axes = plt.subplots(len(tables), 1, figsize=(7, height), squeeze=False,
                                gridspec_kw={"height_ratios": heights})
    for ax, database, (share, low, high) in zip(axes[:, 0], databases, tables, strict=True):
        image = ax.imshow(100 * share, cmap="viridis", vmin=0, vmax=100, aspect="auto")
        _write_cells(ax, 100 * share, 100 * low, 100 * high)
        ax.set_yticks(range(len(share)), [learner_title(n) for n in share.index], fontsize="small")
        ax.set_xticks(range(len(SIZES)), [f"{s:,}" for s in SIZES], fontsize="small")
        ax.tick_params(length=0)
        ax.set_title(database_title(database), loc="left")
    axes[-1, 0].set_xlabel("rows to train on")
    drawn.colorbar(image, ax=axes[:, 0], label="ahead for good (% of problems)", pad=0.02)
    return drawn


def _square(shares: pd.DataFrame) -> tuple[pd.DataFrame, ...]:
    shares = shares[shares["rows"].isin(SIZES)]
    tables = [shares.pivot(index="learner", columns="rows", values=v)
              for v in ("share", "low", "high")]
    order = tables[0][500].fillna(tables[0][100]).sort_values(ascending=False, kind="stable").index
    return tuple(t.loc[order, list(SIZES)] for t in tables)


def _write_cells(ax: Axes, share: pd.DataFrame, low: pd.DataFrame, high: pd.DataFrame) -> None:
    for (i, j), value in np.ndenumerate(share.to_numpy()):
        if np.isfinite(value):
            colour = "black" if value > 55 else "white"
            ax.text(j, i - 0.12, f"{value:.0f}", ha="center", va="center", color=colour)
            ax.text(j, i + 0.27, f"{low.iloc[i, j]:.0f}–{high.iloc[i, j]:.0f}", ha="center",
                    va="center", color=colour, fontsize="x-small")


@figure
def draw_lines(shares: pd.DataFrame, learners: list[str]) -> Figure:
    """Draw the shares against the rows, a panel per learner, a colour per database.

    Parameters
    ----------
    shares : pandas.DataFrame
        From `chapters.how_many_rows.one_database.all_shares`, of some databases.
    learners : list of str
        Panels; a learner that a database lacks has no line of it.
    """
    columns = 2
    rows = -(-len(learners) // columns)
    drawn, axes = plt.subplots(rows, columns, figsize=(7, 2.3 * rows + 0.4), sharex=True,
                                sharey=True, squeeze=False)
    for ax, learner in zip(axes.flat, learners, strict=False):
        here = shares[(shares["learner"] == learner) & shares["share"].notna()]
        for k, (database, line) in enumerate(here.groupby("database", sort=False)):
            ax.plot(line["rows"], 100 * line["share"], color=PALETTE[k],
                    label=database_title(database))
            ax.fill_between(line["rows"], 100 * line["low"], 100 * line["high"], color=PALETTE[k],
                            alpha=0.15, lw=0)
            ax.plot(line["rows"], 100 * line["survival"], color=PALETTE[k], ls=":")
        ax.set_title(learner_title(learner))
        ax.set_xscale("log")
        ax.set_ylim(0, 100)
    for ax in axes.flat[len(learners):]:
        ax.axis("off")
    drawn.supxlabel("rows to train on")
    drawn.supylabel("ahead for good (% of problems)")
    add_legend(drawn, axes[0, 0], 3)
    return drawn


@figure
def draw_sizes(sizes: pd.DataFrame, learners: list[str]) -> Figure:
    """Draw dataset by dataset from which size on some learners are ahead, with intervals.

    Parameters
    ----------
    sizes : pandas.DataFrame
        From `sizes_by_dataset`, of one database.
    learners : list of str
        A panel each. A filled dot is a size; an arrow at the end of the curve, "not by then".
    """
    last = sizes.groupby("name", sort=False)["last"].max()
    names = last.sort_values(kind="stable").index.tolist()
    drawn, axes = plt.subplots(1, len(learners), sharey=True, squeeze=False,
                                figsize=(7, 0.27 * len(names) + 1.1))
    for ax, learner in zip(axes[0], learners, strict=True):
        rows = sizes[sizes["learner"] == learner].set_index("name").reindex(names)
        at = np.arange(len(names))
        ax.hlines(at, rows["first"], rows["last"], color="0.85", lw=5, zorder=0)
        ax.hlines(at, rows["low"], rows["high"].fillna(rows["last"]), color=PALETTE[0], lw=1.6)
        ax.plot(rows["rows"], at, "o", color=PALETTE[0], ms=5)
        never = rows["rows"].isna().to_numpy() & rows["last"].notna().to_numpy()
        ax.plot(rows["last"][never], at[never], ">", color=PALETTE[1], ms=6)
        ax.set_xscale("log")
        ax.set_title(learner_title(learner))
        ax.set_xlabel("rows")
    axes[0, 0].set_yticks(range(len(names)), names, fontsize="small")
    return drawn


@figure
def draw_foretold(table: pd.DataFrame) -> Figure:
    """Draw how well overtaking is foretold, by what is known.

    Parameters
    ----------
    table : pandas.DataFrame
        From `chapters.how_many_rows.foretold.foretell`.
    """
    table = table.assign(name=table["learner"].map(learner_title))
    drawn, ax = plt.subplots(figsize=(7, 0.62 * table["name"].nunique() + 1.2))
    draw_dots(ax, table, "name", "auc", by="known", reference=0.5)
    ax.set_xlabel("AUC on datasets left out (0.5: chance)")
    add_legend(drawn, ax, title="known at 64 rows")
    return drawn


@figure
def draw_regrets(regrets: pd.DataFrame) -> Figure:
    """Draw what each way to decide costs, by the rows that one has.

    Parameters
    ----------
    regrets : pandas.DataFrame
        From `chapters.how_many_rows.decision.regrets`, of one set of tables.
    """
    regrets = regrets.assign(name=[f"{n} rows ({t} tables)" for n, t in
                                   regrets[["rows", "n_tables"]].to_numpy()])
    drawn, ax = plt.subplots(figsize=(7, 0.62 * regrets["name"].nunique() + 1.4))
    draw_dots(ax, regrets, "name", "regret", by="rule", reference=0)
    ax.set_xlabel("regret (points of error rate)")
    add_legend(drawn, ax, 2)
    return drawn


@figure
def draw_three(shares: pd.DataFrame, learners: list[str]) -> Figure:
    """Draw who is ahead by rows, on a fixed set of problems: a panel per learner.

    Parameters
    ----------
    shares : pandas.DataFrame
        From `chapters.how_many_rows.shares.three_shares`.
    learners : list of str
        Panels.
    """
    drawn, axes = plt.subplots(1, len(learners), figsize=(7, 3.2), sharey=True, squeeze=False)
    for ax, learner in zip(axes[0], learners, strict=True):
        rows = shares[(shares["learner"] == learner) & shares["share"].notna()]
        percent = rows.assign(**{c: 100 * rows[c] for c in ("share", "low", "high")})
        draw_bands(ax, percent, "rows", "share", by="who")
        ax.set_title(learner_title(learner))
        ax.set_ylim(0, 100)
    drawn.supxlabel("rows to train on")
    drawn.supylabel("of the problems (%)")
    add_legend(drawn, axes[0, 0], 2)
    return drawn
