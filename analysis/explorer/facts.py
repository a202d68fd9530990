"""What the explorer says of a dataset: its name, its number on OpenML, its size."""

import numpy as np
import xarray as xr

from analysis.databases.lcdb10 import meta_features_table

#: Facts by their name in the explorer: OpenML's name for the quality.
QUALITIES = {"rows": "NumberOfInstances", "features": "NumberOfFeatures",
             "classes": "NumberOfClasses"}


def dataset_facts(curves: xr.Dataset) -> list[dict]:
    """Return what is known of each dataset of a database, in its order.

    Parameters
    ----------
    curves : xarray.Dataset
        A database, as `analysis.load_curves` opens it.

    Returns
    -------
    list of dict
        ``label`` (as in the database), ``key`` (its name in files), ``name`` (never empty), and,
        where known, ``openml`` (id), ``rows``, ``features`` and ``classes``: from the database
        itself, else from OpenML's qualities.
    """
    qualities = meta_features_table()
    return [_facts(curves.isel(dataset=[k]), k, qualities)
            for k in range(curves.sizes["dataset"])]


def _facts(one: xr.Dataset, position: int, qualities) -> dict:
    label = one["dataset"].values[0]
    label = label.item() if isinstance(label, np.generic) else label
    number = label if isinstance(label, int) else _coord(one, "openml_id")
    name = _coord(one, "name") or (str(label) if not isinstance(label, int) else "")
    known = qualities.loc[int(number)] if number in qualities.index else {}
    facts = {"label": label, "key": f"{position:03d}",
             "name": str(name or known.get("Name") or f"OpenML {number}")}
    if number is not None and np.isfinite(float(number)):
        facts["openml"] = int(number)
    for fact, quality in QUALITIES.items():
        value = _coord(one, fact)
        value = known.get(quality) if value is None else value
        if value is not None and np.isfinite(value):
            facts[fact] = int(value)
    return facts


def _coord(one: xr.Dataset, name: str) -> object | None:
    """Return the value of a coordinate along the dataset, None where there is none."""
    if name not in one.coords or one[name].dims != ("dataset",):
        return None
    value = one[name].values[0]
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and np.isnan(value) else value
