"""Ensembles and portfolios on repositories: TabRepo's answers, and what lacks."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tabrepo_folder import CONTEXT, open_whole, without

from analysis.leaderboards import normalize_among
from analysis.portfolios import open_records
from collection.project import paths
from collection.project.naming import UnknownNameError
from commands import COMMANDS

main = COMMANDS["portfolio"].run

A, B = "KNeighbors_c1_BAG_L1", "RandomForest_c1_BAG_L1"


@pytest.fixture
def whole():
    return open_whole()


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
    monkeypatch.setattr(paths, "RESULTS", tmp_path)
    assert main([f"WHERE={CONTEXT / 'to_dir'}", "SIZE=3", "MEMBERS=5"]) == 0
    said = capsys.readouterr().out
    assert "portfolio, ensembled" in said and "9 tasks of 3 datasets, 6 configs" in said
    kept = pd.read_csv(tmp_path / "portfolio" / "leave_one_out.csv")
    assert len(kept) == 27 and kept["normalized_error"].between(0, 1).all()
    assert main([f"WHERE={tmp_path / 'nothing'}"]) == 1
    assert "nothing" in capsys.readouterr().err
    assert main([]) == 1 and "WHERE is missing" in capsys.readouterr().err
    assert main([f"WHERE={CONTEXT / 'to_dir'}", "BUDGET=0.000000001"]) == 1
    assert "the cheapest takes" in capsys.readouterr().err


@pytest.mark.parametrize(("search", "methods"), [("random", 2), ("families", 6)])
def test_the_command_sets_searches_over_seconds_beside_portfolios(
        search, methods, whole, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(paths, "RESULTS", tmp_path)
    where = f"WHERE={CONTEXT / 'to_dir'}"
    assert main([where, "MEMBERS=3", f"SEARCH={search}", "BUDGET=1000"]) == 0
    said = capsys.readouterr().out
    found = pd.read_csv(tmp_path / "portfolio" / "search.csv")
    assert found["method"].nunique() == methods + 4 and found["budget"].nunique() == 6
    assert "stands in" in said and "1e+03 s" in said
    most = found[found["budget"] > 999].set_index("method")
    assert (most["low"] <= most["normalized_error"]).all()
    if search == "random":  # in the end all are trained, in whatever order
        records, _ = open_records(CONTEXT / "to_dir")
        best = [normalize_among(r.test_error[[r.valid_error.argmin()]], r.test_error)[0]
                for r in records]
        assert most.loc["random search", "normalized_error"] == pytest.approx(np.mean(best))
    assert main([where, "SEARCH=grid"]) == 1
    assert "'grid'. Known: random, families." in capsys.readouterr().err
    assert main(["WHERE=tabrepo-lightgbm", "SEARCH=random"]) == 1
    assert "without budget, fallback and search" in capsys.readouterr().err
