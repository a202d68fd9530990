"""What the explorer's files hold is what the database holds."""

import gzip
import json
import re

import numpy as np
import pandas as pd
import pytest
from curve_examples import labelled
from explorer_files.export import export_database, shown_metrics
from explorer_files.findings import KINDS, clearest_crossings, kind_of, worth_a_look
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import analysis
from analysis import from_table
from analysis.selection import crossings
from collection.containers.curves import MAIN


@pytest.fixture(scope="module")
def few():
    return analysis.load_curves("lcdb10").sel(
        dataset=[3, 54, 554], learner=["KNN", "LDA", "QDA"]).load()


@pytest.fixture(scope="module")
def numbers():
    """Curves with 25 repeats and with 10; a table with sums of columns, where errors explode."""
    return analysis.load_curves("regression").sel(
        dataset=["meats", "Caschool", "evals"], learner=["LeastSquares", "Ridge", "LightGBM"])


@pytest.fixture(scope="module")
def both(few, numbers, tmp_path_factory):
    """Both databases, and the folders that they are written to."""
    folder = tmp_path_factory.mktemp("explorer")
    for name, curves in (("few", few), ("numbers", numbers)):
        export_database(curves, folder / name, name)
    return ((few, folder / "few"), (numbers, folder / "numbers"))


@pytest.fixture
def written(both):
    return both[0][1]


@pytest.fixture
def written_numbers(both):
    return both[1][1]


def read(file):
    return json.loads(file.read_text())


def unpack(folder, block):
    values = np.frombuffer(gzip.decompress((folder / block["file"]).read_bytes()), "<f4")
    shape = (len(block["learners"]), max(len(block["splits"]), 1), len(block["anchors"]),
             block["repeats"])
    return values.reshape(shape)


@pytest.mark.parametrize("which", [0, 1])
def test_blocks_hold_every_repeat(both, which):
    curves, folder = both[which]
    index, held = read(folder / "index.json"), dict.fromkeys(shown_metrics(curves), 0)
    assert [d["label"] for d in index["datasets"]] == curves["dataset"].values.tolist()
    for fact in index["datasets"]:
        for key, block in read(folder / f"{fact['key']}.json")["blocks"].items():
            metric, scaling, leakage = key.split(".")
            values = unpack(folder, block)
            held[metric] += int(np.isfinite(values).sum())
            stored = curves[metric].sel(dataset=fact["label"], scaling=scaling, leakage=leakage,
                                     learner=block["learners"], anchor=block["anchors"])
            stored = stored if "split" in stored.dims else stored.expand_dims("split")
            stored = stored.transpose("learner", "split", "anchor", "outer", "inner").values
            np.testing.assert_allclose(values, stored.reshape(values.shape).astype("f4"))
    assert held == {metric: int(curves[metric].notnull().sum()) for metric in held}


def test_forecasts_are_in_files_of_their_own_and_small(written):
    for key in ("000", "001", "002"):
        named = read(written / f"{key}.json")["forecasts"]
        assert (named["scaling"], named["leakage"]) == ("none", "yes")
        file = written / named["file"]
        assert all({"KNN"} <= set(c["learners"]) <= {"KNN", "LDA", "QDA"}
                   for c in read(file)["cuts"])
        assert file.stat().st_size < 100_000


def test_what_is_of_classes_alone_is_not_said_of_numbers(numbers, written_numbers):
    index = read(written_numbers / "index.json")
    assert next(iter(index["metrics"])) == "relative_rmse" and index["logarithmic"]
    assert not {"error_rate", "f1", "auc", "log_loss"} & set(index["metrics"])
    assert not index["forecast"] and not list(written_numbers.glob("forecasts.*"))
    assert all("classes" not in fact and fact["rows"] > 0 for fact in index["datasets"])


def count_verdicts(folder, setting, shapes):
    """Hold words and places in files against shapes, by procedure; return how many hold."""
    called = 0
    for k, label in enumerate(next(iter(shapes.values()))["dataset"].values):
        for learner, found in read(folder / f"{k:03d}.json")["verdicts"][setting].items():
            assert set(found) == set(shapes)
            for procedure, said in found.items():
                one = shapes[procedure].sel(dataset=label, learner=learner)
                for word in ("peaking", "dipping", "non-convex", "non-monotone"):
                    assert (word in said["verdicts"]) == bool(one[word.replace("-", "_")])
                    called += word in said["verdicts"]
                if "mono" in said:
                    assert said["mono"]["at"] == [round(float(one[at])) for at in ("mono_i",
                                                                                   "mono_j")]
    return called


