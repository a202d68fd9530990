"""Stored reruns: what ships is what comes out, alarms are rare, what is planted is found."""

import numpy as np
import pandas as pd

from analysis.leaderboards.reruns import STORED, Reruns
from analysis.published.computed import recall
from lab import reruns


def test_what_ships_is_what_the_studies_give():
    found = reruns.stored_reruns()
    kept = pd.read_csv(STORED)
    pd.testing.assert_frame_equal(found, kept, rtol=1e-5)
    assert (found["one"] != found["other"]).all() and found["deviations"].notna().all()


def test_alarms_are_rare_and_what_is_broken_is_told():
    table = recall("order_reruns")
    none = table[table["gap"] == 0]
    assert len(none) >= 11 and (none["differs"] <= 0.05).all()
    broken = table[table["gap"].isna()]
    assert len(broken) == len(reruns.STUDIES)
    assert np.average(broken["differs"], weights=broken["n"]) >= 0.95
    planted = table.query("tasks == 20 and methods == 1").set_index("gap")["differs"]
    assert min(planted[0.5], planted[-0.5]) > 0.8  # either sign
    assert (table["low"] <= table["differs"]).all() and (table["differs"] <= table["high"]).all()


def test_a_whole_run_is_one_stored_run_with_its_sign():
    stored = Reruns(pd.read_csv(STORED))
    drawn, which = reruns.whole_runs(stored, np.random.default_rng(0), 3, 30, gap=1.0)
    runs = [run for _, run in stored.table.groupby(reruns.RUN) if len(run) >= 5]
    for k, (method, own) in enumerate(drawn.groupby("method")):
        sizes = own["points"] - (method == "0")
        assert np.isin(np.abs(sizes).round(9), runs[which[k]]["points"].abs().round(9)).all()
        assert len(own) == 30 and own["family"].is_unique
    assert reruns.alarm(drawn.assign(points=drawn["points"] + 5), stored)
