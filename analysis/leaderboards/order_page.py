"""What an order is worth, as a document: a sentence, a picture, a table, and all else folded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pandas.api.types import is_numeric_dtype

from analysis.drawing.chart import draw
from analysis.drawing.charts import as_svg
from analysis.drawing.document import cut, render
from analysis.leaderboards.cells import Cells, to_cells
from analysis.leaderboards.estimates import estimate_values, on_one_scale_of_values
from analysis.leaderboards.influence import missing_as_worst, missing_hangs_on, seeds_share
from analysis.leaderboards.ordering import Order, equal_in_words, order_cells
from analysis.leaderboards.stepdown import ALPHA
from analysis.leaderboards.twins import families_to_paste, in_families, with_clusters
from collection.project.results_folder import results_of_a_run
from collection.project.shown import said_if_slow, visible, write_csv
from collection.reading.names import is_measure
from collection.reading.text import in_words

LETTERS = 8  # that are written at most; of names too
ROW = 0.24  # inches per method
TEMPLATES = Path(__file__).parent
PAGE = "order.html"
TABLES = ("ranks", "pairs", "missing_as_worst", "families")
NAMES = (PAGE, *(f"{name}.csv" for name in TABLES))
SHOWN, RANKED, DRAWN = 12, 24, 40  # rows of a table on the page, of that of ranks, drawn
HEADS = {"one": "better", "other": "worse", "effect": "mean ranks apart",
         "p_adjusted": "adjusted p", "rank_as_worst": "rank with missing as the worst"}
ENDS = {"effect": ("low", "high", "95 % interval"), "rank": ("low", "high", "interval")}


@dataclass(frozen=True)
class Worth:
    """All that the page says; see `analysis.leaderboards.influence` for `worst` and `seeds_share`.

    `gap` is the smallest difference of mean values that the tasks resolve, in words, empty where
    there is none: values are missing, or of several metrics. Of `families`, None where no tasks
    look like near-duplicates, see `analysis.leaderboards.twins.families_to_paste`.
    """

    order: Order
    worst: pd.DataFrame | None
    families: pd.DataFrame | None
    seeds_share: float
    gap: str = ""


def weigh(results: pd.DataFrame, n_resamples: int = 2000, tie: float = 0.0) -> Worth:
    """Return what the order of some results is worth.

    Parameters
    ----------
    results, n_resamples, tie
        As in `analysis.leaderboards.order`.
    """
    with said_if_slow(f"Laying out {len(results):,d} results"):
        cells = with_clusters(to_cells(results))
    size = f"{len(cells.tasks):,d} tasks × {len(cells.methods):,d} methods"
    with said_if_slow(f"Ordering {size}"):
        found = order_cells(cells, n_resamples, tie=tie)
    with said_if_slow(f"Ordering {size} again, as reruns and missing results would have it"):
        pasted = families_to_paste(cells, found.twins)
        notes = [*found.notes, *filter(None, [missing_hangs_on(cells)])]
        if pasted is not None:  # of which the last note of an order speaks
            notes[len(found.notes) - 1] += _counted_once(cells, pasted, found, n_resamples)
        found = replace(found, notes=tuple(notes))
        return Worth(found, missing_as_worst(cells), pasted, seeds_share(cells),
                     gap_of_values(cells, found))


def _counted_once(cells: Cells, pasted: pd.DataFrame, found: Order, n: int) -> str:
    """Return who may be first where tasks that look like near-duplicates count once."""
    ranks = order_cells(in_families(cells, pasted["family"]), n).ranks
    now, once = (own.loc[own["may_be_first"], "method"].tolist() for own in (found.ranks, ranks))
    return (" Counted once, they leave who may be first as it is." if set(now) == set(once) else
            f" Counted once, {_listed(once)} may be first.")


def gap_of_values(cells: Cells, found: Order) -> str:
    """Return, in words, the gap of mean values that resolves like `Order.detectable` of ranks."""
    if not found.critical or cells.missing or not on_one_scale_of_values(cells):
        return ""
    gap = estimate_values(cells).detectable(found.critical**2)
    said = cells.read.get("measure")
    name = cells.metrics[0] if cells.metrics else said if is_measure(said) else "value"
    return f" (in mean {name}, some {_shown(gap)})"


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
    found = (worth.order.ranks, worth.order.pairs, worth.worst, worth.families)
    page = render_page(worth, title, said)
    tables = {f"{name}.csv": table for name, table in zip(TABLES, found, strict=True)}
    return write_page(page, tables | (beside or {}), out)


def write_page(page: str, tables: Mapping[str, pd.DataFrame | None], out: Path) -> Path:
    """Write ``order.html`` and tables by the names of their files, all or none; return its path."""
    with results_of_a_run(out, [PAGE, *tables]) as folder:
        for name, table in tables.items():
            if table is not None:
                write_csv(table, folder / name, guarded=True)
        (folder / PAGE).write_text(page, encoding="utf-8")
    return out / PAGE


def render_page(worth: Worth, title: str, said: Sequence[str] = ()) -> str:
    """Return the page: HTML that loads nothing."""
    found = worth.order
    lettered = found.ranks["letters"].str.len().max() <= LETTERS
    folded = [
        ("Where results are missing", worth.worst, "Some methods lack results more often than "
         "chance would have it. If they failed where they would have been bad, the ranks on shared "
         "tasks flatter them. Which rank is right, the table cannot say."),
        ("Without some tasks another may be first", found.sensitive_to, "")]
    return render(
        TEMPLATES / "order_page.html", title=title, order=found, lead=lead(found, worth.gap),
        said=said, first=who_is_first(found),
        size=f"{found.n_tasks:,} tasks × {len(found.ranks):,} methods",
        shown=min(len(found.ranks), RANKED),
        figure=Markup(as_svg(draw_order(found.ranks, visible, DRAWN, (
            f"{found.ranks['may_be_first'].sum()} of {len(found.ranks)} may be first")))),
        seeds="" if np.isnan(worth.seeds_share) else _shown(100 * worth.seeds_share),
        lettered=lettered,
        ranks=shown_table(found.ranks if lettered else found.ranks.drop(columns="letters"), RANKED),
        folded=[(head, shown_table(table), words)
                for head, table, words in folded if table is not None and len(table)],
        families=None if worth.families is None else worth.families.to_csv(index=False))


def lead(found: Order, gap: str = "") -> str:
    """Return what the order is worth in a few sentences, `gap` that of mean values."""
    apart = int((found.pairs["p_adjusted"] <= ALPHA).sum())
    width = (found.ranks["high"] - found.ranks["low"]).median()
    return (f"{apart} of {len(found.pairs)} pairs differ significantly, "
            f"{neighbours_apart(found)} of {len(found.ranks) - 1} neighbours"
            + (f" ({found.n_families} families of tasks)" if found.n_families < found.n_tasks else
               "") + f". In the median, the interval of a rank is {width:g} "
            f"{'place' if width == 1 else 'places'} wide."
            + (f" Gaps of {_shown(found.detectable)} mean ranks{gap} or more show with a chance of "
               "80 %." if found.critical else "") + equal_in_words(found.pairs))


def about(found: Order, method: str, against: str) -> str:
    """Return in a line where a method stands, and whether it differs significantly from another."""
    row = found.ranks[found.ranks["method"] == method]
    if row.empty:
        return f"{method} has no result."
    said = "{}: rank {} of {}, between {} and {}".format(
        method, row["rank"].item(), len(found.ranks), row["low"].item(), row["high"].item())
    pair = found.pairs[found.pairs[["one", "other"]].isin([method, against]).all(axis=1)]
    for p in pair.itertuples():
        told = ("not significantly different from" if p.p_adjusted > ALPHA else
                "better than" if p.one == method else "worse than")
        equal = (", and equal to it in practice" if getattr(p, "equal", False) else
                 f", and alike, unless one crashes (on up to {100 * p.crashes:.2g} % of tasks, "
                 "which none would show)" if getattr(p, "alike", False) else "")
        said += f"; {told} {against} (adjusted p = {p.p_adjusted:.2g}){equal}"
    return f"{said}."


def neighbours_apart(found: Order) -> int:
    """Return how many methods differ significantly from the next in the order."""
    return int((neighbours(found.pairs, found.ranks)["p_adjusted"] <= ALPHA).sum())


def who_is_first(found: Order) -> str:
    """Return in two sentences among whom to choose, and how many tasks would tell who is first."""
    first = found.ranks["may_be_first"]
    names, others = (found.ranks.loc[which, "method"].tolist() for which in (first, ~first))
    if len(names) == 1:
        return f"Choose {names[0]}: no other of {len(found.ranks)} methods may be first."
    tasks = "families of tasks" if found.n_families < found.n_tasks else "tasks"
    said = (f"Choose {'among' if names[2:] else 'between'} {_listed(names)}: all pairs tested at "
            f"once, {found.n_families} {tasks} do not tell which of them is first.")
    if others:
        said += f" {_listed(others)} {'are' if others[1:] else 'is'} not first."
    rivals = found.pairs[(found.pairs["one"] == names[0]) & found.pairs["other"].isin(names)]
    needed = rivals["tasks_needed"].max()
    if found.critical and np.isfinite(needed):
        rest = "the others that may be first" if names[2:] else names[1]
        said += (f" To tell {names[0]} from {rest} would take some "
                 f"{float(f'{needed:.2g}'):,.0f} {tasks} in all, if the gaps are what they seem.")
    return said


def _listed(names: Sequence[str]) -> str:
    """Return names as a list in words, or how many there are where they are many."""
    return in_words(names) if len(names) <= LETTERS else f"{len(names)} methods"


def neighbours(pairs: pd.DataFrame, ranks: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of methods that follow each other in the order."""
    following = dict(zip(ranks["method"], ranks["method"].shift(-1), strict=True))
    return pairs[pairs["one"].map(following) == pairs["other"]]


