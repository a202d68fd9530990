"""Bundles: the same data and splits on another machine; what is tampered with is refused."""

import dataclasses
import hashlib
import json
import os
import re
import zipfile
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from collection.datasets import DatasetError, load_dataset
from collection.suites.bundle import MANIFEST, open_bundle, write_bundle
from collection.suites.specs import expand_tasks, find_suite
from collection.suites.suite import Suite, SuiteError, release_suite
from collection.tasks import CrossValidation, GivenSplits, Task, TaskError, load_task
from collection.tasks.procedures import folds_fingerprint
from collection.tasks.split_files import write_split_file


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """Datasets of every kind: a gap, text with odd characters, numbers to predict."""
    monkeypatch.setenv("LEARNING_CURVES_CACHE", str(tmp_path / "cache"))
    rng = np.random.default_rng(0)
    table = pd.DataFrame({
        "a": np.where(rng.random(40) < 0.2, np.nan, rng.normal(size=40)),
        "kind; of": rng.choice(["ä, b", "c\"d", "10", "9"], 40),
        "class": rng.choice(["x", "ß"], 40), "price": rng.normal(size=40)})
    file = tmp_path / "own.csv"
    table.to_csv(file, index=False)
    monkeypatch.chdir(tmp_path)  # files are named relative to the folder worked in
    folds = CrossValidation(3, seed=5)
    return release_suite(Suite("own", "1.0", (
        Task("csv:own.csv?target=class", procedure=folds, metric="auc"),
        Task("csv:own.csv?regress=price", procedure=folds, name="prices"),
        Task("sklearn:wine", "class", CrossValidation(4))), licence="MIT"))


@pytest.fixture
def bundle(suite, tmp_path):
    return write_bundle(suite, tmp_path / "own.zip")


def test_a_bundle_holds_the_same_tasks(suite, bundle, tmp_path):
    originals = [load_task(task) for task in suite.tasks]
    (tmp_path / "own.csv").unlink()  # from here on the bundle is all there is
    opened = find_suite(str(bundle))
    assert opened.label == "own 1.0" and opened.licence == "MIT"
    assert [t.name for t in expand_tasks([f"suite:{bundle}"])] == ["own", "prices", "wine"]
    assert [t.metric for t in opened.tasks] == ["auc", "", ""]
    for task, original in zip(opened.tasks, originals, strict=True):
        loaded = load_task(task)
        one, two = loaded.dataset, original.dataset
        pd.testing.assert_frame_equal(one.features, two.features)
        assert (one.target == two.target).all() and one.target_name == two.target_name
        assert (one.source, one.licence) == (two.source, two.licence)
        assert folds_fingerprint(loaded.folds) == folds_fingerprint(original.folds)


def test_the_same_suite_gives_the_same_bytes(suite, bundle, tmp_path):
    again = write_bundle(suite, tmp_path / "again.zip")
    assert again.read_bytes() == bundle.read_bytes()
    assert not list(tmp_path.glob(".*"))


def repacked(bundle, change):
    """Write the bundle anew with its entries changed; the manifest only where `change` does."""
    with zipfile.ZipFile(bundle) as archive:
        entries = [(info, archive.read(info)) for info in archive.infolist()]
    entries = change(entries)
    with zipfile.ZipFile(bundle, "w") as archive:
        for info, content in entries:
            archive.writestr(info, content)
    return bundle


def replaced(name, edit):
    def change(entries):
        return [(i, edit(c) if getattr(i, "filename", i) == name else c) for i, c in entries]
    return change


def rehashed(name, edit):
    """Edit an entry, and put its new checksum into the manifest."""
    def change(entries):
        edited = replaced(name, edit)(entries)
        new = hashlib.sha256(dict((i.filename, c) for i, c in edited)[name]).hexdigest()
        return replaced(MANIFEST, lambda c: json.dumps(
            json.loads(c) | {name: new}).encode())(edited)
    return change


def added(name, content=b"x", listed=True, mode=0o100644):
    def change(entries):
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        entries = [*entries, (info, content)]
        return rehashed(name, lambda c: c)(entries) if listed else entries
    return change


