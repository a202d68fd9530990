"""Every design must be what a ColumnTransformer pipeline fitted on the prefix gives."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_columns import plain_columns

from collection.containers.curves import LEAKAGES, SCALINGS
from collection.datasets import Dataset
from collection.protocol.designs import prepare
from collection.protocol.encoded import encode, fit_statistics
from collection.protocol.splits import split_rows

ANCHORS = [16, 18, 20, 33, 40]


def _dataset(seed: int, missing: float, n_rows: int = 60) -> Dataset:
    """Awkward features: far from 0, constant at first, rare categories, text that looks numeric."""
    rng = np.random.default_rng(seed)
    numeric = np.column_stack([
        rng.normal(1e4, 1, n_rows), rng.integers(0, 3, n_rows),
        np.where(np.arange(n_rows) < n_rows * 0.9, 5.0, rng.normal(size=n_rows)),
        np.full(n_rows, 7.0)])
    texts = np.column_stack([
        rng.choice(["10", "2", "b", "a"], n_rows), rng.integers(0, 20, n_rows).astype(str),
        np.full(n_rows, "only")]).astype(object)
    numeric[rng.random(numeric.shape) < missing] = np.nan
    texts[rng.random(texts.shape) < missing] = np.nan
    columns = {"t0": pd.Series(texts[:, 0], dtype="category")}
    columns |= {f"n{j}": numeric[:, j] for j in range(4)}
    columns |= {f"t{j}": pd.Series(texts[:, j], dtype="category") for j in (1, 2)}
    target = np.tile(["yes", "no", "maybe"], n_rows)[:n_rows]
    return Dataset("awkward", pd.DataFrame(columns), target, "test:awkward", "none")


def _expected(dataset, scaling, leakage, form, anchor):
    split = split_rows(encode(dataset).labels, 1, 2)
    features = dataset.features.astype({c: object for c in dataset.categorical})
    pipeline = plain_columns(dataset, scaling, form)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # features without observed values
        if leakage == "yes":
            everything = pipeline.fit_transform(features)
            varies = (everything != everything[0]).any(axis=0) if form == "onehot" else slice(None)
            return [everything[rows][:, varies]
                    for rows in (split.train[:anchor], split.valid, split.test)]
        pipeline.fit(features.iloc[split.train[:anchor]])
        return [pipeline.transform(features.iloc[rows])
                for rows in (split.train[:anchor], split.valid, split.test)]


@pytest.mark.parametrize("form", ["onehot", "ordinal"])
@pytest.mark.parametrize("leakage", LEAKAGES)
@pytest.mark.parametrize("scaling", SCALINGS)
@given(seed=st.integers(0, 10**6), missing=st.sampled_from([0.0, 0.1, 0.5]))
@settings(max_examples=4, deadline=None)
def test_designs_are_what_pipelines_give(scaling, leakage, form, seed, missing):
    dataset = _dataset(seed, missing)
    designs = prepare(dataset, 1, 2, scaling, leakage, form, ANCHORS)
    for anchor in ANCHORS:
        design = designs.at(anchor)
        for got, expected in zip(
                design.X, _expected(dataset, scaling, leakage, form, anchor), strict=True):
            assert got.flags.c_contiguous
            if scaling == "standard":
                np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)
            else:
                np.testing.assert_array_equal(got, expected)


def test_designs_do_not_share_what_they_change():
    dataset = _dataset(0, 0.1)
    designs = prepare(dataset, 0, 0, "standard", "no", "onehot", [16, 40])
    first = [X.copy() for X in designs.at(40).X]
    designs.at(16)
    for again, before in zip(designs.at(40).X, first, strict=True):
        np.testing.assert_array_equal(again, before)


def test_a_training_set_is_the_prefix_of_the_next():
    designs = prepare(_dataset(0, 0.0), 3, 4, "none", "no", "native", [16, 18, 20])
    small, large = designs.at(16), designs.at(20)
    pd.testing.assert_frame_equal(small.X[0], large.X[0][:16])
    np.testing.assert_array_equal(small.y[0], large.y[0][:16])
    assert len(small.y[1]) == len(large.y[1]) == 6


def test_native_keeps_categories_and_gives_missing_ones_a_name():
    dataset = _dataset(3, 0.3)
    design = prepare(dataset, 0, 0, "none", "no", "native", [40]).at(40)
    train = design.X[0]
    rows = split_rows(encode(dataset).labels, 0, 0).train[:40]
    original = dataset.features["t0"].iloc[rows].astype(object).fillna("missing")
    assert train["t0"].tolist() == original.tolist()
    assert not train.isna().any().any()
    assert (design.n_numeric, design.n_categorical) == (4, 3)
    assert list(train) == ["n0", "n1", "n2", "n3", "t0", "t1", "t2"]


def test_moments_do_not_cancel():
    """A tiny spread around a huge mean that only later rows leave."""
    values = np.concatenate([1e8 + np.linspace(0, 1e-3, 40), np.zeros(20)])
    dataset = Dataset("far", pd.DataFrame({"x": values}), np.array(["a", "b"] * 30), "t", "none")
    fitted = fit_statistics(encode(dataset), np.arange(60), np.array([16, 40, 60]))
    expected = [values[:end].std() for end in (16, 40, 60)]
    np.testing.assert_allclose(fitted.deviation[:, 0], expected, rtol=1e-4)


def test_infinite_numbers_are_checked_by_the_learner():
    features = pd.DataFrame({"x": np.append(np.zeros(59), np.inf)})
    dataset = Dataset("inf", features, np.array(["a", "b"] * 30), "t", "none")
    assert not prepare(dataset, 0, 0, "none", "no", "onehot", [16]).at(16).is_tame
