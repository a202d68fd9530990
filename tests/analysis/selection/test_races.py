"""Who competes, the sets that cross least and most, and the races between them."""

import warnings

import numpy as np
import pytest

import analysis.databases.chapter_curves
from analysis.databases.chapter_curves import contenders
from analysis.selection import build_ladders
from analysis.selection import crossing as races
from analysis.selection.crossing import crossing_probabilities, crossings
from analysis.statistics.halves import chosen_elsewhere
from collection.containers.curves import Status, build_container

NAN = np.nan
LEARNERS = ["KNN", "LDA", "MLP", "QDA", "Perceptron", "DummyClassifier", "MixGaussianNB"]


def container(error, learners, scalings):
    """A database of error rates; what is missing has failed."""
    coords = {"dataset": [f"d{k}" for k in range(len(error))], "learner": learners,
              "scaling": scalings, "leakage": ["no"], "outer": list(range(error.shape[4])),
              "inner": [0, 1], "anchor": [16, 32, 64, 128, 256],
              "split": ["train", "valid", "test"]}
    status = np.where(np.isnan(error[..., 0]), Status.error, Status.ok)
    return build_container(coords, {"error_rate": error, "train_time": error[..., 0]}, status,
                           database="toy")


@pytest.fixture
def database(monkeypatch):
    """A database of 8 datasets with two scalings; QDA is on 3 of them, the last has no curves."""
    error = np.random.default_rng(3).random((8, len(LEARNERS), 2, 1, 1, 2, 5, 3))
    error[3:, LEARNERS.index("QDA")] = NAN
    error[7] = NAN
    made = container(error, LEARNERS, ["minmax", "none"])
    monkeypatch.setattr(analysis.databases.chapter_curves, "load_curves",
                        lambda name, selection: made)
    return made


def test_contenders_are_learners_that_learn_with_enough_curves(database):
    chosen = contenders("toy")
    assert chosen["learner"].values.tolist() == ["KNN", "LDA", "MLP", "Perceptron"]
    assert chosen.sizes["dataset"] == 7 and chosen["split"].values.tolist() == ["valid", "test"]
    assert chosen.attrs["scaling"] == "none" and chosen.attrs["database"] == "toy"
    np.testing.assert_array_equal(
        chosen["error_rate"].sel(learner="MLP", split="test"),
        database["error_rate"].sel(learner="MLP", split="test", scaling="none", leakage="no")[:7])


def test_a_learner_on_exactly_half_of_the_datasets_is_kept(monkeypatch):
    error = np.random.default_rng(3).random((6, len(LEARNERS), 2, 1, 1, 2, 5, 3))
    error[3:, LEARNERS.index("QDA")] = NAN
    made = container(error, LEARNERS, ["minmax", "none"])
    monkeypatch.setattr(analysis.databases.chapter_curves, "load_curves",
                        lambda name, selection: made)
    assert "QDA" in contenders("toy")["learner"].values


def test_the_mean_crossing_counts_both_orders_and_the_diagonal():
    matrix = np.random.default_rng(0).random((2, 5, 5)) * (1 - np.eye(5))  # none crosses itself
    members = np.array([[0, 1, 2], [1, 3, 4]])
    found = races.mean_crossing(matrix, members)
    for k, s in np.ndindex(found.shape):
        assert found[k, s] == pytest.approx(np.mean(
            [matrix[k, a, b] for a in members[s] for b in members[s]]))


NAMES = ["KNN", "LDA", "Perceptron", "SVM_RBF", "GaussianNB", "sklearn.dummy.DummyClassifier",
         "sklearn.neural_network.MLPClassifier(batch_size=180)"]


@pytest.fixture
def many():
    """Seven learners, two named by where they are imported from, on 12 datasets, with gaps."""
    rng = np.random.default_rng(4)
    error = 0.1 + 0.5 * rng.random((12, 7, 1, 1, 2, 2, 5, 3)) / np.arange(1, 6)[:, None]
    error[2:, 6] = NAN  # compared with nobody on most datasets
    error[3, 1:4] = NAN
    error[5, :, ..., 0, :] = NAN
    return container(error, NAMES, ["none"]).sel(scaling="none", leakage="no", drop=True)


def test_races_are_between_fives_found_on_other_datasets(many):
    valid = many["error_rate"].sel(split="valid", drop=True)
    cases, ladders = crossings(valid), build_ladders(many)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = races.race_by_halves(cases, ladders).set_index(["way", "kind"])
        fives, slopes = races.random_sets(cases, ladders)
    for way in races.WAYS:
        rows = table.loc[way]
        assert (rows["low"] <= rows["regret"]).all() and (rows["regret"] <= rows["high"]).all()
        assert rows["datasets"].nunique() == 1  # so that two means and their difference agree
        assert rows.loc["difference", "regret"] == pytest.approx(
            rows.loc["cross most", "regret"] - rows.loc["cross least", "regret"])
        assert rows.loc["beyond full", "regret"] == pytest.approx(
            rows.loc["cross most", "regret"] - table.loc[(races.BASE, "cross most"), "regret"])
    first = next(chosen_elsewhere(cases["dataset"].values, lambda here: here, races.HALVINGS))
    members = races.every_set(cases)
    extreme = races.extreme_sets(cases.isel(dataset=first[1]), members)
    matrix = crossing_probabilities(cases.isel(dataset=first[1]))["crosses"].values
    scores = races.mean_crossing(matrix, members)
    for kind, pick in (("least", np.nanargmin), ("most", np.nanargmax)):
        assert extreme[kind] == tuple(members[pick(scores)])
    assert fives["crossing"].notna().all() and len(slopes) == len(races.WAYS)
    np.testing.assert_allclose(
        slopes.set_index("way")["slope"][races.BASE] / 10,
        np.polyfit(fives["crossing"], fives[races.BASE], 1)[0])
    np.testing.assert_allclose(
        slopes.set_index("way")["explained"][races.BASE],
        100 * np.corrcoef(fives["crossing"], fives[races.BASE])[0, 1] ** 2)


def test_what_is_explained_is_a_share_whatever_the_slope():
    x = np.arange(40.0)
    y = 50 * x + np.random.default_rng(0).normal(0, 300, 40)
    slope, share = races._line(x[None], y[None])
    np.testing.assert_allclose(share, np.corrcoef(x, y)[0, 1] ** 2)
    np.testing.assert_allclose(slope, np.polyfit(x, y, 1)[0])
