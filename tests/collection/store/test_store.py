import io
import multiprocessing
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from stored_curves import (
    KEY,
    SETTINGS,
    any_flipped_bit_is_named_or_changes_nothing,
    curves,
    row,
    write,
)

from collection import store as stores
from collection.containers.curves import FIT_DIMS, SPLITS, CurveKey, Status, metrics_of
from collection.project import locks
from collection.project.paths import ROOT, LinkError
from collection.running.curve import Fit
from collection.store import ChangedSettingsError, NoStoreError, UnreadableStoreError
from collection.store.base import check_unchanged
from collection.store.curves import CURVES, FILE, from_archive
from collection.store.shards import ShardedWriter, shard_folder


@settings(max_examples=12, deadline=None)
@given(curves=curves)
def test_every_fit_comes_back_where_its_names_say(tmp_path_factory, curves):
    folder = tmp_path_factory.mktemp("store")
    write(folder, curves)
    container = stores.open_store(folder)
    expected = {(*vars(key).values(), fit.anchor): fit
                for key, own in curves.items() for fit in own}
    texts = container["message_text"].values
    for place in product(*(container[dim].values.tolist() for dim in FIT_DIMS)):
        found = container.sel(dict(zip(FIT_DIMS, place, strict=True)))
        fit = expected.pop(place, Fit(place[-1], Status.not_run))
        assert int(found["status"]) == fit.status
        assert texts[int(found["message"])] == fit.message
        for name in metrics_of("classes"):
            np.testing.assert_array_equal(found[name].values, getattr(fit, name))
    assert not expected
    assert container["split"].values.tolist() == list(SPLITS)


def test_labels_stand_in_a_fixed_order_whatever_finished_first(tmp_path):
    keys = [CurveKey("iris", learner, scaling, "no", 0, 0) for learner, scaling in
            [("zoo.Z", "standard"), ("KNN", "none"), ("a.B", "minmax"), ("SVM_Linear", "none")]]
    write(tmp_path, {key: [Fit(16, Status.ok)] for key in keys})
    container = stores.open_store(tmp_path)
    assert container["learner"].values.tolist() == ["SVM_Linear", "KNN", "a.B", "zoo.Z"]
    assert container["scaling"].values.tolist() == ["none", "minmax", "standard"]


def test_datasets_bring_what_is_known_of_them(tmp_path):
    with stores.StoreWriter(tmp_path, SETTINGS, {}) as store:
        for name, openml_id in (("vehicle", 54), ("own", None), ("unused", 1)):
            store.add_dataset(row(name, openml_id=openml_id))
        for name in ("own", "vehicle"):
            store.add_curve(CurveKey(name, "KNN", "none", "no", 0, 0), [Fit(16, Status.ok)], 1, "")
    container = stores.open_store(tmp_path)
    assert container["dataset"].values.tolist() == ["vehicle", "own"]
    np.testing.assert_array_equal(container["openml_id"], [54, np.nan])
    assert container["train_size"].values.tolist() == [121, 121]
    assert container["licence"].values.tolist() == ["CC0", "CC0"]


def test_the_tidy_table_has_a_row_per_fit(tmp_path):
    write(tmp_path, {KEY: [Fit(18, Status.error, "no"), Fit(16, Status.ok, f1=(1.0, 0.5, 0.25))]})
    table = stores.read_fits(tmp_path)
    assert table[["dataset", "learner", "scaling", "leakage", "outer", "inner", "anchor", "status",
                  "message", "f1_valid"]].iloc[0].tolist() == [
        "iris", "KNN", "none", "no", 0, 0, 16, "ok", "", 0.5]
    assert table["anchor"].tolist() == [16, 18] and np.isnan(table["f1_valid"][1])
    assert stores.read_curves(tmp_path)[["dataset", "seconds"]].values.tolist() == [["iris", 1.5]]


def test_the_summary_counts_by_status_and_reason(tmp_path):
    slow = [Fit(18, Status.timeout, "slow"), Fit(20, Status.timeout, "slow")]
    write(tmp_path, {KEY: [Fit(16, Status.ok), *slow],
                     CurveKey("iris", "KNN", "none", "no", 0, 1): [Fit(16, Status.ok), slow[0]]})
    table = stores.summarise_fits(tmp_path).set_index("status")
    assert table.loc["ok", ["fits", "curves"]].tolist() == [2, 2]
    columns = ["message", "fits", "curves", "from_anchor", "to_anchor"]
    assert table.loc["timeout", columns].tolist() == ["slow", 3, 2, 18, 20]


