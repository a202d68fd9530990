"""What to take on few rows: regrets by hand, rows that nobody trained on, the kept table."""

import numpy as np
import pandas as pd
import pytest

from analysis.published.computed import DATE, recall
from chapters.how_many_rows import decision
from chapters.how_many_rows.decision import COLUMNS, RULES, TRIAL, regrets, try_tables
from collection.project.naming import UnknownNameError


def tried(*rows) -> pd.DataFrame:
    """Rows of dataset, size, draw, both errors and both errors by cross-validation."""
    return pd.DataFrame([(d, n, k, 100, a, b, cv_a, cv_b) for d, n, k, a, b, cv_a, cv_b in rows],
                        columns=list(COLUMNS))


BY_HAND = tried(
    ("p", 50, 0, 0.10, 0.20, 0.1, 0.3),  # trying takes logistic regression
    ("p", 50, 1, 0.20, 0.30, 0.3, 0.1),  # trying takes the forest, which is worse
    ("q", 50, 0, 0.40, 0.20, 0.2, 0.2),  # a tie: the simpler one, which is worse
    ("q", 50, 1, 0.40, 0.50, 0.2, 0.3),
    ("q", 100, 0, 0.30, 0.10, 0.3, 0.1))


def test_regrets_are_those_worked_out_by_hand():
    table = regrets(BY_HAND).set_index(["rows", "rule"])
    found = table.loc[50, "regret"]
    # p: better is logistic regression, .15 on average; q: the forest, .35.
    assert found[list(RULES)].tolist() == pytest.approx([(0 + 5) / 2, (10 + 0) / 2, (5 + 5) / 2])
    assert table.loc[(50, TRIAL), "rightly"] == 0.5
    assert table.loc[50, "n_tables"].tolist() == [2, 2, 2]
    assert table.loc[(100, TRIAL), "regret"] == 0  # q alone reaches 100
    assert table["less"].to_numpy() == pytest.approx(
        (table["regret"].groupby(level=0).transform("last") - table["regret"]).to_numpy())


def test_intervals_hold_the_regret_and_copies_count_once():
    copies = pd.concat([BY_HAND.replace("p", "keel:iris"), BY_HAND.replace("p", "sklearn:iris")])
    table = regrets(copies).set_index(["rows", "rule"])
    assert table.loc[50, "n_tables"].tolist() == [2, 2, 2]
    known = table.dropna()
    assert (known["low"] <= known["regret"]).all() and (known["regret"] <= known["high"]).all()


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
