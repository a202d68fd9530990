"""Stores of curves that several machines gathered, merged: parts make the whole, of either kind."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import xarray as xr
from stored_curves import SETTINGS, with_texts, write

from collection import store as stores
from collection.containers.curves import CurveKey, Status
from collection.running.curve import Fit
from collection.store.curves import CURVES, FILE
from collection.store.merge import MergeConflictError, merge
from collection.store.shards import SHARDS, ShardedWriter, form_of, shard_folder
from commands import main

KEYS = [CurveKey(*key, "none", "no", 0, inner) for *key, inner in
        product(("iris", "wine", "zoo"), ("KNN", "LDA"), (0, 1))]
KINDS = {"one": stores.StoreWriter, "many": ShardedWriter}


def fits(key, shift=0.0):
    error = len(repr(key)) % 7 / 7 + KEYS.index(key) / 50 + shift
    said = {"test_label": np.array([KEYS.index(key), 1], np.int16)}
    return [Fit(16, Status.ok, "", (0.0, error, 0.5), train_time=0.1, predictions=said),
            Fit(18, Status.error, f"ValueError: {key.learner} of {key.dataset}")]


def store(folder, keys, kind=stores.StoreWriter, shift=0.0, **changes):
    return write(folder, {key: fits(key, shift) for key in keys}, kind, **changes)


def without_times(folder):
    table = stores.read_fits(folder)
    return table.drop(columns=[c for c in table if "_time" in c])


@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("second", KINDS)
@pytest.mark.parametrize("at", [4, 5])  # where one's ends: with a dataset, or within one
def test_parts_make_the_whole(tmp_path, first, second, at):
    whole = store(tmp_path / "whole", KEYS, SEEDS="paper")  # as stores that do not say are
    parts = [store(tmp_path / "a", KEYS[:at], KINDS[first]),
             store(tmp_path / "b", KEYS[at - 1:], KINDS[second])]
    merged = merge(parts, tmp_path / "out")
    assert (merged.added, merged.same) == (12, 1)
    assert form_of(tmp_path / "out") is (SHARDS if "many" in (first, second) else CURVES)
    assert without_times(tmp_path / "out").equals(without_times(whole))
    xr.testing.assert_identical(*(with_texts(stores.open_store(folder).drop_vars("train_time"))
                                  for folder in (tmp_path / "out", whole)))
    for key in KEYS:
        said = stores.read_curve_predictions(tmp_path / "out", **vars(key))[16]["test_label"]
        assert said.tolist() == [KEYS.index(key), 1]
    again = merge(parts[1:], tmp_path / "out")
    assert (again.added, again.same) == (0, 13 - at)
    with KINDS["many" if form_of(tmp_path / "out") is SHARDS else "one"](
            tmp_path / "out", SETTINGS, {}) as written:
        assert all(key in written.finished() for key in KEYS)  # and goes on


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("changes", "named"), [
    ({"shift": 0.01}, r"error_rate_valid.* differ\(s\)"),
    ({"TIME_LIMIT": 9.0}, "TIME_LIMIT is 5.0"), ({"SEEDS": "distinct"}, "SEEDS is 'paper'")])
def test_what_contradicts_is_named_and_nothing_is_merged(tmp_path, kind, changes, named):
    parts = [store(tmp_path / "a", KEYS[:2], KINDS[kind]),
             store(tmp_path / "b", KEYS[1:4], KINDS[kind], **changes)]
    with pytest.raises(MergeConflictError, match=named):
        merge(parts, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_merge_that_was_stopped_goes_on(tmp_path):
    part = store(tmp_path / "a", KEYS, ShardedWriter)
    merge([part], tmp_path / "out")
    with closing(sqlite3.connect(tmp_path / "out" / FILE)) as db:  # stopped after the first shard
        db.execute("DELETE FROM seals WHERE sealed = 'datasets' AND row IN "
                   "(SELECT id FROM datasets WHERE name != 'iris')")
        db.execute("DELETE FROM datasets WHERE name != 'iris'")
        db.commit()
    merged = merge([part], tmp_path / "out")
    assert merged.added + merged.same == 12 and stores.read_keys(tmp_path / "out") == set(KEYS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("change", [
    "fits SET error_rate_test = 0.125", "predictions SET archive = x'00' WHERE anchor = 16"])
def test_a_curve_that_was_altered_is_not_merged(tmp_path, kind, change):
    part = store(tmp_path / "a", KEYS[:2], KINDS[kind])
    assert merge([part], tmp_path / "before").added == 2  # what was whole then counts no more
    folder = part if kind == "one" else shard_folder(part, "iris")
    with closing(sqlite3.connect(folder / FILE)) as db:
        db.execute(f"UPDATE {change}")
        db.commit()
    with pytest.raises(stores.UnreadableStoreError, match=r"curves\.sqlite is damaged"):
        merge([part], tmp_path / "out")
        stores.open_store(tmp_path / "out")


def test_bad_sources_are_refused(tmp_path, capsys):
    part = store(tmp_path / "a", KEYS[:1])
    with pytest.raises(ValueError, match="into itself"):
        merge([part], part)
    with pytest.raises(stores.NoStoreError):
        merge([part, tmp_path / "nothing"], tmp_path / "out")
    assert main(["merge", f"FROM={part} {tmp_path / 'nothing'}", f"OUT={tmp_path / 'out'}"]) == 1
    assert "There is no" in capsys.readouterr().err and not (tmp_path / "out").exists()
    assert main(["merge", f"FROM={part}", f"OUT={tmp_path / 'out'}"]) == 0
    assert "1 curves were added" in capsys.readouterr().out
    assert replace(KEYS[0]) in stores.read_keys(tmp_path / "out")
