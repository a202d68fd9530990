"""What the protocol does with two small datasets, and what its command takes."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from chapters.facts import Facts
from chapters.gathering.cost import cost_facts
from chapters.gathering.versions import changed_by_versions
from collection.container import SEEDS, SPLITS
from collection.curve import curve_anchors
from collection.datasets import list_datasets
from collection.datasets.dataset import Dataset
from collection.datasets.sources import SOURCES
from collection.learners.registry import REGISTRY
from collection.protocol import split_rows, split_sizes
from collection.running.settings import PARAMETERS

LONG = 40  # characters; a longer default is said in words


class LearnedScale(NamedTuple):
    """What standardisation learns of one feature.

    Attributes
    ----------
    learned : xarray.DataArray, dims (repeat, anchor)
        Standard deviation in each training set, in the feature's unit.
    of_all : float
        The same of all rows.
    """

    learned: xr.DataArray
    of_all: float


def facts(dataset: Dataset) -> pd.DataFrame:
    """Return the chapter's numbers; anchors and rows are those of `dataset`."""
    rows = Facts()
    rows.add("repeats", len(SEEDS) ** 2)
    rows.add("anchors", len(curve_anchors(dataset)), note=dataset.name)
    rows.add("rows", split_sizes(dataset.n_rows)[0], note=f"largest training set, {dataset.name}")
    rows.add("n_registered", len(REGISTRY))
    versions = changed_by_versions()["verdict"].value_counts()
    rows.add("version_pairs", versions.sum())
    for name, verdict in (("equal", "equal"), ("noise", "within noise"),
                          ("different", "different")):
        rows.add(f"version_{name}", versions.get(verdict, 0))
    cost_facts(rows)
    return rows.table()


def split_codes(dataset: Dataset) -> xr.DataArray:
    """Return which rows train, validate and test in each repeat.

    Parameters
    ----------
    dataset : Dataset
        With a target to stratify by.

    Returns
    -------
    xarray.DataArray of int, dims (outer, inner, row)
        Position in `SPLITS`.
    """
    codes = np.zeros((len(SEEDS), len(SEEDS), dataset.n_rows), int)
    for outer in SEEDS:
        for inner in SEEDS:
            split = split_rows(dataset.target, outer, inner)
            codes[outer, inner, split.valid] = SPLITS.index("valid")
            codes[outer, inner, split.test] = SPLITS.index("test")
    return xr.DataArray(codes, dims=("outer", "inner", "row"), coords={"outer": list(SEEDS)})


def learned_scale(dataset: Dataset, feature: str) -> LearnedScale:
    """Return the standard deviation of a feature that standardisation learns, by anchor."""
    sizes, values = curve_anchors(dataset), dataset.features[feature].to_numpy()
    trains = [split_rows(dataset.target, outer, inner).train for outer in SEEDS for inner in SEEDS]
    learned = [[values[rows[:n]].std() for n in sizes] for rows in trains]
    return LearnedScale(xr.DataArray(learned, dims=("repeat", "anchor"), coords={"anchor": sizes}),
                        float(values.std()))


def parameters_table() -> pd.DataFrame:
    """Return the parameters of ``make collect``: columns parameter, meaning, default."""
    return pd.DataFrame([{"parameter": p.name, "meaning": p.about, "default": _default(p)}
                         for p in PARAMETERS.values()])


def _default(parameter) -> str:
    if parameter.name == "WORKERS":
        return "all cores"
    value = parameter.default
    if value is None:
        return ""
    text = " ".join(map(str, value)) if isinstance(value, tuple) else str(
        getattr(value, "name", value))
    return "the 24 of scikit-learn" if len(text) > LONG else text


def sources_table() -> pd.DataFrame:
    """Return where datasets come from: columns source, write, datasets (how many it lists)."""
    listed = {name: len(list_datasets(name)) for name in ("keel", "sklearn")}
    return pd.DataFrame([{"source": name, "write": source.form,
                          "datasets": str(listed.get(name, "any"))}
                         for name, source in SOURCES.items()])
