"""A container as a table: what was measured, what failed and why, and nothing else."""

import numpy as np
import pandas as pd
import pytest

import analysis
from collection.containers.curves import Status, tidy_table

POINTS = pd.DataFrame({"learner": ["a", "a", "b", "b"], "size": [10, 20, 10, 40],
                       "error": [.4, .3, .2, np.nan]})


def test_a_row_per_measurement_and_per_fit_that_failed():
    table = tidy_table(analysis.from_table(POINTS))
    assert table[["learner", "anchor"]].to_numpy().tolist() == [["a", 10], ["a", 20], ["b", 10],
                                                                ["b", 40]]
    assert table["error_rate"].tolist() == pytest.approx([.4, .3, .2, np.nan], nan_ok=True)
    assert table["status"].tolist() == ["ok", "ok", "ok", "error"]


def test_every_value_of_a_shipped_database_is_in_its_table():
    curves = analysis.load_curves("mini").sel(dataset=["vehicle", "wine"])
    table = tidy_table(curves)
    key = ["dataset", "learner", "scaling", "leakage", "outer", "inner", "anchor", "split"]
    assert not table.duplicated(key).any()
    for metric in ("error_rate", "log_loss"):
        assert table[metric].notna().sum() == int(curves[metric].notnull().sum())
    failed = ~curves["status"].isin([Status.ok, Status.not_run])
    assert (table["status"] != "ok").sum() == 3 * int(failed.sum())
    some = table.dropna(subset="error_rate").sample(20, random_state=0)
    for row in some.itertuples():
        assert row.error_rate == float(curves["error_rate"].sel(
            {dim: getattr(row, dim) for dim in key}))


def test_evaluations_and_results_open_as_tables_too():
    runs, table = analysis.load_evaluations("evaluations"), analysis.load_table("evaluations")
    assert table["error"].notna().sum() == int(runs["error"].notnull().sum())
    assert {"task", "metric", "learner", "repeat", "fold", "split", "status"} <= set(table)
    assert analysis.load_table("talent").equals(analysis.load_results("talent"))
    with pytest.raises(ValueError, match="talent"):
        analysis.load_table("talnt")