@pytest.mark.parametrize("change, message", [
    (replaced("2/splits.arff", lambda c: c.replace(b"TEST,0,", b"TEST,1,")), "tampered.*splits"),
    (replaced("suite.toml", lambda c: c.replace(b"auc", b"f1")), "tampered with: suite.toml"),
    (replaced(MANIFEST, lambda c: b"{"), "manifest.json cannot be read"),
    (replaced(MANIFEST, lambda c: b"{}"), "its files are not those"),
    (added("more.txt", listed=False), "its files are not those"),
    (lambda entries: entries[:-1], "its files are not those"),
    (added("../outside.txt"), "outside the bundle's folder"),
    (added("/tmp/outside.txt"), "outside the bundle's folder"),
    (added("2/../../outside.txt"), "outside the bundle's folder"),
    (added("C:outside.txt"), "outside the bundle's folder"),
    (added("..\\outside.txt"), "outside the bundle's folder"),
    (added("link", b"/etc/passwd", mode=0o120777), "is a link"),
    (added("folder/", b""), "a folder"),
])
def test_tampered_bundles_are_refused_and_nothing_is_kept(bundle, tmp_path, change, message):
    repacked(bundle, change)
    with pytest.raises(SuiteError, match=message):
        open_bundle(bundle)
    kept = [p for p in (tmp_path / "cache").rglob("*") if p.is_file()]
    assert kept == [] and not list(tmp_path.rglob("outside.txt"))


def draft_of(suite, tmp_path, *tasks):
    """Write the bundle of a draft, whose hash nobody holds against who changes it."""
    draft = dataclasses.replace(suite, released="", tasks=tasks or suite.tasks)
    return write_bundle(draft, tmp_path / "draft.zip")


def with_new_fingerprint(edit, scratch):
    """Edit the splits of task 0, and make the suite's fingerprint of them and checksums anew."""
    def edited(content):
        scratch.write_bytes(edit(content))
        return scratch.read_bytes()

    def change(entries):
        entries = rehashed("0/splits.arff", edited)(entries)
        folds = GivenSplits(str(scratch)).splits(SimpleNamespace(unlabelled_rows=0))
        stated = f'splits = "{folds_fingerprint(folds)}"'.encode()
        return rehashed("suite.toml", lambda c: re.sub(
            rb'splits = "\w+"', stated, c, count=1))(entries)
    return change


def uneven(content):
    """Let one row be tested twice a repeat, another never."""
    return content.replace(b"TEST,0,", b"TRAIN,0,")


@pytest.mark.parametrize(("given", "edit"), [(False, "easy"), (True, "easy"), (True, "uneven")])
def test_splits_with_a_fingerprint_made_anew_are_held_against_what_is_stated(
        suite, tmp_path, given, edit):
    task = suite.tasks[0]
    if given:
        write_split_file("own.arff", load_task(task).folds)
        task = dataclasses.replace(task, procedure=GivenSplits("own.arff"))
    made = draft_of(suite, tmp_path, task)
    load_task(open_bundle(made).tasks[0])
    edit = {"easy": easy_rows, "uneven": uneven}[edit]
    repacked(made, with_new_fingerprint(edit, tmp_path / "edited.arff"))
    with pytest.raises(SuiteError, match=r"splits of csv:own\.csv"):
        open_bundle(made)


@pytest.mark.parametrize(("old", "new", "said"), [
    ("folds = 3", f"folds = {10**20 - 1}", r"1e\+20"),
    ("folds = 3", "folds = " + "9" * 5000, "digits"),
    ("csv:own.csv?target=class", "csv:/etc/passwd?target=root", "outside the bundle"),
    ("csv:own.csv?target=class", "csv:../own.csv?target=class", "outside the bundle"),
    ("csv:own.csv?target=class", "bundle:/tmp", "outside the bundle"),
    ("own.arff", "/etc/passwd", "outside the bundle"),
    ('"MIT"', "[" * 5000 + "]" * 5000, "too deep"),
])
def test_what_a_draft_states_is_looked_at_whoever_made_its_checksums(
        suite, tmp_path, old, new, said):
    write_split_file("own.arff", load_task(suite.tasks[0]).folds)
    given = dataclasses.replace(suite.tasks[1], procedure=GivenSplits("own.arff"))
    made = draft_of(suite, tmp_path, suite.tasks[0], given)
    open_bundle(made)
    repacked(made, rehashed("suite.toml", lambda c: c.replace(old.encode(), new.encode())))
    with pytest.raises((SuiteError, TaskError), match=said):
        open_bundle(made)


@pytest.mark.parametrize(("held", "named", "refused"), [
    ("sklearn:wine", "openml:61", True), ("sklearn:wine", "sklearn:breast_cancer", True),
    ("sklearn:iris", "openml:61", True),  # which differ in two rows
    ("sklearn:iris_uci", "sklearn:iris_uci", False), ("sklearn:iris_uci", "openml:61", False)])
def test_a_dataset_under_anothers_name_is_refused_where_that_is_at_hand(tmp_path, held, named,
                                                                        refused, monkeypatch):
    monkeypatch.setenv("LEARNING_CURVES_CACHE", str(tmp_path / "cache"))
    made = write_bundle(Suite("x", "1", (Task(held, "class", CrossValidation(3)),)),
                        tmp_path / "x.zip")
    open_bundle(made)
    repacked(made, rehashed("suite.toml", lambda c: c.replace(held.encode(), named.encode())))
    with pytest.raises(SuiteError, match=f"what it has as {named} .* is not that dataset"
                       ) if refused else nullcontext():
        assert load_task(open_bundle(made).tasks[0]).dataset.n_rows == 150


