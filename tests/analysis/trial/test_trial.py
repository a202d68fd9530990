"""The trial of forecasts: frozen tasks, scores."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_trial import small_trial

from analysis.databases.load import load_curves
from analysis.extrapolation.seen import training_datasets
from analysis.trial import by_family, open_forecasts, open_trial, ratio
from analysis.trial.tasks import FOLDER, LEVELS, summarise
from analysis.trial.tasks import score as scored
from collection.project.paths import DATA

QUANTILES = [str(level) for level in LEVELS]
#: sha256 of the tasks, which are never to change.
FROZEN = {
    "tasks.csv": "fc26112d76bf6f283e339995e16d254f05f9aa254f94127c9564baf8d01fe19e",
    "points.csv.gz": "668acb9216cda4089fdf4e17f17e99f272327a8fbd1b619a5b127deaaf940abf",
    "tasks2.csv": "2a619a42ee693dc6fc91ec24e5086b0b5d2fe4355781b2bfc762f5472d2ad70a",
    "points2.csv.gz": "f9c17adb58e6c4b04d132ec4b5610dd0de0e2a2c71fb6dc268a9fb7a34787bed",
    "tasks3.csv": "f762e50b6dd91b0bf42f898c01dda581182ce01cbe3b083e8dce1366a5b1e478",
    "points3.csv.gz": "764153c6caa75752acec23caa65d7b504bddb31d1ea7f8dadd8535f3f0157a36"}


@pytest.fixture(scope="module")
def trial():
    return open_trial()


def test_tasks_are_frozen_and_hide_what_is_asked(trial):
    for name, digest in FROZEN.items():
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == digest
    last = trial.tasks.set_index("task")["last"]
    assert (trial.points["size"] <= trial.points["task"].map(last)).all()
    assert (trial.asked["size"] > trial.asked["task"].map(last)).all()
    multiple = trial.asked[trial.asked["times"] != "last"]
    off = multiple["size"] / multiple["task"].map(last) / multiple["times"].astype(int) - 1
    assert off.abs().max() <= 0.1 and trial.tasks["task"].is_unique
    own = trial.tasks[trial.tasks["source"] == "lcdb10"]
    assert set(own["fold"]) == {0, 1}  # whose models have not seen them
    assert not trial.tasks.query("source == 'mini'")["known"].any()


def test_nobody_can_look_up_what_the_sealed_tasks_ask(trial):
    sealed = trial.asked["task"].str.startswith("sealed/")
    before = open_trial(opened=False).asked["truth"]
    assert before.isna().equals(sealed) and trial.points["error"].notna().all()
    assert trial.asked.loc[before.notna(), "truth"].equals(before.dropna())
    own = trial.tasks[trial.tasks["source"] == "sealed"]
    assert own["family"].nunique() >= 10 and (own["fold"] == -1).all()
    rest = trial.tasks[trial.tasks["source"] != "sealed"]
    assert not set(own["family"]) & {*rest["family"], *training_datasets()["family"]}
    gathered = load_curves("lcdb11-anew")["dataset"].values
    assert not set(own["dataset"]) & set(gathered)
    assert set(scored(open_forecasts(), trial)["source"]) == {*rest["source"], "sealed"}


def test_what_is_opened_is_what_the_curves_gathered_since_say_and_what_was_seen_is_on_them(trial):
    curves = load_curves(DATA / "lcdb11-anew" / "opened")
    mean = curves["error_rate"].sel(split="valid", scaling="none", leakage="no").mean(
        ["outer", "inner"]).assign_coords(dataset=curves["name"].values)
    own = trial.tasks[trial.tasks["dataset"].isin(curves["name"].values)].set_index("task")
    assert own["family"].nunique() == 6
    for points, what in ((trial.points, "error"), (trial.asked, "truth")):
        part = points[points["task"].isin(own.index)].join(own, on="task").dropna(subset=what)
        found = [float(mean.sel(dataset=d, learner=k, anchor=a)) for d, k, a in zip(
            part["dataset"], part["learner"], part["size"], strict=True)]
        assert len(part) > 100 and (part[what] - found).abs().median() < 1e-5
    assert trial.asked.loc[trial.asked["task"].isin(own.index), "truth"].notna().all()


@settings(max_examples=20)
@given(st.lists(st.floats(0, 1), min_size=14, max_size=14),
       st.lists(st.floats(0, 1), min_size=2, max_size=2))
def test_scores_are_those_of_a_loop(quantiles, truths):
    names = ["a", "b"]
    trial = small_trial({n: ([16, 32, 64], [0.5, 0.4, 0.3]) for n in names},
                        {n: [("last", 128, t)] for n, t in zip(names, truths, strict=True)})
    rows = np.sort(np.array(quantiles).reshape(2, 7), axis=1)
    table = scored(pd.DataFrame(rows, columns=QUANTILES).assign(
        task=names, times="last", rival="me"), trial)
    for k, row in enumerate(table.itertuples()):
        own, truth = rows[k], truths[k]
        assert row.error == abs(own[3] - truth) and row.width == own[6] - own[0]
        assert row.inside == (own[0] <= truth <= own[6]) and row.doublings == 1
        edges = np.r_[0, (np.array(LEVELS[1:]) + LEVELS[:-1]) / 2, 1]
        loss = sum((b - a) * (level * (truth - q) if truth > q else (1 - level) * (q - truth))
                   for a, b, level, q in zip(edges, edges[1:], LEVELS, own, strict=False))
        assert row.crps == pytest.approx(2 * loss, abs=1e-12)


def test_a_mean_counts_a_family_once(trial):
    kept = open_forecasts()
    some = scored(kept[kept["rival"].isin(["nothing changes", "POW2"])
                       & (kept["times"] == "last")], trial)
    row = summarise(some).set_index(["scope", "rival"]).loc[("mini", "POW2")]
    own = some[(some["source"] == "mini") & (some["rival"] == "POW2")]
    assert row["error"] == pytest.approx(own.groupby("family")["error"].mean().mean())
    assert row["n_families"] == own["family"].nunique() and row["error_low"] < row["error"]


def test_a_ratio_is_of_families_that_both_have(trial):
    own = scored(open_forecasts(), trial).query("times == 'last' and source == 'lcdb10'")
    one, other = "boosted, alone", "nothing changes"
    found, means = ratio(own, one, other), by_family(own, "error")
    assert found.value == pytest.approx(means[one].sum() / means[other].sum())
    assert found.low < found.value < found.high and found.n == len(means)
    single = ratio(own[own["family"] == own["family"].iloc[0]], one, other)
    assert np.isnan([single.low, single.high]).all()
