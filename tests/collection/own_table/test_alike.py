"""Copies of rows and hidden groups are found, and not where there are none."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

from collection.datasets.dataset import DatasetError
from collection.own_table import alike
from collection.own_table.alike import find_copies, find_groups
from collection.own_table.read import use_table

TABLE = load_breast_cancer(as_frame=True).frame


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_diabetes])
def test_a_clean_table_is_called_clean(load):
    frame = load(as_frame=True).frame
    table = use_table(frame, "target")
    assert table.copies is None and not any("copies" in note for note in table.notes)
    assert find_groups(table.measurable())[0] is None


@settings(max_examples=10)
@given(st.integers(0, 2**31), st.integers(1, 4), st.floats(0.02, 1))
def test_copies_are_counted_and_kept_together(seed, more, share):
    rng = np.random.default_rng(seed)
    rows = np.r_[np.arange(len(TABLE)), np.repeat(np.flatnonzero(
        rng.random(len(TABLE)) < share), more)]
    found = find_copies(TABLE.iloc[rng.permutation(rows)].reset_index(drop=True))
    n = len(rows) - len(TABLE)
    assert (found is None) == (n == 0)
    if n:
        assert (found.equal, found.near, found.sure) == (n, 0, True)
        assert found.sets.max() + 1 == len(TABLE)


def test_rounding_and_an_identifier_hide_no_copy():
    rounded = pd.concat([TABLE, TABLE.map(lambda v: float(f"{v:.3g}"))], ignore_index=True)
    found = find_copies(rounded)
    assert found.sure and found.near >= 0.99 * len(TABLE)
    rng = np.random.default_rng(0)
    named = pd.concat([TABLE] * 2, ignore_index=True).assign(
        number=rng.permutation(10**6)[:2 * len(TABLE)])
    assert find_copies(named).equal == len(TABLE)


def test_equal_rows_of_few_values_are_asked_about_and_not_called_copies():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 3, (500, 4)), columns=list("abcd")).assign(
        y=rng.choice(["yes", "no"], 500))
    found = find_copies(frame)
    assert found.equal > 100 and not found.sure
    table = use_table(frame, "y")
    assert table.copies is None and any("If they are copies" in note for note in table.notes)
    iris = load_iris(as_frame=True).frame  # one flower is in it twice
    assert find_copies(iris).equal == 1
    for more, told in ((2, False), (3, True)):  # of 569
        some = use_table(pd.concat([TABLE, TABLE.head(more)], ignore_index=True), "target")
        assert any("copies" in note for note in some.notes) == told
        assert some.copies.max() + 1 == len(TABLE)


def test_no_split_parts_a_row_from_its_copies():
    some = TABLE.iloc[:, -8:].head(200)
    frame = pd.concat([some.assign(ward=np.arange(200) % 40)] * 3, ignore_index=True)
    for asked in ({}, {"group": "ward"}, {"time": "ward"}):
        table = use_table(frame, "target", **asked)
        data = table.measurable()
        assert any("with GROUP=" in note for note in table.notes) == ("group" not in asked)
        for outer in range(5):
            split = data.rows.split(outer, 0)
            assert len(split.train) and len(split.test)
            assert not set(table.copies[split.train]) & set(table.copies[split.test])
    assert any(note.startswith("Warning: 400 of 600 rows are copies") for note in table.notes)
    moved = frame.assign(ward=np.arange(600) % 37)
    assert use_table(moved, "target").copies is not None, "equal but for one column"
    with pytest.raises(DatasetError, match="copies of each other"):
        use_table(moved, "target", group="ward")


def hospitals(seed, effect=4, n=30, each=10):
    rng = np.random.default_rng(seed)
    which = np.repeat(np.arange(n), each)
    a, own = rng.normal(size=n * each), rng.choice([-effect, effect], n)
    y = rng.random(n * each) < 1 / (1 + np.exp(-a - own[which]))
    return pd.DataFrame({"a": a, "b": rng.normal(size=n * each),
                         "hospital": [f"h{k}" for k in which], "y": np.where(y, "yes", "no")})


def test_groups_that_nobody_named_are_found():
    found = find_groups(use_table(hospitals(0), "y").measurable())[0]
    assert found.column == "hospital" and found.apart > 1.5 * found.random
    assert find_groups(use_table(hospitals(0, effect=0), "y").measurable())[0] is None


@pytest.mark.parametrize(("name", "sites"), [("site", 3), ("site", 8), ("shade", 3), ("shade", 8)])
def test_few_sites_are_told_whatever_they_are_called(name, sites):
    rng = np.random.default_rng(sites)
    site = np.repeat(np.arange(sites), 50)
    x = 2 * rng.normal(size=(sites, 4))[site] + rng.normal(size=(len(site), 4))
    frame = pd.DataFrame(x, columns=list("abcd")).assign(
        y=np.where(rng.random(len(site)) < 0.05, 1 - site % 2, site % 2).astype(str))
    frame[name] = site.astype(str)
    found = find_groups(use_table(frame, "y").measurable())[0]
    assert found.column == name and found.random < 0.2 and found.apart > 0.3
    mixed = find_groups(use_table(frame.sample(frac=1, random_state=0), "y").measurable())[0]
    assert (mixed.column, mixed.told) == (name, name == "site")


@pytest.mark.parametrize(("more", "told"), [(0.19, False), (0.21, True)])
def test_groups_are_told_where_the_error_rises_by_a_fifth(monkeypatch, more, told):
    """However sure it is that it rises at all: every group's does, by as much."""
    losses = iter([1.0, 1.0 + more] * 9)
    monkeypatch.setattr(alike, "quick_losses", lambda part: np.full(
        len(part.rows.target), next(losses)))
    found = find_groups(use_table(hospitals(0), "y").measurable())[0]
    assert (found is not None) == told


