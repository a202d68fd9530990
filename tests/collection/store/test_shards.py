"""A store in shards is the store of one file, but for where its curves lie."""

import shutil
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from itertools import product

import pytest
import stored_curves
import xarray as xr
from hypothesis import given, settings
from killed import killed_again_and_again
from stored_curves import KEY, SETTINGS, curves, row, with_texts

import collection.store.shards as shards
from collection import store as stores
from collection.containers.curves import CurveKey, Status
from collection.running.curve import Fit
from collection.store.curves import CURVES, FILE
from collection.store.merge import merge
from collection.store.shards import SHARDS, ShardedWriter, form_of, open_writer, shard_folder

OTHER = CurveKey("ggplot2/diamonds", "LDA", "none", "no", 0, 0)


def fit(anchor, error=0.25, status=Status.ok, message=""):
    return Fit(anchor, status, message, error_rate=(0.0, error, 0.5), train_time=0.125)


def write(folder, curves, kind=ShardedWriter, **changes):
    return stored_curves.write(folder, curves, kind, **changes)


def no_worse(table):
    return table.drop(columns="finished", errors="ignore").sort_values(
        list(table.columns[:7]), ignore_index=True)


@settings(max_examples=6, deadline=None)
@given(curves=curves)
def test_shards_open_equal_to_the_one_file(tmp_path_factory, curves):
    folder = tmp_path_factory.mktemp("store")
    write(folder / "one", curves, stores.StoreWriter)
    write(folder / "many", curves)
    assert (form_of(folder / "one"), form_of(folder / "many")) == (CURVES, SHARDS)
    opened = stores.open_store(folder / "many")
    assert opened["error_rate"].chunks is not None  # nothing is read yet
    one, many = with_texts(stores.open_store(folder / "one")), with_texts(opened)
    xr.testing.assert_identical(one, many)
    for name in one.variables:
        assert one[name].dtype == many[name].dtype, name
    for read in (stores.read_fits, stores.read_curves, stores.read_datasets, stores.summarise_fits):
        assert no_worse(read(folder / "one")).equals(no_worse(read(folder / "many"))), read
    assert stores.read_keys(folder / "one") == stores.read_keys(folder / "many") == set(curves)
    assert stores.read_settings(folder / "one") == stores.read_settings(folder / "many")


def test_curves_of_numbers_and_of_classes_stand_side_by_side(tmp_path):
    for kind in (stores.StoreWriter, ShardedWriter):
        with kind(tmp_path / kind.__name__, SETTINGS, {}) as store:
            store.add_dataset(row("iris"))
            store.add_dataset(row("ggplot2/diamonds", classes=0))
            store.add_curve(KEY, [fit(16)], 1.0, "here")
            store.add_curve(OTHER, [Fit(18, Status.ok, relative_rmse=(0.5, 0.75, 1.0))],
                            1.0, "here")
    one, many = (with_texts(stores.open_store(tmp_path / kind.__name__))
                 for kind in (stores.StoreWriter, ShardedWriter))
    xr.testing.assert_identical(one, many)
    assert (tmp_path / "ShardedWriter" / "shards" / "ggplot2%2Fdiamonds" / FILE).is_file()


def test_a_run_that_goes_on_finds_what_is_there_and_adds_the_rest(tmp_path):
    write(tmp_path, {KEY: [fit(16)], OTHER: [fit(16)]})
    with ShardedWriter(tmp_path, SETTINGS, {}) as store:
        store.add_dataset(row("iris"))
        finished = store.finished()
        assert KEY in finished and OTHER in finished and len(finished) == 2
        more = CurveKey("iris", "LDA", "none", "no", 0, 0)
        assert more not in finished and replace(KEY, dataset="other") not in finished
        assert store.mean_seconds() == {("iris", "KNN"): 1.5, ("ggplot2/diamonds", "LDA"): 1.5}
        store.add_curve(more, [fit(16), fit(32)], 1.0, "here:1")
    assert stores.open_store(tmp_path)["error_rate"].sel(
        dataset="iris", learner="LDA", anchor=32, split="valid").values.squeeze() == 0.25
    assert stores.read_keys(tmp_path) == {KEY, OTHER, more}


