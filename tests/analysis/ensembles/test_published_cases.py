"""Inputs and outputs of TabRepo's own implementation (CASES.md beside them)."""

import json

import numpy as np
import pytest
from published_data import PUBLISHED, at_hand

from analysis.ensembles import affordable, combine, measure_errors, select_ensemble

FILE = PUBLISHED / "tabrepo" / "ensemble_cases.npz"
METRIC = {"log_loss": "log_loss", "roc_auc": "auc", "accuracy": "error_rate",
          "root_mean_squared_error": "rmse"}
KNOWN = json.loads(str(np.load(FILE)["index_json"])) if FILE.exists() else [None]


@pytest.fixture(params=KNOWN, ids=lambda case: case["case"] if case else "absent")
def case(request):
    """One case's arrays by name, its metric and its size."""
    with np.load(at_hand("tabrepo", FILE.name)) as file:
        key = request.param["case"] + "/"
        arrays = {name[len(key):]: file[name] for name in file.files if name.startswith(key)}
    return arrays, METRIC[request.param["metric"]], request.param["ensemble_size"]


def test_published_procedure_gives_the_published_ensemble(case):
    arrays, metric, size = case
    found = select_ensemble(arrays["pred_val"], arrays["y_val"], metric, size, "published")
    np.testing.assert_array_equal(found.order, arrays["order"])
    np.testing.assert_allclose(found.weights, arrays["weights"], atol=1e-9)
    np.testing.assert_allclose(found.trajectory, arrays["trajectory"], atol=1e-9)
    for split in ("val", "test"):
        mean = combine(arrays[f"pred_{split}"], found.weights)
        np.testing.assert_allclose(
            measure_errors(mean[None], arrays[f"y_{split}"], metric)[0],
            arrays[f"metric_error_{split}"], atol=1e-6)


def test_under_a_budget_the_published_ensemble_comes_out(case):
    arrays, metric, size = case
    budgets = {name.split("/")[0] for name in arrays if name.startswith("budget")}
    for budget in sorted(budgets):
        expected = {k: arrays[f"{budget}/{k}"] for k in ("time_limit", "n_kept", "weights")}
        times, limit = arrays["time_train_s"], float(expected["time_limit"])
        kept = affordable(times, limit)
        assert kept == expected["n_kept"]
        found = select_ensemble(arrays["pred_val"][:kept], arrays["y_val"], metric, size,
                                "published")
        # Published weights may name only the configs kept.
        np.testing.assert_allclose(found.weights, expected["weights"][:kept], atol=1e-9)
        assert not expected["weights"][kept:].any()
        mean = combine(arrays["pred_test"][:kept], found.weights)
        np.testing.assert_allclose(measure_errors(mean[None], arrays["y_test"], metric)[0],
                                   arrays[f"{budget}/metric_error_test"], atol=1e-6)