def shown_table(frame: pd.DataFrame, rows: int = SHOWN) -> dict[str, list]:
    """Return what the page shows of a table, names and cells with their class each.

    Ends of intervals are one column; one that says the same in each row is left out.
    """
    kinds = {c: "" if is_numeric_dtype(frame[c]) and frame[c].dtype != bool else "words"
             for c in frame}
    cells = frame.map(_shown)
    for column, (low, high, head) in ENDS.items():
        if {column, low, high} <= set(cells):
            cells[low] = cells[low] + " to " + cells[high]
            cells = cells.drop(columns=high).rename(columns={low: head})
    varied = cells.loc[:, (cells.nunique() > 1) | (len(cells) < 2)].head(rows)
    return {"head": [(HEADS.get(c, str(c).replace("_", " ")), kinds.get(c, "")) for c in varied],
            "rows": [list(zip(row, (kinds.get(c, "") for c in varied), strict=True))
                     for row in varied.itertuples(index=False)]}


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
    """Draw each method's rank as a dot with its interval, the best on top.

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
    names = rows["method"].map(name).map(cut)
    like = names.duplicated(keep=False)  # but for what is cut off
    rows = rows.assign(method=names.where(~like, [f"{k}. {n}" for k, n in enumerate(names, 1)]),
                       place=np.where(rows["may_be_first"], "may be first", "significantly behind"))
    figure = draw(rows, "dots", x="rank", y="method", title=title, by="place", apart=False,
                  height=0.9 + ROW * len(rows),
                  xlabel=f"rank among {len(ranks)} (1: the best)")
    ticks = MaxNLocator(8, integer=True).tick_values(1, rows["high"].max())
    figure.axes[0].set_xticks([1, *ticks[(ticks > 1) & (ticks <= rows["high"].max())]])
    return figure