def test_one_odd_group_of_three_is_no_rise_in_all():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(3), 100)
    odd = np.where(groups == 0, 0.8, 0.0) + rng.normal(0, 0.1, 300)
    assert alike.exceeds(odd, None, 0.001) and not alike.exceeds(odd, groups, 0.001)
    assert alike.exceeds(0.3 + rng.normal(0, 0.3, 300), groups, 0.001)
    assert not alike.exceeds(rng.normal(0, 0.3, 300), groups, 0.001)


def test_of_many_columns_of_few_numbers_none_is_a_group():
    features = pd.DataFrame(np.random.default_rng(0).integers(1, 6, (200, 30))).add_prefix("q")
    assert alike._candidates(features, by_target=False) == []
    assert next(name for name, *_ in alike._candidates(features.iloc[:, :9].assign(
        clinic=features["q9"]), by_target=False)) == "clinic"


def test_counts_measures_and_features_that_matter_are_no_groups():
    rng = np.random.default_rng(0)
    age, visits, shade = rng.integers(18, 90, 600), rng.poisson(3, 600), rng.integers(0, 4, 600)
    score = (age - 54) / 8 + visits - 3 + np.array([-3, 2, -1, 2])[shade]
    frame = pd.DataFrame({
        "age": age, "visits": visits, "shade": np.array(list("abcd"))[shade],
        "x": rng.normal(size=600), "y": np.where(score > rng.logistic(size=600), "ill", "well")})
    found, untried = find_groups(use_table(frame, "y").measurable())
    assert (found.column, found.told, untried) == ("shade", False, [])  # another shade is worse
    assert find_groups(use_table(frame.drop(columns="shade"), "y").measurable()) == (None, [])


