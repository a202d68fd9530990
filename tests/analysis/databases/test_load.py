"""LCDB 1.0 as the container: complete, exact, cached, and clear about unknown names."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
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


def test_a_dataset_is_found_by_its_name_or_id(curves):
    assert analysis.find_dataset(curves, "letter") == 6 == analysis.find_dataset(curves, "6")


def test_values_are_those_of_the_file(curves, rows):
    at = rows.assign(learner=rows["learner"].map(FROM_LCDB10)).rename(columns={
        "openmlid": "dataset", "outer_seed": "outer", "inner_seed": "inner",
        "size_train": "anchor"})[["dataset", "learner", "outer", "inner", "anchor"]]
    found = curves["error_rate"].sel(scaling="none", leakage="yes").load().sel(
        {dim: xr.DataArray(labels.to_numpy(), dims="row") for dim, labels in at.items()})
    expected = 1 - rows[["score_train", "score_valid", "score_test"]].to_numpy()
    np.testing.assert_array_equal(found.transpose("row", "split"), expected)


def test_missing_has_a_status_that_says_why(curves):
    fits = curves[["error_rate", "status", "message"]].sel(
        dataset=3, learner="KNN", split=["valid", "test"]).load()
    one_split = curves["error_rate"].sel(dataset=3, learner="KNN", split="test")
    xr.testing.assert_equal(fits["error_rate"].sel(split="test"), one_split)
    absent = fits["error_rate"].sel(split="valid").isnull()
    assert (fits["status"].where(absent, Status.not_run) == Status.not_run).all()
    assert (fits["status"].where(~absent, Status.ok) == Status.ok).all()
    reason = curves["message_text"].values[int(fits["message"].max())]
    assert "no reason" in reason


@pytest.mark.parametrize("damage", ["truncate", "outdate", b"{", b"\xff{}"])
def test_damaged_or_outdated_cache_is_rebuilt(tmp_path, monkeypatch, damage):
    monkeypatch.setenv("LEARNING_CURVES_CACHE", str(tmp_path))
    converted = []

    def convert(source, cached):
        converted.append(cached)
        pd.DataFrame().to_csv(cached)

    monkeypatch.setattr(lcdb10, "_convert", convert)
    monkeypatch.setattr(lcdb10, "read_fits", lambda files: pytest.skip("not reached"))

    def attempt():
        with pytest.raises(pytest.skip.Exception):
            lcdb10.open_lcdb10()

    attempt()
    attempt()
    assert len(converted) == 1
    sidecar = tmp_path / "lcdb10_fits.json"
    if damage == "truncate":
        (tmp_path / "lcdb10.parquet").write_bytes(b"")
    elif damage == "outdate":
        record = json.loads(sidecar.read_text())
        record["origin"]["converter"] = "an older one"
        sidecar.write_text(json.dumps(record))
    else:
        sidecar.write_bytes(damage)
    attempt()
    assert len(converted) == 2


def test_damaged_package_is_refused(tmp_path, monkeypatch):
    for name in lcdb10.FILES.values():
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
