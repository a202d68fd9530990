"""Stored reruns: what ships is what comes out, alarms are rare, what is planted is found."""

import numpy as np
import pandas as pd

from analysis.leaderboards.reruns import STORED, Reruns
from lab import reruns


def test_what_ships_is_what_the_studies_give():
    found = reruns.stored_reruns()
    kept = pd.read_csv(STORED)
    pd.testing.assert_frame_equal(found, kept, rtol=1e-5)
    assert (found["one"] != found["other"]).all() and found["deviations"].notna().all()


def test_a_whole_run_is_one_stored_run_with_its_sign():
    stored = Reruns(pd.read_csv(STORED))
    drawn, which = reruns.whole_runs(stored, np.random.default_rng(0), 3, 30, gap=1.0)
    runs = [run for _, run in stored.table.groupby(reruns.KEY) if len(run) >= 5]
    for k, (method, own) in enumerate(drawn.groupby("method")):
        sizes = own["points"] - (method == "0")
        assert np.isin(np.abs(sizes).round(9), runs[which[k]]["points"].abs().round(9)).all()
        assert len(own) == 30 and own["family"].is_unique
    assert reruns.alarm(drawn.assign(points=drawn["points"] + 5), stored)
