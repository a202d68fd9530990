"""What a figure shows, as a table: the numbers behind its lines, bands, dots, bars and cells."""

import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import Collection, LineCollection, PathCollection
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

from collection.project.paths import FIGURE_NUMBERS, written_whole

COLUMNS = ["panel", "x_axis", "y_axis", "series", "kind", "x", "y", "x_name", "y_name", "value"]


def drawn_numbers(figure: Figure) -> pd.DataFrame:
    """Return the numbers that a figure shows.

    Parameters
    ----------
    figure : matplotlib.figure.Figure

    Returns
    -------
    pandas.DataFrame
        Columns ``panel`` (its title, else its number from 1), ``x_axis``, ``y_axis`` (their
        labels), ``series`` (its name in the legend), ``kind`` (line, interval, band, points, bar
        or cell), ``x``, ``y``, ``x_name``, ``y_name`` (names of places on an axis of names) and
        ``value`` (of a cell). A row per point; of an interval or a band its two ends. Empty
        where there is no such thing.
    """
    rows = []
    for k, ax in enumerate(figure.axes, 1):
        head = {"panel": ax.get_title() or ax.get_title("left") or str(k),
                "x_axis": ax.get_xlabel(), "y_axis": ax.get_ylabel()}
        names = [_names(ax.xaxis), _names(ax.yaxis)]
        for series, kind, x, y, value in _elements(ax):
            for a, b, v in np.broadcast(x, y, value):
                rows.append({**head, "series": series, "kind": kind, "x": a, "y": b,
                             "x_name": names[0].get(_place(a)), "y_name": names[1].get(_place(b)),
                             "value": v})
    return pd.DataFrame(rows, columns=COLUMNS).dropna(axis="columns", how="all")


def keep_drawn(figure: Figure) -> None:
    """Keep a figure's numbers under the source of the cell that drew it, where the book is built.

    Does nothing but in a notebook's kernel to which `FIGURE_NUMBERS` names a folder.
    """
    folder, shell = os.environ.get(FIGURE_NUMBERS), sys.modules.get("IPython") and _shell()
    if not (folder and shell):
        return
    path = Path(folder) / f"{cell_key(shell.get_parent()['content']['code'])}.csv"
    numbers = drawn_numbers(figure)
    if not len(numbers):
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as part:
        numbers.to_csv(part, index=False, float_format="%.6g")


def cell_key(source: str) -> str:
    """Return the name under which the numbers of the figure of a cell are kept."""
    return hashlib.sha256(source.strip().encode()).hexdigest()[:16]


def _shell() -> object | None:
    shell = sys.modules["IPython"].get_ipython()
    return shell if hasattr(shell, "get_parent") else None


def _names(axis: Axis) -> dict[float, str]:
    """Return the names of places on an axis; none where it has numbers."""
    if not isinstance(axis.get_major_locator(), FixedLocator) and not axis.have_units():
        return {}
    texts = [tick.get_text() for tick in axis.get_ticklabels()]
    return {_place(at): text for at, text in zip(axis.get_ticklocs(), texts, strict=False) if text}


def _place(at: float) -> float:
    """Return the place on an axis of names that a dot beside it belongs to."""
    return round(float(at)) if np.isfinite(at) else np.nan


def _elements(ax: Axes) -> Iterator[tuple[str, str, np.ndarray, np.ndarray, object]]:
    """Yield what is drawn on axes: series, kind, x, y, value of cells."""
    within = [child for container in ax.containers for child in _children(container)]
    for container in ax.containers:
        series = _series(container)
        if isinstance(container, BarContainer):
            lying = container.orientation == "horizontal"
            yield (series, "bar",
                   [bar.get_x() + bar.get_width() / (1 if lying else 2) for bar in container],
                   [bar.get_y() + bar.get_height() / (2 if lying else 1) for bar in container],
                   np.nan)
        elif isinstance(container, ErrorbarContainer):
            line, _, bars = container
            if line is not None:
                yield series, "points", *_xy(line), np.nan
            for ends in bars:
                points = np.concatenate([np.empty((0, 2)), *(  # of a NaN nothing is left
                    np.reshape(segment, (-1, 2)) for segment in ends.get_segments())])
                yield series, "interval", points[:, 0], points[:, 1], np.nan
    for line in ax.get_lines():
        if line not in within and line.get_transform() == ax.transData:
            yield _series(line), "line", *_xy(line), np.nan
    for image in ax.get_images():
        row, column = np.indices(image.get_array().shape[:2])
        yield "", "cell", column, row, np.ma.filled(image.get_array().astype(float), np.nan)
    for part in ax.collections:
        if part not in within:
            yield from _collection(ax, part)


def _collection(ax: Axes, part: Collection) -> Iterator[tuple]:
    if isinstance(part, PathCollection):
        at = np.ma.filled(np.ma.asarray(part.get_offsets(), float), np.nan)
        yield _series(part), "points", at[:, 0], at[:, 1], np.nan
    elif part.get_transform() == ax.transData and part.get_paths():
        kind = "interval" if isinstance(part, LineCollection) else "band"
        points = np.concatenate([path.vertices for path in part.get_paths()])
        yield _series(part), kind, points[:, 0], points[:, 1], np.nan


def _children(container) -> list:
    return [piece for child in container if child is not None
            for piece in (child if isinstance(child, tuple) else (child,))]


def _xy(line) -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.asarray(line.get_xydata().T, float))


def _series(artist) -> str:
    label = str(artist.get_label())
    return "" if label.startswith("_") or label == "None" else label
