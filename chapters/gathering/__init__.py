"""How a learning curve is gathered: the protocol of LCDB 1.1 on two small datasets."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from analysis.drawing.charts import figure
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from collection.containers.curves import SPLITS
from collection.datasets import list_datasets, load_dataset
from collection.datasets.sources import SOURCES
from collection.learners.registry import REGISTRY
from collection.protocol.anchors import anchor_grid
from collection.protocol.splits import SEEDS, split_rows, split_sizes

SPLIT_COLOURS = dict(zip(SPLITS, ("#56B4E9", "#E69F00", "#D55E00"), strict=True))


def compute() -> Study:
    """Split *wine* in all repeats.

    Returns
    -------
    Study
        ``codes`` (xarray.DataArray of int, dims (outer, inner, row)): which rows of *wine* train,
        validate and test: position in `SPLITS`. Its table: where datasets come from.
    """
    wine = load_dataset("sklearn:wine")
    codes = np.zeros((len(SEEDS), len(SEEDS), wine.n_rows), int)
    for outer, inner in np.ndindex(codes.shape[:2]):
        split = split_rows(wine.target, outer, inner)
        codes[outer, inner, split.valid] = SPLITS.index("valid")
        codes[outer, inner, split.test] = SPLITS.index("test")
    codes = xr.DataArray(codes, dims=("outer", "inner", "row"), coords={"outer": list(SEEDS)})
    listed = {name: len(list_datasets(name)) for name in ("keel", "sklearn")}
    return Study({
        "sources": pd.DataFrame([
            {"source": name, "write": source.form, "datasets": str(listed.get(name, "any"))}
            for name, source in SOURCES.items()])}, codes=codes)


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, train = Facts(), split_sizes(study.codes.sizes["row"])[0]
    rows.update({"repeats": len(SEEDS) ** 2, "anchors": len(anchor_grid(train)),
                 "n_registered": len(REGISTRY)})
    return rows.table()


@figure
def draw_splits(study: Study) -> Figure:
    """Draw which rows train, validate and test in each repeat.

    No `Chart`: a picture of 4,450 cells, whose axes name rows and seeds, not cells.
    """
    repeats = study.codes.stack(repeat=("outer", "inner")).transpose("repeat", "row")
    drawn, ax = plt.subplots(figsize=(7.5, 3.6))
    ax.imshow(repeats, aspect="auto", interpolation="nearest",
              cmap=ListedColormap(list(SPLIT_COLOURS.values())), vmin=0, vmax=len(SPLITS) - 1)
    n_inner = study.codes.sizes["inner"]
    for edge in range(n_inner, repeats.sizes["repeat"], n_inner):
        ax.axhline(edge - 0.5, color="black", lw=1)
    middles = np.arange(study.codes.sizes["outer"]) * n_inner + (n_inner - 1) / 2
    ax.set_yticks(middles, study.codes["outer"].values)
    ax.set(xlabel="row of the dataset", ylabel=f"outer seed ({n_inner} inner seeds each)")
    drawn.legend(handles=[Patch(color=c, label=s) for s, c in SPLIT_COLOURS.items()],
                 loc="outside lower center", ncols=len(SPLITS))
    drawn.suptitle("Each outer seed has test rows of its own", x=0.01, ha="left",
                   fontsize="medium", fontweight="bold")
    return drawn


chapter = Chapter("gathering", compute, facts, charts={"splits": draw_splits})
