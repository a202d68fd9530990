"""The suite classic's candidates: kept as they come out, and those left are its tasks."""

from dataclasses import replace

import pandas as pd
import pytest

from analysis.published import recall
from collection.suites.specs import find_suite
from lab import suites


@pytest.mark.parametrize("name", suites.KEPT)
def test_what_is_kept_comes_out(name, monkeypatch, request):
    """On tables of few rows."""
    if name == "suites_duplicates_pmlb":
        published = request.getfixturevalue("published")
        monkeypatch.setenv("PMLB_CACHE", str(published / "pmlb"))
    whole = suites.candidates()
    small = {spec: data for spec, data in whole.datasets.items() if data.n_rows <= 500}
    monkeypatch.setattr(suites, "candidates", lambda: replace(whole, datasets=small))
    kept, found = recall(name).drop(columns="computed_on"), suites.KEPT[name]()
    known = kept.filter(["dataset", "twin"]).map(lambda s: s in small or s.startswith("pmlb:"))
    kept = kept[known.all(axis=1)].reset_index(drop=True)
    pd.testing.assert_frame_equal(found, kept, check_dtype=False)


def test_those_that_fail_nothing_are_the_suite():
    kept = recall("suites_classic")
    members = set(kept.loc[kept["step"].isna(), "dataset"])
    assert members == {task.dataset for task in find_suite("classic").tasks}
    assert kept.dropna(subset="criterion")[["step", "why"]].notna().all(axis=None)
