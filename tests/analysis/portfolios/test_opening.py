"""Ensembles and portfolios on repositories: TabRepo's answers, and what lacks."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tabrepo_folder import CONTEXT, open_whole, without

from analysis.commands import COMMANDS
from analysis.databases.evaluations import open_repository
from analysis.drawing import tables
from analysis.ensembles import fit_ensemble
from analysis.leaderboards import place_among
from analysis.portfolios import evaluate_portfolio, open_records
from collection.containers.curves import Status
from collection.project.naming import UnknownNameError

main = COMMANDS["portfolio"].run

A, B = "KNeighbors_c1_BAG_L1", "RandomForest_c1_BAG_L1"


@pytest.fixture(params=["to_dir", "official"])
def answered(request):
    if not CONTEXT.exists():
        pytest.skip("needs ../shared/published/tabrepo/context")
    expected = json.loads((CONTEXT / "expected.json").read_text())[request.param]
    return open_repository(CONTEXT / request.param), expected


@pytest.fixture
def whole():
    return open_whole()


def task_record(repository, dataset, fold, configs):
    """Return the record of one task with those configs that were run there, in that order."""
    ran = repository.evaluations["status"].sel(task=dataset, fold=fold, repeat=0) == Status.ok
    there = [c for c in configs if ran.sel(learner=c)]
    records, learners = open_records(repository.subset([dataset], there, [fold]))
    return records[0], learners


def test_ensembles_are_those_of_tabrepo(answered):
    repository, expected = answered
    compared = 0
    for case in expected["evaluate_ensembles"]:
        asked = case["arguments"]
        if "ensemble_kwargs" in asked:  # at most one config per family: not asked of us
            continue
        rows = pd.DataFrame(case["result"]["rows"], columns=case["result"]["columns"])
        weights = pd.DataFrame(case["weights"]["rows"], columns=case["weights"]["columns"])
        baselines = pd.DataFrame(**{k: expected["baselines_frame"][v] for k, v in
                                    (("data", "rows"), ("columns", "columns"))})
        for row, weight in zip(rows.to_dict("records"), weights.to_dict("records"), strict=True):
            record, learners = task_record(repository, row["dataset"], row["fold"],
                                           asked.get("configs", expected["configs"]))
            order = np.arange(len(learners))
            found = evaluate_portfolio(order, record, [asked.get("time_limit")],
                                       ensemblers=["greedy_published"],
                                       members=asked["ensemble_size"])[0]
            for ours, theirs in (("error", "metric_error"), ("valid_error", "metric_error_val"),
                                 ("train_time", "time_train_s"), ("infer_time", "time_infer_s")):
                assert found[ours] == pytest.approx(row[theirs], abs=1e-6), (row, ours)
            said = {c: w for c, w in weight.items() if c in learners and w == w and w is not None}
            seen = record.load(order[:len(said)])
            ensemble = fit_ensemble("greedy_published", seen.valid, seen.valid_labels,
                                    record.metric, asked["ensemble_size"])
            assert list(said) == learners[:found["configs"]]
            np.testing.assert_allclose(ensemble.weights, list(said.values()), atol=1e-9)
            if "rank" in row:
                here = baselines[(baselines["dataset"] == row["dataset"])
                                 & (baselines["fold"] == row["fold"])]["metric_error"]
                assert place_among(np.array([found["error"]]), here)[0] == pytest.approx(
                    row["rank"], abs=1e-5)
            compared += 1
    assert compared >= 18


def test_missing_results_are_named_or_the_fallbacks(whole):
    gaps = without(whole, B, "wavy-reg")
    with pytest.raises(ValueError, match=rf"lack on some of 9 tasks: {B} \(3\)\. Name a fallback"):
        open_records(gaps)
    records, learners = open_records(gaps, fallback=A)
    record = next(r for r in records if r.dataset == "wavy-reg")
    a, b = learners.index(A), learners.index(B)
    for values in (record.valid_error, record.test_error, record.train_time):
        assert values[a] == values[b]
    seen = record.load(np.array([b, a]))
    np.testing.assert_array_equal(seen.valid[0], seen.valid[1])
    with pytest.raises(UnknownNameError, match="fallback learner 'Nobody'"):
        open_records(gaps, fallback="Nobody")


def test_metrics_that_ensembles_do_not_know_are_named(whole):
    known = whole.evaluations.copy(deep=True)
    known["metric"].loc[{"task": "wavy-reg"}] = "mae"
    with pytest.raises(ValueError, match="also has the metric mae"):
        open_records(replace(whole, evaluations=known))
    known["metric"].loc[{"task": "wavy-reg"}] = "rmse"
    known["metric"].loc[{"task": "Three_Blobs"}] = "auc"
    with pytest.raises(ValueError, match="AUC on the many classes of Three_Blobs"):
        open_records(replace(whole, evaluations=known))


def test_the_command_prints_means_and_keeps_every_task(whole, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(tables, "RESULTS", tmp_path)
    assert main([f"WHERE={CONTEXT / 'to_dir'}", "SIZE=3", "MEMBERS=5"]) == 0
    said = capsys.readouterr().out
    assert "portfolio, ensembled" in said and "9 tasks of 3 datasets, 6 configs" in said
    kept = pd.read_csv(tmp_path / "portfolio" / "leave_one_out.csv")
    assert len(kept) == 27 and kept["normalized_error"].between(0, 1).all()
    assert main([f"WHERE={tmp_path / 'nothing'}"]) == 1
    assert "nothing" in capsys.readouterr().err
    assert main([]) == 1 and "WHERE is missing" in capsys.readouterr().err
    assert main([f"WHERE={CONTEXT / 'to_dir'}", "BUDGET=1e-9"]) == 1
    assert "the cheapest takes" in capsys.readouterr().err
