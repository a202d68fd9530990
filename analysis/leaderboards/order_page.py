"""What an order is worth, as one page with its tables beside it."""

import io
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from jinja2 import Environment, select_autoescape
from markupsafe import Markup
from matplotlib.figure import Figure
from pandas.api.types import is_numeric_dtype

from analysis.leaderboards.cells import lay_cells
from analysis.leaderboards.figures import draw_order, draw_ties
from analysis.leaderboards.influence import owed_to_tasks, ties_that_matter, what_reruns_move
from analysis.leaderboards.ordering import Order, order_cells

TEMPLATE = Path(__file__).with_name("order_page.html")
PAGE = "order.html"
SHOWN = 40  # rows of a table on the page


@dataclass(frozen=True)
class Worth:
    """All that the page says; see `analysis.leaderboards.influence` for the tables."""

    order: Order
    ties: pd.DataFrame
    tasks: pd.DataFrame
    reruns: pd.DataFrame | None
    seeds_share: float


def weigh(results: pd.DataFrame, n_resamples: int = 2000, seed: int = 0,
          tie: float = 0.0) -> Worth:
    """Return what the order of some results is worth.

    Parameters
    ----------
    results, n_resamples, seed, tie
        As in `analysis.leaderboards.order`.
    """
    cells = lay_cells(results)
    moved = what_reruns_move(cells, seed=seed)
    return Worth(order_cells(cells, n_resamples, seed, tie=tie), ties_that_matter(cells, seed=seed),
                 owed_to_tasks(cells), *(moved or (None, np.nan)))


def write_order(worth: Worth, title: str, out: Path) -> Path:
    """Write ``order.html`` and the tables beside it, all or none; return the page's path."""
    tables = {"ranks": worth.order.ranks, "pairs": worth.order.pairs,
              "tasks_needed": worth.order.needed, "ties": worth.ties, "tasks": worth.tasks,
              "reruns": worth.reruns}
    page = render_page(worth, title)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix=".whole-") as beside:
        folder = Path(beside)
        for name, table in tables.items():
            if table is not None:
                table.to_csv(folder / f"{name}.csv", index=False)
        (folder / PAGE).write_text(page, encoding="utf-8")
        for file in sorted(folder.iterdir()):
            shutil.move(str(file), out / file.name)
    return out / PAGE


def render_page(worth: Worth, title: str) -> str:
    """Return the page: HTML that loads nothing."""
    environment = Environment(autoescape=select_autoescape(default=True), trim_blocks=True)
    found = worth.order
    needed = found.needed[["low", "high"]].set_axis(["needed_from", "needed_to"], axis=1)
    neighbours = _neighbours(found.pairs.join(needed), found.ranks)
    return environment.from_string(TEMPLATE.read_text()).render(
        title=title, order=found, lead=lead(found), first=who_may_be_first(found),
        percent=f"{100 * found.level:g}", figure=_svg(draw_order(found.ranks, shown=2 * SHOWN)),
        lettered=found.ranks["letters"].str.len().max() <= 8,
        ties_figure=_svg(draw_ties(worth.ties)), ranks=_shown_table(found.ranks),
        pairs=_shown_table(neighbours), tasks=_shown_table(worth.tasks.head(SHOWN // 2)),
        reruns=None if worth.reruns is None else _shown_table(worth.reruns),
        seeds=f"Of what is uncertain about a difference of two mean ranks, seeds and folds make "
              f"{_shown(100 * worth.seeds_share)} % in the median pair; the rest is which tasks "
              "were taken.")


def lead(found: Order) -> str:
    """Return what the order is worth in a sentence or two."""
    apart = neighbours_apart(found)
    width = (found.ranks["high"] - found.ranks["low"]).median()
    return (f"{len(found.ranks)} methods on {found.n_tasks} tasks"
            + (f" of {found.n_families} families" if found.n_families < found.n_tasks else "")
            + f": {apart} of {len(found.ranks) - 1} neighbours can be told apart. In the median, "
            f"the interval of a rank is {width:g} {'place' if width == 1 else 'places'} wide.")


def neighbours_apart(found: Order) -> int:
    """Return how many methods are told apart from the next in the order."""
    return int((_neighbours(found.pairs, found.ranks)["p_adjusted"] <= 1 - found.level).sum())


def who_may_be_first(found: Order) -> str:
    """Return who may be first, in a sentence."""
    names = found.ranks.loc[found.ranks["may_be_first"], "method"].tolist()
    if len(names) == 1:
        return f"{names[0]}, and nobody else."
    some = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    return f"{len(names)} of {len(found.ranks)} methods: {some}."


def _neighbours(pairs: pd.DataFrame, ranks: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of methods that follow each other in the order."""
    following = dict(zip(ranks["method"], ranks["method"].shift(-1), strict=True))
    return pairs[pairs["one"].map(following) == pairs["other"]]


def _svg(chart: Figure) -> Markup:
    text = io.StringIO()
    chart.savefig(text, format="svg", metadata={"Date": None})
    return Markup(text.getvalue()[text.getvalue().index("<svg"):])


def _shown_table(frame: pd.DataFrame) -> dict[str, list]:
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
        return ("–" if np.isnan(cell) else "never" if np.isinf(cell) else
                f"{cell:,.0f}" if abs(cell) >= 1000 or cell == int(cell) else f"{cell:.3g}")
    return str(cell)
