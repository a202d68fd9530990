"""What the chapter says of ensembles, against straightforward reckoning and known answers."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import analysis
from chapters.ensemble_curves.advantage import (
    advantages,
    cost_of_few,
    half_octaves,
    last_anchors,
    training_costs,
)
from chapters.ensemble_curves.judged import HINDSIGHT, common_means, judged_errors
from chapters.ensemble_curves.survival import (
    MEMBERS,
    crossing_shares,
    exchange_p,
    surviving_verdicts,
)
from collection.store import read_fits
from lab.ensemble_curves import open_few_rows

ANCHORS = np.array([16, 18, 20, 21, 32, 64, 128, 256])
DATASETS = list("uvwxyz")


def simulate(curve_of, anchors=ANCHORS, noise=0.004, seed=0):
    """Return curves of members a, b, c and two ensembles, `curve_of` giving the true ones."""
    learners = ["a", "b", "c", "Caruana", "Single best"]
    true = np.array([[curve_of(name, k, anchors.astype(float)) for name in learners]
                     for k in range(len(DATASETS))])
    values = true[:, :, None, None] + np.random.default_rng(seed).normal(
        0, noise, (len(DATASETS), len(learners), 5, 5, len(anchors)))
    return xr.DataArray(values, dims=("dataset", "learner", "outer", "inner", "anchor"), coords={
        "dataset": DATASETS, "learner": learners, "outer": range(5), "inner": range(5),
        "anchor": anchors})


def peaked(name, k, n):
    curve = 0.1 + 2 / n
    return curve + (0.2 * np.exp(-np.log(n / 32) ** 2 / 0.2) if name in "ab" else 0)



def test_hindsight_is_the_best_member_at_each_anchor():
    errors = simulate(lambda name, k, n: 0.3 - 0.001 * n if name == "b" else 0.2 + 0 * n)
    errors.loc[{"learner": "c", "dataset": "u", "outer": 0, "inner": 0}] = np.nan
    errors.loc[{"dataset": "z", "anchor": 256}] = np.nan
    mean = common_means(errors)
    assert mean["anchor"].values.tolist() == ANCHORS[:-1].tolist()
    members = errors.sel(learner=["a", "b", "c"], anchor=ANCHORS[:-1]).mean(["outer", "inner"])
    found = mean.sel(learner=HINDSIGHT)
    np.testing.assert_allclose(found[1:], members[1:].min("learner"))
    others = members.sel(dataset="u", learner=["a", "b"])
    np.testing.assert_allclose(found[0], others.min("learner"))


@pytest.mark.parametrize("procedure", ["corrected", "max_t"])
def test_peaks_that_do_not_survive(procedure):
    table = surviving_verdicts(simulate(peaked), (procedure,)).set_index(["verdict", "ensemble"])
    members, ensemble = table.loc["peaking", MEMBERS], table.loc["peaking", "Caruana"]
    assert (members["called"], members["curves"], members["datasets"]) == (12, 18, 6)
    assert members["percent"] == pytest.approx(100 * 12 / 18)
    assert ensemble["called"] == 0 and ensemble["difference"] == pytest.approx(-100 * 12 / 18)
    assert 0 < ensemble["high"] < 60
    assert 0.1 < ensemble["p"] < 0.3  # 2 / 2 ** 6, of six comparisons


def crossing(name, k, n):
    start, end = {"a": (0.4, 0.1), "b": (0.3, 0.2), "c": (0.35, 0.15), "Caruana": (0.29, 0.09),
                  "Single best": (0.29, 0.16)}[name]
    return start + (end - start) * np.log(n / 16) / np.log(16)


def test_crossings_are_counted_once_per_pair():
    table = crossing_shares(simulate(crossing, noise=0)).set_index("ensemble")
    assert table.loc[MEMBERS, "curves"] == 18 and table.loc[MEMBERS, "percent"] == 100
    assert table.loc["Caruana", "percent"] == 0 and table.loc["Caruana", "curves"] == 18
    assert table.loc["Single best", "percent"] == pytest.approx(200 / 3)


def ahead(name, k, n):
    better = {"Caruana": 0.05 * (n >= 32), "Single best": 0}.get(name, -0.1)
    return 0.3 - better + 0.001 * k + 0 * n


def test_from_how_many_rows():
    errors = simulate(ahead, noise=0.001)
    means = half_octaves(errors)
    table = advantages(means, ["Caruana"], ["Single best", HINDSIGHT])
    assert table["anchor"].tolist() == [16, 32] * 2 and (table["datasets"] == 6).all()
    single = table[table["baseline"] == "Single best"].set_index("anchor")
    assert single.loc[32, "difference"] == pytest.approx(-5, abs=0.2)
    assert single.loc[32, "better"] == 6 and single.loc[32, "p"] == pytest.approx(2 / 64)
    assert ((table["low"] <= table["difference"]) & (table["difference"] <= table["high"])).all()
    whole = advantages(means.mean("anchor"), ["Caruana"], ["Single best"])
    assert whole["difference"][0] == pytest.approx(single["difference"].mean())
    last = advantages(last_anchors(errors), ["Caruana"], ["Single best"])
    assert len(last) == 1 and last["difference"][0] == pytest.approx(-5, abs=0.2)


def test_costs_of_few_rows():
    table = pd.DataFrame([
        {"dataset": d, "way": way, "rows": rows, "anchor": anchor, "repeats": 25,
         "error_rate": 0.2 + (rows == "10") * (0.03 + 0.001 * k) - (way == "Caruana") * 0.01}
        for k, d in enumerate(DATASETS) for way in ("Caruana", "Single best")
        for rows in ("10", "all") for anchor in (16, 32)
        if not (anchor == 32 and d in "uv" and rows == "10")])
    found = cost_of_few(table, ["10"])
    assert found["anchor"].tolist() == [16, 16]  # at 32 there are four datasets
    assert found["cost"].tolist() == pytest.approx([3.25, 3.25])
    assert (found["datasets"] == 6).all() and (found["p"] <= 2 / 64 + 1e-9).all()


def test_shipped_tables_are_means_over_the_repeats(made):
    few = open_few_rows(made.files)
    fits = read_fits(made.ensembles)
    here = fits[(fits["learner"] == "Single best on 10") & (fits["dataset"] == "wine")
                & (fits["anchor"] == 23)]
    row = few.query("dataset == 'wine' and way == 'Single best' and rows == '10' and anchor == 23")
    assert row["error_rate"].item() == pytest.approx(here["error_rate_test"].mean(), rel=1e-5)
    assert row["repeats"].item() == len(here) == 2
    assert set(few["rows"]) == {"10", "ninth", "all"}  # 13 and 16 validation rows


def test_costs_are_of_all_that_could_be_chosen(made):
    curves = analysis.load_curves(made.ensembles)
    table = training_costs(curves, ["Caruana", "Single best"]).set_index("learner")
    seconds = curves["train_time"].sel(anchor=91).mean(["outer", "inner"])
    total = seconds.sel(learner=["KNN", "LDA", "GaussianNB"]).sum("learner")
    assert table.loc["Caruana", "seconds"] == pytest.approx(float(total.median()))
    assert table.loc["Caruana", "times"] > 1 and table.loc["Caruana", "anchor"] == 91


def test_several_scalings_are_refused(made):
    curves = analysis.load_curves(made.ensembles)
    twice = curves[["error_rate"]].reindex(scaling=["standard", "none"])
    with pytest.raises(ValueError, match="one scaling"):
        judged_errors(twice)


@given(st.integers(0, 10**5), st.integers(2, 4), st.integers(1, 4))
def test_near_the_exact_p(seed, datasets, others):
    generator = np.random.default_rng(seed)
    pool = generator.integers(0, 3, (datasets, others + 1)).astype(float)
    sums = np.array([sum(drawn) for drawn in product(*pool)])
    own = pool[:, 0].sum()
    exact = min(1, 2 * min((sums <= own).mean(), (sums >= own).mean()))
    assert exchange_p(pool[:, 1:], pool[:, 0]) == pytest.approx(exact, abs=0.04)


def test_none_of_nine_is_nothing_special():
    others = np.zeros((9, 11))
    others[:, 0] = 1  # each dataset has one curve in eleven that says yes
    assert exchange_p(others, np.zeros(9)) > 0.5
    assert 0 < exchange_p(others, np.ones(9)) < 0.001


def test_missing_others_are_left_out():
    others = np.array([[0.0, np.nan], [1.0, np.nan]])
    assert exchange_p(others, np.array([0.0, 1.0])) == 1
    with pytest.raises(ValueError, match="1 of 2"):
        exchange_p(others, np.array([0.0, np.nan]))
