"""Stored reruns: what ships is what comes out."""

import pandas as pd

from analysis.leaderboards.reruns import STORED
from lab import reruns


def test_what_ships_is_what_the_studies_give():
    found = reruns.stored_reruns()
    kept = pd.read_csv(STORED)
    pd.testing.assert_frame_equal(found, kept, rtol=1e-5)
    assert (found["one"] != found["other"]).all() and found["deviations"].notna().all()