def test_predictions_come_back(tmp_path):
    predictions = {"valid_label": np.array([0, 2], np.int16), "valid_score": np.eye(2)}
    failed = Fit(18, Status.error, "no")
    write(tmp_path, {KEY: [Fit(16, Status.ok, predictions=predictions), failed]})
    found = stores.read_curve_predictions(tmp_path, **vars(KEY))
    assert list(found) == [16]
    found = found[16]
    assert found.keys() == predictions.keys()
    for name, array in predictions.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype


def test_an_archive_that_holds_a_pickle_is_not_unpickled():
    buffer = io.BytesIO()
    np.savez(buffer, evil=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ValueError, match="pickle"):
        from_archive(buffer.getvalue())


def test_changed_settings_are_refused_and_named(tmp_path):
    write(tmp_path, {KEY: [Fit(16, Status.ok)]})
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(ChangedSettingsError, match=r"TIME_LIMIT was 5.0 and is now 9.0.*OUT"):
        write(tmp_path, {}, TIME_LIMIT=9.0)
    with pytest.raises(ChangedSettingsError, match=r"ANCHORS was \[16, 18\] and is now None"):
        check_unchanged(tmp_path, {"ANCHORS": None}, CURVES)
    with pytest.raises(ChangedSettingsError, match="SEEDS was 'paper' and is now 'distinct'"):
        write(tmp_path, {}, SEEDS="distinct")  # a store of before there was the choice
    assert (tmp_path / FILE).read_bytes() == before
    assert stores.read_settings(tmp_path) == {"SEEDS": "paper", **SETTINGS}


def test_what_is_known_of_a_dataset_can_be_put_right(tmp_path):
    write(tmp_path, {KEY: [Fit(16, Status.ok)]})
    with stores.StoreWriter(tmp_path, SETTINGS, {}) as store:
        store.add_dataset(row("iris", openml_id=61, licence="CC BY"))
    container = stores.open_store(tmp_path)
    assert (container["openml_id"].item(), container["licence"].item()) == (61, "CC BY")


def test_other_data_under_a_stored_name_is_refused(tmp_path):
    write(tmp_path, {KEY: [Fit(16, Status.ok)]})
    with stores.StoreWriter(tmp_path, SETTINGS, {}) as store:
        store.add_dataset(row("iris", spec="csv:moved/iris.csv"))  # the same rows elsewhere
        with pytest.raises(ChangedSettingsError, match=r"'iris' \(read from keel:iris\)"):
            store.add_dataset(row("iris", spec="csv:iris.csv", fingerprint="other"))


def test_a_curve_is_never_stored_twice(tmp_path):
    write(tmp_path, {KEY: [Fit(16, Status.ok)]})
    with pytest.raises(sqlite3.IntegrityError):
        write(tmp_path, {KEY: [Fit(16, Status.error, "again")]})
    assert stores.read_fits(tmp_path)["status"].tolist() == ["ok"]


def test_only_one_run_writes_and_others_may_read(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "PATIENCE", 0.2)
    with stores.StoreWriter(tmp_path, SETTINGS, {}) as store:
        store.add_dataset(row("iris"))
        store.add_curve(KEY, [Fit(16, Status.ok)], 1.0, "")
        with (pytest.raises(stores.LockedStoreError, match="Another run is writing"),
              stores.StoreWriter(tmp_path, SETTINGS, {})):
            pass
        assert stores.open_store(tmp_path).sizes["anchor"] == 1
    with stores.StoreWriter(tmp_path, SETTINGS, {}) as store:
        assert store.finished() == {KEY}


def end_of(run, folder):
    """Return how a process ended that did `run`."""
    process = multiprocessing.get_context("fork").Process(target=run, args=(folder,))
    process.start()
    process.join()
    return process.exitcode


def _die_in_the_middle(folder):
    with stores.StoreWriter(folder, SETTINGS, {}) as store:
        store.add_dataset(row("iris"))
        store.add_curve(KEY, [Fit(16, Status.ok)], 1.0, "")
        store._db.execute("BEGIN")
        store._db.execute("DELETE FROM fits")
        os.kill(os.getpid(), 9)


