"""A figure as a specification: a table, and what of it is x, y, colour, panel and interval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from analysis.databases.naming import learner_title
from analysis.drawing.charts import add_legend, draw_bands, draw_dots, draw_heatmap, figure
from analysis.drawing.style import PALETTE, learner_style
from collection.project.naming import check_known

AT_THE_LINES = 4  # lines that are named where they end; more have a legend
WIDTH = 7.0  # inches of a figure over the page's whole width


@dataclass(frozen=True)
class Chart:
    """What a figure shows of a table.

    Attributes
    ----------
    table : str
        Name of the table, as `draw` is given them.
    kind : str
        ``dots`` (a row per name, a dot with its interval), ``lines`` (a line with a band per
        group), ``points`` (a scatter) or ``heat`` (a colour per cell).
    x, y : str
        Columns. Of dots, `y` names the rows and `x` is the number; of a heatmap, both name cells
        and `value` is the number.
    xlabel, ylabel : str
        What the axes are, in words, with the unit.
    title : str
        The finding, in a few words. Empty where it depends on whose curves are shown.
    by : str, optional
        Column whose values get a colour and a marker each; learners keep theirs in every figure.
    panel : str, optional
        Column whose values get axes each.
    low, high : str
        Columns with the ends of an interval; none is drawn where the table has none.
    value : str
        Of a heatmap.
    keep : str
        A condition on the rows, as `pandas.DataFrame.query` takes it.
    log : str
        Which of the axes are logarithmic: "", "x", "y" or "xy".
    reference : float, optional
        Where to draw a thin line: across the numbers of dots, else at that height.
    percent : bool
        Whether numbers are shares that are shown in percent.
    across : int
        Panels beside each other.
    height : float, optional
        Of a panel, in inches; by default by what it holds.
    digits : int, optional
        Of a heatmap: write the numbers, with so many decimals.
    """

    table: str
    kind: str
    x: str
    y: str
    xlabel: str
    ylabel: str = ""
    title: str = ""
    by: str | None = None
    panel: str | None = None
    low: str = "low"
    high: str = "high"
    value: str = "value"
    keep: str = ""
    log: str = ""
    reference: float | None = None
    percent: bool = False
    across: int = 2
    height: float | None = None
    digits: int | None = None

    def draw(self, tables: Mapping[str, pd.DataFrame]) -> Figure:
        """Return the figure of one of some tables: name → table."""
        check_known("table", [self.table], tables)
        return draw_chart(self, tables[self.table])


@figure
def draw_chart(chart: Chart, table: pd.DataFrame) -> Figure:
    """Return the figure that a specification makes of a table.

    Raises
    ------
    UnknownNameError
        For a kind that there is not, or a column that the table lacks.
    """
    check_known("kind of chart", [chart.kind], DRAW)
    columns = [chart.x, chart.y, chart.by, chart.panel]
    check_known(f"column of {chart.table}", [c for c in columns if c], list(table))
    table = table.query(chart.keep) if chart.keep else table
    if chart.percent:
        own = [c for c in {_number(chart), chart.low, chart.high} if c in table]
        table = table.assign(**{c: 100 * table[c] for c in own})
    panels = list(table.groupby(chart.panel, sort=False)) if chart.panel else [("", table)]
    across = min(chart.across, len(panels))
    down = -(-len(panels) // across)
    high = chart.height or _height(chart, panels)
    drawn, axes = plt.subplots(down, across, squeeze=False, sharex=chart.panel is not None,
                               sharey=chart.panel is not None,
                               figsize=(WIDTH, down * high + (0.5 if chart.title else 0.3)))
    for ax, (name, rows) in zip(axes.flat, panels, strict=False):
        _draw_panel(chart, ax, rows)
        ax.set_title(str(name))
    for ax in axes.flat[len(panels):]:
        ax.set_visible(False)
    for ax in axes.flat:
        ax.label_outer()
    if chart.title:
        drawn.suptitle(chart.title, x=0.01, ha="left", fontsize="medium", fontweight="bold")
    if chart.by and axes.flat[0].get_legend_handles_labels()[0] and not _at_the_lines(chart, table):
        add_legend(drawn, _fullest(axes), loc="outside lower center", columns=3)
    return drawn


def _draw_panel(chart: Chart, ax: Axes, rows: pd.DataFrame) -> None:
    DRAW[chart.kind](chart, ax, rows)
    if "x" in chart.log and chart.kind != "lines":
        ax.set_xscale("log")
        plain_numbers(ax.xaxis)
    if "y" in chart.log:
        ax.set_yscale("log")
        plain_numbers(ax.yaxis)
    ax.set(xlabel=chart.xlabel, ylabel=chart.ylabel)


def plain_numbers(axis: Axis) -> None:
    """Write plain numbers on a logarithmic axis; at 1, 2 and 5 times powers of ten if short."""
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 60 * low else (1,)))
    axis.set_major_formatter(StrMethodFormatter("{x:,.12g}"))
    axis.set_minor_formatter(NullFormatter())


def _draw_dots(chart: Chart, ax: Axes, rows: pd.DataFrame) -> None:
    blank = {c: np.nan for c in (chart.low, chart.high) if c not in rows}
    draw_dots(ax, rows.assign(**blank), chart.y, chart.x, chart.low, chart.high, chart.by,
              reference=chart.reference, **_looks(chart, rows))


def _draw_lines(chart: Chart, ax: Axes, rows: pd.DataFrame) -> None:
    draw_bands(ax, rows, chart.x, chart.y, chart.low, chart.high, chart.by,
               log="x" in chart.log, **_looks(chart, rows))
    if chart.reference is not None:
        ax.axhline(chart.reference, color="0.4", lw=0.8, zorder=0)
    if _at_the_lines(chart, rows):
        _name_lines(ax)


def _draw_points(chart: Chart, ax: Axes, rows: pd.DataFrame) -> None:
    looks = _looks(chart, rows)
    for k, (group, part) in enumerate(rows.groupby(chart.by, sort=False) if chart.by
                                      else [(None, rows)]):
        ax.scatter(part[chart.x], part[chart.y], s=18, alpha=0.75,
                   color=looks["colours"].get(group, PALETTE[k % len(PALETTE)]),
                   marker=looks["markers"].get(group, "o"),
                   label=None if group is None else str(group))
    if chart.reference is not None:
        ax.axhline(chart.reference, color="0.4", lw=0.8, zorder=0)


def _draw_heat(chart: Chart, ax: Axes, rows: pd.DataFrame) -> None:
    wide = rows.pivot(index=chart.y, columns=chart.x, values=chart.value)
    wide = wide.loc[rows[chart.y].drop_duplicates(), rows[chart.x].drop_duplicates()]
    draw_heatmap(ax, wide, chart.value, chart.digits)


DRAW = {"dots": _draw_dots, "lines": _draw_lines, "points": _draw_points, "heat": _draw_heat}


def _number(chart: Chart) -> str:
    return {"dots": chart.x, "heat": chart.value}.get(chart.kind, chart.y)


def _height(chart: Chart, panels: Sequence[tuple[object, pd.DataFrame]]) -> float:
    if chart.kind not in ("dots", "heat"):
        return 2.9
    rows = max(part[chart.y].nunique() for _, part in panels)
    return 0.7 + 0.3 * rows


def _looks(chart: Chart, rows: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Return ``colours`` and ``markers`` of the learners told apart; none of other groups."""
    names = rows[chart.by].drop_duplicates() if chart.by in ("learner", "method") else ()
    return {"colours": {name: learner_style(name)[0] for name in names},
            "markers": {name: learner_style(name)[1] for name in names}}


def _at_the_lines(chart: Chart, rows: pd.DataFrame) -> bool:
    return (chart.kind == "lines" and chart.panel is None and chart.by is not None
            and rows[chart.by].nunique() <= AT_THE_LINES)


def _name_lines(ax: Axes) -> None:
    """Write each line's name behind its end, apart where two ends are close."""
    lines = [line for line in ax.get_lines() if not line.get_label().startswith("_")]
    low, high = ax.get_ylim()
    least = 0.07 * (high - low)
    at, placed = -np.inf, []
    for line in sorted(lines, key=lambda line: line.get_ydata()[-1]):
        at = max(at + least, line.get_ydata()[-1])
        placed.append((line, at))
    for line, at in placed:
        ax.annotate(learner_title(line.get_label()), (line.get_xdata()[-1], at), xytext=(6, 0),
                    textcoords="offset points", color=line.get_color(), va="center",
                    annotation_clip=False)


def _fullest(axes: np.ndarray) -> Axes:
    return max(axes.flat, key=lambda ax: len(ax.get_legend_handles_labels()[1]))
