"""The suite classic's candidates: kept as they come out, and those left are its tasks."""

from dataclasses import replace

import pandas as pd
import pytest

from analysis.published import recall
from collection.suites.specs import find_suite
from lab import suites
from lab.suites import classic_candidates, duplicates


@pytest.mark.parametrize(("name", "compute"), [("suites_classic", classic_candidates),
                                               ("suites_duplicates", duplicates)])
def test_what_is_kept_comes_out(name, compute, monkeypatch):
    whole = suites.candidates()
    small = {spec: data for spec, data in whole.datasets.items() if data.n_rows <= 1000}
    monkeypatch.setattr(suites, "candidates", lambda: replace(whole, datasets=small))
    kept = recall(name).drop(columns="computed_on")
    kept = kept[kept.filter(["dataset", "twin"]).isin([*small]).all(axis=1)].reset_index(drop=True)
    pd.testing.assert_frame_equal(compute(), kept, check_dtype=False)


def test_those_that_fail_nothing_are_the_suite():
    kept = recall("suites_classic")
    members = set(kept.loc[kept["step"].isna(), "dataset"])
    assert members == {task.dataset for task in find_suite("classic").tasks}
    assert kept.dropna(subset="criterion")[["step", "why"]].notna().all(axis=None)
