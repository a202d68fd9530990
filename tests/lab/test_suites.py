"""The suite classic's candidates: kept as they come out, and those left are its tasks."""

import pandas as pd
import pytest

from analysis.published import recall
from collection.suites.specs import find_suite
from lab.suites import classic_candidates, duplicates


@pytest.mark.parametrize(("name", "compute"), [("suites_classic", classic_candidates),
                                               ("suites_duplicates", duplicates)])
def test_what_is_kept_comes_out(name, compute):
    kept = recall(name).drop(columns="computed_on")
    pd.testing.assert_frame_equal(compute(), kept, check_dtype=False)


def test_those_that_fail_nothing_are_the_suite():
    kept = recall("suites_classic")
    members = set(kept.loc[kept["step"].isna(), "dataset"])
    assert members == {task.dataset for task in find_suite("classic").tasks}
    assert kept.dropna(subset="criterion")[["step", "why"]].notna().all(axis=None)
