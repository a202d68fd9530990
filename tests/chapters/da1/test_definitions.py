"""The share of ill-behaved curves by the test, by the size that counts, and by definition."""

import pytest

from analysis.databases.chapter_data import main_curves, tried_curves, validation_errors
from analysis.shapes import detect_shapes
from analysis.shapes.verdicts import VERDICTS
from chapters.da1.definitions import (
    COMPARISONS,
    SIZES,
    STRICTER,
    by_definition,
    corrected_for,
    shares_by_test,
)


@pytest.fixture(scope="module")
def some():
    valid = validation_errors("lcdb10").isel(dataset=slice(0, 40)).load()
    return valid, tried_curves(main_curves("lcdb10"), valid)


def test_shares_fall_with_the_test_and_with_the_size(some):
    table = shares_by_test(*some)
    assert list(table.columns)[:5] == ["test", "min_violation", "ill_behaved", "low", "high"]
    wide = table.pivot(index="test", columns="min_violation", values="ill_behaved")
    wide = wide.loc[list(STRICTER), list(SIZES)]
    assert (wide.diff(axis=1).iloc[:, 1:] <= 0).all().all()
    assert (wide.loc["paired"] >= wide).all().all()
    assert wide.loc["nadeau_bengio", 0] < wide.loc["t_over_1.25", 0] < wide.loc["paired", 0]
    assert ((table["low"] <= table["ill_behaved"]) & (table["ill_behaved"] <= table["high"])).all()
    whole = 100 * float(detect_shapes(some[0])["ill_behaved"].mean())
    assert wide.loc["paired", 0] == pytest.approx(whole)
    there = float(some[0].notnull().any(["outer", "inner", "anchor"]).mean())
    assert (table["of_existing"] * there).to_numpy() == pytest.approx(table["ill_behaved"])


def test_the_definition_to_quote_leaves_missing_curves_out(some):
    shapes = {p: detect_shapes(some[0], p) for p in ("published", "corrected")}
    table = by_definition(shares_by_test(*some), shapes, *some, "lcdb10")
    exist = some[0].notnull().any(["outer", "inner", "anchor"])
    first = table.iloc[0]
    assert first["denominator"] == int(exist.sum()) < table["denominator"].max() == exist.size
    assert first["numerator"] == int(shapes["corrected"]["ill_behaved"].sum())
    assert table["when to use it"].is_unique and (table["low"] <= table["share"]).all()
    few = by_definition(shares_by_test(*some), shapes, *some, "my_curves")
    assert len(few) == len(table) - 2


def test_more_comparisons_are_a_stricter_correction_and_nothing_else(some):
    assert [COMPARISONS[kind](5) for kind in ("mono", "conv", "dip", "peak")] == [10, 10, 4, 10]
    own = detect_shapes(some[0].isel(dataset=slice(0, 20)))
    same = corrected_for(own, own["n_anchors"])
    assert all((same[v] == own[v]).all() for v in VERDICTS)
    dear = corrected_for(own, 4 * own["n_anchors"])
    for kind, verdict in (("mono", "non_monotone"), ("peak", "peaking")):
        assert not (dear[verdict] & ~own[verdict]).any()
        assert ((dear[f"p_{kind}"] < 0.05) == dear[verdict]).all()
    assert dear["ill_behaved"].sum() < own["ill_behaved"].sum()
