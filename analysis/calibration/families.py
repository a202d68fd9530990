"""Datasets that are versions of one another, so that an interval does not count them twice."""

import re

import numpy as np
import pandas as pd
import xarray as xr

STEM = re.compile(r"[a-z]{3,}")


def families(errors: xr.DataArray) -> pd.Series:
    """Return the family of each dataset: near-duplicates have the same one.

    Of one family are datasets whose names begin with the same word and that have as many training
    rows, to 1 %: the same file uploaded twice, its recoded versions, one target made into several,
    or draws of one generator (car and car, mfeat-fourier and mfeat-zernike, OVA_Lung and OVA_Colon,
    fri_c1_1000_50 and fri_c4_1000_10).

    Parameters
    ----------
    errors : xarray.DataArray, dims (dataset, ..., anchor)
        Any metric, NaN where missing; with a coordinate ``name`` over ``dataset`` if there is one.

    Returns
    -------
    pandas.Series of int
        Numbered from 0, by the label of the dataset.
    """
    labels = errors["dataset"].values
    names = errors["name"].values if "name" in errors.coords else labels
    keys = list(zip([_stem(str(name)) for name in names], largest_anchor(errors), strict=True))
    found: dict[str, list[tuple[float, int]]] = {}
    family = np.arange(len(labels))
    for k, (stem, rows) in enumerate(keys):
        for other_rows, number in found.get(stem, []):
            if abs(rows - other_rows) <= 0.01 * max(rows, other_rows):
                family[k] = number
                break
        found.setdefault(stem, []).append((rows, family[k]))
    return pd.Series(pd.factorize(family)[0], index=pd.Index(labels, name="dataset"), name="family")


def _stem(name: str) -> str:
    match = STEM.search(name.lower())
    return match.group() if match else name.lower()


def largest_anchor(errors: xr.DataArray) -> np.ndarray:
    """Return the largest anchor with any value, per dataset; 0 where there is none."""
    other = [d for d in errors.dims if d not in ("dataset", "anchor")]
    there = errors.notnull().any(other).transpose("dataset", "anchor").values
    return np.where(there, errors["anchor"].values, 0).max(axis=1)
