"""What repeats of a seed have in common, against loops; the six lines that show why."""

import numpy as np
import pytest
import xarray as xr
from sklearn.model_selection import train_test_split

from analysis.databases.load import load_curves
from analysis.shapes.seeds import equal_over_seeds, seed_variance
from collection.protocol.splits import SEEDS, places, split_rows


def test_one_inner_seed_deals_one_sequence_of_classes_whatever_the_outer_seed():
    labels = np.arange(200) % 10 < 3
    sequences = []
    for outer in (0, 1):
        learn, _ = train_test_split(np.arange(200), random_state=outer, stratify=labels)
        train, _ = train_test_split(learn, random_state=7, stratify=labels[learn])
        sequences.append(labels[train])
    assert np.array_equal(*sequences)
    for way, n in (("paper", 5), ("distinct", 25)):
        dealt = {labels[split_rows(labels, *place).train].tobytes()
                 for place in places(SEEDS, SEEDS, way)}
        assert len(dealt) == n


def errors(by_inner, by_outer, n=200):
    rng = np.random.default_rng(0)
    values = (rng.normal(size=(n, 2, 5, 5, 3)) + by_inner * rng.normal(size=(n, 2, 1, 5, 3))
              + by_outer * rng.normal(size=(n, 2, 5, 1, 3)))
    return xr.DataArray(values, dims=("dataset", "learner", "outer", "inner", "anchor"), coords={
        "dataset": np.arange(n), "learner": ["KNN", "LDA"], "anchor": [16, 40, 100]})


@pytest.mark.parametrize(("by_inner", "by_outer"), [(0, 0), (2, 0), (0, 1)])
def test_the_variance_of_seeds_means_is_that_of_independent_repeats_or_more(by_inner, by_outer):
    valid = errors(by_inner, by_outer)
    valid[0, 0, 3, 2, 1] = np.nan
    table = seed_variance(valid, [(16, 40)]).set_index(["by", "learner"])["ratio"]
    sums = np.zeros((2, 2))
    for one in valid.sel(learner="KNN", anchor=[16, 40]).values:
        for place in np.moveaxis(one, -1, 0):
            if not np.isnan(place).any():
                sums[0] += [5 * np.var(place.mean(axis=k), ddof=1) for k in (1, 0)]
                sums[1] += np.var(place, ddof=1)
    assert [table[by, "KNN"] for by in ("outer", "inner")] == pytest.approx(sums[0] / sums[1])
    assert table["inner", "all"] == pytest.approx(
        5 * (by_inner**2 + 1 / 5) / (5 / 6 * (by_inner**2 + by_outer**2) + 1), rel=0.1)


def test_the_shipped_constant_classifier_is_equal_over_outer_seeds_but_where_they_are_distinct():
    for database, least, most in (("lcdb11-anew", 99, 100), ("lcdb11-anew-distinct", 0, 85)):
        dummy = load_curves(database)["error_rate"].sel(
            split="valid", scaling="none", leakage="no", learner="DummyClassifier")
        table = equal_over_seeds(dummy.load()).set_index("over")
        assert least < table.loc["outer", "equal"] <= most
        assert table.loc["inner", "equal"] < 85