def test_a_store_that_was_only_begun_is_said_to_hold_nothing(tmp_path):
    with ShardedWriter(tmp_path, SETTINGS, {}):
        pass
    for read in (stores.read_fits, stores.read_curves, stores.read_datasets, stores.summarise_fits):
        with pytest.raises(stores.NoStoreError, match="no dataset yet"):
            read(tmp_path)


def test_more_datasets_at_a_time_than_shards_are_open(tmp_path):
    keys = [CurveKey(f"d{i % 5}", f"l{i // 5}", "none", "no", 0, 0) for i in range(20)]
    write(tmp_path, {key: [fit(16, i / 20)] for i, key in enumerate(keys)})
    errors = stores.open_store(tmp_path)["error_rate"].sel(split="valid").squeeze().load()
    assert [float(errors.sel(dataset=k.dataset, learner=k.learner)) for k in keys] == [
        i / 20 for i in range(20)]


def test_what_is_added_while_it_is_open_is_seen_anew_and_what_was_altered_is_named(tmp_path):
    write(tmp_path, {KEY: [fit(16)]})
    folder = shard_folder(tmp_path, "iris")
    before = stores.open_store(tmp_path)["error_rate"].load()
    with stores.StoreWriter(folder, SETTINGS, {}) as shard:
        shard.add_curve(replace(KEY, inner=1), [fit(16), fit(18)], 1.0, "here")
    opened = stores.open_store(tmp_path)["error_rate"]
    assert before.count() == 3 and opened.count() == 9
    with closing(sqlite3.connect(folder / FILE)) as db:
        db.execute("UPDATE fits SET error_rate_test = 0.125")
        db.commit()
    with pytest.raises(stores.UnreadableStoreError, match=r"iris.*is damaged"):
        stores.open_store(tmp_path)["error_rate"].load()


READERS = [stores.open_store, stores.read_fits, stores.read_curves, stores.read_keys,
           stores.summarise_fits, lambda folder: stores.read_curve_predictions(folder, **vars(KEY))]


def test_a_shard_that_is_missing_is_named(tmp_path):
    write(tmp_path, {KEY: [fit(16)], OTHER: [fit(16)]})
    shutil.rmtree(shard_folder(tmp_path, "iris"))
    for read in READERS:
        with pytest.raises(stores.UnreadableStoreError, match=r"iris.*missing"):
            read(tmp_path)
    with (pytest.raises(stores.UnreadableStoreError, match=r"iris.*missing"),
          ShardedWriter(tmp_path, SETTINGS, {}) as store):
        store.add_dataset(row("iris"))


@pytest.mark.parametrize("foreign", ["data", "dataset", "settings"])
def test_a_shard_of_another_collection_is_refused(tmp_path, foreign):
    write(tmp_path / "ours", {KEY: [fit(16)]})
    name = "wine" if foreign == "dataset" else "iris"
    changes = {"TIME_LIMIT": 9.0} if foreign == "settings" else {}
    with stores.StoreWriter(tmp_path / "theirs", SETTINGS | changes, {}) as store:
        store.add_dataset(row(name, **({"fingerprint": "else"} if foreign == "data" else {})))
        store.add_curve(CurveKey(name, "KNN", "none", "no", 0, 0), [fit(16)], 1.0, "there")
    ours = shard_folder(tmp_path / "ours", "iris")
    shutil.rmtree(ours)
    shutil.copytree(tmp_path / "theirs", ours)
    for read in READERS:
        with pytest.raises(stores.UnreadableStoreError, match="another collection"):
            read(tmp_path / "ours")
    with (pytest.raises((stores.UnreadableStoreError, stores.ChangedSettingsError)),
          ShardedWriter(tmp_path / "ours", SETTINGS, {}) as store):
        store.add_curve(CurveKey("iris", "LDA", "none", "no", 0, 0), [fit(16)], 1.0, "here")


