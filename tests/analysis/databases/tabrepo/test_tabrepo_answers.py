"""Everything that TabRepo's API answers for its own files (expected.json)."""

import hashlib

import numpy as np
import pandas as pd
import pytest

from analysis.leaderboards import normalize_among, place_among
from analysis.portfolios import evaluate_ensembles


def of_kind(repository, kind):
    return repository.results.query("kind == @kind")


THEIRS = {"valid": "val", "test": "test"}


def digest(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def test_names_folds_and_ids(answered):
    repository, expected = answered
    assert repository.datasets == expected["datasets"]
    assert repository.tids == expected["dataset_to_tid"]
    assert repository.folds == expected["dataset_to_folds"]
    assert repository.configs == expected["configs"]
    assert sorted(set(of_kind(repository, "baseline")["framework"])) == expected["baselines"]
    assert repository.fallback == expected["config_fallback"]
    everywhere = of_kind(repository, "config").groupby("framework").size() == len(expected["tasks"])
    assert sorted(everywhere[everywhere].index) == expected["configs_in_every_task"]


def test_facts_of_datasets(answered):
    repository, expected = answered
    for dataset, facts in expected["dataset_metadata"].items():
        row = repository.facts.loc[dataset]
        for name, value in facts.items():
            assert (pd.isna(row[name]) if value is None else row[name] == value), (dataset, name)
    info = of_kind(repository, "config").groupby("dataset")[["metric", "problem_type"]].first()
    assert info.to_dict("index") == expected["dataset_info"]


def frame(answer):
    return pd.DataFrame(answer["rows"], columns=answer["columns"])


def test_baselines_and_ranks_among_them(answered):
    repository, expected = answered
    metrics = frame(expected["metrics"])
    others = of_kind(repository, "baseline").groupby(["dataset", "fold"])["metric_error"]
    for (dataset, fold), rows in metrics.groupby(["dataset", "fold"]):
        ranks = place_among(rows["metric_error"], others.get_group((dataset, fold)))
        np.testing.assert_allclose(ranks, rows["rank"], atol=1e-12)
    baselines = frame(expected["baselines_frame"]).set_index(["dataset", "fold", "framework"])
    ours = of_kind(repository, "baseline").set_index(["dataset", "fold", "framework"])
    columns = ["metric_error", "time_train_s", "time_infer_s", "metric", "problem_type"]
    pd.testing.assert_frame_equal(ours.loc[baselines.index, columns], baselines[columns],
                                  check_exact=True)
    assert len(ours) == len(baselines)


def test_scores_among_configs_and_baselines(answered):
    repository, expected = answered
    both = repository.results
    for name, part in (("scores_against_configs_and_baselines", of_kind(repository, "config")),
                       ("scores_of_baselines", of_kind(repository, "baseline"))):
        for (dataset, fold), rows in frame(expected[name]).groupby(["dataset", "fold"]):
            here = both[(both["dataset"] == dataset) & (both["fold"] == fold)]["metric_error"]
            mine = part[(part["dataset"] == dataset) & (part["fold"] == fold)].set_index(
                "framework").loc[rows["framework"], "metric_error"]
            np.testing.assert_allclose(place_among(mine, here), rows["rank"], atol=1e-12)
            np.testing.assert_allclose(normalize_among(mine, here), rows["normalized_error"],
                                       atol=1e-12)


def test_predictions(answered):
    repository, expected = answered
    for of in expected["predictions"]:
        for split, theirs in THEIRS.items():
            found = repository.predictions(of["dataset"], of["fold"], split, [of["config"]])[0]
            assert list(found.shape) == of[theirs]["shape"]
            assert found.dtype == of[theirs]["dtype"]
            assert digest(found) == of[theirs]["sha256_of_bytes"]
            assert found[:6].tolist() == of[theirs]["head"]


def test_predictions_of_several_configs_come_in_the_order_asked_for(answered):
    repository, expected = answered
    for of in expected["predictions_multi"]:
        for split, theirs in THEIRS.items():
            found = repository.predictions(of["dataset"], of["fold"], split, of["configs"])
            assert list(found.shape) == of[f"{theirs}_shape"]
            assert digest(found) == of[f"{theirs}_sha256"]
    for dataset, folds in expected["models_with_predictions"].items():
        for fold, models in folds.items():
            assert repository.predicted(dataset, int(fold)) == models


def test_labels(answered):
    repository, expected = answered
    for of in expected["labels"]:
        for split, theirs in THEIRS.items():
            labels, rows = repository.labels(of["dataset"], of["fold"], split)
            said = of[theirs]
            assert labels.shape == tuple(said["shape"]) and rows[:6].tolist() == (
                said["row_ids_head"]) and rows.sum() == said["row_ids_sum"]
            if said["dtype"] == "<i8":
                assert digest(labels) == said["sha256_of_bytes"]
            else:  # pandas' fast reading of decimals is off in the last bit
                np.testing.assert_allclose(labels[:6], said["head"], rtol=1e-15)
                assert labels.sum() == pytest.approx(said["sum_float64"], rel=1e-14)
            if "all" in said:
                np.testing.assert_allclose(labels, said["all"], rtol=1e-15)


def test_ensembles_of_configs_on_tasks(answered):
    repository, expected = answered
    others = of_kind(repository, "baseline").groupby(["dataset", "fold"])["metric_error"]
    kept = [of for of in expected["evaluate_ensembles"] if "ensemble_kwargs" not in of["arguments"]]
    assert len(kept) == 3  # of one model per family there is nothing here
    for of in kept:
        asked = of["arguments"]
        found = evaluate_ensembles(
            repository.layout.folder, asked.get("datasets"), asked.get("configs"),
            asked["ensemble_size"], asked.get("time_limit"))
        result = frame(of["result"]).set_index(["dataset", "fold"])
        assert len(found) == len(result) or "folds" in asked
        found = found.loc[result.index]
        for ours, theirs in (("error", "metric_error"), ("valid_error", "metric_error_val"),
                             ("train_time", "time_train_s"), ("infer_time", "time_infer_s")):
            np.testing.assert_allclose(found[ours], result[theirs], atol=1e-6)
        weights = frame(of["weights"]).set_index(["dataset", "fold"]).astype(float)
        np.testing.assert_allclose(found.loc[weights.index, weights.columns], weights, atol=1e-9)
        for task, row in result.iterrows() if "rank" in result else ():
            rank = place_among([found.loc[task, "error"]], others.get_group(task))[0]
            assert rank == pytest.approx(row["rank"], abs=1e-5)
