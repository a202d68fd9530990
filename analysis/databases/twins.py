"""Datasets that are the same by their qualities alone, where the rows are not at hand."""

from itertools import combinations

import numpy as np
import pandas as pd

SAME_FEATURES = 0.8  # share of the qualities of features that agree
CLOSE = 1e-4  # relative difference of equal qualities
LEAST_QUALITIES = 15  # of features, that both datasets need
#: Qualities that depend on the target: what they are called begins with, or holds.
OF_TARGET = ("NaiveBayes", "MinorityClass", "MajorityClass", "ClassEntropy", "NumberOfClasses",
             "AutoCorrelation", "EquivalentNumberOfAtts", "MutualInformation", "NoiseToSignal")
OF_CLASSES = ["ClassEntropy", "AutoCorrelation", "MinorityClassSize"]


def quality_twins(table: pd.DataFrame) -> pd.DataFrame:
    """Find datasets with the same rows by OpenML's qualities.

    Two datasets with as many rows have the same features where `SAME_FEATURES` of the statistics
    of their features agree, and the same labels where the entropy of the classes, the size of the
    rarest and OpenML's ``AutoCorrelation`` (how often neighbouring rows have the same class, which
    depends on the order of rows) all do.

    Parameters
    ----------
    table : pandas.DataFrame
        Index the datasets' ids; columns OpenML's qualities, ``NumberOfInstances`` among them, and
        ``Name``.

    Returns
    -------
    pandas.DataFrame
        A row per pair: ``dataset_id``, ``name``, ``twin_id``, ``twin_name``, ``kind``,
        ``rows`` and ``agree`` (share of the features' statistics). The kinds: ``same`` features and
        classes; ``other target``, the same features with classes merged or others; ``same
        labels``, the same classes in the same order of rows, other features of the same objects.
    """
    numbers = table.drop(columns="Name").apply(pd.to_numeric, errors="coerce")
    of_target = [c for c in numbers if any(word in c for word in OF_TARGET)]
    features = numbers.drop(columns=of_target).to_numpy()
    classes = numbers[OF_CLASSES].to_numpy()
    rows = []
    for group in numbers.groupby("NumberOfInstances").indices.values():
        for i, j in combinations(group, 2):
            agree = _agreement(features[i], features[j])
            same_labels = np.isclose(classes[i], classes[j], rtol=CLOSE).all()
            if kind := _kind(agree >= SAME_FEATURES, same_labels):
                a, b = table.index[i], table.index[j]
                rows.append((a, table["Name"][a], b, table["Name"][b], kind,
                             int(numbers["NumberOfInstances"].iloc[i]), agree))
    found = pd.DataFrame(rows, columns=["dataset_id", "name", "twin_id", "twin_name", "kind",
                                        "rows", "agree"])
    return found.sort_values(["dataset_id", "twin_id"], ignore_index=True)


def _agreement(one: np.ndarray, two: np.ndarray) -> float:
    known = ~np.isnan(one) & ~np.isnan(two)
    if known.sum() < LEAST_QUALITIES:
        return 0.0
    return float(np.isclose(one[known], two[known], rtol=CLOSE).mean())


def _kind(same_features: bool, same_labels: bool) -> str:
    if same_features:
        return "same" if same_labels else "other target"
    return "same labels" if same_labels else ""
