"""Tables of results: every layout opens in one schema; the command writes its page or one line."""

import hashlib
import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from published_data import at_hand

import analysis
from analysis.leaderboards import load_results, order, shipped_studies
from analysis.leaderboards.cells import ResultsError
from analysis.leaderboards.influence import _seeds_share, seeds_share
from analysis.leaderboards.order_page import render_page, weigh
from analysis.leaderboards.tables import FOLDER, SCHEMA
from collection.project.naming import UnknownNameError
from collection.project.paths import DATA
from commands import COMMANDS

main = COMMANDS["order"].run

LONG = pd.DataFrame([(t, m, 0.5 + 0.1 * k + 0.01 * t, s) for t in range(8)
                     for k, m in enumerate("ABC") for s in range(2)],
                    columns=["Dataset", "Model", "Accuracy", "seed"])


def test_shipped_studies_are_what_was_published_and_small():
    sources = shipped_studies()
    assert sum((FOLDER / f).stat().st_size for f in sources["file"]) < 4e6
    for name, row in sources.iterrows():
        assert hashlib.sha256((FOLDER / row["file"]).read_bytes()).hexdigest() == row["sha256"]
        table = analysis.load_results(name)
        assert list(table)[:len(SCHEMA)] == list(SCHEMA)
        assert row["licence"] in ("MIT", "Apache-2.0", "BSD-3-Clause", "CC0-1.0")
        assert row[["source", "commit", "what"]].notna().all()
    assert load_results("talent")["task"].nunique() == 200
    assert load_results("amlb_2019").groupby("method")["task"].nunique().loc["TPOT"] == 44
    assert load_results("amlb_2019").query("value != value")["reason"].notna().mean() > 0.9


@pytest.mark.parametrize(("name", "methods", "of"), [
    ("rtdl_2021", 12, 32), ("tabm", 13, 26), ("num_embeddings", 50, 96), ("tabr", 13, 47),
    ("tabred", 16, 28), ("matbench", 16, 28)])
def test_a_name_is_one_study_whoever_opens_it(name, methods, of, tmp_path, capsys):
    table = load_results(name)
    assert table["method"].nunique() == methods and table["variant"].isna().all()
    every = load_results(name, selection="all")
    assert len(every.groupby(["method", "variant"], dropna=False)) == of
    assert COMMANDS["order"].run([f"CSV={name}", f"OUT={tmp_path / 'order'}", "RESAMPLES=100"])==0
    assert f"× {methods} methods" in capsys.readouterr().out
    with pytest.raises(UnknownNameError, match="'paper'"):
        load_results(name, selection="papr")


def test_a_long_csv_is_guessed(tmp_path):
    LONG.to_csv(tmp_path / "x.csv", index=False, sep=";")
    table = load_results(tmp_path / "x.csv")
    assert table["higher_is_better"].all()
    assert table["study"].eq("x").all()
    assert order(table).ranks["method"].tolist() == ["C", "B", "A"]
    mixed = LONG.rename(columns={"Accuracy": "value"}).assign(
        metric=["rmse" if t % 2 else "accuracy" for t in LONG["Dataset"]])
    mixed.to_csv(tmp_path / "z.csv", index=False)
    assert load_results(tmp_path / "z.csv")["higher_is_better"].mean() == 0.5
    lower = load_results(tmp_path / "x.csv", lower_is_better=True)
    assert not lower["higher_is_better"].any()


def test_columns_can_be_named(tmp_path):
    odd = LONG.set_axis(["problem no", "who", "points", "again"], axis=1)
    odd.to_csv(tmp_path / "x.csv", index=False)
    columns = {"task": "problem no", "method": "who", "value": "points", "seed": "again"}
    assert order(load_results(tmp_path / "x.csv", columns, False)).ranks["method"][0] == "C"
    with pytest.raises(ResultsError, match="no column 'score' for the value"):
        load_results(tmp_path / "x.csv", {"value": "score"})


def test_result_files_of_the_automl_benchmark_open(tmp_path):
    pd.DataFrame({"id": 1, "task": ["a", "a", "b", "b"], "framework": ["X", "Y"] * 2, "fold": 0,
                  "result": [0.9, np.nan, 0.3, 0.4], "auc": [0.9, np.nan, np.nan, np.nan],
                  "logloss": [np.nan, np.nan, 0.3, 0.4], "duration": 1.0,
                  "info": [None, "Error: no memory", None, None]}).to_csv(tmp_path / "r.csv")
    table = load_results(tmp_path / "r.csv")
    assert table["metric"].tolist() == ["auc", "auc", "logloss", "logloss"]
    assert table["higher_is_better"].tolist() == [True, True, False, False]
    assert table["reason"][1] == "Error: no memory"


