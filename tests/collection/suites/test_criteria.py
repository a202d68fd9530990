"""Qualities, filters, criteria, easiness and signs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collection.datasets import load_dataset
from collection.datasets.dataset import make_dataset
from collection.project.naming import UnknownNameError
from collection.suites import create as criteria
from collection.suites.qualities import QUALITIES, FilterError, parse_filters, qualities_of


def dataset(name="made", **columns):
    return make_dataset(pd.DataFrame(columns), "class", name=name, source=f"t:{name}",
                        licence="CC0")


@pytest.fixture(scope="module")
def table():
    n = 40
    first = dataset(a=np.arange(n) / 3, b=[None if i % 8 == 0 else "xyz"[i % 3] for i in range(n)],
                    **{"class": ["p" if i % 4 else "q" for i in range(n)]})
    return qualities_of([first, load_dataset("keel:vehicle"), load_dataset("sklearn:wine")])


def test_qualities_of_local_datasets(table):
    first = table.iloc[0]
    assert first[["rows", "features", "features_after_one_hot", "classes", "smallest_class",
                  "missing_values", "sparse"]].tolist() == [40, 2, 4, 2, 10, 5, 0]
    assert first["class_ratio"] == pytest.approx(1 / 3) and first["categorical_share"] == 0.5
    assert first["licence"] == "CC0" and table["source"].tolist() == ["t", "keel", "sklearn"]
    assert list(table.columns) == ["dataset", "name", *QUALITIES]


def test_a_quality_that_is_unknown_decides_nothing(table):
    checked = criteria.check_qualities(table.assign(classes=np.nan)).iloc[0].to_dict()
    assert checked == {"rows": False, "one_hot_features": True, "class_rows": None,
                       "class_ratio": True, "dense": True}
    assert not parse_filters("classes=2..")[0].passes(table.assign(classes=np.nan)).any()


@pytest.mark.parametrize("words, kept", [
    ("rows=100..", [1, 2]), ("rows=..178", [0, 2]), ("rows=846", [1]),
    ("classes=2..3 missing_values=0", [2]), ("source=keel,sklearn", [1, 2]), ("licence=cc*", [0]),
    ("class_ratio=0.5..", [1, 2]), ("sparse=no", [0, 1, 2]), ("categorical_share=0", [1, 2]),
    ("", [0, 1, 2]), ("features=1e1..20", [1, 2])])
def test_filters(table, words, kept):
    passes = [condition.passes(table) for condition in parse_filters(words)]
    assert [k for k in table.index if all(column[k] for column in passes)] == kept


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_filter_reads_what_it_writes(one, two):
    low, high = sorted((float(f"{one:g}"), float(f"{two:g}")))
    (condition,) = parse_filters(f"rows={low:g}..{high:g}")
    assert (condition.low, condition.high) == (low, high)
    assert parse_filters(str(condition)) == [condition]


@pytest.mark.parametrize("word, error, message", [
    ("rows", FilterError, "QUALITY=LOW..HIGH"), ("rows=many", FilterError, "is no filter"),
    ("rows=..", FilterError, "is no filter"), ("rows=9..3", FilterError, "9 is more than 3"),
    ("row=3", UnknownNameError, "Did you mean 'rows'")])
def test_filters_that_are_none(word, error, message):
    with pytest.raises(error, match=message):
        parse_filters(word)


def with_(**changed):
    good = {"dataset": "t:x", "name": "x", "rows": 500, "features": 10,
            "features_after_one_hot": 4999, "classes": 2, "smallest_class": 20,
            "class_ratio": 0.0501, "missing_values": 0, "categorical_share": 0, "sparse": 0,
            "source": "t", "licence": ""}
    return criteria.check_qualities(pd.DataFrame([good | changed])).iloc[0].to_dict()


@pytest.mark.parametrize("criterion, changed, passes", [
    ("rows", {"rows": 500}, True), ("rows", {"rows": 499}, False),
    ("rows", {"rows": 100_000}, True), ("rows", {"rows": 100_001}, False),
    ("one_hot_features", {}, True), ("one_hot_features", {"features_after_one_hot": 5000}, False),
    ("class_rows", {}, True), ("class_rows", {"smallest_class": 19}, False),
    ("class_rows", {"classes": 1}, False),
    ("class_ratio", {}, True), ("class_ratio", {"class_ratio": 0.05}, False),
    ("dense", {}, True), ("dense", {"sparse": 1}, False)])
def test_bounds_of_the_paper(criterion, changed, passes):
    assert with_(**changed)[criterion] is passes


def test_every_criterion_is_checked_or_asked():
    asked = {name for name, c in criteria.CRITERIA.items() if c.question}
    assert {*criteria.BY_QUALITIES, *criteria.BY_DATA, *asked} == set(criteria.CRITERIA)
    assert [c.letter for c in criteria.CRITERIA.values()] == [
        *"abcdefg", "o.a", "o.b", "o.c", "o.d", "e.a", "e.b"]


LABELS = ["n"] * 30 + ["p"] * 30


@pytest.mark.parametrize("column, suffices", [
    (np.r_[np.arange(30), np.arange(30) + 40.0], True),  # a threshold
    (np.r_[np.arange(30), np.arange(30) + 29.0], False),  # one value with both classes
    (np.r_[np.arange(30), -np.arange(15) - 1.0, np.arange(15) + 40], False),  # two thresholds
    (["a", "b"] * 15 + ["c"] * 30, True),
    (["a", "b"] * 15 + ["b", "c"] * 15, False),
    ([f"row {i}" for i in range(60)], False),  # names of rows
    ([f"pair {i // 2}" for i in range(60)], True),  # every value recurs
    (["a"] * 24 + [f"row {i}" for i in range(6)] + ["b"] * 30, True),  # nine of ten recur
    (["a"] * 23 + [f"row {i}" for i in range(7)] + ["b"] * 30, False),  # fewer do
])
def test_one_attribute(column, suffices):
    noise = np.random.default_rng(0).permutation(60) % 7
    made = dataset(noise=noise.astype(float), column=column, **{"class": LABELS})
    assert criteria.one_attribute_suffices(made) is suffices


def test_one_attribute_of_several_classes():
    classes = np.repeat(["a", "b", "c"], 20)
    for x, suffices in ((np.arange(60.0), True), (np.arange(60.0) % 30, False)):
        assert criteria.one_attribute_suffices(dataset(x=x, **{"class": classes})) is suffices


def test_tree():
    rng = np.random.default_rng(1)
    x, y = rng.random(200), rng.random(200)
    kept = (np.abs(x - 0.3) > 0.05) & (np.abs(x - 0.7) > 0.05)
    easy = dataset(x=x[kept], y=y[kept],
                   **{"class": np.where(np.abs(x - 0.5) < 0.2, "in", "out")[kept]})
    assert criteria.tree_suffices(easy) and not criteria.one_attribute_suffices(easy)
    hard = dataset(x=x, y=y, **{"class": np.where(x + y > 1, "in", "out")})
    assert not criteria.tree_suffices(hard)
    assert not criteria.tree_suffices(dataset(x=x, **{"class": ["once", *["often"] * 199]}))


def test_signs():
    assert criteria.is_factorial(load_dataset("keel:monk-2"))
    assert not criteria.is_factorial(load_dataset("keel:tic-tac-toe"))
    assert "every combination" in criteria.show_signs(load_dataset("keel:monk-2"), "not_artificial")
    rng = np.random.default_rng(2)
    times = dataset(**{"Sale date": rng.random(60), "update": rng.random(60), "class": LABELS})
    assert criteria.show_signs(times, "no_time") == "columns named after times: Sale date"
    assert criteria.class_runs(times) == pytest.approx(1)
    shuffled = [LABELS[i] for i in rng.permutation(60)]
    assert abs(criteria.class_runs(dataset(x=rng.random(60), **{"class": shuffled}))) < 0.3
    twice = dataset(x=[1.0, 1, 2, 3], **{"class": ["a", "b", "a", "b"]})
    assert criteria.repeated_rows(twice) == 0.5
    assert "50% of the rows" in criteria.show_signs(twice, "no_groups")
    assert criteria.show_signs(twice, "whole") == ""
