"""Orders at several training sizes as one page with its tables beside it, and their figure."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure

from analysis.databases.naming import learner_title
from analysis.drawing.chart import GREY, name_lines
from analysis.drawing.charts import as_svg, figure
from analysis.drawing.document import render
from analysis.drawing.style import PALETTE, SIZE, learner_style
from analysis.leaderboards.by_size import OrderBySize
from analysis.leaderboards.order_page import PAGE, TEMPLATES, shown_table, write_page
from analysis.leaderboards.stepdown import ALPHA

TABLES = ("ranks", "crossings", "shifts", "agreement", "staying")
NAMES = (PAGE, *(f"{name}.csv" for name in TABLES))
DRAWN = 10  # methods in a figure
LEADING = 3  # how far from the top the others of a figure have been at some size
MOVERS = 3  # of these with a colour


def write_by_size(found: OrderBySize, title: str, out: Path) -> Path:
    """Write ``order.html`` and the tables beside it, all or none; return the page's path."""
    page = render(
        TEMPLATES / "by_size_page.html", title=title, found=found, said=sentences(found),
        figure=Markup(as_svg(draw_by_size(found))),
        **{name: shown_table(getattr(found, name)) for name in TABLES})
    return write_page(page, {f"{name}.csv": getattr(found, name) for name in TABLES}, out)


def sentences(found: OrderBySize) -> list[str]:
    """Return what orders at several sizes come to: agreement, crossings, and what staying costs."""
    ends = found.agreement.iloc[len(found.sizes) - 2]  # of the smallest and the largest
    cost = found.staying.iloc[len(found.sizes) - 2]
    pairs = len(found.shifts)
    said = [f"{found.n_tasks} tasks × {found.ranks['method'].nunique()} methods at "
            f"{', '.join(f'{size:,g}' for size in found.sizes)} rows"
            + (f" ({found.n_families} families of tasks)" if found.n_families < found.n_tasks
               else "") + ".",
            f"The boards at {ends['smaller']:,g} and {ends['larger']:,g} agree by Kendall's tau = "
            f"{ends['tau']:.2f}; were size of no account it would be {ends['swapped']:.2f} "
            f"(p = {ends['p']:.2g}). Two halves of the tasks at one size agree by "
            f"{ends['halves']:.2f}.",
            f"{len(found.crossings)} of {pairs} pairs cross: one is significantly ahead at a size, "
            f"the other at a larger one. Between the two ends, "
            f"{int((found.shifts['p_adjusted'] <= ALPHA).sum())} pairs change their distance "
            "significantly."]
    said += [f"{row.one} is ahead up to {row.until:,g} rows, {row.other} from {row.since:,g} rows "
             f"on; they change places at {row.at:,.0f} [{row.low:,.0f}, {row.high:,.0f}]."
             for row in found.crossings.head(DRAWN).itertuples()]
    if np.isfinite(cost["regret"]):
        said.append(f"Staying with who is first at {cost['smaller']:,g} rows costs "
                    f"{cost['regret']:.4f} [{cost['low']:.4f}, {cost['high']:.4f}] at "
                    f"{cost['larger']:,g} rows, beside who is first there, both told on half of "
                    f"the tasks; on all, these are {cost['stays']} and {cost['best']}.")
    return said


def most_moved(found: OrderBySize) -> list[str]:
    """Return the methods that a figure shows: those that cross, then of the leading who moves most.

    Parameters
    ----------
    found : OrderBySize
    """
    ranks = found.ranks.pivot_table(index="method", columns="size", values="rank", sort=False)
    crossing = found.crossings[["one", "other"]].to_numpy().ravel()
    moved = np.ptp(ranks.to_numpy(), axis=1)
    leading = (ranks.min(axis=1) <= LEADING).to_numpy()
    others = ranks.index[np.lexsort([-moved, ~leading])]
    return list(dict.fromkeys([*crossing, *others]))[:DRAWN]


@figure
def draw_by_size(found: OrderBySize, title: str = "") -> Figure:
    """Draw the ranks of `most_moved` by training size, those that move most in colour.

    Parameters
    ----------
    found : OrderBySize
    title : str
        Above the figure.
    """
    methods = most_moved(found)
    drawn, ax = plt.subplots(figsize=(7, 4.2))
    x = np.log2(found.sizes)
    free = [c for c in PALETTE[:6] if c not in {learner_style(method)[0] for method in methods}]
    taken: set[str] = set()
    ranks = {method: found.ranks[found.ranks["method"] == method].sort_values("size")["rank"]
             for method in methods}
    for k, method in enumerate(sorted(methods, key=lambda name: -np.ptp(ranks[name]))):
        colour, marker = learner_style(method)
        colour = GREY if k >= MOVERS else free.pop() if colour in taken and free else colour
        taken.add(colour)
        ax.plot(found.sizes, ranks[method], color=colour, marker=marker if k < MOVERS else "",
                label=learner_title(method), zorder=3 if k < MOVERS else 2)
    for end in (0, -1):
        name_lines(ax, 9, 0.048, end, "{y:g} {name}")
    among = found.crossings[["one", "other"]].isin(methods).all(axis=1)
    for row in found.crossings[among].itertuples():
        places = [np.interp(np.log2(row.at), x, ranks[name]) for name in (row.one, row.other)]
        ax.plot(row.at, np.mean(places), "x", color="black", ms=11, mew=2, zorder=4,
                label="change places beyond chance")
    if among.any():
        ax.legend(handles=ax.get_lines()[-1:], loc="upper center", bbox_to_anchor=(0.5, -0.2))
    drawn.suptitle(title, x=0.01, ha="left", fontsize="medium", fontweight="bold")
    ax.set(xscale="log", xlabel=SIZE)
    ax.set_ylabel(f"rank among {found.ranks['method'].nunique()} (1: the best)", rotation=0,
                  ha="left")
    ax.yaxis.set_label_coords(0, 1.02)
    ax.spines["left"].set_visible(False)
    ax.set_xticks(found.sizes, [f"{size:,g}" for size in found.sizes])
    ax.minorticks_off()
    ax.set(yticks=[], ylim=(0.5, max(map(max, ranks.values())) + 0.5))
    for line in ax.get_lines():
        if line.get_color() == GREY:  # which are told apart by the names at their ends alone
            line.set_label(f"_{line.get_label()}")
    ax.invert_yaxis()
    return drawn
