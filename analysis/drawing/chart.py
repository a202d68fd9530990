"""A figure as a specification: a table, and what of it is x, y, colour, panel and interval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.optimize import isotonic_regression

from analysis.drawing.charts import draw_bands, draw_dots, draw_heatmap, figure, plain_numbers
from analysis.drawing.style import MARKERS, PALETTE, SIZE, learner_style
from analysis.drawing.tables import NAMED
from collection.project.naming import check_known

AT_THE_LINES = 4  # lines that are named where they end; more have a legend
GREY = "#8c8c8c"  # of groups that are not in focus
LEGEND = 66  # letters of a legend's line
WIDTH = 7.0  # inches of a figure over the page's whole width
Looks = tuple[dict[str, str], dict[str, str]]  # of groups: colours, markers


@dataclass(frozen=True)
class Chart:
    """What a figure shows of a table.

    Attributes
    ----------
    kind : str
        ``dots`` (a row per name, a dot with its interval), ``bars`` (a row per name, the groups'
        numbers end to end), ``waterfall`` (a row per step: what each takes away from the first
        row's number; rows of the first one's group say what is left), ``lines`` (a line with a band
        per group), ``points`` (with intervals) or ``heat`` (a colour per cell).
    x, y : str
        Columns. Of dots, bars and waterfalls, `y` names the rows and `x` is the number; of a
        heatmap, both name cells and `value` is the number. Learners and datasets are shown by
        their names.
    xlabel, ylabel : str
        What the axes are, in words, with the unit; x is by default the training-set size.
    title : str
        The finding, in a few words. Empty where it depends on whose curves are shown.
    by : str, optional
        Column whose values get a colour and a marker each; learners keep theirs in every figure.
    colours : mapping
        Of all groups, in the order in which they stand; by default the palette's.
    marks : mapping
        Of groups that the others are held against: matplotlib's format, such as ``"--"`` for a
        dashed line without markers, ``"o"`` for points without a line. They are black, unless
        `colours` says so otherwise.
    focus : sequence
        Groups that have colour and name; the others are grey and in no legend. Of none, all have.
    apart : bool
        Whether the groups of a row of dots stand side by side. If not, and each is a run of rows,
        its name stands beside these.
    panel : str, optional
        Column whose values get axes each.
    own : bool
        Whether each panel has limits of its own; without `ylabel` the panels' names are those of
        their y-axes.
    low, high : str
        Columns with the ends of an interval; none is drawn where the table has none.
    value : str
        Of a heatmap.
    log : str
        Which of the axes are logarithmic: "", "x", "y" or "xy".
    reference : float or str, optional
        Where to draw a thin line: across the numbers of dots, else at that height. A column holds
        that of each panel; NaN draws none.
    at : float or str, optional
        Where on x to draw a dashed upright line, or the column that holds it.
    at_text : str
        Words at the top of that line; without one, at the reference.
    text : str
        Column with words that are written above points and dots, also of lines, or in bars; that of
        points, dots and bars says what a legend would.
    percent : bool
        Whether numbers are shares that are shown in percent.
    across : int
        Panels beside each other.
    height : float, optional
        Of a panel, in inches; by default by what it holds.
    digits : int, optional
        Of a heatmap: write the numbers, with so many decimals.
    """

    kind: str
    x: str
    y: str
    xlabel: str = SIZE
    ylabel: str = ""
    title: str = ""
    by: str | None = None
    colours: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)
    focus: Sequence[str] = ()
    apart: bool = True
    panel: str | None = None
    own: bool = False
    low: str = "low"
    high: str = "high"
    value: str = "value"
    log: str = ""
    reference: float | str | None = None
    at: float | str | None = None
    at_text: str = ""
    text: str = ""
    percent: bool = False
    across: int = 2
    height: float | None = None
    digits: int | None = None


@figure
def draw(table: pd.DataFrame, kind: str, **specification) -> Figure:
    """Return the figure of a table.

    Parameters
    ----------
    table : pandas.DataFrame
        A row per number that is shown.
    kind : {"dots", "bars", "waterfall", "lines", "points", "heat"}
        A row per name and a dot with its interval, numbers end to end, what each takes away, a line
        with a band per group, points, or a colour per cell.
    **specification
        As `analysis.drawing.chart.Chart` lists it: ``x``, ``y``, ``xlabel``, ``ylabel``, ``title``,
        ``by`` (colour and marker), ``panel``, ``low`` and ``high`` (intervals) …

    Raises
    ------
    UnknownNameError
        For a kind that there is not, or a column that the table lacks.
    """
    chart = Chart(kind, **specification)
    check_known("kind of chart", [chart.kind], DRAW)
    columns = [chart.x, chart.y, chart.by, chart.panel, chart.text,
               *(line for line in (chart.reference, chart.at) if isinstance(line, str))]
    check_known("column", [c for c in columns if c], list(table))
    if chart.percent:
        own = [c for c in {_number(chart), chart.low, chart.high} if c in table]
        table = table.assign(**{c: 100 * table[c] for c in own})
    looks = _looks(chart, table)
    if chart.colours:
        place = {group: k for k, group in enumerate(chart.colours)}
        table = table.sort_values(chart.by, key=lambda group: group.map(place), kind="stable")
    table = table.assign(**{c: table[c].map(name) for c, name in NAMED.items() if c in columns})
    if chart.focus:
        grey = ~table[chart.by].isin(map(NAMED.get(chart.by, str), chart.focus))
        if chart.kind == "lines":  # the grey below, and nameless, as matplotlib takes such a name
            nameless = "_" + table[chart.by].astype(str)
            table = table.assign(**{chart.by: nameless.where(grey, table[chart.by])})
            table = pd.concat([table[grey], table[~grey]])
        names = table.loc[grey, chart.by]
        looks[0].update(dict.fromkeys(names, GREY))
        looks[1].update(dict.fromkeys(names, "" if chart.kind == "lines" else "o"))
    panels = list(table.groupby(chart.panel, sort=False)) if chart.panel else [("", table)]
    across = min(chart.across, len(panels))
    down = -(-len(panels) // across)
    high = chart.height or _height(chart, panels)
    shared = chart.panel is not None and not chart.own
    drawn, axes = plt.subplots(down, across, squeeze=False, sharex=shared, sharey=shared,
                               figsize=(WIDTH, down * high + (0.5 if chart.title else 0.3)))
    for ax, (name, rows) in zip(axes.flat, panels, strict=False):
        _draw_panel(chart, ax, rows, looks)
        if chart.own and not chart.ylabel:
            ax.set_ylabel(str(name))
        else:
            ax.set_title(str(name), fontsize="medium" if across < 3 else "small")
    for ax in axes.flat[len(panels):]:
        ax.set_visible(False)
    _name_axes(chart, axes)
    if chart.title:
        drawn.suptitle(chart.title, x=0.01, ha="left", fontsize="medium", fontweight="bold")
    told = (chart.text and chart.kind in ("dots", "points", "bars")) or _beside(chart, table)
    if chart.by not in (None, chart.y) and not told and not _at_the_lines(chart, table):
        _add_legend(drawn, axes)
    return drawn


def _name_axes(chart: Chart, axes: np.ndarray) -> None:
    """Name the axes below each column of panels, and left of each row or of all."""
    if chart.own and chart.ylabel:
        axes[0, 0].figure.supylabel(chart.ylabel, fontsize="medium")
    for place, ax in np.ndenumerate(axes):
        below = axes[place[0] + 1:, place[1]]
        if not chart.own:
            ax.label_outer()
        if not any(other.get_visible() for other in below):
            ax.set_xlabel(chart.xlabel)
        if not chart.own and place[1] == 0:
            ax.set_ylabel(chart.ylabel)


def _add_legend(drawn: Figure, axes: np.ndarray) -> None:
    """Name the groups of all panels once, below them."""
    named = {label: handle for ax in axes.flat
             for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    if named:
        drawn.legend(named.values(), named.keys(), loc="outside lower center",
                     ncols=max(1, min(3, LEGEND // max(map(len, named)))))


def _draw_panel(chart: Chart, ax: Axes, rows: pd.DataFrame, looks: Looks) -> None:
    DRAW[chart.kind](chart, ax, rows, looks)
    across = ax.axvline if chart.kind == "dots" else ax.axhline
    for draw, line, dashes in ((across, chart.reference, "-"), (ax.axvline, chart.at, "--")):
        for place in rows[line].dropna().unique() if isinstance(line, str) else [line]:
            if place is not None:
                draw(place, color="0.4", lw=0.8, ls=dashes, zorder=0)
                if dashes == "--":
                    ax.annotate(chart.at_text, (place, 1), xycoords=ax.get_xaxis_transform(),
                                xytext=(4, 0), textcoords="offset points", va="top", color="0.3",
                                fontsize="small")
    if chart.at is None and chart.at_text:
        _name_reference(chart, ax)
    if "x" in chart.log and chart.kind != "lines":
        ax.set_xscale("log")
        plain_numbers(ax.xaxis)
    if "y" in chart.log:
        ax.set_yscale("log")
        plain_numbers(ax.yaxis)
    if _at_the_lines(chart, rows):
        name_lines(ax)
    if _beside(chart, rows):
        places = pd.Series(range(len(rows)), rows.index)
        for group, part in rows.groupby(chart.by, sort=False):
            if chart.kind == "dots" or group != rows[chart.by].iloc[0]:
                ax.text(1.06, places[part.index].mean(), str(group), color=looks[0][group],
                        transform=ax.get_yaxis_transform(), va="center")


def _name_reference(chart: Chart, ax: Axes) -> None:
    """Write what the reference is: above rows of dots, else above it, at its left end."""
    place, across, side = (0.01, chart.reference), ax.get_yaxis_transform(), "left"
    if chart.kind == "dots":
        place, across, side = (chart.reference, 1), ax.get_xaxis_transform(), "center"
    ax.annotate(chart.at_text, place, xycoords=across, xytext=(0, 3), textcoords="offset points",
                ha=side, color="0.3", fontsize="small")


def _draw_dots(chart: Chart, ax: Axes, rows: pd.DataFrame, looks: Looks) -> None:
    blank = {c: np.nan for c in (chart.low, chart.high) if c not in rows}
    rows = rows.assign(**blank)
    draw_dots(ax, rows, row=chart.y, value=chart.x, low=chart.low, high=chart.high, by=chart.by,
              apart=chart.apart, colours=looks[0], markers=looks[1] | chart.marks)
    for dots in ax.containers:
        if looks[0].get(dots.get_label()) == GREY:
            dots.set_label("_nolegend_")
    if chart.text:
        ax.margins(x=0.1)  # for words above the outermost dots
        places = {name: place for place, name in enumerate(rows[chart.y].drop_duplicates())}
        _write(ax, rows[chart.x], rows[chart.y].map(places), rows[chart.text], 4)


def _draw_bars(chart: Chart, ax: Axes, rows: pd.DataFrame, looks: Looks) -> None:
    number = rows[chart.x]
    if chart.kind == "waterfall":
        left = rows[chart.by] == rows[chart.by].iloc[0]
        begins = (number.iloc[0] - number.mask(left, 0).cumsum()).mask(left, 0)
        ax.barh(rows[chart.y], begins, color="0.93")
    else:
        begins = number.groupby(rows[chart.y]).cumsum() - number
    for group, part in rows.assign(begins=begins).groupby(chart.by, sort=False):
        bars = ax.barh(part[chart.y], part[chart.x], left=part["begins"], label=str(group),
                       color=looks[0][group])
        if chart.kind == "waterfall":
            ax.bar_label(bars, fmt="{:,.0f}", padding=3)
        elif chart.text:
            ax.bar_label(bars, part[chart.text], label_type="center", color="white", weight="bold")
    ax.invert_yaxis()


def _draw_lines(chart: Chart, ax: Axes, rows: pd.DataFrame, looks: Looks) -> None:
    draw_bands(ax, rows, x=chart.x, value=chart.y, low=chart.low, high=chart.high, by=chart.by,
               colours=looks[0], markers=looks[1], log="x" in chart.log, marks=chart.marks)
    if chart.text:
        _write(ax, rows[chart.x], rows[chart.y], rows[chart.text], 7)


def _draw_points(chart: Chart, ax: Axes, rows: pd.DataFrame, looks: Looks) -> None:
    held = chart.low in rows and chart.high in rows
    for group, part in rows.groupby(chart.by, sort=False) if chart.by else [(None, rows)]:
        ends = [part[chart.y] - part[chart.low], part[chart.high] - part[chart.y]] if held else None
        ax.errorbar(part[chart.x], part[chart.y], ends, ms=4, alpha=0.75, elinewidth=1,
                    fmt=chart.marks.get(group, looks[1].get(group, "o")),
                    color=looks[0].get(group, PALETTE[0]),
                    label=None if group is None else str(group))
    if chart.text:
        _write(ax, rows[chart.x], rows[chart.high if held else chart.y], rows[chart.text], 5)


def _write(ax: Axes, x: pd.Series, y: pd.Series, words: pd.Series, above: int) -> None:
    """Write words so many points above places; NaN and nothing are left out."""
    for *place, word in zip(x, y, words, strict=True):
        if isinstance(word, str):
            ax.annotate(word, place, xytext=(0, above), textcoords="offset points",
                        fontsize="small", ha="center")


def _draw_heat(chart: Chart, ax: Axes, rows: pd.DataFrame, looks: Looks) -> None:
    wide = rows.pivot(index=chart.y, columns=chart.x, values=chart.value)
    wide = wide.loc[rows[chart.y].drop_duplicates(), rows[chart.x].drop_duplicates()]
    draw_heatmap(ax, wide, chart.value, chart.digits)


DRAW = {"dots": _draw_dots, "bars": _draw_bars, "waterfall": _draw_bars, "lines": _draw_lines,
        "points": _draw_points, "heat": _draw_heat}


def _number(chart: Chart) -> str:
    across = dict.fromkeys(["dots", "bars", "waterfall"], chart.x)
    return {**across, "heat": chart.value}.get(chart.kind, chart.y)


def _height(chart: Chart, panels: Sequence[tuple[object, pd.DataFrame]]) -> float:
    if chart.kind in ("lines", "points"):
        return 2.9
    rows = max(part[chart.y].nunique() for _, part in panels)
    return 0.7 + 0.3 * rows


def _looks(chart: Chart, table: pd.DataFrame) -> Looks:
    """Return colour and marker of each group in all panels; learners have theirs everywhere."""
    colours, markers = {}, {}
    for k, name in enumerate(chart.colours or chart.focus or (
            table[chart.by].unique() if chart.by else [])):
        group = NAMED.get(chart.by, str)(name)
        colours[group], markers[group] = (
            learner_style(name) if chart.by in ("learner", "method") else
            (PALETTE[k % len(PALETTE)], MARKERS[k % len(MARKERS)]))
    return colours | dict.fromkeys(chart.marks, "black") | chart.colours, markers


def _at_the_lines(chart: Chart, rows: pd.DataFrame) -> bool:
    return (chart.kind == "lines" and chart.panel is None and chart.by is not None
            and (len(chart.focus) or rows[chart.by].nunique()) <= AT_THE_LINES)


def _beside(chart: Chart, rows: pd.DataFrame) -> bool:
    """Return whether groups are runs of rows, so that their names stand beside these."""
    runs = chart.by is not None and not chart.apart and not chart.text and rows[chart.y].is_unique
    return chart.kind == "waterfall" or (
        chart.kind == "dots" and runs and chart.panel is None
        and (rows[chart.by] != rows[chart.by].shift()).sum() == rows[chart.by].nunique())


def name_lines(ax: Axes, fontsize: float | None = None, apart: float = 0.07, end: int = -1,
               text: str = "{name}") -> None:
    """Write each line's name at an end, by a share of the axis apart where ends are close.

    Of `end`, −1 is the line's last point, 0 its first; `text` may hold its height, ``{y}``.
    """
    lines = [line for line in ax.get_lines() if not line.get_label().startswith("_")]
    scale = ax.yaxis.get_transform()  # on a logarithmic axis ends are close by their ratio
    least = apart * np.diff(scale.transform(ax.get_ylim())).item()
    ends = {line: scale.transform(np.fmin(line.get_ydata()[[end]], max(ax.get_ylim()))).item()
            for line in lines}
    order = sorted(lines, key=ends.get)
    steps = least * np.arange(len(order))  # so that together names are moved least
    places = isotonic_regression([ends[line] for line in order] - steps).x if order else steps
    places = np.maximum(places, min(scale.transform(ax.get_ylim()))) + steps
    for line, at in zip(order, scale.inverted().transform(places), strict=True):
        written = text.format(name=line.get_label(), y=line.get_ydata()[end])
        ax.annotate(written, (line.get_xdata()[end], at), xytext=(6 if end else -6, 0),
                    textcoords="offset points", color=line.get_color(), va="center",
                    ha="left" if end else "right", annotation_clip=False, fontsize=fontsize,
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})
