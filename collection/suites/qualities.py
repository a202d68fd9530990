"""What a suite chooses datasets by: the same qualities locally and in OpenML's listing."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from collection.datasets import Dataset

# Quality → what it is. Counts are of the features alone, without the target.
QUALITIES = {
    "rows": "rows with a label",
    "features": "columns besides the target",
    "features_after_one_hot": "features once each category has a column of its own",
    "classes": "distinct labels (0: a regression problem)",
    "smallest_class": "rows of the rarest class",
    "class_ratio": "rows of the rarest class over rows of the most frequent one",
    "missing_values": "cells without a value",
    "categorical_share": "share of the features that are categorical",
    "sparse": "whether it is stored sparse (1) or not (0)",
    "source": "where it comes from: keel, sklearn, openml, csv, …",
    "licence": "as the source states it",
}
NUMBERS = tuple(name for name in QUALITIES if name not in ("source", "licence"))


def qualities_of(datasets: Iterable[Dataset]) -> pd.DataFrame:
    """Measure datasets that are at hand.

    Returns
    -------
    pandas.DataFrame
        A row per dataset: ``dataset`` (its spec), ``name``, and the columns `QUALITIES`. Whether
        a dataset was stored sparse is not known any more once it is loaded: 0.
    """
    return pd.DataFrame([_measure(d) for d in datasets], columns=["dataset", "name", *QUALITIES])


def _measure(dataset: Dataset) -> dict[str, object]:
    categories = [len(dataset.features[c].cat.categories) for c in dataset.categorical]
    n_features = dataset.features.shape[1]
    counts = [] if dataset.is_regression else np.unique(dataset.target, return_counts=True)[1]
    return {
        "dataset": dataset.source, "name": dataset.name, "rows": dataset.n_rows,
        "features": n_features,
        "features_after_one_hot": n_features - len(categories) + sum(categories),
        "classes": len(counts),
        "smallest_class": min(counts, default=np.nan),
        "class_ratio": min(counts) / max(counts) if len(counts) else np.nan,
        "missing_values": dataset.n_missing,
        "categorical_share": len(categories) / n_features,
        "sparse": 0, "source": dataset.source.partition(":")[0], "licence": dataset.licence,
    }


def qualities_from_openml(listing: pd.DataFrame) -> pd.DataFrame:
    """Bring OpenML's own qualities into this form.

    Parameters
    ----------
    listing : pandas.DataFrame
        Columns named as on OpenML: ``did``, ``name``, ``NumberOfInstances``, …; those that lack
        are unknown. Of `openml.datasets.list_datasets`, or of any table of qualities.

    Returns
    -------
    pandas.DataFrame
        As `qualities_of` returns it; NaN where OpenML does not know. OpenML counts the target
        among the features, which is undone. ``features_after_one_hot`` is OpenML's own count where
        it has one; else an upper bound, as if every categorical feature had as many values as the
        one with the most.
    """
    def column(name: str) -> pd.Series:
        if name not in listing:
            return pd.Series(np.nan, listing.index)
        return pd.to_numeric(listing[name], errors="coerce")

    features = column("NumberOfFeatures") - 1
    symbolic = (column("NumberOfSymbolicFeatures") - 1).clip(lower=0)
    most = column("MaxNominalAttDistinctValues").clip(lower=1)
    bound = features - symbolic + symbolic * most.where(symbolic > 0, 1)
    form = listing["format"] if "format" in listing else pd.Series(np.nan, listing.index)
    return pd.DataFrame({
        "dataset": "openml:" + listing["did"].astype(int).astype(str),
        "name": listing["name"], "rows": column("NumberOfInstances"), "features": features,
        "features_after_one_hot": (column("NumberOfFeaturesAfterBinarization") - 1).fillna(bound),
        "classes": column("NumberOfClasses"), "smallest_class": column("MinorityClassSize"),
        "class_ratio": column("MinorityClassSize") / column("MajorityClassSize"),
        "missing_values": column("NumberOfMissingValues"),
        "categorical_share": symbolic / features,
        "sparse": form.str.lower().eq("sparse_arff").astype(float).where(form.notna())
        if form.notna().any() else np.nan,
        "source": "openml",
        "licence": listing.get("licence", np.nan),
    }).reset_index(drop=True)
