import numpy as np
import pandas as pd
import pytest

from analysis.published.computed import recall
from chapters.regression.forecasts import (
    METHODS,
    compare_kept,
    p_text,
    shown_errors,
    shown_ranges,
    weighted_median,
)


@pytest.fixture(scope="module")
def kept():
    return recall("regression_retrained")


@pytest.fixture(scope="module")
def table(kept):
    return compare_kept(kept)


def test_every_method_forecasts_the_same_curves(kept):
    curves = kept.groupby(["share", "method"])[["dataset", "learner"]].apply(
        lambda part: frozenset(map(tuple, part.to_numpy())))
    for share, sets in curves.groupby("share"):
        assert sets.nunique() == 1 and set(sets.loc[share].index) == set(METHODS)


def test_scores_are_those_of_their_definition():
    kept = pd.DataFrame([("a", m, 0.2, -0.1, 0.5) for m in METHODS]
                        + [("b", m, -0.3, -0.6, -0.1) for m in METHODS]
                        + [("c", m, 0.3, 0.2, 0.5) for m in METHODS],
                        columns=["dataset", "method", "off", "low", "high"])
    retrained = kept["method"] == "retrained"
    kept.loc[retrained, ["off", "low", "high"]] = 0.1, -0.1, 0.2
    found = compare_kept(kept.assign(share=0.5, learner="KNN")).set_index("method")
    rival = found.loc["formula"]
    assert rival["value"] == pytest.approx(0.3) and rival["covered"] == pytest.approx(100 / 3)
    # Of widths 0.6, 0.5 and 0.3, the last two missed by 0.1 and 0.2: 20 for each octave.
    assert rival["score"] == pytest.approx(np.median([0.6, 0.5 + 2, 0.3 + 4]))
    assert found.loc["retrained", "score"] == pytest.approx(0.3)
    assert rival["closer"] == pytest.approx(np.mean([0.1, 0.2, 0.2]))
    assert (rival["better"], rival["sharper"], rival["n_tables"]) == (3, 3, 3)
    assert rival["p"] == pytest.approx(2 / 2**3)
    assert np.isnan(found.loc["retrained", ["closer", "p"]].to_numpy(float)).all()


def test_what_the_page_says_in_words_holds(table):
    """Where curves are added, its sentences are to be read again."""
    half, quarter = (table[table["share"] == share].set_index("method") for share in (0.5, 0.25))
    assert half.loc["stays", "p"] < 0.05
    assert (half.loc[["usual", "formula", "combined"], "p"] > 0.05).all()
    assert (quarter["p"].dropna() < 0.05).all() and (quarter["closer"].dropna() > 0).all()
    for part in (half, quarter):
        own = part.loc["retrained"]
        assert own["covered_low"] <= 90 <= own["covered_high"]
        assert part.loc["combined", "covered_low"] > 90
        assert part.loc["combined", "width"] > own["width"]
        assert part["score"].drop("retrained").idxmin() == "usual"
        assert own["score"] < part.loc["usual", "score"]


def test_the_tables_shown_have_a_row_for_every_method_and_share(table):
    errors, ranges = shown_errors(table), shown_ranges(table)
    assert len(errors) == 2 * len(METHODS) and (errors["p"] == "–").sum() == 2
    assert len(ranges) == 2 * (len(METHODS) - 1)  # what stays as it is has no range
    assert not errors.isna().any(axis=None) and not ranges.isna().any(axis=None)


def test_p_values_are_written_with_three_digits():
    assert [p_text(p) for p in (np.nan, 0.0004, 0.0312, 1.0)] == ["–", "< 0.001", "0.031", "1.000"]


def test_a_weighted_median_is_that_of_the_repeated_values():
    rng = np.random.default_rng(0)
    values, times = rng.normal(size=9), rng.integers(0, 4, (20, 9)).astype(float)
    for found, own in zip(weighted_median(values, times), times.astype(int), strict=True):
        repeated = np.sort(np.repeat(values, own))
        assert found == repeated[(len(repeated) - 1) // 2]
