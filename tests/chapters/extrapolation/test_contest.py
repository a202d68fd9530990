"""The contest's cuts, scores and summaries against their definitions."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from analysis.published.computed import NotAtHandError, recall
from analysis.statistics.bootstrap import mean_interval, resample_units
from chapters.extrapolation import contest
from chapters.extrapolation.cuts import cut_at_share, without_names
from chapters.extrapolation.judge import (
    LEVELS,
    crps,
    error_intervals,
    error_ratio,
    interval,
    pair_regret,
    pinball,
    summarise_contest,
    with_groups,
)

SIZES = np.array([16, 23, 32, 45, 64, 91, 128])


def test_half_of_the_anchors_is_seen_and_the_last_is_the_truth(power_curves):
    curves = power_curves(repeats=4).rename(repeat="outer")
    long = xr.concat([curves, (0.5 * curves).assign_coords(anchor=SIZES * 10)], "anchor")
    challenge = cut_at_share(long, 0.5, "toy")
    assert challenge.seen.there.sum(1).tolist() == [7] * 6
    assert challenge.target.tolist() == [1280.0] * 6
    assert challenge.truth == pytest.approx(long.mean("outer").values.reshape(6, -1)[:, -1])
    assert challenge.labels["rows_seen"].tolist() == [128.0] * 6
    assert challenge.labels["doublings"].to_numpy() == pytest.approx(np.log2(10))
    assert challenge.labels["dataset"].tolist() == ["d0", "d0", "d1", "d1", "d2", "d2"]


def test_constant_short_and_missing_curves_are_not_judged_but_constant_ones_inform(power_curves):
    curves = power_curves(n_datasets=4).mean("repeat")
    long = xr.concat([curves, (0.5 * curves).assign_coords(anchor=SIZES * 10)], "anchor")
    long[0, 0] = 0.3
    long[1, 0] = np.nan
    long[2, 0, 5:] = np.nan
    challenge = cut_at_share(long)
    judged = challenge.labels[["dataset", "learner"]].apply(tuple, axis=1).tolist()
    assert judged == [("d0", "LDA"), ("d1", "LDA"), ("d2", "LDA"), ("d3", "KNN"), ("d3", "LDA")]
    assert len(challenge.seen.values) == 7
    assert len(np.unique(without_names(challenge).seen.dataset)) == 7


@pytest.mark.parametrize("share", [0, 1, -0.5])
def test_a_share_that_leaves_nothing_is_refused(share, power_curves):
    with pytest.raises(ValueError, match="between 0 and 1"):
        cut_at_share(power_curves(), share)


def test_crps_of_a_uniform_distribution():
    """CRPS of U(0, 1) at y is y² − y + 1/3 (Gneiting and Raftery 2007)."""
    truth = np.linspace(0, 1, 11)
    found = np.broadcast_to(LEVELS, (11, len(LEVELS)))
    assert crps(found, truth, LEVELS) == pytest.approx(truth**2 - truth + 1 / 3, abs=0.02)


@given(st.floats(0, 1), st.floats(0, 1))
def test_pinball_by_its_definition(quantile, truth):
    for level in (0.05, 0.5, 0.95):
        short = truth - quantile
        expected = level * short if short >= 0 else (level - 1) * short
        assert pinball(np.array([[quantile]]), np.array([truth]), (level,)) == pytest.approx(
            np.array([[expected]]))


def test_interval_has_the_ends_it_says():
    found = np.array([LEVELS])
    assert interval(found, LEVELS, 80)[:, 0] == pytest.approx([0.1, 0.9])
    with pytest.raises(ValueError, match="99 % interval"):
        interval(found, LEVELS, 99)


def test_pair_regret_is_the_mean_over_partners():
    dataset = np.array(["a", "a", "a", "b", "b", "c"])
    truth = np.array([0.1, 0.2, 0.4, 0.3, 0.3, 0.5])
    prediction = np.array([0.3, 0.2, 0.25, 0.1, 0.2, 0.5])
    found = pair_regret(dataset, np.ones(6), truth, prediction)
    # of a: (0, 1) picks 1, costs .1; (0, 2) picks 2, costs .3; (1, 2) picks 1, costs 0
    assert found[:5] == pytest.approx([0.2, 0.05, 0.15, 0, 0])
    assert np.isnan(found[5])


def test_a_tie_costs_half():
    assert pair_regret(np.array(["a", "a"]), np.ones(2), np.array([0.1, 0.3]),
                       np.array([0.2, 0.2])) == pytest.approx([0.1, 0.1])


def test_summary_counts_every_curve_once_in_all_and_by_shape():
    table = pd.DataFrame({
        "database": "toy", "seen": 0.5, "extrapolator": "POW2", "dataset": ["a", "a", "b"],
        "learner": ["KNN", "LDA", "KNN"], "rows_seen": [64.0, 64.0, 300.0],
        "doublings": [1.0, 2.5, 2.5], "points": [1.0, 3.0, 8.0], "crps": [1.0, 2.0, 3.0],
        "regret": [0.0, 1.0, 2.0]} | {f"{k}{p}": [1.0, 0.0, 1.0] for k in ("inside", "width")
                                      for p in (50, 80, 90)})
    shapes = pd.DataFrame({"dataset": ["a", "b"], "learner": ["LDA", "KNN"],
                           "peaking": [True, False], "dipping": [False, True]})
    found = summarise_contest(with_groups(table, shapes), "lcdb10")
    everything = found[(found["group"] == "all") & (found["horizon"] == "all")].iloc[0]
    assert (everything["n_curves"], everything["n_datasets"]) == (3, 2)
    assert everything["mean_points"] == 4.0
    assert everything["coverage90"] == pytest.approx(2 / 3)
    by_group = found.set_index("group")["mean_points"]
    assert by_group["shape: peaking"] == 3.0
    assert by_group["shape: dipping"] == 8.0
    assert by_group["seen: up to 64 rows"] == 2.0
    assert set(found["horizon"]) == {"all", "up to 1 doublings", "2 to 3 doublings"}


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(0)
    dataset = np.repeat([f"d{k}" for k in range(12)], rng.integers(1, 9, 12))
    hard = rng.exponential(3, 12)[np.unique(dataset, return_inverse=True)[1]]
    return pd.concat([pd.DataFrame({"extrapolator": name, "dataset": dataset, "group": "all",
                                    "points": factor * hard * rng.uniform(0.8, 1.2, len(hard))})
                      for name, factor in (("a", 1.0), ("b", 2.0))], ignore_index=True)


def test_intervals_of_errors_are_those_of_the_bootstrap_over_datasets(scores):
    found = error_intervals(scores, ["group", "extrapolator"]).set_index("extrapolator")
    for name, part in scores.groupby("extrapolator"):
        assert found.loc[name, ["mean_low", "mean_high"]].tolist() == pytest.approx(
            mean_interval(part["points"], part["dataset"]))


def test_one_dataset_has_no_interval(scores):
    found = error_intervals(scores[scores["dataset"] == "d3"], ["group", "extrapolator"])
    assert len(found) == 2 and found[["mean_low", "mean_high"]].isna().all(axis=None)


def test_a_ratio_of_errors_against_a_loop_over_resamples(scores):
    ratio, low, high = error_ratio(scores, "a", "b")
    by = {name: part.groupby("dataset", sort=False)["points"].sum()
          for name, part in scores.groupby("extrapolator")}
    drawn = [(t @ by["a"].to_numpy()) / (t @ by["b"].to_numpy()) for t in resample_units(12)]
    assert ratio == pytest.approx(by["a"].sum() / by["b"].sum())
    assert (low, high) == pytest.approx(tuple(np.percentile(drawn, (2.5, 97.5))))
    assert high - low < 0.2 < high  # drawn together: what makes a dataset hard cancels


@pytest.mark.parametrize("database", contest.STUDIED)
def test_what_is_kept_of_a_contest_is_of_the_code_that_stands(database):
    """The rows of the cheapest extrapolator are computed anew, to the last digit that is kept."""
    try:
        curves = contest.contest_curves(database)
    except NotAtHandError as error:
        pytest.skip(str(error))
    challenge = cut_at_share(curves, 0.5, database)
    now = contest.contest_table(contest.hold_contest(challenge, (contest.NOW,)))
    kept = recall(f"extrapolation_{database.removesuffix('-summary')}")
    keys = ["horizon", "group"]
    kept = kept[(kept["seen"] == 0.5) & (kept["extrapolator"] == contest.NOW)].set_index(keys)
    for column in ("n_curves", "n_datasets", "mean_points", "crps", "coverage90", "regret"):
        values = now.set_index(keys)[column]
        np.testing.assert_allclose(values, kept.loc[values.index, column], rtol=1e-5)


def test_rivals_are_compared_on_the_same_curves_and_new_ones_apart(monkeypatch):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame([(d, n) for d in ("vehicle", "drawn 1", "drawn 2", "drawn 3")
                         for n in ("LDA", "stranger")], columns=["dataset", "learner"])
    best = rows.assign(extrapolator=contest.RECOMMENDED, points=rng.uniform(1, 2, 8), regret=0.25)
    others = [best.assign(extrapolator=name, points=2 * best["points"], regret=0.5)
              for name in ("POW2", contest.NOW)]
    scores = pd.concat([best, *others], ignore_index=True).assign(group="")
    monkeypatch.setattr(contest, "_held", lambda *_: (scores, None))
    found = contest.against_rivals("toy").set_index(["scope", "measure", "rival"])
    count = found["n_curves"].groupby("scope").first()
    assert count.to_dict() == {"all": 8, "new datasets": 6, "new learners": 4,
                               "new learners on new datasets": 3}
    assert found.xs("error", level="measure")[["value", "low", "high"]].to_numpy() == pytest.approx(
        0.5)
    assert (found.xs("regret", level="measure")["value"] == -0.25).all()
