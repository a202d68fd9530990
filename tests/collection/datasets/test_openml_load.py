"""OpenML datasets over HTTP: what the server sends, what comes out, what a second run needs."""

import io

import arff
import numpy as np
import openml
import pandas as pd
import pytest
from openml_server import API, Answer, error, to_parquet

from collection.datasets import DatasetError, expand_specs, load_dataset
from collection.datasets.openml_source import cache_root
from collection.project.naming import UnknownNameError

HIDDEN = ("<oml:row_id_attribute>row</oml:row_id_attribute>"
          "<oml:ignore_attribute>secret</oml:ignore_attribute>")


def check_table(dataset, frame):
    assert list(dataset.features) == ["size", "colour", "note"]
    assert dataset.numeric == ["size"] and dataset.categorical == ["colour", "note"]
    assert list(dataset.features["colour"].cat.categories) == ["a b", "blue", "red"]
    np.testing.assert_array_equal(dataset.features["size"], frame["size"].astype(float))
    for column in ("colour", "note"):
        got = dataset.features[column].astype(object)
        assert list(got.where(got.notna(), None)) == list(frame[column])
    assert list(dataset.target) == list(frame["class"])
    assert list(dataset.classes) == ["10", "2", "9"]
    assert dataset.n_missing == int(frame[["size", "colour"]].isna().sum().sum())
    assert dataset.licence == "CC0"


@pytest.mark.parametrize("form", ["arff", "parquet"])
def test_kinds_missing_and_hidden_columns_also_without_the_server(server, table, folder, form):
    nominal = {c: "category" for c, kind in table[1].items() if kind == "nominal"}
    parquet = to_parquet(table[0].astype(nominal)) if form == "parquet" else None
    frame = server.add_table(table, parquet=parquet, more=HIDDEN)
    dataset = load_dataset("openml:5")
    check_table(dataset, frame)
    assert (dataset.name, dataset.source, dataset.openml_id) == ("generated-5", "openml:5", 5)
    asked_for_arff = any("data.arff" in path for path in server.requests)
    assert asked_for_arff == (form == "arff")
    server.stop()
    check_table(load_dataset("openml:5"), frame)  # from the cache
    data = "dataset_5.pq" if form == "parquet" else "dataset.arff"
    assert {f.name for f in (folder / "5").iterdir()} == {
        "description.xml", "features.xml", "qualities.xml", data}


def test_cached_files_are_those_of_the_openml_package(server, table, cache):
    server.add_table(table)
    ours = load_dataset("openml:5")
    server.stop()
    openml.config.set_root_cache_directory(cache)
    theirs, target, _, _ = openml.datasets.get_dataset(5, download_data=True).get_data("class")
    assert list(theirs) == list(ours.features) and list(target) == list(ours.target)


def test_ignored_columns_in_one_element_with_commas(server, table):
    frame = server.add_table(
        table, more="<oml:ignore_attribute>row, secret</oml:ignore_attribute>")
    check_table(load_dataset("openml:5"), frame)


def test_sparse_arff_fills_in_what_it_leaves_out(server):
    data = b"""@RELATION sparse
@ATTRIBUTE a REAL
@ATTRIBUTE b {zero,one,two}
@ATTRIBUTE class {no,yes}
@DATA
{0 1.5,1 one}
{2 yes}
{0 ?,1 ?,2 yes}
{}
"""
    frame = pd.DataFrame({"a": [1.5, 0, np.nan, 0], "b": ["one", "zero", None, "zero"],
                          "class": ["no", "yes", "yes", "no"]})
    kinds = {"a": "numeric", "b": "nominal", "class": "nominal"}
    server.add_dataset(6, frame, "class", kinds=kinds, data=data, form="Sparse_ARFF")
    dataset = load_dataset("openml:6")
    np.testing.assert_array_equal(dataset.features["a"], frame["a"])
    assert list(dataset.features["b"].astype(object).where(frame["b"].notna(), None)) == list(
        frame["b"])
    assert list(dataset.target) == list(frame["class"])


@pytest.mark.parametrize(("path", "answer", "status"), [
    ("/datasets/0000/0005/dataset_5.pq", "", 404), ("/datasets/0000/0005/dataset_5.pq", "", 503),
    (f"{API}/data/qualities/5", error(362, "No qualities found"), 412)])
def test_what_may_lack_is_done_without(server, table, path, answer, status):
    """The ARFF file serves where the Parquet file does not come."""
    parquet = b"" if path.endswith(".pq") else None
    frame = server.add_table(table, parquet=parquet, more=HIDDEN)
    server.add(path, answer, status=status)
    check_table(load_dataset("openml:5"), frame)
    server.stop()
    check_table(load_dataset("openml:5"), frame)


@pytest.mark.parametrize("target, message", [
    (None, "no default target"),
    ("colour,class", "several targets"),
])
def test_refused_targets(server, table, target, message):
    frame = server.add_table(table, target)
    with pytest.raises(DatasetError, match=message) as caught:
        load_dataset("openml:5")
    assert "openml:5?target=COLUMN" in str(caught.value)
    assert list(load_dataset("openml:5?target=class").target) == list(frame["class"])