def test_a_run_killed_within_a_transaction_leaves_what_was_there_and_no_lock(tmp_path):
    assert end_of(_die_in_the_middle, tmp_path) == -signal.SIGKILL
    assert stores.read_fits(tmp_path)["anchor"].tolist() == [16]
    with stores.StoreWriter(tmp_path, SETTINGS, {}) as store:
        assert store.finished() == {KEY}


def test_where_there_is_no_store_the_message_says_how_to_get_one(tmp_path):
    with pytest.raises(NoStoreError, match="make collect"):
        stores.open_store(tmp_path)
    with stores.StoreWriter(tmp_path, SETTINGS, {}):
        pass
    with pytest.raises(NoStoreError, match="no finished curve"):
        stores.open_store(tmp_path)
    (tmp_path / "other").mkdir()
    sqlite3.connect(tmp_path / "other" / FILE).close()
    with pytest.raises(NoStoreError, match="holds no curves"):
        stores.read_fits(tmp_path / "other")
    write(tmp_path, {KEY: [Fit(16, Status.ok)]})
    assert stores.open_store(tmp_path / FILE).equals(stores.open_store(str(tmp_path)))


def _die_after_a_curve(folder):
    with stores.StoreWriter(folder, SETTINGS, {}) as store:
        store.add_dataset(row("iris"))
        store.add_curve(KEY, [Fit(16, Status.ok)], 1.0, "")
        store._db.executescript(  # this is in the log alone
            "UPDATE fits SET train_time = 7; UPDATE curves SET checksum = NULL")
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # whatever commands of this process have set
        os.kill(os.getpid(), signal.SIGTERM)


@pytest.fixture
def killed(tmp_path):
    """Return the folder of a store whose run was ended after its first curve."""
    folder = tmp_path / "killed"
    assert end_of(_die_after_a_curve, folder) == -signal.SIGTERM
    assert (folder / f"{FILE}-wal").exists()
    return folder


def test_the_one_file_of_a_killed_run_holds_its_curves(killed, tmp_path):
    (tmp_path / "copied").mkdir()
    shutil.copy(killed / FILE, tmp_path / "copied")
    assert stores.read_fits(tmp_path / "copied")["anchor"].tolist() == [16]


READ = """
import sys
from pathlib import Path
from collection.store import StoreWriter, read_fits
from collection.store.base import check_unchanged
from collection.store.curves import CURVES
print(read_fits(sys.argv[1])["train_time"].tolist())
check_unchanged(Path(sys.argv[1]), {}, CURVES)
try:
    StoreWriter(Path(sys.argv[1]), {}, {}).__enter__()
except OSError as error:
    print(error)
"""


def read_where_nothing_can_be_written(folder):
    """Read a store in a process that sees its folder read-only; root needs a mount for that."""
    command = [sys.executable, "-c", READ, folder]
    if os.geteuid() == 0:
        mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
        command = ["unshare", "--mount", "sh", "-c", mount, folder, *command]
        if subprocess.run([*command[:6], "true"], capture_output=True, check=False).returncode:
            pytest.skip("root without the right to mount cannot make a folder read-only")
    else:
        for path in (*folder.iterdir(), folder):
            path.chmod(path.stat().st_mode & ~0o222)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(ROOT)})
    finally:
        folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(("left", "train_time"), [(["-wal", "-shm"], "[7.0]"), ([], "[nan]")])
def test_a_killed_store_opens_where_nothing_can_be_written(killed, left, train_time):
    for end in {"-wal", "-shm"} - set(left):
        (killed / f"{FILE}{end}").unlink()
    before = {path: path.read_bytes() for path in killed.iterdir()}
    times, refusal = read_where_nothing_can_be_written(killed)
    assert times == train_time
    assert "ead-only file system" in refusal or "Permission denied" in refusal
    assert {path: path.read_bytes() for path in killed.iterdir()} == before


