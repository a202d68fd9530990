"""What to take on few rows: rows that nobody trained on, the kept table."""

import numpy as np
import pandas as pd
import pytest

from analysis.published.computed import DATE, recall
from collection.project.naming import UnknownNameError
from lab import decision
from lab.decision import try_tables


def test_nobody_is_judged_on_rows_that_it_saw(monkeypatch):
    seen = []

    def watched(table, learner, train, test):
        seen.append((learner, set(train), set(test)))
        return np.zeros((len(test), len(table.classes)), np.float32)

    monkeypatch.setattr(decision, "fit_model", watched)
    table = try_tables(["keel:haberman"], sizes=(50, 100, 500), draws=2)
    assert table["rows"].tolist() == [50, 100] * 2  # 306 rows: too few for 500
    assert (table["tested"] == 306 - table["rows"]).all()
    assert all(not train & test for _, train, test in seen)
    parts = [train for learner, train, test in seen[:2]]
    assert parts[0] == parts[1] and len(parts[0]) == 50
    inner = [train | test for _, train, test in seen[2:12]]
    assert all(rows == parts[0] for rows in inner)  # cross-validation keeps to the rows one has


def test_many_classes_take_more_rows():
    assert try_tables(["keel:letter"], sizes=(50, 100), draws=1).empty
    with pytest.raises(UnknownNameError, match="nothing"):
        try_tables(["keel:nothing"], draws=1)


def test_what_is_kept_is_what_comes_out_now():
    kept = recall("small_data_decision").drop(columns=DATE)
    again = try_tables(["keel:haberman"], sizes=(50,), draws=1)
    mine = kept.query("dataset == 'keel:haberman' and rows == 50 and draw == 0")
    pd.testing.assert_frame_equal(mine.reset_index(drop=True), again, rtol=1e-5)
    assert kept.groupby(["dataset", "rows"]).size().eq(decision.DRAWS).all()
    assert kept["dataset"].nunique() == 25
