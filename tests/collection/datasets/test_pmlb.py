"""PMLB's datasets: the cache, the order of rows, fingerprints that mind no order."""

import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collection.datasets import DatasetError, list_datasets, load_dataset
from collection.datasets import pmlb_source as source
from collection.datasets.dataset import make_dataset, sorted_rows
from collection.datasets.files import EXACT
from collection.project.naming import UnknownNameError
from collection.suites.specs import find_suite
from collection.tasks import Task, TaskError, load_task


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PMLB_CACHE", str(tmp_path / "pmlb"))
    return tmp_path / "pmlb"


def put(cache, name, frame):
    (cache / name).mkdir(parents=True, exist_ok=True)
    frame.to_csv(cache / name / f"{name}.tsv.gz", sep="\t", index=False)


def table(n=30, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"a": rng.integers(0, 4, n), "b": rng.normal(size=n).round(3),
                         "target": np.arange(n) % 2})


def test_a_file_of_the_cache_is_loaded_as_numbers(cache):
    put(cache, "mine", table())
    dataset = load_dataset("pmlb:mine")
    assert (dataset.n_rows, dataset.numeric, dataset.problem) == (30, ["a", "b"], "binary")
    np.testing.assert_array_equal(dataset.features["b"], table()["b"])
    assert list_datasets("pmlb") == ["mine"]


@pytest.mark.parametrize("name", ["../mine", "a/b", "..", "heart h"])
def test_names_cannot_leave_the_cache(cache, name):
    with pytest.raises(UnknownNameError):
        load_dataset(f"pmlb:{name}")


def test_damage_is_told_with_its_place(cache):
    put(cache, "mine", table())
    file = cache / "mine" / "mine.tsv.gz"
    file.write_bytes(file.read_bytes()[:60])
    with pytest.raises(DatasetError, match=r"damaged.*Delete it"):
        load_dataset("pmlb:mine")
    with gzip.open(file, "wt") as out:
        out.write("a\tb\n1\t2\n")
    with pytest.raises(DatasetError, match="no column 'target'"):
        load_dataset("pmlb:mine")


def test_the_package_fetches_what_the_cache_lacks_whole_or_not_at_all(cache, monkeypatch):
    pmlb = pytest.importorskip("pmlb")

    def fetch(name, local_cache_dir, dropna):
        if name == "vote":
            raise ValueError("Dataset not found in PMLB.")
        put(source.Path(local_cache_dir), name, table())

    monkeypatch.setattr(pmlb, "fetch_data", fetch)
    assert load_dataset("pmlb:adult").n_rows == 30
    assert [p.name for p in cache.rglob("*.*")] == ["adult.tsv.gz"]
    with pytest.raises(DatasetError, match=r"cannot be fetched.*PMLB_CACHE"):
        load_dataset("pmlb:vote")
    with pytest.raises(UnknownNameError, match="'adult'"):
        load_dataset("pmlb:adlut")


@given(seed=st.integers(0, 999), shift=st.integers(1, 5))
@settings(max_examples=20, deadline=None)
def test_the_fingerprint_minds_neither_order_nor_names_of_classes_nor_last_bits(seed, shift):
    frame = table(20, seed)
    rng = np.random.default_rng(seed)
    other = frame.sample(frac=1, random_state=seed).assign(
        b=lambda t: t["b"] * (1 + rng.choice([0, 2.2e-16], 20)),
        target=lambda t: t["target"] + shift)
    one, two = (make_dataset(f.astype({"target": str}), "target", name="t", source="t")
                for f in (frame, other))
    assert one.fingerprint_as(one.fingerprint) == one.fingerprint != two.fingerprint
    other.iloc[0, 0] += 1
    three = make_dataset(other.astype({"target": str}), "target", name="t", source="t")
    mark = one.unordered_fingerprint
    assert two.fingerprint_as(mark) == mark != three.fingerprint_as(mark)


@given(seed=st.integers(0, 999))
@settings(max_examples=20, deadline=None)
def test_sorted_rows_sort_as_python_does(seed):
    frame = table(25, seed)
    rows = [tuple(row) for row in frame.iloc[sorted_rows(frame, "target")].to_numpy()]
    assert rows == sorted(map(tuple, frame.to_numpy()))


def test_the_authors_order_comes_back_from_any_other(cache, monkeypatch):
    frame = table()
    order = np.argsort(sorted_rows(frame, "target"))  # of each row, its place among the sorted
    monkeypatch.setattr(source, "row_orders", lambda: {"mine": list(order)})
    put(cache, "mine", frame.sample(frac=1, random_state=3))
    np.testing.assert_array_equal(load_dataset("pmlb:mine").features, frame[["a", "b"]])
    put(cache, "mine", frame.head(20))  # another version: left in its own order
    np.testing.assert_array_equal(load_dataset("pmlb:mine").features, frame[["a", "b"]].head(20))


def test_a_task_refuses_other_rows(cache):
    put(cache, "mine", table())
    mark = load_dataset("pmlb:mine").unordered_fingerprint
    assert load_task(Task("pmlb:mine", fingerprint=mark)).dataset.n_rows == 30
    put(cache, "mine", table(seed=1))
    with pytest.raises(TaskError, match=r"unordered:.*asks for"):
        load_task(Task("pmlb:mine", fingerprint=mark))


def test_the_suite_holds_the_published_files_in_the_authors_order(published, monkeypatch):
    monkeypatch.setenv("PMLB_CACHE", str(published / "pmlb"))
    index = pd.read_csv(published / "pmlb" / "index.csv").set_index("dataset")
    suite, reduced = find_suite("pmlbmini"), find_suite("pmlbmini-24")
    assert sorted(task.name for task in suite.tasks) == sorted(index.index)
    assert {task.name for task in reduced.tasks} == set(index.index[index["in_reduced_24"]])
    assert len(suite.duplicates) == 4
    for task in suite.tasks:
        loaded = load_task(task)
        file = published / "pmlb" / task.name / f"{task.name}.tsv.gz"
        frame = pd.read_csv(file, sep="\t", **EXACT)
        np.testing.assert_array_equal(loaded.dataset.features, frame.drop(columns="target"))
        np.testing.assert_array_equal(loaded.labels, frame["target"])
        assert loaded.dataset.n_rows == index.loc[task.name, "rows"]