def test_folders_of_evaluations_and_comparisons_open(tmp_path):
    table = load_results(DATA / "evaluations")
    assert table["task"].nunique() == analysis.load_evaluations("evaluations").sizes["task"]
    assert set(table["metric"]) == {"auc", "log_loss", "rmse"}
    pd.DataFrame({"dataset": ["a", "a", "b", "b"], "method": ["X", "Y"] * 2, "fold": 0,
                  "repeat": 0, "split": "test", "auc": [0.9, 0.8, 0.7, np.nan],
                  "status": ["ok", "ok", "ok", "timeout"],
                  "message": ["", "", "", "too long"]}).to_csv(tmp_path / "fits.csv", index=False)
    assert load_results(tmp_path)["reason"].tolist()[3] == "too long"
    (tmp_path / "fits.csv").unlink()
    with pytest.raises(ResultsError, match="holds no results"):
        load_results(tmp_path)


def test_submissions_to_swe_bench_are_a_method_each(tmp_path):
    for name, said in (("one", {"resolved": ["a", "b"], "applied": ["a", "b", "c"]}),
                       ("other", {"resolved": ["a"]})):
        file = tmp_path / name / "results" / "results.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(said))
    table = load_results(tmp_path).pivot(index="task", columns="method", values="value")
    assert table.to_dict() == {"one": {"a": 1, "b": 1, "c": 0}, "other": {"a": 1, "b": 0, "c": 0}}
    for broken in ("[]", '{"resolved": [1, {}]}'):
        file.write_text(broken)
        with pytest.raises(ResultsError, match="does not say by name which instances"):
            load_results(tmp_path)


def test_a_context_of_tabrepo_opens():
    table = load_results(at_hand("tabrepo", "context", "to_dir"))
    assert table["value"].notna().any()
    assert table["fold"].nunique() > 1


def test_seeds_make_the_share_that_was_put_in():
    rng = np.random.default_rng(1)
    task, method, seed = (x.ravel() for x in np.indices((300, 4, 8)))
    value = rng.normal(size=(300, 4))[task, method] + 2 * rng.normal(size=len(task))
    results = pd.DataFrame({"task": task, "method": method, "seed": seed, "value": value,
                            "higher_is_better": True})
    noisy, quiet = (seeds_share(results.assign(value=value - by * (value - results.groupby(
        ["task", "method"])["value"].transform("mean")))) for by in (0, 0.95))
    assert quiet < 0.05 < noisy <= 1
    assert np.isnan(seeds_share(results[results["seed"] == 0]))
    drawn = np.array([[0, 1, 3], [0, -1, -3]])  # of the pairs, seeds have a tenth, a fifth and 90 %
    squares = np.array([[0, 5, 22.5], [5, 0, 2 / 0.9], [22.5, 2 / 0.9, 0]])
    assert _seeds_share(SimpleNamespace(squares=squares), drawn) == pytest.approx(0.2)


def test_the_page_loads_nothing_and_escapes_names():
    results = LONG.set_axis(["task", "method", "value", "seed"], axis=1).assign(
        higher_is_better=True)
    page = render_page(weigh(results.replace({"method": {"A": "<script>x</script>"}}), 200), "T",
                       ["by `b<c>`"])
    assert "<p>by <code>b&lt;c&gt;</code></p>" in page and "`" not in page.partition("<body>")[2]
    assert "<script" not in page and "&lt;script&gt;" in page
    assert 'src="' not in page and 'href="http' not in page


def test_the_command_writes_its_page_and_tables(tmp_path, capsys):
    noise = np.random.default_rng(0).normal(size=len(LONG)) / 100
    LONG.assign(Accuracy=LONG["Accuracy"] + noise).to_csv(tmp_path / "x.csv", index=False)
    assert main([f"CSV={tmp_path / 'x.csv'}", f"OUT={tmp_path / 'out'}"]) == 0
    assert {f.name for f in (tmp_path / "out").glob("[!.]*")} == {
        "order.html", "ranks.csv", "pairs.csv"}
    assert "3 of 3 pairs differ significantly, 2 of 2 neighbours." in capsys.readouterr().out


@pytest.mark.parametrize(("text", "arguments", "message"), [
    ("task,method,value\na,X,85%\na,Y,80%\n", [], "Is higher or lower better?"),
    ("task,method,value,lower_is_better\na,X,1,yes\na,Y,2,no\n", [], "two directions"),
    ("task,method,value,lower_is_better\na,X,1,yes\na,Y,2,perhaps\n", [], "says yes or no"),
    ("method,value\nX,1\nY,2\n", [], "no column of tasks"),
    ("task,method,value\na,X,1\na,Y,2\n", ["TIE=nan"], "TIE: an amount of 0 or more"),
    ("task,method,value\na,X,1\na,Y,2\n", ["RUNS=y"], "Give one of CSV"),
    ("task,method,value\na,X,1\na,Y,2\n", ["METOD=y"], "Did you mean 'METHOD'?"),
])
def test_bad_input_is_one_line_and_writes_nothing(tmp_path, capsys, text, arguments, message):
    (tmp_path / "x.csv").write_text(text)
    status = main([f"CSV={tmp_path / 'x.csv'}", f"OUT={tmp_path / 'out'}", *arguments])
    error = capsys.readouterr().err
    assert status == 1
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_an_unknown_name_gets_the_close_ones(capsys):
    assert main(["CSV=talnt"]) == 1
    assert "Did you mean 'talent'" in capsys.readouterr().err
