"""Find datasets that share their rows, and put them into groups."""

from collections.abc import Iterable

import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from collection.datasets import Dataset
from collection.suites.duplicates.candidates import candidates
from collection.suites.duplicates.confirm import KINDS, Finding, confirm
from collection.suites.duplicates.table import as_table

COLUMNS = ["dataset", "twin", "kind", "rows_shared"]

__all__ = ["COLUMNS", "KINDS", "find_duplicates", "group_duplicates"]


def find_duplicates(datasets: Iterable[Dataset]) -> pd.DataFrame:
    """Find pairs of datasets that are the same table, or share most of their rows.

    Parameters
    ----------
    datasets : iterable of Dataset
        Each with another source.

    Returns
    -------
    pandas.DataFrame
        A row per pair: ``dataset`` and ``twin`` (their sources; the first has at least as many
        rows), ``kind`` (one of `KINDS`), ``rows_shared`` (rows of the twin that are found in the
        dataset, each as often as it occurs in both).
    """
    tables = [as_table(dataset) for dataset in datasets]
    best: dict[tuple[int, int], Finding] = {}
    for i, j, rows in candidates(tables):
        if (i, j) in best and best[i, j].settled:
            continue
        found = confirm(tables[i], tables[j], rows)
        if found and ((i, j) not in best or found.shared > best[i, j].shared):
            best[i, j] = found
    rows = [(f.larger, f.smaller, f.kind, f.shared) for f in best.values()]
    found = pd.DataFrame(rows, columns=COLUMNS)
    return found.sort_values(["dataset", "twin"], ignore_index=True)


def group_duplicates(found: pd.DataFrame) -> list[list[str]]:
    """Put datasets that are linked by pairs into groups, each sorted, the first name first.

    Parameters
    ----------
    found : pandas.DataFrame
        As `find_duplicates` returns it, or a part of it.
    """
    names = sorted({*found["dataset"], *found["twin"]})
    at = {name: k for k, name in enumerate(names)}
    links = (found["dataset"].map(at), found["twin"].map(at))
    graph = coo_array(([1] * len(found), links), shape=(len(names), len(names)))
    group = pd.Series(connected_components(graph, directed=False)[1], index=names)
    return [sorted(members.index) for _, members in group.groupby(group)]