def test_verdicts_are_those_of_detect_shapes(few, written):
    valid = few["error_rate"].sel(split="valid", leakage="yes", scaling="none", drop=True)
    assert count_verdicts(written, "none.yes", {
        name: analysis.detect_shapes(valid, name) for name in ("corrected", "published")})


def test_verdicts_on_numbers_are_on_the_logarithm(numbers, written_numbers):
    valid = numbers["relative_rmse"].sel(split="valid", scaling="standard", leakage="no", drop=True)
    shapes = analysis.detect_shapes(np.log2(valid.where(valid > 0)))
    assert count_verdicts(written_numbers, "standard.no", {"corrected": shapes})
    assert not any("flat" in file.read_text() for file in written_numbers.glob("[0-9]*.json"))
    peaks = {label: size for label, (learner,), _, size in
             read(written_numbers / "index.json")["worth_a_look"]["peak"]}
    assert set(peaks) == {"evals"}  # what explodes on Caschool is arithmetic
    assert peaks["evals"] == pytest.approx(float(
        shapes["violation_conv"].sel(dataset="evals", learner="LeastSquares")), abs=1e-4)


def test_a_database_without_facts_is_written(numbers, tmp_path):
    bare = numbers.isel(dataset=[0], anchor=slice(8)).drop_vars(
        ["rows", "features", "classes", "name", "openml_id"])
    export_database(bare, tmp_path, "bare")
    assert read(tmp_path / "index.json")["datasets"] == [
        {"label": "meats", "key": "000", "name": "meats"}]


def test_no_verdict_rests_on_few_repeats(numbers, tmp_path):
    some = numbers.isel(dataset=[0], anchor=slice(0, None, 4))
    lightgbm = some["learner"] == "LightGBM"
    export_database(some.where(~lightgbm | (some["inner"] == 0)), tmp_path, "few")
    found = read(tmp_path / "000.json")["verdicts"]["standard.no"]
    said = found["LightGBM"]["corrected"]
    assert list(said) == ["verdicts"] and said["verdicts"][0].startswith("not judged: 5 repeats")
    assert not any("not judged" in word for word in found["Ridge"]["corrected"]["verdicts"])


def test_every_kind_of_curves_can_be_shown():
    assert set(KINDS) == set(MAIN.values())


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
    assert all(re.fullmatch(r"(index|((forecasts|thumbnails)\.)?\d{3})[\w.]*", file.name)
               for file in (tmp_path / "explorer").iterdir())


def test_what_is_worth_a_look_has_the_shape(few):
    valid = few["error_rate"].sel(split="valid", leakage="yes", drop=True).load()
    shapes = kind_of(few).shapes(valid)["corrected"]
    looks = worth_a_look(valid, shapes, kind_of(few))
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


repeated = arrays(
    float, (3, 3, 2, 4), elements=st.sampled_from([0.1, 0.2, 0.2 + 1e-15, 0.3, 0.4, np.nan]))


@given(repeated)
@settings(max_examples=40, deadline=None)
def test_clearest_crossings_are_those_of_the_corrected_rule_with_their_sizes(values):
    valid = labelled(values[:, :, None], "dataset learner outer inner anchor")
    found = clearest_crossings(valid)
    assert len(found) == int(crossings(valid)["crosses"].sum())
    for row in found.itertuples():
        a, b = (valid.sel(dataset=row.dataset, learner=n).mean(["outer", "inner"]).values
                for n in (row.learner_a, row.learner_b))
        gap = (b - a)[~np.isnan(b - a)]
        assert row.lead == pytest.approx(gap[0]) and row.lead > 0
        assert row.deficit == pytest.approx(-gap[-1]) and row.deficit > 0
    assert (np.diff(np.minimum(found["lead"], found["deficit"])) <= 0).all()
