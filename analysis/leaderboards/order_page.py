"""What an order is worth, as one page with its tables beside it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from jinja2 import Environment, FileSystemLoader, select_autoescape
from markupsafe import Markup, escape
from matplotlib.figure import Figure
from pandas.api.types import is_numeric_dtype

from analysis.drawing.chart import draw
from analysis.drawing.charts import as_svg
from analysis.leaderboards.cells import to_cells
from analysis.leaderboards.equal import equal_in_words
from analysis.leaderboards.influence import (
    missing_as_worst,
    missing_hangs_on,
    owed_to_tasks,
    ties_that_matter,
    what_reruns_move,
)
from analysis.leaderboards.ordering import Order, order_cells
from analysis.leaderboards.twins import families_to_paste, with_clusters
from collection.project.progress import said_if_slow
from collection.project.results_folder import results_of_a_run
from collection.project.shown import visible, write_csv

LETTERS = 8  # that are written at most
ROW = 0.24  # inches per method
TEMPLATES = Path(__file__).parent
PAGE = "order.html"
TABLES = ("ranks", "pairs", "tasks_needed", "ties", "tasks", "missing_as_worst", "families",
          "reruns")
NAMES = (PAGE, *(f"{name}.csv" for name in TABLES))
SHOWN = 40  # rows of a table on the page


@dataclass(frozen=True)
class Worth:
    """All that the page says; see `analysis.leaderboards.influence` for the tables.

    Of `families`, None where no tasks look like near-duplicates, see
    `analysis.leaderboards.twins.families_to_paste`.
    """

    order: Order
    ties: pd.DataFrame
    tasks: pd.DataFrame
    worst: pd.DataFrame | None
    families: pd.DataFrame | None
    reruns: pd.DataFrame | None
    seeds_share: float


def weigh(results: pd.DataFrame, n_resamples: int = 2000, tie: float = 0.0) -> Worth:
    """Return what the order of some results is worth.

    Parameters
    ----------
    results, n_resamples, tie
        As in `analysis.leaderboards.order`.
    """
    cells = with_clusters(to_cells(results))
    size = f"{len(cells.tasks):,d} tasks × {len(cells.methods):,d} methods"
    with said_if_slow(f"Ordering {size}"):
        found = order_cells(cells, n_resamples, tie=tie)
    found = replace(found, notes=(*found.notes, *filter(None, [missing_hangs_on(cells)])))
    with said_if_slow(f"Ordering {size} again, as ties, tasks and reruns would have it"):
        return Worth(found, ties_that_matter(cells), owed_to_tasks(cells), missing_as_worst(cells),
                     families_to_paste(cells, found.twins),
                     *(what_reruns_move(cells) or (None, np.nan)))


def write_order(worth: Worth, title: str, out: Path, said: Sequence[str] = (),
                beside: Mapping[str, pd.DataFrame] | None = None) -> Path:
    """Write ``order.html`` and the tables beside it, all or none; return the page's path.

    Parameters
    ----------
    worth, title, out
    said : sequence of str
        What else the page says.
    beside : mapping of str to pandas.DataFrame, optional
        More tables, by the names of their files.
    """
    found = (worth.order.ranks, worth.order.pairs, worth.order.needed, worth.ties, worth.tasks,
             worth.worst, worth.families, worth.reruns)
    page = render_page(worth, title, said)
    tables = {f"{name}.csv": table for name, table in zip(TABLES, found, strict=True)}
    tables |= beside or {}
    with results_of_a_run(out, [PAGE, *tables]) as folder:
        for name, table in tables.items():
            if table is not None:
                write_csv(table, folder / name, guarded=True)
        (folder / PAGE).write_text(page, encoding="utf-8")
    return out / PAGE


def render_page(worth: Worth, title: str, said: Sequence[str] = ()) -> str:
    """Return the page: HTML that loads nothing."""
    environment = Environment(autoescape=select_autoescape(), trim_blocks=True,
                              loader=FileSystemLoader(TEMPLATES))
    environment.filters["with_code"] = with_code
    found = worth.order
    needed = found.needed[["low", "high"]].set_axis(["needed_from", "needed_to"], axis=1)
    beside = neighbours(found.pairs.join(needed), found.ranks)
    return visible(environment.get_template("order_page.html").render(
        title=title, order=found, lead=lead(found), said=said, first=who_may_be_first(found),
        percent=f"{100 * found.level:g}",
        figure=Markup(as_svg(draw_order(found.ranks, visible, 2 * SHOWN))),
        detectable=_shown(found.detectable), skewness=_shown(found.skewness),
        calibrated=_shown(100 * (1 - found.flips_level)) if found.critical else "",
        hangs=shown_table(found.sensitive_to),
        lettered=found.ranks["letters"].str.len().max() <= LETTERS,
        ties=shown_table(worth.ties), ranks=shown_table(found.ranks),
        pairs=shown_table(beside), tasks=shown_table(worth.tasks.head(SHOWN // 2)),
        worst=None if worth.worst is None else shown_table(worth.worst),
        families=None if worth.families is None else worth.families.to_csv(index=False),
        reruns=None if worth.reruns is None else shown_table(worth.reruns),
        seeds=f"Of what is uncertain about a difference of two mean ranks, seeds and folds make "
              f"{_shown(100 * worth.seeds_share)} % in the median pair; the rest is which tasks "
              "were taken and, where a task has one split, which split."))


def with_code(text: str) -> Markup:
    """Return a sentence as HTML, with what stands in backticks as code."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def lead(found: Order) -> str:
    """Return what the order is worth in a sentence or two."""
    apart = int((found.pairs["p_adjusted"] <= 1 - found.level).sum())
    width = (found.ranks["high"] - found.ranks["low"]).median()
    return (f"{apart} of {len(found.pairs)} pairs differ significantly, "
            f"{neighbours_apart(found)} of {len(found.ranks) - 1} neighbours"
            + (f" ({found.n_families} families of tasks)" if found.n_families < found.n_tasks else
               "") + f". In the median, the interval of a rank is {width:g} "
            f"{'place' if width == 1 else 'places'} wide.{equal_in_words(found.pairs)}")


