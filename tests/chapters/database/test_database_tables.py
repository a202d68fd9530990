"""Descriptions of databases, on curves small enough to count by hand."""

import pandas as pd
import pytest

from analysis.published.printed import published_table
from chapters.database import by_rows, description, stand
from collection.containers.curves import DIMS, METRICS, Status
from collection.datasets import load_dataset
from collection.running.curve import gather


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


def test_the_dictionary_knows_every_word():
    names = set(description.dictionary()["name"])
    assert {*DIMS, *METRICS, *(f"{s.value} {s.name}" for s in Status)} <= names
    assert description.dictionary()["meaning"].str.len().gt(0).all()


def test_means_are_counted_by_how_rows_stand_and_catboosts_apart():
    table = pd.DataFrame({
        "dataset": ["a", "a", "b", "c", "d"], "learner": ["KNN", "CatBoost", *["KNN"] * 3],
        "how": stand(pd.Series(["the same in the same order"] * 2 + [
            "in another order and coding", "5 of 6, in another order", "in another order"])),
        "anchors": 4, "equal_4": [4, 1, 0, 0, 2], "within_3se": [4, 2, 1, 3, 4]})
    found = by_rows(table).set_index("rows")
    assert found["equal"].to_dict() == {
        "coded otherwise": 0, "in another order": 50, "in the same order": 100,
        "in the same order: CatBoost": 25, "some are not there": 0}
    assert found["near"].tolist() == [25, 100, 100, 50, 75] and (found["means"] == 4).all()
