"""LCDB 1.0 as the container: complete, exact, cached, and clear about unknown names."""

import json

import numpy as np
import pandas as pd
import pytest
from pyarrow import csv

import analysis
from analysis.databases import lcdb10
from collection.containers.curves import DIMS, Status
from collection.containers.learner_names import FROM_LCDB10
from collection.project.naming import UnknownNameError


@pytest.fixture(scope="module")
def curves():
    return analysis.load_curves("lcdb10")


@pytest.fixture(scope="module")
def rows():
    """Every 997th row of the package's own file, an independent reading."""
    path = lcdb10._package_folder() / "database-accuracy.csv"
    rows = csv.read_csv(path).to_pandas()
    return rows[rows["inner_seed"] < 5].iloc[::997]


def test_dims_and_counts(curves):
    assert curves["error_rate"].dims == DIMS
    assert dict(curves.sizes) | {"message_id": 2} == {
        "dataset": 248, "learner": 20, "scaling": 1, "leakage": 1, "outer": 5, "inner": 5,
        "anchor": 201, "split": 3, "message_id": 2,
    }
    valid = curves["error_rate"].sel(split="valid")
    assert int(valid.notnull().sum()) == 1_689_766
    assert int((curves["status"] == Status.ok).sum()) == 1_689_766


def test_values_are_those_of_the_file(curves, rows):
    error = curves["error_rate"].load()
    for row in rows.itertuples():
        fit = error.sel(
            dataset=row.openmlid, learner=FROM_LCDB10[row.learner], scaling="none", leakage="yes",
            outer=row.outer_seed, inner=row.inner_seed, anchor=row.size_train,
        )
        expected = [1 - row.score_train, 1 - row.score_valid, 1 - row.score_test]
        np.testing.assert_array_equal(fit.values, expected)


def test_missing_has_a_status_that_says_why(curves):
    fits = curves[["error_rate", "status", "message"]].sel(dataset=3, learner="KNN").load()
    absent = fits["error_rate"].sel(split="valid").isnull()
    assert (fits["status"].where(absent, Status.not_run) == Status.not_run).all()
    assert (fits["status"].where(~absent, Status.ok) == Status.ok).all()
    reason = curves["message_text"].values[int(fits["message"].max())]
    assert "no reason" in reason


def test_whole_training_set_is_an_anchor(curves):
    anchors = analysis.get_curve(curves, "kr-vs-kp", "KNN")["anchor"].values
    assert anchors[-1] == 2588 and anchors[0] == 16 and len(anchors) == 16


def test_paper_selection_has_196_datasets():
    assert analysis.load_curves("lcdb10", selection="paper").sizes["dataset"] == 196


def test_selection_by_slice_equals_selection_by_label(curves):
    some = curves["auc"].isel(split=slice(1, 3), dataset=slice(0, 2))
    np.testing.assert_array_equal(
        some.isel(split=0).values, curves["auc"].sel(split="valid").isel(dataset=[0, 1]).values
    )


@pytest.mark.parametrize("damage", ["truncate", "outdate", b"{", b"\xff{}"])
def test_damaged_or_outdated_cache_is_rebuilt(tmp_path, monkeypatch, damage):
    monkeypatch.setenv("LEARNING_CURVES_CACHE", str(tmp_path))
    converted = []

    def convert(source, cached):
        converted.append(cached)
        pd.DataFrame().to_csv(cached)

    monkeypatch.setattr(lcdb10, "_convert", convert)
    monkeypatch.setattr(lcdb10, "_as_container", lambda table: pytest.skip("not reached"))
    monkeypatch.setattr(lcdb10.xr, "open_dataset", lambda *a, **k: pd)

    def attempt():
        with pytest.raises(pytest.skip.Exception):
            lcdb10.open_lcdb10()

    attempt()
    attempt()
    assert len(converted) == 1
    sidecar = tmp_path / "lcdb10.json"
    if damage == "truncate":
        (tmp_path / "lcdb10.nc").write_bytes(b"")
    elif damage == "outdate":
        record = json.loads(sidecar.read_text())
        record["origin"]["converter"] = "an older one"
        sidecar.write_text(json.dumps(record))
    else:
        sidecar.write_bytes(damage)
    attempt()
    assert len(converted) == 2


def test_damaged_package_is_refused(tmp_path, monkeypatch):
    for name, _ in lcdb10.FILES.values():
        (tmp_path / name).write_text("openmlid,learner\n")
    with pytest.raises(OSError, match=r"damaged.*Reinstall"):
        lcdb10._verify(tmp_path)


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda c: analysis.load_curves("lcdb1"), "lcdb10"),
        (lambda c: analysis.load_curves("lcdb10", selection="papers"), "paper"),
        (lambda c: analysis.get_curve(c, "kr-vs-kpp", "KNN"), "kr-vs-kp"),
        (lambda c: analysis.get_curve(c, 3, "KNNs"), "KNN"),
        (lambda c: analysis.get_curve(c, 3, "KNN", metric="error"), "error_rate"),
        (lambda c: analysis.get_curve(c, 3, "KNN", scaling="min-max"), "none"),
    ],
)
def test_unknown_names_list_the_close_ones(curves, call, hint):
    with pytest.raises(UnknownNameError, match=hint):
        call(curves)
