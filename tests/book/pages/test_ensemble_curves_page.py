"""The page on ensembles: what it keeps, by a second path, and what other curves lack."""

import numpy as np
import pytest
from notebook_runs import run

from analysis import load_curves
from analysis.ensemble_curves import member_names

GIVEN = {"alpha": 0.1}


def test_what_is_significant_hangs_on_the_level(page):
    """Stacking's p is .055: clear at a tenth, open at a twentieth."""
    p = page.numbers.loc["stack_single_p", "value"]
    assert 0.05 < p < 0.1 and "Yes, better than the member you" in page.said
    assert "too few to be sure of the second." in page.said


def test_the_picked_member_is_trained_on_the_validation_rows_too(page):
    curves = load_curves("ensemble_curves")
    errors = curves["error_rate"].squeeze(["scaling", "leakage"])
    members = member_names(curves["learner"].values)
    gaps = []
    for name, rows in zip(curves["dataset"].values, curves["rows"].values, strict=True):
        own = errors.sel(dataset=name).load()
        more = int(rows * 0.9) - int(int(rows * 0.9) * 0.9)  # a tenth of what tests leave
        for size in (16, 23, 32, 46, 64, 91, 128, 182):
            valid = own.sel(learner=members, split="valid", anchor=size).transpose("learner", ...)
            later = own.sel(learner=members, split="test").mean(["outer", "inner"]).assign_coords(
                anchor=np.log(own["anchor"])).dropna("anchor", how="all").interp(
                anchor=np.log(size + more))
            tied = [later.values[v == np.nanmin(v)].mean() for v in
                    valid.values.reshape(len(members), -1).T if np.isfinite(v).any()]
            stacked = own.sel(learner="Stacking", split="test", anchor=size).mean()
            gaps.append(100 * (float(stacked) - np.mean(tied)))
    assert page.numbers.loc["stack_refitted", "value"] == pytest.approx(np.mean(gaps), abs=0.02)


def test_curves_without_ensembles_lack_them(tmp_path):
    lacks = run("ensemble_curves", tmp_path, database="mini")
    assert "mini has none" in lacks.said and lacks.numbers.empty
