"""How a learning curve is gathered: the protocol of LCDB 1.1 on two small datasets."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from analysis.drawing.chart import Chart
from analysis.drawing.charts import figure
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from collection.containers.curves import SPLITS
from collection.datasets import list_datasets, load_dataset
from collection.datasets.dataset import Dataset
from collection.datasets.sources import SOURCES
from collection.learners.registry import REGISTRY
from collection.protocol.anchors import anchor_grid
from collection.protocol.splits import SEEDS, split_rows, split_sizes
from collection.running.curve import curve_anchors
from collection.running.curve_settings import PARAMETERS

LONG = 40  # characters; a longer default is said in words
SPLIT_COLOURS = dict(zip(SPLITS, ("#56B4E9", "#E69F00", "#D55E00"), strict=True))


def compute() -> Study:
    """Split *wine* in all repeats.

    Returns
    -------
    Study
        ``codes`` (xarray.DataArray of int, dims (outer, inner, row)): which rows of *wine* train,
        validate and test: position in `SPLITS`. Its tables: the parameters of ``make collect``,
        where datasets come from, and what standardisation learns of *wine*.
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
        "parameters": pd.DataFrame([
            {"parameter": p.name, "meaning": p.about, "default": _default(p)}
            for p in PARAMETERS.values()]),
        "sources": pd.DataFrame([
            {"source": name, "write": source.form, "datasets": str(listed.get(name, "any"))}
            for name, source in SOURCES.items()]),
        "learned_scale": learned_scale(wine, "proline")}, codes=codes)


def _default(parameter) -> str:
    if parameter.name == "WORKERS":
        return "all cores"
    value = parameter.default
    if value is None:
        return ""
    text = " ".join(map(str, value)) if isinstance(value, tuple) else str(
        getattr(value, "name", value))
    return "the 24 of scikit-learn" if len(text) > LONG else text


def learned_scale(dataset: Dataset, feature: str) -> pd.DataFrame:
    """Return the standard deviation of a feature that standardisation learns.

    Parameters
    ----------
    dataset : Dataset
    feature : str
        A column of numbers.

    Returns
    -------
    pandas.DataFrame
        ``repeat``, ``anchor`` (rows), ``learned`` (in the feature's unit) from the training set
        alone, and ``of_all`` rows.
    """
    sizes, values = curve_anchors(dataset), dataset.features[feature].to_numpy()
    return pd.DataFrame([
        {"repeat": repeat, "anchor": n, "learned": values[rows[:n]].std(), "of_all": values.std()}
        for repeat, (outer, inner) in enumerate(np.ndindex(len(SEEDS), len(SEEDS)))
        for rows in [split_rows(dataset.target, SEEDS[outer], SEEDS[inner]).train]
        for n in sizes])


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


def draw_learned_scale(study: Study) -> Figure:
    """Draw what standardisation learns from the training set, against what it does from all."""
    table = study.tables["learned_scale"]
    learned = table.groupby("anchor")["learned"].agg(["median", "min", "max"]).reset_index()
    rows = pd.concat([learned.assign(data="without leakage"), learned[["anchor"]].assign(
        median=table["of_all"].iloc[0], data="with leakage")])
    return Chart("rows", "lines", "anchor", "median", "training-set size [rows]",
                 "standard deviation [mg/l]", low="min", high="max", by="data",
                 marks={"with leakage": "--"}, log="x").draw({"rows": rows})


chapter = Chapter("gathering", compute, facts,
                  charts={"splits": draw_splits, "learned_scale": draw_learned_scale})
