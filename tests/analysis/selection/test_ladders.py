import numpy as np
import pytest
from contest_cases import database, errors
from hypothesis import assume, given, settings

from analysis.selection import PROCEDURES, build_ladders, open_contest
from collection.project.naming import UnknownNameError


@pytest.mark.filterwarnings("ignore:Mean of empty slice")
@pytest.mark.filterwarnings("ignore:Degrees of freedom")
@pytest.mark.parametrize("procedure", PROCEDURES)
@given(values=errors)
@settings(max_examples=30, deadline=None)
def test_ladders_hold_the_means_of_each_context(procedure, values):
    assume(not np.isnan(values).all())
    curves = database(values, test=values / 2)
    ladders = build_ladders(curves, procedure)
    mean = np.mean if procedure == "published" else np.nanmean
    judged = values if procedure == "published" else values / 2
    expected = [(d, o) for d in range(3) for o in range(2) if not np.isnan(values[d, :, o]).all()]
    contexts = list(zip(ladders.dataset.tolist(), ladders.outer.tolist(), strict=True))
    assert contexts == expected
    for c, (d, o) in enumerate(contexts):
        rungs = np.flatnonzero(~np.isnan(values[d, :, o]).all(axis=(0, 1)))
        n = len(rungs)
        assert ladders.rows[c, :n].tolist() == curves["anchor"].values[rungs].tolist()
        assert np.isnan(ladders.rows[c, n:]).all()
        np.testing.assert_allclose(
            ladders.valid[c, :, :n], mean(values[d, :, o][..., rungs], axis=1))
        np.testing.assert_allclose(
            ladders.judged[c, :, :n], mean(judged[d, :, o][..., rungs], axis=1))
        both = ~np.isnan(values[d, :, o][..., rungs]).any(axis=1)
        error = values[d, :, o][..., rungs].std(axis=1, ddof=1) / np.sqrt(2)
        np.testing.assert_allclose(ladders.spread[c, :, :n][both], error[both], atol=1e-15)


def test_a_group_climbs_the_anchors_that_it_has():
    values = np.full((1, 3, 1, 1, 4), np.nan)
    values[0, 0, 0, 0, :] = 0.5
    values[0, 1, 0, 0, 1] = values[0, 2, 0, 0, 3] = 0.5
    contest = open_contest(build_ladders(database(values)), "g", ["LDA", "MLP"])
    assert contest.rows.tolist() == [[23, 45]]


def test_a_dataset_that_no_learner_of_the_group_has_is_left_out():
    values = np.full((2, 3, 1, 1, 2), 0.5)
    values[0, 1:] = np.nan
    contest = open_contest(build_ladders(database(values)), "g", ["LDA", "MLP"])
    assert contest.dataset.tolist() == [1]


@pytest.mark.parametrize(("group", "message"), [
    (["KNN", "LDAA"], "LDA"), (["KNN"], "two different learners"),
    (["KNN", "KNN"], "two different learners")])
def test_what_is_no_group_is_refused(group, message):
    with pytest.raises(ValueError, match=message):
        open_contest(build_ladders(database(np.full((1, 3, 1, 1, 2), 0.5))), "g", group)


@pytest.mark.parametrize(("spoil", "error", "message"), [
    (lambda c: c.reindex(leakage=["no", "yes"]), ValueError, "leakage"),
    (lambda c: c.where(False), ValueError, "nothing to choose"),
    (lambda c: c.isel(anchor=slice(None, None, -1)), ValueError, "strictly increasing"),
    (lambda c: c.assign_coords(anchor=c["anchor"].astype(str)), TypeError, "numbers of rows, not"),
    (lambda c: c.assign_coords(anchor=c["anchor"].where(c["anchor"] < c["anchor"][-1], np.inf)),
     ValueError, "strictly increasing"),
    (lambda c: c.assign(error_rate=c["error_rate"].where(c["anchor"] > c["anchor"][0], np.inf)),
     ValueError, "An error is infinite")])
def test_what_is_no_ladder_is_refused(spoil, error, message):
    values = np.random.default_rng(0).uniform(0.1, 0.5, (3, 3, 2, 2, 4))
    with pytest.raises(error, match=message):
        build_ladders(spoil(database(values)))
    with pytest.raises(UnknownNameError, match="corrected"):
        build_ladders(database(values), "correct")
