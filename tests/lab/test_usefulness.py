"""Curves that end below the constant, and shapes judged by other seeds than that."""

import numpy as np
import pytest
import xarray as xr
from curve_examples import labelled

from lab.usefulness import below_dummy, judge_by_use, odds_ratio, shares_by_use

ENDS = {"falls": [0.5, 0.4, 0.3, 0.2], "ends above": [0.5, 0.3, 0.4, 0.45],
        "equals": [0.4, 0.4, 0.4, 0.4], "rises": [0.1, 0.2, 0.3, 0.35]}
NAMES = list(ENDS)


def repeated(means, scale=1e-3, seed=0):
    means = np.asarray(means, float)[None, :, None, None, :]
    noise = scale * np.random.default_rng(seed).normal(size=(1, len(NAMES), 5, 5, 4))
    return labelled(means + noise, "dataset learner outer inner anchor", learner=NAMES)


def test_below_is_at_the_last_size_that_both_have():
    errors = repeated(list(ENDS.values()), scale=0)
    constant = xr.full_like(errors.isel(learner=0, drop=True), 0.4)
    assert below_dummy(errors, constant).values.tolist() == [[True, False, False, True]]
    errors[:, 1, ..., 2:] = np.nan  # ends at .3
    constant[..., 3] = np.nan
    assert below_dummy(errors, constant).values.tolist() == [[True, True, False, True]]
    by_share = xr.DataArray([0.32], dims="dataset", coords={"dataset": errors["dataset"]})
    assert below_dummy(errors, by_share).values.tolist() == [[True, True, False, False]]
    assert not below_dummy(errors * np.nan, constant).any()


def test_use_is_told_by_some_outer_seeds_on_test_rows_and_shape_by_the_others_on_validation_rows():
    valid, test = (repeated(list(ENDS.values()), seed=seed) for seed in (0, 1))
    test[:, 3, :3] += 0.11  # of outer seeds 0 to 2 alone
    valid[:, 0, 3:] = valid[:, 0, 3:, :, ::-1].values  # rises in outer seeds 3 and 4 alone
    judged = judge_by_use(valid, test, xr.DataArray([0.39], dims="dataset",
                                                    coords={"dataset": valid["dataset"]}))
    assert len(judged) == 10 * 4 and judged["way"].nunique() == 10
    first = judged[judged["way"] == 0].set_index("learner")  # seeds 0 to 2 say who is useful
    assert first["useful"].reindex(NAMES).tolist() == [True, False, False, False]
    assert first["rank"].reindex(NAMES).tolist() == [1, 3, 2, 4]
    assert first["ill_behaved"].reindex(NAMES).tolist() == [True, True, False, True]
    last = judged[judged["way"] == 9].set_index("learner")  # seeds 2 to 4
    assert last.loc["rises", "useful"] and not last.loc["falls", "ill_behaved"]
    shares = shares_by_use(judged).set_index(["what", "of"])
    useful = judged["useful"]
    assert shares.loc[("ill-behaved, %", "useful"), "value"] == pytest.approx(
        100 * judged["ill_behaved"][useful].mean())
    assert shares.loc[("not useful, %", "ill-behaved curves"), "value"] == pytest.approx(
        100 * (~useful)[judged["ill_behaved"]].mean())
    assert np.isnan(shares.loc[("ill-behaved, %", "beyond the tenth"), "value"])


def test_an_odds_ratio_within_learners_does_not_see_what_learners_differ_by():
    judged = judge_by_use(*(repeated(list(ENDS.values()), seed=s) for s in (0, 1)), xr.DataArray(
        [0.39], dims="dataset", coords={"dataset": [0]}))
    assert np.isnan(odds_ratio(judged, "learner")[0])  # useful or ill-behaved always, or never
    table = judged.iloc[:0]
    rows = [("a", "L0", False, True)] * 3 + [("a", "L0", False, False)] * 2 + [
        ("a", "L0", True, True)] * 1 + [("a", "L0", True, False)] * 4
    table = type(judged)(rows + [("b", *row[1:]) for row in rows],
                         columns=["dataset", "learner", "useful", "ill_behaved"])
    for within in ("learner", "dataset"):
        assert odds_ratio(table, within)[0] == pytest.approx(3 * 4 / (2 * 1))