def about(found: Order, method: str, against: str) -> str:
    """Return in a line where a method stands, and whether it differs significantly from another."""
    row = found.ranks[found.ranks["method"] == method]
    if row.empty:
        return f"{method} has no result."
    said = "{}: rank {} of {}, between {} and {}".format(
        method, row["rank"].item(), len(found.ranks), row["low"].item(), row["high"].item())
    pair = found.pairs[found.pairs[["one", "other"]].isin([method, against]).all(axis=1)]
    for p in pair.itertuples():
        told = ("not significantly different from" if p.p_adjusted > 1 - found.level else
                "better than" if p.one == method else "worse than")
        equal = (", and equal to it in practice" if getattr(p, "equal", False) else
                 f", and alike, unless one crashes (on up to {100 * p.crashes:.2g} % of tasks, "
                 "which none would show)" if getattr(p, "alike", False) else "")
        said += f"; {told} {against} (adjusted p = {p.p_adjusted:.2g}){equal}"
    return f"{said}."


def neighbours_apart(found: Order) -> int:
    """Return how many methods differ significantly from the next in the order."""
    return int((neighbours(found.pairs, found.ranks)["p_adjusted"] <= 1 - found.level).sum())


def who_may_be_first(found: Order) -> str:
    """Return who may be first, in a sentence."""
    names = found.ranks.loc[found.ranks["may_be_first"], "method"].tolist()
    if len(names) == 1:
        return f"{names[0]}, and nobody else."
    some = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    return f"{len(names)} of {len(found.ranks)} methods: {some}."


def first_and_gap(found: Order) -> str:
    """Return in a sentence who may be first, and the smallest gap that the tasks resolve."""
    tasks = f"{found.n_families} {'families' if found.n_families < found.n_tasks else 'tasks'}"
    said = (f"resolve gaps of {_shown(found.detectable)} mean ranks or more (with a chance of 80 %)"
            if found.critical else "tell none apart")
    return f"May be first: {who_may_be_first(found).removesuffix('.')}; {tasks} {said}."


def neighbours(pairs: pd.DataFrame, ranks: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of methods that follow each other in the order."""
    following = dict(zip(ranks["method"], ranks["method"].shift(-1), strict=True))
    return pairs[pairs["one"].map(following) == pairs["other"]]


def shown_table(frame: pd.DataFrame) -> dict[str, list]:
    """Return what the page shows of a table: names and cells, each with its class."""
    frame = frame.head(SHOWN)
    kinds = ["" if is_numeric_dtype(frame[c]) and frame[c].dtype != bool else "words"
             for c in frame]
    names = [str(c).replace("_", " ") for c in frame]
    return {"head": list(zip(names, kinds, strict=True)),
            "rows": [list(zip(map(_shown, row), kinds, strict=True))
                     for row in frame.itertuples(index=False)]}


def _shown(cell: object) -> str:
    """Return a cell as text: four digits, infinite in words, yes or no."""
    if isinstance(cell, bool | np.bool_):
        return "yes" if cell else "no"
    if isinstance(cell, float | np.floating):
        return ("–" if np.isnan(cell) else "no bound" if np.isinf(cell) else
                f"{cell:,.0f}" if abs(cell) >= 1000 or cell == int(cell) else f"{cell:.3g}")
    return str(cell)


def draw_order(ranks: pd.DataFrame, name: Callable[[str], str] = str,
               shown: int | None = None, title: str = "") -> Figure:
    """Draw each method's rank as a dot with its interval and its letters, the best on top.

    Parameters
    ----------
    ranks : pandas.DataFrame
        `Order.ranks`.
    name : callable, optional
        A method's name in words.
    shown : int, optional
        How many methods, from the top; by default all.
    title : str
        Above the figure.
    """
    rows = ranks.head(shown or len(ranks))
    rows = rows.assign(method=rows["method"].map(name),
                       place=np.where(rows["may_be_first"], "may be first", "is not first"),
                       letters=rows["letters"].where(rows["letters"].str.len() <= LETTERS))
    return draw(rows, "dots", x="rank", y="method", xlabel=f"rank among {len(ranks)} (1: the best)",
                title=title, by="place", apart=False, text="letters", height=0.9 + ROW * len(rows))
