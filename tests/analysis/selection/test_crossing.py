from itertools import combinations

import numpy as np
import pytest
import xarray as xr
from curve_examples import labelled
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from analysis.selection import crossing as chapter
from analysis.selection.crossing import crossing_probabilities, crossings, mean_curves

NAN = np.nan

# Few distinct values, so that ties and crossings are frequent.
errors = arrays(
    float, (3, 4, 5), elements=st.sampled_from([0.1, 0.2, 0.2 + 1e-15, 0.3, 0.4, NAN, NAN])
)


def curves_of(values, **coords):
    return labelled(values, "dataset learner anchor", **coords)


def cross_as_published(a, b):
    if np.isnan(a).all() or np.isnan(b).all():
        return False, False, True
    end = min(np.flatnonzero(~np.isnan(a))[-1], np.flatnonzero(~np.isnan(b))[-1])
    better = a[0] < b[0]
    return better, better and a[end] > b[end], True


def cross_corrected(a, b):
    common = np.flatnonzero(~np.isnan(a) & ~np.isnan(b))
    if len(common) < 2:
        return False, False, False
    first, last = common[0], common[-1]
    better = a[first] < b[first] - 1e-12
    return better, better and a[last] > b[last] + 1e-12, True


@pytest.mark.parametrize(
    ("rule", "plain"), [("published", cross_as_published), ("corrected", cross_corrected)]
)
@given(values=errors)
@settings(max_examples=60, deadline=None)
def test_crossings_equal_a_plain_loop(rule, plain, values):
    cases = crossings(curves_of(values), rule)[["starts_better", "crosses", "defined"]]
    found = cases.to_array().values
    for d, a, b in np.ndindex(3, 4, 4):
        assert tuple(found[:, d, a, b]) == plain(values[d, a], values[d, b])


def test_probabilities_of_a_case_worked_by_hand():
    # A and B cross on the first dataset, A stays ahead on the second, they tie on the third.
    values = [[[0.2, 0.3], [0.4, 0.1]], [[0.2, 0.1], [0.4, 0.3]], [[0.2, 0.2], [0.2, 0.1]]]
    table = crossing_probabilities(crossings(curves_of(values)))
    assert table["starts_better"].sel(learner_a="L0", learner_b="L1") == pytest.approx(2 / 3)
    assert table["crosses"].sel(learner_a="L0", learner_b="L1") == pytest.approx(1 / 3)
    assert table["overtaken"].sel(learner_a="L0", learner_b="L1") == pytest.approx(1 / 2)
    assert np.isnan(table["overtaken"].sel(learner_a="L1", learner_b="L0"))
    assert (table["datasets"] == 3).all()


def test_a_missing_first_anchor_is_no_crossing_as_published_and_moves_the_start_when_corrected():
    curves = curves_of([[[NAN, 0.2, 0.3], [0.1, 0.4, 0.1]]])
    assert not crossings(curves, "published")["crosses"].any()
    assert crossings(curves, "corrected")["crosses"].sel(learner_a="L0", learner_b="L1").all()


def test_pairs_without_common_anchors_have_no_probability():
    table = crossing_probabilities(crossings(curves_of([[[0.1, NAN], [NAN, 0.2]]])))
    assert table["datasets"].sel(learner_a="L0", learner_b="L1") == 0
    assert np.isnan(table["crosses"].sel(learner_a="L0", learner_b="L1"))


def test_a_missing_repeat_removes_the_anchor_only_as_published():
    repeats = xr.concat([curves_of([[[0.2, 0.4]]]), curves_of([[[NAN, 0.2]]])], dim="inner")
    assert mean_curves(repeats, "corrected").values.tolist() == [[[0.2, pytest.approx(0.3)]]]
    assert np.isnan(mean_curves(repeats, "published").values[0, 0, 0])


@pytest.mark.parametrize(("ask", "message"), [
    (lambda c: crossings(c, "correct"), "corrected"),
    (lambda c: crossings(c.expand_dims(scaling=["none", "minmax"])), "scaling.*none, minmax"),
    (lambda c: crossings(c.expand_dims(split=["valid", "test"])), "split"),
    (lambda c: chapter.every_set(crossings(c), 3), "between 2 and 2")])
def test_bad_input_is_refused(ask, message):
    with pytest.raises(ValueError, match=message):
        ask(curves_of(np.zeros((1, 2, 2))))


@given(values=errors)
@settings(max_examples=15, deadline=None)
def test_extreme_sets_equal_a_search_over_all(values):
    cases = crossings(curves_of(values))
    matrix = crossing_probabilities(cases)["crosses"].values
    np.fill_diagonal(matrix, 0)
    every = {c: matrix[np.ix_(c, c)].mean() for c in combinations(range(4), 3)
             if not np.isnan(matrix[np.ix_(c, c)]).any()}
    assume(every)
    found = chapter.extreme_sets(cases, chapter.every_set(cases, 3))
    assert every[found["least"]] == pytest.approx(min(every.values()))
    assert every[found["most"]] == pytest.approx(max(every.values()))
