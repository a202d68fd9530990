"""Descriptions of databases, on curves small enough to count by hand."""

import numpy as np
import pandas as pd
import pytest
from gathered import gather

from analysis.databases import description, meta_features_table, quality_twins
from analysis.published.printed import published_table
from collection.datasets import load_dataset


@pytest.fixture(scope="module")
def curves():
    """Three learners, of which one cannot take negative values, and one has no probabilities."""
    return gather(load_dataset("sklearn:wine"), ["SVM_Linear", "MultinomialNB", "GaussianNB"],
                  scalings=["none", "standard"], outer=[0, 1], inner=[0], anchors=[16, 30])


def test_a_database_is_described_by_what_it_holds(curves):
    words = description.describe_database(curves)
    assert tuple(words) == description.PROPERTIES
    assert (words["learners"], words["repeats"], words["curves"]) == ("3", "2 × 1", "6")
    assert words["missing curves"] == f"{100 / 6:.1f} %"
    assert words["anchors per curve"] == "2 to 2 (median 2)"
    assert words["preprocessor"] == "without leakage"


def test_databases_stand_beside_what_the_paper_states(curves):
    table = description.beside_the_papers({"mine": curves}, published_table("table2"))
    table = table.set_index(" ")
    assert table.loc["learners"].tolist() == ["3", "32"]
    assert table.loc["missing curves", "LCDB 1.1 (as the paper states it)"] == "4 %"


def test_outcomes_are_counted_by_reason(curves):
    (row,) = description.outcomes_table(curves).to_dict("records")
    assert (row["status"], row["fits"], row["percent"]) == ("error", 4, pytest.approx(100 / 6))
    assert "Negative values" in row["message"] and row["learners"] == "MultinomialNB"
    assert row["anchors"] == "16 – 30"


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
