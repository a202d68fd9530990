"""Sign flips against their definition, and their level where nothing differs."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, wilcoxon

from analysis.statistics import (
    FAILS,
    HOLDS,
    IN_PART,
    OPEN,
    claim_verdicts,
    holm,
    judge_claims,
    signed_rank_tests,
    summarise,
)
from analysis.statistics.sign_flips import adjusted_p, family_p


def t_statistic(values):
    return abs(values.mean()) / (values.std(ddof=1) / np.sqrt(len(values)))


@given(st.integers(0, 10**6), st.integers(2, 7), st.integers(1, 4))
def test_by_definition(seed, n, comparisons):
    differences = np.random.default_rng(seed).normal(0.4, 1, (n, comparisons))
    observed = [t_statistic(d) for d in differences.T]
    largest = [max(t_statistic(np.array(signs) * d) for d in differences.T)
               for signs in product((1, -1), repeat=n)]
    wanted = [np.mean([m >= o * (1 - 1e-9) for m in largest]) for o in observed]
    np.testing.assert_allclose(adjusted_p(differences), wanted)


def test_the_least_possible():
    assert adjusted_p(np.ones((10, 1))) == pytest.approx([2 / 1024])
    p = adjusted_p(np.column_stack([np.ones(5), np.zeros(5)]))
    assert p[0] == pytest.approx(2 / 32) and np.isnan(p[1])
    assert np.isnan(adjusted_p(np.zeros((4, 2)))).all()


def test_many_datasets_are_drawn_and_agree():
    differences = np.random.default_rng(1).normal(0.5, 1, (14, 3))
    exact = adjusted_p(differences)
    padded = np.vstack([differences, np.zeros((1, 3))])  # flips of nothing change nothing
    np.testing.assert_allclose(adjusted_p(padded), exact, atol=0.02)
    np.testing.assert_array_equal(adjusted_p(padded), adjusted_p(padded))
    assert adjusted_p(np.ones((60, 1))) > 0  # what was observed is one of the draws


def test_families_flip_as_one():
    values = pd.Series([1.0, 2.0, 3.0, 4.0, -1.0])
    apart = family_p(values, pd.Series(list("abcde")))
    assert apart == pytest.approx(np.mean([abs(np.dot(s, values)) >= 9
                                           for s in product((1, -1), repeat=5)]))
    copies = family_p(values, pd.Series(["keel:iris", "sklearn:iris", "c", "d", "e"]))
    assert copies == family_p(pd.Series([3.0, 3.0, 4.0, -1.0]), pd.Series(list("acde")))
    assert np.isnan(family_p(values, pd.Series(["one"] * 5)))
    assert np.isnan(family_p(0 * values, pd.Series(list("abcde"))))


def test_family_wise_level():
    generator = np.random.default_rng(0)
    false = [np.nanmin(adjusted_p(generator.normal(size=(8, 12)))) <= 0.05 for _ in range(300)]
    assert np.mean(false) < 0.09


@pytest.mark.parametrize("wrong", [np.ones(4), np.ones((1, 3)), np.array([[1.0], [np.nan]])])
def test_bad_input(wrong):
    with pytest.raises(ValueError, match="finite differences of the shape"):
        adjusted_p(wrong)


def test_pairs_are_scipys_and_last_bits_do_not_count():
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(rng.uniform(0.6, 0.9, (30, 2)).round(3), columns=["a", "b"])
    scores["same"] = scores["a"] + 1e-15
    found = signed_rank_tests(scores).set_index(["one", "other"])
    gap = (scores["a"] - scores["b"]).round(12)
    row = found.loc[("a", "b")]
    assert row["p"] == wilcoxon(gap[gap != 0], correction=True, method="approx").pvalue
    assert (row["wins"], row["losses"]) == ((gap > 0).sum(), (gap < 0).sum())
    assert found.loc[("a", "same"), ["p", "ties"]].tolist() == [1, 30]


def test_twelve_differences_are_judged_by_the_normal_approximation():
    """Ranks 1 to 12, the smallest two negative: W = 3, mean 39, variance 162.5, by half a step."""
    gaps = np.arange(1, 13) * np.where(np.arange(12) < 2, -1, 1)
    p = signed_rank_tests(pd.DataFrame({"a": gaps.astype(float), "b": 0.0}))["p"].item()
    assert p == pytest.approx(2 * norm.cdf((3 + 0.5 - 39) / np.sqrt(162.5)))


def test_claims_are_judged_part_by_part_and_over_all_at_once():
    names = [f"data{letter}" for letter in "abcdefghij"]
    rng = np.random.default_rng(0)
    lower, level = (pd.Series(rng.normal(centre, 0.1, 10), names) for centre in (-1, 0))
    twice = pd.concat([lower, lower])
    found = judge_claims({"one": {"lower": twice, "level": level, "none": lower[:0]},
                          "other": {"higher": -lower, "equal": 0 * lower}})
    assert found[["claim", "part"]].agg("/".join, axis=1).tolist() == [
        "one/lower", "one/level", "other/higher", "other/equal"]
    assert found["verdict"].tolist() == ["clear", "open", "against", "open"]
    verdicts = claim_verdicts(found)
    assert verdicts["verdict"].to_dict() == {"one": IN_PART, "other": FAILS}
    assert verdicts.loc["one", ["parts", "clear", "against", "part"]].tolist() == [2, 1, 0, "level"]
    sums = [claim_verdicts(found[found["part"] == part])["verdict"].item()
            for part in ("lower", "level", "higher")]
    assert sums == [HOLDS, OPEN, FAILS] and claim_verdicts(found[:0]).empty
    assert found["p_adjusted"].tolist() == holm(found["p"]).tolist() and found["p"].iloc[3] == 1
    assert found.loc[0, "value":"n"].tolist() == list(vars(summarise(lower, names)).values())
    assert set(judge_claims({"one": {"lower": lower}}, 1e-9)["verdict"]) == {"open"}
    assert judge_claims({}).empty
