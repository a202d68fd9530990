"""Stored reruns: what ships is what comes out, alarms are rare, what is planted is found."""

import numpy as np
import pandas as pd
import pytest

from analysis.leaderboards.reruns import STORED, shift
from analysis.published.computed import recall
from lab import reruns


def test_what_ships_is_what_the_studies_give():
    found = reruns.stored_reruns()
    kept = pd.read_csv(STORED)
    pd.testing.assert_frame_equal(found, kept, rtol=1e-5)
    assert (found["one"] != found["other"]).all() and found["deviations"].notna().all()


def test_alarms_are_rare_and_planted_gaps_are_found():
    table = recall("order_reruns")
    none = table[table["gap"] == 0]
    assert (none["differs"] <= 0.05).all()
    assert (none.query("reruns == 'drawn'")["high"] < 0.05).all()
    twenty = table.query("tasks == 20").set_index("gap")["differs"]
    assert twenty[0.2] > 0.5 and twenty[0.5] > 0.95
    assert (table["low"] <= table["differs"]).all() and (table["differs"] <= table["high"]).all()


def test_a_row_of_the_trial_is_what_is_drawn(monkeypatch):
    stored = pd.read_csv(STORED)
    monkeypatch.setattr(reruns, "stored_reruns", lambda: stored)
    monkeypatch.setattr(reruns, "GAPS", (0.5,))
    monkeypatch.setattr(reruns, "DRAWS", 40)
    found = reruns.judge_reruns()
    runs = [g["points"] for _, g in stored.groupby(["one", "other", "method"]) if len(g) > 5]
    assert found["n"].tolist() == [len(runs), 40, 40, 40]
    assert found["differs"][0] == pytest.approx(np.mean([shift(r + 0.5) <= 0.05 for r in runs]))
