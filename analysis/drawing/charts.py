"""The charts of the book: dots with intervals, lines with bands, a heatmap, a histogram.

Each draws a tidy table on axes of the caller's; `figure` gives a function that makes a figure its
style, keeps its numbers for the book, and closes it.
"""

import io
import re
from collections.abc import Callable, Mapping
from functools import wraps

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from analysis.drawing.style import MARKERS, PALETTE, use_style

VALUES = "values:"  # how the name of a part of an SVG begins that holds those of its dots
MARKED = 30  # points of a line; of more not each has a marker
LABELS = 1.5  # powers of ten an inch
MANY = 18  # rows; the names of more are small
SHORT = 60  # of a logarithmic axis: its last value over its first


def figure(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """Decorate a function that returns a figure: the book's style before, closed after."""
    @wraps(draw)
    def drawn(*arguments, **settings) -> Figure:
        use_style()
        with mpl.rc_context({"text.parse_math": False}):  # a name with $ in it is no formula
            result = draw(*arguments, **settings)
        _settle_ticks(result)
        plt.close(result)
        return result
    return drawn


def as_svg(figure: Figure) -> str:
    """Return a figure as SVG text, to stand in a page, and close it."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    plt.close(figure)
    return with_titles(text.getvalue()[text.getvalue().index("<svg"):])


def with_titles(svg: str) -> str:
    """Return an SVG whose dots say their value when pointed at: what `draw_dots` wrote to it."""
    def titled(found: re.Match) -> str:
        words = iter(found[1].split("|"))
        return "<g>" + re.sub(r"(<use [^>]*)/>", lambda dot: (
            f"{dot[1]}><title>{next(words, '')}</title></use>"), found[2])
    return re.sub(rf'<g id="{VALUES}([^"]*)">(.*?</g>)', titled, svg, flags=re.DOTALL)


def _settle_ticks(figure: Figure) -> None:
    """Let the labels of ticks be plain text, but for powers on logarithmic axes."""
    for axis in (axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)):
        for which, form in (("major", axis.get_major_formatter()),
                            ("minor", axis.get_minor_formatter())):
            for label in axis.get_ticklabels(which=which):
                label.set_parse_math(isinstance(form, ticker.LogFormatter))


def draw_dots(ax: Axes, table: pd.DataFrame, row: str, value: str = "value", low: str = "low",
              high: str = "high", by: str | None = None,
              colours: Mapping[str, str] | None = None, markers: Mapping[str, str] | None = None,
              apart: bool = True) -> Axes:
    """Draw a dot with its interval in each named row, the first on top.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    table : pandas.DataFrame
        A row per dot.
    row, value, low, high : str
        Columns: the row's name, the dot, the ends of its interval (NaN: none is drawn).
    by : str, optional
        A column whose values get a colour and a marker each.
    colours, markers : mapping, optional
        Colour and marker of each value of `by`.
    apart : bool
        Whether the groups stand side by side within a row.
    """
    order = list(table[row].drop_duplicates())
    groups = list(table[by].drop_duplicates()) if by else [None]
    aside = 0.25 if apart and groups[1:] else 0
    offsets = np.linspace(-aside, aside, len(groups))
    for k, (group, offset) in enumerate(zip(groups, offsets, strict=True)):
        rows = table if group is None else table[table[by] == group]
        at = np.array([order.index(name) for name in rows[row]]) + offset
        ends = np.array([rows[value] - rows[low], rows[high] - rows[value]], dtype=float)
        colour = (colours or {}).get(group, PALETTE[k % len(PALETTE)])
        dots = ax.errorbar(rows[value], at, xerr=np.maximum(np.nan_to_num(ends), 0), ms=4, lw=1,
                           fmt=(markers or {}).get(group, MARKERS[k % len(MARKERS)]), color=colour,
                           label=None if group is None else str(group))
        words = rows.loc[rows[value].notna(), [row, value, low, high]].itertuples(index=False)
        dots.lines[0].set_gid(VALUES + "|".join(
            f"{name}: {middle:.4g}".replace("|", "/") + (f" [{a:.4g}, {b:.4g}]" if a < b else "")
            for name, middle, a, b in words))
    for k in range(0, len(order), 2):
        ax.axhspan(k - 0.5, k + 0.5, color="0.95", zorder=-1, lw=0)
    ax.set_yticks(range(len(order)), order, fontsize="medium" if len(order) <= MANY else "small")
    ax.set_ylim(len(order) - 0.5, -0.5)
    return ax


def draw_bands(ax: Axes, table: pd.DataFrame, x: str, value: str = "value", low: str = "low",
               high: str = "high", by: str | None = None,
               colours: Mapping[str, str] | None = None, markers: Mapping[str, str] | None = None,
               log: bool = True, marks: Mapping[str, str] | None = None) -> Axes:
    """Draw a line with a band per group over `x`, such as a curve over the training-set size.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    table : pandas.DataFrame
        A row per point.
    x, value, low, high : str
        Columns; without `low` and `high` in the table, lines alone.
    by : str, optional
        A column whose values get a line each.
    colours, markers : mapping, optional
        Colour and marker of each value of `by`.
    log : bool
        Whether `x` is a size, on a logarithmic axis with plain numbers.
    marks : mapping, optional
        Matplotlib's format of groups that are drawn otherwise, such as ``"--"`` for a dashed line.
    """
    for k, (group, rows) in enumerate(table.groupby(by, sort=False) if by else [(None, table)]):
        rows = rows.sort_values(x, kind="stable")
        colour = (colours or {}).get(group, PALETTE[k % len(PALETTE)])
        marker = (markers or {}).get(group, MARKERS[k % len(MARKERS)])
        ax.plot(rows[x], rows[value], (marks or {}).get(group, f"{marker}-"), ms=3.5, color=colour,
                markevery=1 + len(rows) // MARKED,
                label=None if group is None else str(group))
        if low in rows and high in rows:
            ax.fill_between(rows[x], rows[low].astype(float), rows[high].astype(float),
                            color=colour, alpha=0.18, lw=0)
    if log:
        ax.set_xscale("log")
        plain_numbers(ax.xaxis)
    return ax


def plain_numbers(axis: Axis) -> None:
    """Write plain numbers on a logarithmic axis: as many powers of ten as there is room for.

    Where it spans less than two of them, also multiples of these; where hardly one, as on any axis.
    """
    low, high = axis.get_view_interval()
    box = axis.axes.bbox
    room = LABELS * (box.width if axis.axis_name == "x" else 3 * box.height) / axis.figure.dpi
    between = (1, 2, 5) if room >= 3 else (1, 3)
    axis.set_major_locator(ticker.MaxNLocator(4) if high < 4 * low else ticker.LogLocator(
        subs=between if high < SHORT * low else (1,), numticks=max(2, int(room))))
    axis.set_major_formatter(ticker.StrMethodFormatter("{x:,.12g}"))
    axis.set_minor_formatter(ticker.NullFormatter())


def draw_heatmap(ax: Axes, wide: pd.DataFrame, label: str, digits: int | None = None) -> AxesImage:
    """Draw a table as colours, its index as rows and its columns as columns.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    wide : pandas.DataFrame
        Numbers; NaN stays grey.
    label : str
        What the colours are, with the unit: written at the colour bar.
    digits : int, optional
        Also write the numbers, with so many decimals.
    """
    values = wide.to_numpy(dtype=float)
    ax.set_facecolor("0.85")
    image = ax.imshow(np.ma.masked_invalid(values), aspect="auto")
    ax.set_xticks(range(wide.shape[1]), wide.columns, rotation=90)
    ax.set_yticks(range(wide.shape[0]), wide.index)
    ax.tick_params(length=0, labelsize="medium" if max(wide.shape) <= MANY else "small")
    if digits is not None:
        for (i, j), number in np.ndenumerate(values):
            if not np.isnan(number):
                red, green, blue, _ = image.cmap(image.norm(number))
                dark = 0.3 * red + 0.59 * green + 0.11 * blue < 0.5
                ax.text(j, i, f"{number:.{digits}f}", ha="center", va="center", fontsize="x-small",
                        color="white" if dark else "black")
    ax.figure.colorbar(image, ax=ax, label=label, shrink=0.8)
    return image
