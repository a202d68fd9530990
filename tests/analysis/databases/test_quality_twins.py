"""Twins by qualities: admitted mistakes of CC-18, and tables that are alike in nothing."""

import numpy as np
import pandas as pd

from analysis.databases import meta_features_table, quality_twins


def test_twins_by_qualities():
    pairs = quality_twins(meta_features_table()).set_index(["dataset_id", "twin_id"])["kind"]
    assert pairs[38, 57] == pairs[38, 1000] == "other target"  # sick and hypothyroid
    assert pairs[21, 40975] == "same"  # car, twice
    assert pairs[12, 14] == "same labels"  # two descriptions of the same digits
    assert (3, 54) not in pairs


def test_unlike_tables_are_no_twins():
    rng = np.random.default_rng(0)
    table = meta_features_table().head(40)
    other = table.set_index(table.index + 10**6)
    noisy = other.drop(columns="Name").apply(pd.to_numeric, errors="coerce")
    noisy = (noisy * rng.uniform(0.5, 2, noisy.shape)).assign(
        Name=other["Name"], NumberOfInstances=other["NumberOfInstances"])
    found = quality_twins(pd.concat([table, noisy]))
    assert not (found["twin_id"] > 10**6).any()
    same = quality_twins(pd.concat([table, other]))
    assert (same["kind"][same["twin_id"] - same["dataset_id"] == 10**6] == "same").all()
