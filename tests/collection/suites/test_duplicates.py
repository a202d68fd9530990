"""Duplicates: tables changed in every way are found again, others are not taken for the same."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collection.datasets.dataset import make_dataset
from collection.suites import duplicates
from collection.suites.duplicates import find_duplicates, group_duplicates, hash_numbers


def table(rng, n=120, name="one"):
    """Numbers of several sizes and decimals, and categories, with a target that follows them."""
    frame = pd.DataFrame({
        "age": rng.integers(18, 90, n).astype(float),
        "size": np.round(rng.normal(0, 3, n), 4),
        "height": np.round(rng.normal(170, 9, n), 1),
        "weight": np.round(rng.lognormal(5, 1, n), 3),
        "colour": rng.choice(["red", "green", "blue", "grey"], n, p=[0.4, 0.3, 0.2, 0.1]),
        "grade": rng.choice(["1", "2", "3"], n, p=[0.5, 0.3, 0.2]),
    })
    frame["class"] = np.where(frame["size"] + (frame["grade"] == "1") > 0.5, "yes", "no")
    return frame


def found(*frames):
    datasets = [make_dataset(f.reset_index(drop=True), "class", name=f"t{k}", source=f"t:{k}")
                for k, f in enumerate(frames)]
    return find_duplicates(datasets)


def shuffled(frame, rng):
    columns = rng.permutation([c for c in frame if c != "class"])
    return frame.sample(frac=1, random_state=int(rng.integers(1000)))[[*columns, "class"]]


@pytest.mark.parametrize(("mended", "looks"), [(6, 0), (7, 1)])  # 114 of 120 rows are all
def test_a_second_look_is_for_rows_that_are_left(monkeypatch, mended, looks):
    one, seen, again = table(np.random.default_rng(0)), [], duplicates._again
    monkeypatch.setattr(duplicates, "_again", lambda *look: seen.append(look) or again(*look))
    two = one.copy()
    two.loc[:mended - 1, ["age", "size", "height", "weight"]] += 1000.0
    pair = found(one, two).iloc[0]
    assert pair["rows_shared"] == 120 - mended and bool(seen) == bool(looks)


CHANGES = {
    "copy": lambda f: f,
    "recoded": lambda f: f.assign(
        colour=f["colour"].map({"red": "3", "green": "0", "blue": "1", "grey": "2"}),
        grade=f["grade"].map({"1": "c", "2": "a", "3": "b"}),
        **{"class": f["class"].map({"yes": "0", "no": "1"})}),
    "rounded": lambda f: f.assign(size=f["size"].round(2), weight=f["weight"].round(1)),
    "subset": lambda f: f.iloc[::2],
    "altered": lambda f: f.drop(columns="weight"),
    "copy, other target": lambda f: f.assign(**{"class": np.arange(len(f)) % 2}),
}


@pytest.mark.parametrize("kind", CHANGES)
@settings(max_examples=8)
@given(seed=st.integers(0, 10_000))
def test_finds_what_was_changed(kind, seed):
    rng = np.random.default_rng(seed)
    frame = table(rng)
    changed = CHANGES[kind](shuffled(frame, rng))
    result = found(frame, changed)
    assert result.loc[0, ["dataset", "twin"]].tolist() == ["t:0", "t:1"]
    assert result.loc[0, "kind"] == kind
    assert result.loc[0, "rows_shared"] == len(changed)


def test_classes_merged():
    rng = np.random.default_rng(0)
    frame = table(rng)
    frame["class"] = pd.cut(frame["age"], 3, labels=["a", "b", "c"]).astype(str)
    merged = frame.assign(**{"class": frame["class"].replace("b", "a")})
    assert found(frame, merged)["kind"].tolist() == ["copy, classes merged"]


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000))
def test_tables_of_the_same_kind_are_no_duplicates(seed):
    rng = np.random.default_rng(seed)
    assert found(table(rng), table(rng), table(rng, 200)).empty


def test_columns_shuffled_by_themselves_are_no_duplicate():
    """All values are there, and the same number of times; the rows are not."""
    rng = np.random.default_rng(1)
    frame = table(rng)
    assert found(frame, frame.apply(lambda c: rng.permutation(c.to_numpy()))).empty


def test_rows_that_any_such_table_has_prove_nothing():
    """Of three binary columns every table has the eight possible rows."""
    rng = np.random.default_rng(2)
    one, two = (pd.DataFrame(rng.integers(0, 2, (n, 3)), columns=list("abc")).astype(str)
                .assign(**{"class": rng.integers(0, 2, n)}) for n in (300, 200))
    assert found(one, two).empty


def test_missing_values_may_be_a_code():
    rng = np.random.default_rng(3)
    frame = table(rng)
    frame.loc[::7, "colour"] = None
    assert found(frame, frame.assign(colour=frame["colour"].fillna("unknown")))[
        "rows_shared"].tolist() == [120]


def test_repeated_rows_count_as_often_as_both_have_them():
    frame = table(np.random.default_rng(4))
    twice = pd.concat([frame, frame.head(10)])
    assert found(frame, twice).loc[0, "rows_shared"] == 120
    thrice = pd.concat([frame, frame.head(40), frame.head(40)])
    assert found(twice, thrice).loc[0, "rows_shared"] == 130


@given(st.floats(-1e8, 1e8).filter(lambda x: abs(x) > 1e-6))
def test_equal_to_ten_digits_is_equal(number):
    digits = float(f"{number:.9e}")
    noisy = digits * (1 + 1e-14)
    assert hash_numbers(np.array([digits]))[0] == hash_numbers(np.array([noisy]))[0]
    assert hash_numbers(np.array([digits]))[0] != hash_numbers(np.array([digits * 1.001]))[0]


def test_nothing_to_compare():
    assert find_duplicates([]).empty and list(find_duplicates([]).columns) == [
        "dataset", "twin", "kind", "rows_shared"]
    assert group_duplicates(find_duplicates([])) == []
