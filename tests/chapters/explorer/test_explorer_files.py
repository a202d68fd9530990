"""What the explorer's files hold is what the database holds."""

import gzip
import json
import re

import numpy as np
import pandas as pd
import pytest

import analysis
from analysis import from_table
from chapters.explorer.blocks import pack_block
from chapters.explorer.export import describe_databases, export_database
from chapters.explorer.findings import judge, worth_a_look


@pytest.fixture(scope="module")
def few():
    return analysis.load_curves("lcdb10").sel(
        dataset=[3, 54, 554], learner=["KNN", "LDA", "QDA"])


@pytest.fixture(scope="module")
def written(few, tmp_path_factory):
    folder = tmp_path_factory.mktemp("explorer")
    export_database(few, folder, "a few")
    return folder


def unpack(folder, block):
    values = np.frombuffer(gzip.decompress((folder / block["file"]).read_bytes()), "<f4")
    shape = (len(block["learners"]), max(len(block["splits"]), 1), len(block["anchors"]),
             block["repeats"])
    return values.reshape(shape)


def test_blocks_hold_every_repeat(few, written):
    index = json.loads((written / "index.json").read_text())
    assert [d["label"] for d in index["datasets"]] == [3, 54, 554]
    for fact in index["datasets"]:
        about = json.loads((written / f"{fact['key']}.json").read_text())
        for key, block in about["blocks"].items():
            metric, scaling, leakage = key.split(".")
            values = unpack(written, block)
            stored = few[metric].sel(dataset=fact["label"], scaling=scaling, leakage=leakage,
                                     learner=block["learners"], anchor=block["anchors"])
            stored = stored if "split" in stored.dims else stored.expand_dims("split")
            stored = stored.transpose("learner", "split", "anchor", "outer", "inner").values
            np.testing.assert_allclose(values, stored.reshape(values.shape).astype("f4"))
    assert int(few["error_rate"].notnull().sum()) == sum(
        int((~np.isnan(unpack(written, json.loads(p.read_text())["blocks"][key]))).sum())
        for p in written.glob("[0-9]*.json")
        for key in json.loads(p.read_text())["blocks"] if key.startswith("error_rate"))


def test_names_of_ones_own_are_text_alone_and_lead_nowhere(tmp_path):
    names = ["</script><img src=x onerror=alert(1)>", "../../out", "/tmp/out", 'a"b', "u\u2028v",
             "CON", "x" * 300]
    values = np.random.default_rng(0).random((len(names), 1, 4))
    curves = from_table(pd.DataFrame([
        {"dataset": name, "size": 2 ** (k + 4), "error": error}
        for name, row in zip(names, values[:, 0], strict=True) for k, error in enumerate(row)]))
    export_database(curves, tmp_path / "explorer", "mine")
    index = json.loads((tmp_path / "explorer" / "index.json").read_text())
    assert sorted(fact["label"] for fact in index["datasets"]) == sorted(names)
    assert all(fact["key"].isdigit() and fact["name"] for fact in index["datasets"])
    assert [file.name for file in tmp_path.iterdir()] == ["explorer"]
    assert all(re.fullmatch(r"(index|(forecasts\.)?\d{3})[\w.]*", file.name)
               for file in (tmp_path / "explorer").iterdir())


def test_verdicts_are_those_of_detect_shapes(few, written):
    valid = few["error_rate"].sel(split="valid", leakage="yes", drop=True)
    for procedure in ("corrected", "published"):
        shapes = analysis.detect_shapes(valid, procedure=procedure).sel(scaling="none")
        for k, label in enumerate(few["dataset"].values):
            about = json.loads((written / f"{k:03d}.json").read_text())["verdicts"]["none.yes"]
            for learner, found in about.items():
                one = shapes.sel(dataset=label, learner=learner)
                words = found[procedure]["verdicts"]
                assert ("peaking" in words) == bool(one["peaking"])
                assert ("non-monotone" in words) == bool(one["non_monotone"])
                if "mono" in found[procedure]:
                    assert found[procedure]["mono"]["at"] == [
                        round(float(one["mono_i"])), round(float(one["mono_j"]))]


def test_what_is_worth_a_look_has_the_shape(few):
    valid = few["error_rate"].sel(split="valid", leakage="yes", drop=True).load()
    shapes = judge(valid)["corrected"]
    looks = worth_a_look(valid, shapes)
    assert {(54, "LDA"), (554, "LDA")} & {(d, one) for d, (one,), *_ in looks["peak"]}
    for kind, verdict, violation in (("peak", "peaking", "conv"), ("rise", "non_monotone", "mono")):
        for dataset, (learner,), scaling, size in looks[kind]:
            own = shapes.sel(dataset=dataset, learner=learner, scaling=scaling)
            assert own[verdict]
            assert size == pytest.approx(float(own[f"violation_{violation}"]), abs=1e-4)
        sizes = [size for *_, size in looks[kind]]
        assert len(sizes) > 1 and sizes == sorted(sizes, reverse=True)
    for dataset, (first, second), *_ in looks["crossing"]:
        means = valid.mean(["outer", "inner"]).sel(dataset=dataset, scaling="none")
        gap = (means.sel(learner=first) - means.sel(learner=second)).dropna("anchor").values
        assert gap[0] < 0 < gap[-1]


def test_nothing_is_packed_where_there_is_no_value(few):
    values = few["error_rate"].sel(dataset=3, scaling="none", leakage="yes", drop=True)
    assert pack_block(values.where(False)) is None


def test_databases_are_counted():
    table = describe_databases(["mini"]).iloc[0]
    assert table["datasets"] == 16 and 0 < table["curves"] < 16 * table["learners"] * 6
