"""What the book does with each figure of a page: one that cannot be read fails, numbers are kept.

`analysis.Page` runs this folder where `collection.project.paths.FIGURE_HOOK` names it.
"""

from figure_lint import check_figure
from figure_numbers import keep_drawn
from matplotlib.figure import Figure


def look_at(figure: Figure, name: str, strict: bool) -> None:
    """Keep a figure's numbers; refuse one that cannot be read where that is asked.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    name : str
        By which an error calls it.
    strict : bool
        Not where a reader gave parameters: any figure is better than none.

    Raises
    ------
    FigureError
        Naming what cannot be read: overlapping texts, clipped points, small letters.
    """
    if strict:
        check_figure(figure, name)
    keep_drawn(figure)