def test_a_damaged_shard_is_named(tmp_path):
    write(tmp_path, {KEY: [fit(16)]})
    file = shard_folder(tmp_path, "iris") / FILE
    file.write_bytes(b"no database at all" * 99)
    for read in READERS:
        with pytest.raises(stores.UnreadableStoreError, match="iris"):
            read(tmp_path)


def test_a_run_killed_between_a_shard_and_its_entry_goes_on(tmp_path):
    with ShardedWriter(tmp_path, SETTINGS, {}):
        pass
    with stores.StoreWriter(shard_folder(tmp_path, "iris"), SETTINGS, {}) as shard:
        shard.add_dataset(row("iris"))
    with pytest.raises(stores.NoStoreError, match="no finished curve"):
        stores.open_store(tmp_path)
    write(tmp_path, {KEY: [fit(16)]})
    assert stores.read_keys(tmp_path) == {KEY}


def test_a_large_plan_makes_shards_and_what_is_there_stays_of_its_kind(tmp_path, monkeypatch):
    monkeypatch.setattr(shards, "SHARDED_FROM", 100)
    for name, fits, kind in (("small", 100, CURVES), ("large", 101, SHARDS)):
        with open_writer(tmp_path / name, SETTINGS, {}, fits) as store:
            store.add_dataset(row("iris"))
        assert form_of(tmp_path / name) is kind
        with open_writer(tmp_path / name, SETTINGS, {}, 201 - fits) as store:
            store.add_curve(KEY, [fit(16)], 1.0, "here")
        assert form_of(tmp_path / name) is kind and stores.read_keys(tmp_path / name) == {KEY}
        merge([tmp_path / name], tmp_path / f"{name} merged")  # few fits: of its source's kind
        assert form_of(tmp_path / f"{name} merged") is kind
    assert form_of(tmp_path / "nothing") is CURVES


def many_curves():
    keys = [CurveKey(d, learner, "none", "no", 0, inner) for d, inner, learner in
            product(("iris", "wine", "zoo"), range(10), ("KNN", "LDA"))]
    return {key: [fit(16, i / 90), fit(32, i / 180, Status.error, f"no {i % 7}")]
            for i, key in enumerate(keys)}


def write_missing(folder):
    """Write what is missing; the wait leaves time to be killed."""
    with ShardedWriter(folder, SETTINGS, {"python": "3"}) as store:
        curves = many_curves()
        for name in dict.fromkeys(key.dataset for key in curves):
            store.add_dataset(row(name))
        finished = store.finished()
        for key, fits in curves.items():
            if key not in finished:
                store.add_curve(key, fits, 1.5, "here:1")
                time.sleep(0.02)


def test_killed_and_gone_on_is_as_never_killed(tmp_path):
    kept = killed_again_and_again(lambda: write_missing(tmp_path / "killed"),
                                  lambda: stored(tmp_path / "killed"),
                                  seed=0, times=4, more=(1, 20), pause=0.005)
    assert 0 < kept < 60, "the kills were to come in the middle"
    write_missing(tmp_path / "killed")
    write(tmp_path / "whole", many_curves(), stores.StoreWriter)
    assert stores.read_fits(tmp_path / "killed").equals(stores.read_fits(tmp_path / "whole"))
    xr.testing.assert_identical(with_texts(stores.open_store(tmp_path / "killed")),
                                with_texts(stores.open_store(tmp_path / "whole")))


def stored(folder):
    try:
        return len(stores.read_keys(folder))
    except (stores.NoStoreError, stores.UnreadableStoreError):  # it is being made
        return 0
