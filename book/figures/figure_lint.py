"""Whether a figure can be read: overlapping texts, clipped points, small or missing words."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, NullFormatter

PAGE = 700  # pixels of a page's column, in which a figure is shown
LEAST = 9  # pixels of a letter's height
OVERLAP = 2  # pixels by which boxes of texts may overlap in both directions


class FigureError(ValueError):
    """A figure that cannot be read as it is."""


def check_figure(figure: Figure, name: str) -> None:
    """Refuse a figure of which something cannot be read.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    name : str
        By which the message calls it.

    Raises
    ------
    FigureError
        Naming all that is wrong.
    """
    if found := list(problems(figure)):
        raise FigureError(f"The figure {name} cannot be read: {'; '.join(found)}.")


def problems(figure: Figure) -> Iterator[str]:
    """Yield what is wrong with a figure, in words."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    axes = [ax for ax in figure.axes if ax.get_visible()]
    yield from _overlaps(figure, canvas.get_renderer())
    yield from _cut(figure, canvas.get_renderer())
    yield from _small(figure)
    yield from _ambiguous(axes)
    for ax in axes:
        yield from _clipped(ax)
        yield from _unnamed(figure, ax)


def _texts(figure: Figure) -> list[Text]:
    """Return the texts that are drawn; `findobj` would give ticks beyond the limits, too."""
    found = list(figure.texts)
    for legend in (*figure.legends, *(ax.get_legend() for ax in figure.axes)):
        found += legend.get_texts() if legend is not None else []
    for ax in figure.axes:
        if ax.get_visible():
            found += [child for child in ax.get_children() if isinstance(child, Text)]
            if ax.axison:
                found += [text for axis in (ax.xaxis, ax.yaxis) for text in _of_axis(axis)]
    return [text for text in dict.fromkeys(found) if text.get_visible() and text.get_text().strip()]


def _of_axis(axis: Axis) -> Iterator[Text]:
    low, high = sorted(axis.get_view_interval())
    slack = 1e-9 * (high - low)
    for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
        if low - slack <= tick.get_loc() <= high + slack:
            yield from (tick.label1, tick.label2)
    yield axis.label


def _overlaps(figure: Figure, renderer: RendererBase) -> Iterator[str]:
    boxes = [(t.get_text(), t.get_window_extent(renderer), t.get_rotation())
             for t in _texts(figure)]
    for (one, a, turned), (other, b, also) in combinations(boxes, 2):
        wide = min(a.x1, b.x1) - max(a.x0, b.x0)
        high = min(a.y1, b.y1) - max(a.y0, b.y0)
        slanted = turned % 90 or also % 90
        if min(wide, high) > OVERLAP and not slanted:
            yield f"'{one}' and '{other}' overlap"


def _cut(figure: Figure, renderer: RendererBase) -> Iterator[str]:
    for text in _texts(figure):
        box = text.get_window_extent(renderer)
        out = max(-box.x0, -box.y0, box.x1 - figure.bbox.x1, box.y1 - figure.bbox.y1)
        if out > OVERLAP:
            yield f"'{text.get_text()}' leaves the figure by {out:.0f} pixels"


def _small(figure: Figure) -> Iterator[str]:
    inches = figure.get_size_inches()[0]
    pixels = min(PAGE, inches * figure.dpi) / (72 * inches)  # per point, as it is shown
    for size in sorted({t.get_fontsize() for t in _texts(figure)}):
        if size * pixels < LEAST:
            yield f"text of {size * pixels:.1f} pixels, and {LEAST} is the least"
            return


def _ambiguous(axes: list[Axes]) -> Iterator[str]:
    """Yield names that have two looks, and looks that have two names, over all panels."""
    looks, names = defaultdict(set), defaultdict(set)
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            look = _look(handle)
            if look is not None:
                looks[label].add(look)
                names[look].add(label)
    yield from (f"'{n}' looks different in two panels" for n, found in looks.items()
                if len(found) > 1)
    yield from (f"{' and '.join(sorted(found))} look the same" for found in names.values()
                if len(found) > 1)


def _look(handle: object) -> tuple | None:
    line = handle[0] if isinstance(handle, tuple) else handle
    if not hasattr(line, "get_marker") or not hasattr(line, "get_linestyle"):
        return None
    return to_hex(line.get_color()), str(line.get_marker()), str(line.get_linestyle())


def _clipped(ax: Axes) -> Iterator[str]:
    parts = [line.get_xydata() for line in ax.get_lines() if line.get_transform() == ax.transData]
    parts += [np.ma.filled(np.ma.asarray(c.get_offsets(), float), np.nan) for c in ax.collections
              if c.get_offset_transform() == ax.transData and len(c.get_offsets())]
    points = np.concatenate([np.empty((0, 2)), *(np.asarray(p, float).reshape(-1, 2)
                                                 for p in parts)])
    points = points[np.isfinite(points).all(axis=1)]
    for axis, values in ((ax.xaxis, points[:, 0]), (ax.yaxis, points[:, 1])):
        low, high = sorted(axis.get_view_interval())
        slack = 1e-6 * (high - low)
        out = int(((values < low - slack) | (values > high + slack)).sum())
        if out:
            yield f"{out} points lie beyond the {axis.axis_name}-axis"


def _unnamed(figure: Figure, ax: Axes) -> Iterator[str]:
    if not ax.axison:
        return
    for axis, around, span in ((ax.xaxis, figure.get_supxlabel(), "colspan"),
                               (ax.yaxis, figure.get_supylabel(), "rowspan")):
        beside = [getattr(one, f"get_{axis.axis_name}label")() for one in figure.axes
                  if _span(one, span) == _span(ax, span)]
        named = around or axis.get_label_text() or any(beside)
        words = isinstance(axis.get_major_locator(), FixedLocator) or axis.have_units()
        bare = isinstance(axis.get_major_formatter(), NullFormatter) or not any(
            t.label1.get_visible() for t in axis.get_major_ticks()) or not axis.get_visible()
        if not (named or words or bare):
            yield f"the {axis.axis_name}-axis has no name"


def _span(ax: Axes, which: str) -> range | None:
    """Return the columns or rows of a grid in which axes lie; a name there is that of all."""
    place = ax.get_subplotspec()
    return None if place is None else getattr(place, which)
