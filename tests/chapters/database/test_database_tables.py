"""Descriptions of databases, on curves small enough to count by hand."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from analysis.databases.naming import learner_title
from analysis.published.printed import published_table
from chapters.database import description
from chapters.database.description import computing_by_learner, computing_in_all
from collection.container import DIMS, METRICS, Status
from collection.curve import gather
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


def test_learners_are_counted(curves):
    table = description.learners_table(curves, published_table("table3")).set_index("learner")
    assert len(table) == 32
    assert table.loc["MultinomialNB", ["datasets", "fits", "failed"]].tolist() == [1, 8, 50]
    assert table.loc["KNN", ["datasets", "fits"]].tolist() == [0, 0]
    assert table.loc["TabNet", "ill-behaved (paper)"] == 74.3
    time = curves["train_time"].sel(learner="GaussianNB").median()
    assert table.loc["GaussianNB", "ms to fit"] == pytest.approx(1000 * float(time))


def test_names_lose_their_module_only():
    assert learner_title("sklearn.svm.SVC(kernel='rbf', C=0.5)") == "SVC(kernel='rbf', C=0.5)"
    assert learner_title("ens.ExtraTrees") == "ensemble of extra trees"


def test_outcomes_are_counted_by_reason(curves):
    (row,) = description.outcomes_table(curves).to_dict("records")
    assert (row["status"], row["fits"], row["percent"]) == ("error", 4, pytest.approx(100 / 6))
    assert "Negative values" in row["message"] and row["learners"] == "MultinomialNB"
    assert row["anchors"] == "16 – 30"


def test_numbers_in_messages_do_not_make_them_different(curves):
    told = curves.copy()
    told["message_text"] = ("message_id", np.array(["", "needs 3 rows, has 12"], object))
    assert description.outcomes_table(told)["message"].tolist() == ["needs … rows, has …"]


def test_metrics_without_a_value_name_the_learners_without_it(curves):
    table = description.values_missing(curves).set_index(["metric", "split"])
    assert table.loc[("log_loss", "valid"), "learners"] == learner_title("SVM_Linear")
    assert table.loc[("log_loss", "valid"), "percent"] == pytest.approx(100 * 8 / 20)
    assert set(table.index.get_level_values("metric")) == {"log_loss"}


def test_the_dictionary_knows_every_word():
    names = set(description.dictionary()["name"])
    assert {*DIMS, *METRICS, *(f"{s.value} {s.name}" for s in Status)} <= names
    assert description.dictionary()["meaning"].str.len().gt(0).all()


TIME = xr.DataArray([[3600.0, np.nan], [1800, 1800]], dims=("learner", "anchor"),
                    coords={"learner": ["KNN", "LDA"], "anchor": [16, 18]})


def test_hours_per_learner_and_their_shares():
    table = computing_by_learner(xr.Dataset({"train_time": TIME})).set_index("learner")
    assert table["hours"].to_dict() == {"KNN": 1, "LDA": 1}
    assert table["fits"].to_dict() == {"KNN": 1, "LDA": 2} and table["share"].sum() == 100
    assert table.loc["KNN", "longest"] == 3600


def test_all_that_was_done_is_no_less_than_fitting():
    curves = xr.Dataset({"train_time": TIME})
    datasets = pd.DataFrame({"fits": [2, 2], "seconds": [3600, 7200]})
    table = computing_in_all(curves, datasets, pd.DataFrame({"train_time": [1800.0, np.nan]}))
    assert table["hours"].tolist()[:3] == [3, 2, 0.5] and table["fits"].tolist()[:3] == [4, 3, 1]
    assert table["hours"].iloc[3] == 800_000 and pd.isna(table["fits"].iloc[3])