@pytest.mark.parametrize("spoil", [
    lambda content: b"garbage " * 1000, lambda content: content[:100],
    lambda content: content[:len(content) // 2], lambda content: content[:-1],
    lambda content: content[:100] + b"x" * 4000 + content[4100:]])
def test_a_damaged_store_is_named(tmp_path, spoil):
    write(tmp_path, {CurveKey("iris", "KNN", "none", "no", 0, inner): [Fit(16, Status.ok)]
                     for inner in range(60)})
    file = tmp_path / FILE
    spoilt = spoil(file.read_bytes())
    file.write_bytes(spoilt)
    readers = [stores.open_store, stores.read_fits, stores.read_curves, stores.summarise_fits,
               stores.read_settings,
               lambda folder: stores.read_curve_predictions(folder, **vars(KEY)),
               lambda folder: check_unchanged(folder, SETTINGS, CURVES),
               lambda folder: stores.StoreWriter(folder, SETTINGS, {}).__enter__()]
    for read in readers:
        with pytest.raises(UnreadableStoreError, match=rf"{file} is damaged, cut short or no"):
            read(tmp_path)
    assert file.read_bytes() == spoilt


def test_any_flipped_bit_is_named_or_changes_nothing(tmp_path):
    said = {"test_probability": np.linspace(0, 1, 30)}
    keys = [replace(KEY, inner=inner) for inner in range(3)]
    write(tmp_path, {key: [Fit(16, Status.ok, train_time=0.1875, predictions=said),
                           Fit(32, Status.error, "né")] for key in keys})

    def all_said():
        parts = [stores.read_curve_predictions(tmp_path, **vars(key))[16] for key in keys]
        tables = [stores.open_store(tmp_path), stores.read_fits(tmp_path),
                  stores.summarise_fits(tmp_path)]
        return repr([parts, stores.read_settings(tmp_path), *(t.to_dict() for t in tables)])

    any_flipped_bit_is_named_or_changes_nothing(tmp_path / FILE, all_said)


def test_a_store_of_a_later_version_is_refused_and_an_early_one_is_read(tmp_path):
    write(tmp_path, {KEY: [Fit(16, Status.ok)]})
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (CURVES.version,)
        db.execute("PRAGMA user_version = 0")
        assert stores.read_fits(tmp_path)["anchor"].tolist() == [16]
        db.execute("PRAGMA user_version = 99")
    for read in (stores.open_store, stores.read_settings, lambda folder: write(folder, {})):
        with pytest.raises(UnreadableStoreError,
                           match=rf"{tmp_path / FILE} was written by a later version.*version 99"):
            read(tmp_path)


def test_what_changes_in_the_log_alone_is_looked_at(tmp_path):
    with stores.StoreWriter(tmp_path, {}, {}) as store:
        store.add_dataset({"name": "a", "spec": "keel:a", "fingerprint": "of a"})
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        assert stores.read_datasets(tmp_path)["spec"].tolist() == ["keel:a"]
        before = (tmp_path / FILE).stat()
        db.execute("UPDATE datasets SET spec = 'keel:b'")  # by none of our writers
        after = (tmp_path / FILE).stat()
        assert (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
        with pytest.raises(UnreadableStoreError, match="table datasets is not what was written"):
            stores.read_datasets(tmp_path)


@pytest.mark.parametrize("name", [FILE, f"{FILE}-journal", f"{FILE}-wal", "curves.lock"])
def test_no_link_is_written_through(tmp_path, name):
    thesis, out = tmp_path / "thesis.txt", tmp_path / "out"
    thesis.write_text("mine")
    write(out, {KEY: [Fit(16, Status.ok)]})
    (out / name).unlink(missing_ok=True)
    (out / name).symlink_to(thesis)
    for known in (True, False):  # a link to nowhere makes no file there either
        with pytest.raises(LinkError, match=f"{name} is a link"):
            write(out, {KEY: [Fit(18, Status.ok)]})
        assert thesis.exists() == known
        assert not known or thesis.read_text() == "mine"
        thesis.unlink(missing_ok=True)


def test_folders_of_a_store_are_no_links(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "shards").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(LinkError, match="shards is a link"):
        write(tmp_path / "out", {KEY: [Fit(16, Status.ok)]}, ShardedWriter)
    assert not list((tmp_path / "elsewhere").iterdir())
    for name in (".", "..", "..."):
        assert shard_folder(tmp_path, name).resolve().parent == tmp_path / "shards"
