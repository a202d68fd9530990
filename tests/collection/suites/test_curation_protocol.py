"""The protocol 1a to 2e, and the command line."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest
from own_tables_here import fit_here

from analysis.comparison.settings import check_comparison
from collection.project.naming import UnknownNameError
from collection.project.parameters import SettingsError
from collection.project.paths import ROOT
from collection.running.evaluation_plan import make_plan
from collection.running.evaluation_settings import check_settings
from collection.running.work import run
from collection.suites import create
from collection.suites.bundle import open_bundle
from collection.suites.create import TOO_SMALL, choose, load_candidates, make_tasks
from collection.suites.qualities import parse_filters
from collection.suites.suite import Suite, SuiteError, read_suite, write_suite
from collection.tasks import CrossValidation, Task, load_task
from collection.tasks.procedures import HoldOut, WholeData
from commands import COMMANDS
from commands.suite import ACTIONS, KEYS

SPECS = ["sklearn:wine", "keel:wine", "keel:monk-2", "keel:zoo-3", "csv:/none.csv?target=a"]
CRITERIA = [c for c in (*create.AUTOMATIC, *create.ASKED) if c not
            in ("rows", "no_perfect_tree")]


@pytest.fixture(scope="module")
def candidates():
    return load_candidates(SPECS, CrossValidation(5))


def answered(folder, rows=None):
    """Fill in the questions that were written, save them, and return the file."""
    sheet = pd.read_csv(folder / create.QUESTIONS, keep_default_na=False).iloc[:rows]
    signs, criterion = sheet["signs"], sheet["criterion"]
    sheet["keep"] = (~signs.str.contains("every combination") & (
        (criterion != "duplicate") | sheet["dataset"].str.startswith("sklearn"))).map(
            {True: "yes", False: "no"})
    sheet["why"] = "it has " + signs
    sheet.to_csv(folder / "answers.csv", index=False)
    return folder / "answers.csv"


def test_choose_says_why_not(candidates):
    table = choose(candidates, parse_filters("rows=..300"), ["class_rows"]).set_index("dataset")
    assert table["passes"].to_dict() == {
        "sklearn:wine": True, "keel:wine": True, "keel:monk-2": False, "keel:zoo-3": False,
        "csv:/none.csv?target=a": False}
    assert table.loc["keel:monk-2", "why"] == "rows=..300"
    assert "20 rows" in table.loc["keel:zoo-3", "why"]
    assert "There is no file" in table.loc["csv:/none.csv?target=a", "why"]
    many = load_candidates(["keel:zoo-3"], CrossValidation(10))
    assert choose(many)["why"].tolist() == [TOO_SMALL]
    rows = int(choose(many)["smallest_class"].iloc[0])
    just = load_candidates(["keel:zoo-3"], CrossValidation(rows))  # a row of it for each fold
    assert choose(just)["passes"].all()
    with pytest.raises(UnknownNameError, match="automatic criterion"):
        choose(candidates, criteria=["referenced"])
    with pytest.raises(SuiteError, match="No dataset passes"):
        make_tasks(candidates, [])


def test_curation_from_end_to_end(candidates, tmp_path):
    def curated(answers=None):
        done = create.curate(candidates, criteria=CRITERIA, who="me", answers=answers)
        done.questions.to_csv(tmp_path / create.QUESTIONS, index=False)
        return done

    first = curated()
    assert first.open == 3 and not first.table["passes"].any() and first.decisions == ()
    part = curated(answered(tmp_path, 2))
    assert part.open > 0 and len(part.decisions) == 2  # what was answered stays so
    done = curated(answered(tmp_path))
    assert done.table.loc[done.table["passes"], "dataset"].tolist() == ["sklearn:wine"]
    why = done.table.set_index("dataset")["why"]
    assert why["keel:monk-2"].startswith("not_artificial: it has the rows are every combination")
    assert why["keel:wine"].startswith("duplicate: it has the same rows as sklearn:wine")
    assert done.duplicates == (("keel:wine", "sklearn:wine"),) and done.open == 0
    assert {d.who for d in done.decisions} == {"me"}


@pytest.mark.parametrize(("text", "words"), [
    ("a,b\n1,2\n", "has no column dataset"),
    ("dataset,criterion,keep,who,when,why\na,b,perhaps,c,d,e\na,b,no,c,d,e\n", "line 2: keep is")])
def test_damaged_answers(candidates, tmp_path, text, words):
    (tmp_path / "answers.csv").write_text(text)
    with pytest.raises(SuiteError, match=words):
        create.curate(candidates, answers=tmp_path / "answers.csv")


def suite_command(*arguments):
    return COMMANDS["suite"].run(arguments)


def walk():
    """Return the commands of the page's walk through all that can be done with a suite."""
    block = re.search(r"```console\n(\$ make suite DO=list\n.*?)```",
                      (ROOT / "book" / "use_suites.md").read_text(), re.DOTALL)[1]
    return [shlex.split(line.removeprefix("$ make "), comments=True)
            for line in block.splitlines()]