def test_unknown_target_and_unknown_number(server, table):
    server.add_table(table)
    with pytest.raises(UnknownNameError, match="colour"):
        load_dataset("openml:5?target=color")
    with pytest.raises(DatasetError, match=r"openml:77: the server refused.*Unknown dataset"):
        load_dataset("openml:77")
    with pytest.raises(DatasetError, match="a dataset's number"):
        load_dataset("openml:vehicle")


def test_rows_without_label_and_empty_columns(server, table):
    frame, kinds = table
    frame.loc[[0, 5], "class"] = None
    frame["colour"] = None
    kinds["colour"] = "string"
    server.add_table(table)
    with pytest.warns(UserWarning, match="2 of 24 rows have no label"):
        dataset = load_dataset("openml:5")
    assert (dataset.n_rows, dataset.unlabelled_rows) == (22, 2)
    assert "colour" not in dataset.features


def test_cache_is_the_users_where_there_is_one(cache, tmp_path, monkeypatch):
    assert cache_root() == cache
    monkeypatch.setattr(openml.config, "_root_cache_directory", tmp_path / "configured")
    assert cache_root() == tmp_path / "configured"
    monkeypatch.setenv("OPENML_CACHE_DIR", str(tmp_path / "environment"))
    assert cache_root() == tmp_path / "environment"


def test_recorded_anneal(server, published):
    recorded = published / "openml" / "datasets" / "2"
    text = (recorded / "description.xml").read_text()
    text = text.replace("http://www.openml.org/data/download/1666876/phpFsFYVN",
                        f"{server.url}/anneal.arff")
    server.add(f"{API}/data/2", text)
    server.add("/anneal.arff", (recorded / "dataset.arff").read_bytes())
    for part in ("features", "qualities"):
        server.add(f"{API}/data/{part}/2", (recorded / f"{part}.xml").read_bytes())
    dataset = load_dataset("openml:2")
    raw = arff.load(io.StringIO((recorded / "dataset.arff").read_text()))
    names = [name for name, _ in raw["attributes"]]
    expected = pd.DataFrame(raw["data"], columns=names)
    assert (dataset.name, dataset.licence, dataset.n_rows) == ("anneal", "Public", 898)
    assert list(dataset.target) == list(expected["class"])
    empty = [c for c in names if expected[c].isna().all()]
    assert len(empty) > 0
    assert list(dataset.features) == [c for c in names[:-1] if c not in empty]
    declared = {name for name, kind in raw["attributes"] if not isinstance(kind, list)}
    assert set(dataset.numeric) == declared - set(empty)
    np.testing.assert_array_equal(dataset.features["thick"], expected["thick"].astype(float))


def test_a_numeric_target_is_to_be_predicted(server, table):
    server.add_table(table, "size")
    with pytest.warns(UserWarning, match="3 of 24 rows"):
        assert load_dataset("openml:5").problem == "regression"


@pytest.fixture
def suite(server, table):
    """Three tasks on two datasets, one of which has another target than its dataset."""
    frame, kinds = table
    for number in (5, 6):
        server.add_dataset(number, frame, "class", kinds=kinds)
    server.add_task(11, 6, "class")
    server.add_task(12, 5, "colour")
    server.add_task(13, 6, "class")
    server.add_suite("Small", [11, 12, 13])
    return server


def test_expands_in_order_each_dataset_once_and_again_without_the_server(suite):
    specs = expand_specs(["keel:vehicle", "openml:suite/Small", "openml:6", "keel:vehicle",
                          "csv:a.csv?target=b"])
    assert specs == ["keel:vehicle", "openml:6", "openml:5?target=colour", "csv:a.csv?target=b"]
    suite.stop()
    assert expand_specs(["openml:suite/Small"]) == specs[1:3]


def test_specs_load(suite):
    with pytest.warns(UserWarning, match="5 of 24 rows"):
        first, second = (load_dataset(s) for s in expand_specs(["openml:suite/Small"]))
    assert list(first.classes) == ["10", "2", "9"]
    assert list(second.classes) == ["a b", "blue", "red"] and second.unlabelled_rows == 5
    assert "class" in second.features and second.source == "openml:5?target=colour"


@pytest.mark.parametrize("break_it, message", [
    (lambda s: s.add_task(12, 5, "size", regression=True), "task 12 is a Supervised Regression"),
    (lambda s: s.add_suite("Small", []), "has no tasks"),
    (lambda s: s.add_suite("Small", [11], kind="run"), "not what OpenML sends.*entity type"),
    (lambda s: s.add(f"{API}/study/Small", error(600, "No suite"), status=412),
     "refused.*No suite"),
    (lambda s: s.answers.update({f"{API}/task/13": Answer(b"", status=503)}), "HTTP status 503"),
    (lambda s: setattr(s.answers[f"{API}/study/Small"], "cut", 100), "connection broke"),
])
def test_failures_keep_nothing(suite, cache, break_it, message):
    before = dict(suite.answers)
    break_it(suite)
    with pytest.raises(DatasetError, match=message):
        expand_specs(["openml:suite/Small"])
    assert list(cache.iterdir()) == []
    suite.answers.update(before)
    for answer in suite.answers.values():
        answer.cut = None
    assert len(expand_specs(["openml:suite/Small"])) == 2


def test_a_suite_is_not_a_dataset(cache):
    with pytest.raises(DatasetError, match="expand_specs"):
        load_dataset("openml:suite/OpenML-CC18")