def test_what_holds_whole_classes_is_no_group_nor_is_a_file_that_stands_by_them():
    rng = np.random.default_rng(0)
    kind = np.repeat(np.arange(6), 60)
    frame = pd.DataFrame(3 * np.eye(6)[kind] + rng.normal(size=(360, 6))).add_prefix("x").assign(
        site=kind // 2, y=np.array(list("abcdef"))[kind])
    assert find_groups(use_table(frame, "y").measurable()) == (None, [])


def repeated(noise, anew=0, rows=120, columns=8, times=3):
    rng = np.random.default_rng(4)
    x = np.repeat(rng.normal(size=(rows, columns)), times, axis=0)
    x = x + noise * rng.normal(size=x.shape)
    x[:, :anew] = rng.normal(size=(len(x), anew))
    return pd.DataFrame(x).rename(columns="x{}".format).assign(
        y=np.repeat(rng.integers(0, 2, rows), times))


@pytest.mark.parametrize(("noise", "anew", "least"),
                         [(0.1, 0, 0.9), (0.25, 0, 0.4), (0.0, 2, 0.99)])
def test_near_copies_are_told_whatever_hides_them(noise, anew, least, monkeypatch):
    frame = repeated(noise, anew)
    found = find_copies(frame.sample(frac=1, random_state=0).sort_index())
    monkeypatch.setattr(alike, "MANY", 100)  # a few rows tell that all are to be looked at
    assert (find_copies(frame).sets == found.sets).all()
    sets = found.sets.reshape(-1, 3)
    together = (sets == sets[:, [0]]).mean(0)[1:]
    assert found.near > 0 and found.sure and together.min() > least
    notes = use_table(frame, "y").notes
    assert any(note.startswith("Warning") and "copies of another" in note for note in notes)


@pytest.mark.parametrize("many", [100, 30_000])
def test_clean_tables_of_many_kinds_have_no_copies(many, monkeypatch):
    monkeypatch.setattr(alike, "MANY", many)
    told = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n, columns = int(rng.choice([200, 300, 600])), int(rng.integers(3, 12))
        x = rng.normal(size=(n, columns))
        if seed % 3 == 1:  # few dimensions
            x = x[:, :3] @ rng.normal(size=(3, columns)) + 0.1 * x
        elif seed % 3 == 2:
            x = np.exp(x).round(int(rng.integers(1, 3)))
        frame = pd.DataFrame(x).rename(columns="x{}".format).assign(y=rng.integers(0, 2, n))
        told += find_copies(frame) is not None
    assert told <= 1


def test_a_column_of_decimals_that_groups_share_is_tried():
    rng = np.random.default_rng(0)
    town = np.repeat(np.arange(40), 8)
    income, label = rng.normal(30, 5, 40).round(2)[town], rng.integers(0, 2, 40)[town]
    frame = pd.DataFrame({"income": income, "x": rng.normal(size=320).round(1),
                          "y": np.where(rng.random(320) < 0.05, 1 - label, label)})
    found = find_groups(use_table(frame, "y").measurable())[0]
    assert found.column == "income" and found.apart > found.random + 0.2


def test_collinear_columns_make_no_copies():
    """Hours of different days with alike weather: what follows from temperature agrees as well."""
    rng = np.random.default_rng(0)
    heat = (12 + 6 * np.sin(np.arange(480) / 24 * 2 * np.pi) + rng.normal(0, 1, 480)).round(1)
    frame = pd.DataFrame({"temperature": heat, "felt": (1.08 * heat - 0.5).round(1),
                          "dew": (0.9 * heat - 3).round(1), "wind": rng.gamma(2, 3, 480).round(1),
                          "count": (200 + 8 * heat + rng.normal(0, 40, 480)).round()})
    assert use_table(frame, "count", regress=True).copies is None
    again = pd.concat([frame, frame.sample(120, random_state=0)], ignore_index=True)
    assert find_copies(again).equal == 120


def test_rows_that_differ_in_one_number_alone_are_no_copies_where_the_rest_has_few_values():
    label = np.where(np.arange(300) % 2, "paid", "open")
    frame = pd.DataFrame({"sum": np.random.default_rng(0).normal(size=300), "label": label,
                          "closed": np.where(label == "paid", "yes", "no")})
    assert find_copies(frame) is None


@pytest.mark.parametrize("seed", range(3))
def test_copies_with_noise_are_counted_and_not_rows_that_chance_made_close(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(400, 6)) @ (np.eye(6) + 0.3 * rng.normal(size=(6, 6)))
    copies = rows[:200] + rng.normal(size=(200, 6)) / 1000
    found = find_copies(pd.DataFrame(np.concatenate([rows, copies])))
    assert found.equal == 0 and 200 <= found.near <= 220