@fit_here()
def test_the_walk_of_the_page_goes_through_all_verbs(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("LEARNING_CURVES_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    told, done = {}, []
    for target, *given in walk():
        if target == "evaluate":
            settings = check_settings(dict(g.split("=", 1) for g in [*given, "WORKERS=1"]))
            run(settings, make_plan(settings))
            continue
        verb = given[0].removeprefix("DO=")
        if verb == "curate":  # a person answers in between
            assert suite_command(*given) == 1
            given = [*given, f"ANSWERS={answered(tmp_path / 'my_curation')}"]
        assert suite_command(*given) == 0, (given, capsys.readouterr().err)
        told[verb], done = capsys.readouterr().out, [*done, verb]
    assert set(done) == set(ACTIONS)
    assert "a suite of 72 tasks" in told["publish"] and "Nothing was sent" in told["publish"]
    mine, more, less = (read_suite(f"{name}.toml") for name in ("mine", "more", "less"))
    assert mine.datasets == ["sklearn:wine", "keel:bupa"] and mine.released
    assert more.datasets == [*mine.datasets, "keel:haberman"] and not more.released
    assert less.datasets == ["sklearn:wine", "keel:haberman"]
    assert less.derived_from == more.reference and less.time_limit == "1min"
    assert "classic" in told["list"]
    assert "2 of 2 tasks are as stated" in told["verify"]
    assert read_suite("my_curation/own.toml").datasets == ["sklearn:wine"]
    assert open_bundle("less.zip").label == "less 1.0"
    shown = told["show"].splitlines()  # the last: what was run
    assert len(shown) == 1 + 2 * 2 and shown[0].split()[:2] == ["task", "flow"]
    assert {tuple(line.split()[:2]) for line in shown[1:]} == {
        (task, flow) for task in ("wine", "haberman") for flow in ("KNN", "LDA")}
    with pytest.raises(SuiteError, match=r"holds no run on a task of pmlbmini .*\. Make some"):
        ACTIONS["show"].run({"SUITE": "pmlbmini", "RUNS": "my_runs"})


def test_evaluate_holds_the_limits_that_a_suite_states(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    limited = Suite("mine", "1.0", (Task("sklearn:wine"),), time_limit="2min", memory_limit="3GB")
    write_suite(limited, "mine.toml")
    settings = check_settings({"SUITE": "mine.toml", "LEARNERS": "KNN"})
    assert (settings.time_limit, settings.memory_limit) == (120, 3e9)
    jobs = make_plan(settings).jobs.values()
    assert {(job.limits.time, job.limits.memory) for job in jobs} == {(120, 3e9)}
    assert check_settings({"SUITE": "mine.toml", "TIME_LIMIT": "120"}).time_limit == 120
    with pytest.raises(SettingsError, match="TIME_LIMIT cannot be 1h: the suite mine"):
        check_settings({"SUITE": "mine.toml", "TIME_LIMIT": "1h"})
    assert check_settings({"SUITE": "classic", "TIME_LIMIT": "1h"}).time_limit == 3600


def test_show_says_what_tasks_are_judged_by_and_how_they_are_split(tmp_path, capsys):
    tasks = (Task("keel:bupa", procedure=HoldOut(0.25, 3), metric="auc"), Task("sklearn:wine"),
             Task("keel:sonar"), Task("keel:wdbc", procedure=WholeData(), metric="auc"))
    write_suite(Suite("mine", "1.0", tasks), tmp_path / "mine.toml")
    assert suite_command("DO=show", f"SUITE={tmp_path / 'mine.toml'}") == 0
    shown = capsys.readouterr().out
    said = [line for line in shown.splitlines() if line.startswith("# ")]
    assert said[:2] == ["# mine 1.0", "# 1 task: stratified hold-out of 25 %, 3 times; by auc"]
    assert "2 tasks: stratified 10-fold cross-validation, 1 time; by AUC of two" in said[2]
    assert said[3] == "# 1 task: training and testing on all rows; by auc"
    (tmp_path / "again.toml").write_text(shown)  # what is shown is a suite's file all the same
    assert read_suite(tmp_path / "again.toml") == read_suite(tmp_path / "mine.toml")


MADE = ("DO=create", "NAME=mine", "FROM=sklearn:wine")


@pytest.mark.parametrize("arguments, message", [
    (("DO=creat",), "Did you mean 'create'"), (("DO=create",), "NAME is missing"),
    (("DO=show", "SUIT=a"), "Did you mean 'SUITE'"), (("classic",), "not of the form KEY=VALUE"),
    (("DO=show", "SUITE=nothing"), "Unknown suite"),
    (("DO=create", "NAME=a", "FROM=keel:bupp"), "Did you mean 'bupa'"),
    (("DO=create", "NAME=a", "FROM=keel:bupa", "FILTER=rows=..3", "OUT=/none/x"), "No dataset"),
    (("DO=release", "SUITE=classic"), "must be the file of a draft"),
    *(((*MADE, given), said) for given, said in (
        ("FOLDS=²", "FOLDS: a whole number"), ("FOLDS=" + "9" * 400, "range, which is 2 to"),
        ("FOLDS=1", "range"), ("RELEASE=perhaps", "RELEASE: yes or no"))),
])
def test_bad_commands(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert suite_command(*arguments) == 1
    assert message in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_help(capsys):
    assert suite_command("--help") == 0 and suite_command() == 0
    shown = capsys.readouterr().out
    for name, action in ACTIONS.items():
        assert name in shown and action.about in shown
        assert set((*action.needs, *action.takes)) <= set(KEYS)


def test_reasons_come_first_and_quotes_hold_names_together(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert suite_command("DO=create", "NAME=none", "FROM=csv:absent.csv?target=y") == 1
    told = capsys.readouterr().err
    assert told.index("left out: csv:absent.csv") < told.index("No dataset passes")
    table = pd.DataFrame({"a": np.arange(40.0) % 7, "class": ["x", "y"] * 20})
    table.to_csv("two words.csv", index=False)
    spec = "csv:two words.csv?target=class"
    assert suite_command("DO=create", "NAME=own", f"FROM='{spec}' sklearn:wine") == 0
    assert read_suite("own.toml").datasets == [spec, "sklearn:wine"]
    for choice, left in ((f"ONLY='{spec}'", spec), (f"WITHOUT='{spec}'", "sklearn:wine")):
        assert suite_command("DO=subset", "SUITE=own.toml", "NAME=less", choice) == 0
        assert read_suite("less.toml").datasets == [left]
    table.assign(a=1.5).to_csv("two words.csv", index=False)  # a dataset that changed is named
    assert suite_command("DO=verify", "SUITE=own.toml") == 1
    assert "two words.csv?target=class is not what it was" in capsys.readouterr().err


def test_a_suite_states_metric_repeats_and_hold_out_and_both_commands_go_by_them(
        tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    made = ("DO=create", "NAME=mine", "FROM=sklearn:wine keel:bupa")
    assert suite_command(*made, "METRIC=error_rate", "REPEATS=2", "HOLDOUT=25%") == 0
    suite = read_suite("mine.toml")
    assert {task.metric for task in suite.tasks} == {"error_rate"}
    assert {task.procedure for task in suite.tasks} == {HoldOut(0.25, 2)}
    folds = load_task(suite.tasks[0]).folds
    assert [(f.repeat, f.fold, len(f.test)) for f in folds] == [(0, 0, 45), (1, 0, 45)]
    assert set(folds[0].test) != set(folds[1].test)
    classes = load_task(suite.tasks[0]).dataset.target[folds[0].test]
    assert [(classes == c).sum() for c in np.unique(classes)] == [15, 18, 12]
    stated = check_comparison({"LEARNER": "KNN", "SUITE": "mine.toml"})
    assert stated.metric == "error_rate"
    assert [task.procedure for task in stated.find_tasks()] == [HoldOut(0.25, 2)] * 2
    asked = check_comparison({"LEARNER": "KNN", "SUITE": "mine.toml", "METRIC": "f1", "FOLDS": 4})
    assert asked.metric == "f1" and asked.find_tasks()[0].procedure.folds == 4
    plan = make_plan(check_settings({"SUITE": "mine.toml", "LEARNERS": "KNN", "OUT": "runs"}))
    assert {row["metric"] for row in plan.rows} == {"error_rate"} and len(plan.jobs) == 4
    for wrong, said in ((("HOLDOUT=3",), "a share of the rows"), (("METRIC=acc",), "'auc'"),
                        (("HOLDOUT=20%", "FOLDS=3"), "exclude each other")):
        assert suite_command("DO=create", "NAME=bad", "FROM=sklearn:wine", *wrong) == 1
        assert said in capsys.readouterr().err
    assert not (tmp_path / "bad.toml").exists()


def test_create_names_what_it_leaves_out_and_why(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert suite_command("DO=create", "NAME=mine", "FROM=sklearn:wine keel:zoo-3",
                         "FILTER=rows=150..") == 0
    told = capsys.readouterr().err
    assert "suite: left out: keel:zoo-3: rows=150.." in told and told.count("left out:") == 1