def test_a_bundle_carries_no_folder_of_the_machine(suite, tmp_path):
    whole = dataclasses.replace(suite.tasks[0], dataset=f"csv:{tmp_path}/own.csv?target=class")
    made = draft_of(suite, tmp_path, whole)
    with zipfile.ZipFile(made) as archive:
        assert not any(str(tmp_path).encode() in archive.read(name) for name in archive.namelist())
    assert load_task(open_bundle(made).tasks[0]).dataset.source == "csv:own.csv?target=class"
    with pytest.raises(SuiteError, match="was released with the path"):
        write_bundle(dataclasses.replace(suite, tasks=(whole,)), tmp_path / "released.zip")


@pytest.mark.parametrize("damage", [
    lambda whole: b"", lambda whole: b"PK\x03\x04 no archive", lambda whole: whole[:-500]])
def test_files_that_are_no_bundles(bundle, tmp_path, damage):
    bundle.write_bytes(damage(bundle.read_bytes()))
    with pytest.raises(SuiteError, match="is no bundle"):
        open_bundle(bundle)
    with pytest.raises(SuiteError, match="There is no file"):
        open_bundle(tmp_path / "none.zip")


@pytest.mark.parametrize(("name", "content"), [
    *((MANIFEST, content) for content in (b"{", b"\xff{}", b"[1]", b"7")),
    ("0/table.parquet", b"damaged")])
def test_an_opened_bundle_that_was_damaged_is_opened_again(bundle, tmp_path, name, content):
    (task, *_) = open_bundle(bundle).tasks
    next((tmp_path / "cache").rglob(name)).write_bytes(content)
    if name != MANIFEST:
        with pytest.raises(DatasetError, match="damaged"):
            load_dataset(task.dataset)
    assert load_task(open_bundle(bundle).tasks[0]).dataset.n_rows == 40


def test_a_task_that_cannot_be_loaded_leaves_no_bundle(tmp_path):
    wrong = Suite("x", "1", (Task("sklearn:wine", fingerprint="0" * 64),))
    with pytest.raises(TaskError, match="not what it was"):
        write_bundle(wrong, tmp_path / "x.zip")
    few = Suite("x", "1", (Task("sklearn:wine", procedure=CrossValidation(60)),))
    with pytest.raises(TaskError, match="fewer than the 60 folds"):
        write_bundle(few, tmp_path / "x.zip")
    assert os.listdir(tmp_path) == []


def easy_rows(content):
    """Let the splits test three rows a fold and train on the others."""
    kept, seen = [], {}
    for line in content.decode().splitlines():
        side, *place = line.split(",")
        if side == "TEST":
            seen[place[2]] = seen.get(place[2], 0) + 1
            line = line if seen[place[2]] <= 3 else ",".join(["TRAIN", *place])
        kept.append(line)
    return ("\n".join(kept) + "\n").encode()


@pytest.mark.parametrize("name, edit, message", [
    ("0/dataset.json", lambda c: b"{}", "has no name"),
    ("0/dataset.json", lambda c: b"[]", "holds no record but"),
    ("0/splits.arff", easy_rows, "splits"),
    ("suite.toml", lambda c: b"\xff\xfe", r"own\.zip, suite\.toml cannot be read"),
    # Whoever changes the suite and its checksum still has the suite's own hash against them.
    ("suite.toml", lambda c: c.replace(b"auc", b"f1"), "released"),
])
def test_entries_that_were_altered_do_not_pass_whatever_the_manifest_says(
        bundle, name, edit, message):
    repacked(bundle, rehashed(name, edit))
    with pytest.raises((SuiteError, DatasetError), match=message):
        open_bundle(bundle)


def test_what_unpacks_to_a_thousand_times_its_size_is_refused(bundle, monkeypatch):
    monkeypatch.setattr("collection.suites.bundle.SMALL", 1e5)
    with zipfile.ZipFile(bundle, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb", b"0" * 30_000_000)
    with pytest.raises(SuiteError, match=r"would unpack to 30 MB.* 64 GiB"):
        open_bundle(bundle)


@pytest.mark.parametrize("name", ["../../pwn", "a/b", ".hidden", "", "x\\y"])
def test_a_suites_name_leads_nowhere(suite, name):
    with pytest.raises(SuiteError, match="The name of a suite is part of files' names"):
        dataclasses.replace(suite, name=name)
