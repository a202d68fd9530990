"""Comparisons from end to end: limits hold, failures are told apart, texts are never evaluated."""

import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from own_tables_here import fit_here
from scipy.stats import kendalltau
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from analysis.comparison import compare
from analysis.comparison.make import _properties
from analysis.comparison.settings import check_comparison
from analysis.leaderboards.cells import ResultsError
from analysis.leaderboards.formats import from_evaluations
from collection.containers.evaluations import METRICS
from collection.datasets.dataset import DatasetError
from collection.project.parameters import SettingsError
from collection.project.paths import ROOT
from collection.project.requirements import MissingLibraryError
from collection.running.pmlbmini import PAPER
from collection.shipped.small import METHODS
from collection.tasks import CrossValidation, Task, load_task
from commands import COMMANDS

main = COMMANDS["compare"].run

ODD = '''
import os, time
from sklearn.naive_bayes import GaussianNB

class Slow(GaussianNB):
    def fit(self, X, y):
        time.sleep(3600)

class Crashing(GaussianNB):
    def fit(self, X, y):
        os._exit(7)
'''
GOOD = "sklearn.naive_bayes.GaussianNB()"
FEW = {"folds": 2, "workers": 1}
FOUR = "sklearn:wine keel:sonar keel:bupa keel:haberman"


@pytest.fixture
def odd(tmp_path, monkeypatch):
    """A module of classifiers that misbehave, which other processes find too."""
    (tmp_path / "odd_ones.py").write_text(ODD)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path.cwd()}")
    yield "odd_ones"
    sys.modules.pop("odd_ones", None)


def test_a_slow_a_crashing_and_a_good_one_end_and_are_told_apart(odd, tmp_path, capsys):
    slow, crashing = f"{odd}.Slow()", f"{odd}.Crashing()"
    assert main([f"LEARNER={slow} {crashing} {GOOD}", "SUITE=dummy", f"OUT={tmp_path / 'out'}",
                 "FOLDS=2", "TIME_LIMIT=3s", "WORKERS=2"]) == 0
    said = capsys.readouterr().out
    assert f"3 fits of {crashing} on 1 datasets: error" in said and "order.html" in said
    assert f"3 fits of {slow} on 1 datasets: timeout (stopped after 3 s)" in said
    fits = pd.read_csv(tmp_path / "out" / "fits.csv")
    assert fits.groupby("method")["status"].agg(set).to_dict() == {
        slow: {"timeout"}, crashing: {"error"}, GOOD: {"ok"}, "Logistic regression": {"ok"}}
    assert (fits.loc[fits["method"] == GOOD, "auc"] > 0.5).all()
    page = (tmp_path / "out" / "order.html").read_text()
    assert "stopped after 3 s" in page and "exit code 7" in page
    assert f"Left out: {crashing} (no result), {slow} (no result)." in page
    assert not re.search(r"src=|href=.http|url\(.?http|@import|<link", page)


@pytest.fixture(scope="module")
def here():
    """Learners are fitted in this process; what becomes of those that misbehave is seen above."""
    with fit_here():
        yield


def test_the_page_prints_what_its_first_command_says(here, tmp_path, capsys):
    page = (ROOT / "book" / "use_compare.md").read_text()
    command, *printed = page.partition("```console\n$ make compare ")[2].splitlines()[:5]
    assert main([*shlex.split(command), f"OUT={tmp_path / 'out'}"]) == 0
    assert capsys.readouterr().out.splitlines()[:4] == printed


@pytest.fixture(scope="module")
def fitted(here, tmp_path_factory):
    """A folder of two learners beside logistic regression on four tasks."""
    out = tmp_path_factory.mktemp("fitted")
    compare(["KNN", "sklearn.svm.LinearSVC()"], tasks=FOUR, out=out, **FEW)
    return out


@pytest.mark.parametrize("metric, scoring, lower", [
    ("log_loss", "neg_log_loss", True), ("error_rate", "accuracy", True),
    ("f1", "f1_weighted", False), ("auc", "roc_auc", False)])
def test_the_metric_is_what_scikit_learn_scores(metric, scoring, lower, fitted, tmp_path, capsys):
    """The values are scikit-learn's, the better one leads, and the order of the folder agrees."""
    found = compare(["KNN", "sklearn.svm.LinearSVC()"], tasks=FOUR, out=fitted, metric=scoring,
                    **FEW)
    capsys.readouterr()
    fits = found.fits.query("dataset == 'sonar' and method == 'KNN' and split == 'test'")
    data = load_task(Task("keel:sonar")).dataset
    scores = cross_val_score(KNeighborsClassifier(), data.features.to_numpy(), data.target,
                             scoring=scoring, cv=StratifiedKFold(2))
    theirs = (1 - scores if metric == "error_rate" else -scores if lower else scores)
    assert fits[metric].to_numpy() == pytest.approx(theirs)
    means = found.fits.query("split == 'test'").dropna(subset=[metric]).groupby(
        ["dataset", "method"])[metric].mean().unstack().rank(axis=1, ascending=lower).mean()
    assert found.order.ranks["method"].tolist() == means.sort_values().index.tolist()
    assert f"{'lower' if lower else 'higher'} is better ({METRICS[metric].label})" in (
        found.order.read) and METRICS[metric].label in found.page.read_text()
    without = "12 fits of sklearn.svm.LinearSVC() on 4 datasets: no scores" in found.said
    assert without == (metric == "log_loss")  # it gives no probabilities
    assert any(line.startswith("KNN: rank ") and " Logistic regression (adjusted p = " in line
               for line in found.said)
    assert COMMANDS["order"].run([f"RUNS={fitted}", f"OUT={tmp_path / 'again'}"]) == 0
    assert capsys.readouterr().out.startswith(found.order.read)
    for name in ("ranks", "pairs"):  # one engine: byte for byte
        assert (fitted / f"{name}.csv").read_bytes() == (
            tmp_path / "again" / f"{name}.csv").read_bytes()


def test_an_estimator_is_compared_on_tables_in_memory_and_it_goes_on_where_it_was(here, tmp_path):
    X, y = (part[::2] for part in load_breast_cancer(return_X_y=True))
    frame = pd.DataFrame(X[:, :3], columns=list("abc")).assign(kind=np.where(y, "good", "bad"))
    tables = {"whole": (X, y), "three columns/": (frame, "kind")}
    first = compare(SVC(probability=True), tables, tmp_path, **FEW)
    again = compare("sklearn.svm.SVC(probability=True)", tables, tmp_path, **FEW)
    pd.testing.assert_frame_equal(first.fits, again.fits)  # seconds too: nothing was fitted again
    assert set(first.fits["dataset"]) == set(tables) and (first.fits["status"] == "ok").all()
    assert first.page.read_bytes() == again.page.read_bytes()
    assert set(first.order.ranks["method"]) == {"sklearn.svm.SVC(probability=True)",
                                                "Logistic regression"}
    assert len(list((tmp_path / "tables").iterdir())) == 2
    with pytest.raises(SettingsError, match="name another"):
        compare(METHODS["Logistic regression"].learner, tables, tmp_path, **FEW)
    with pytest.raises(ResultsError, match=r"fits of .* error .*'C' parameter.* one method only"):
        compare("sklearn.svm.SVC(C=-1)", tables, tmp_path, **FEW)


@pytest.mark.parametrize("arguments, message", [
    ([], "LEARNER is missing"), (["LEARNER=KNN", "SUIT=dummy"], "'SUITE'"),
    (["LEARNER=KNN", "SUITE=dumy"], "'dummy'"), (["LEARNER=KN", "SUITE=dummy"], "'KNN'"),
    (["LEARNER=KNN", "SUITE=dummy", "TASKS=keel:tae"], "exclude each other"),
    (["LEARNER=KNN", "SUITE=dummy", "TIE=-2"], "an amount of 0 or more"),
    (["LEARNER=KNN", "METRIC=neg_logloss"], "mean 'neg_log_loss' or 'log_loss'?"),
    (["LEARNER=KNN", "METRIC=rmse"], "Known: error_rate, f1, auc, log_loss, roc_auc, "),
    (["LEARNER=KNN", "TASKS=sklearn:diabetes"], "does not measure a regression"),
    (["LEARNER=sklearn.svm.SVC(gamma=0.1"], "do not match"),
    (["LEARNER=sklearn.svm.SVR()", "SUITE=dummy"], "not a scikit-learn classifier"),
    (["LEARNER=KNN", "META=genral"], "general"),
    (["LEARNER=KNN", "META=yes general"], "stand alone"),
    (["LEARNER=KNN", "CORRELATION=spearmen"], "spearman"), (["RUNS=my_runs"], "'RUNS'")])
def test_what_is_wrong_is_said_before_anything_is_fitted(arguments, message, tmp_path, monkeypatch,
                                                         capsys):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 1
    told = capsys.readouterr().err
    assert told.startswith("compare: ") and message in told
    assert not list(tmp_path.iterdir())


def test_learners_are_called_as_their_fits_are_stored():
    asked = "sklearn.tree.DecisionTreeClassifier() RandomForestClassifier sklearn.svm.SVC(C=2) KNN"
    assert check_comparison({"LEARNER": asked, "SUITE": "dummy"}).learner == (
        "Decision Tree", "ens.RandomForest", "sklearn.svm.SVC(C=2)", "KNN")


def test_the_protocol_is_the_papers_unless_asked():
    settings = check_comparison({"LEARNER": "KNN"})
    tasks = settings.find_tasks()
    assert len(tasks) == 44 and all(task.procedure == PAPER for task in tasks)
    assert all(task.fingerprint.startswith("unordered:") for task in tasks)
    more = check_comparison({"LEARNER": "KNN", "REPEATS": 5, "FOLDS": 10})
    assert more.procedure == CrossValidation(10, 5)
    one = check_comparison({"LEARNER": "KNN", "TASKS": "pmlb:vote"})
    assert one.find_tasks() == [task for task in tasks if task.name == "vote"]


def test_the_shipped_baselines_stand_beside_a_learner_on_pmlbmini(published, tmp_path,
                                                                  monkeypatch):
    monkeypatch.setenv("PMLB_CACHE", str(published / "pmlb"))
    found = compare("GaussianNB", tasks="pmlb:vote pmlb:house_votes_84", out=tmp_path, workers=1)
    assert {"GaussianNB", "Logistic regression", "LightGBM", "Random forest"} <= set(
        found.order.ranks["method"])
    assert "ship with the project" in found.page.read_text()
    assert (found.order.n_tasks, found.order.n_families) == (2, 1)  # the same rows twice
    other = compare("GaussianNB", tasks="pmlb:vote pmlb:house_votes_84", out=tmp_path, workers=1,
                    metric="log_loss")
    assert set(other.order.ranks["method"]) == {"GaussianNB", "Logistic regression"}
    assert any("baselines that ship hold no log_loss" in line for line in other.said)


def test_properties_are_those_of_the_tables_compared(published, tmp_path, monkeypatch):
    monkeypatch.setenv("PMLB_CACHE", str(published / "pmlb"))
    for module in ("pymfe", "pymfe.mfe"):
        monkeypatch.setitem(sys.modules, module, None)
    asked = check_comparison({"LEARNER": "KNN"})
    tasks = asked.find_tasks()[::4]
    rows = {task.name: load_task(task).dataset.n_rows for task in tasks}
    fits = pd.DataFrame([(name, method, "test", name, n / 1000 if method == "mine" else 0.0)
                         for name, n in rows.items() for method in ("mine", "Logistic regression")],
                        columns=["dataset", "method", "split", "family", "auc"])
    found = _properties(fits.sample(frac=1, random_state=0), tasks, asked, {})
    asked.metric = "log_loss"
    lead, loss = found.iloc[0], _properties(fits.rename(columns={"auc": "f1"}).assign(
        log_loss=fits["auc"]), tasks, asked, {}).iloc[0]
    assert loss["property"] == "rows" and loss["rho"] == pytest.approx(-1)  # a larger loss: worse
    assert lead["property"] == "rows" and lead["rho"] == pytest.approx(1)
    assert lead["datasets"] == len(tasks) and lead["p_largest"] < 0.01 < lead["chance_95"]
    assert {"features", "class_ratio", "rows_per_feature"} <= set(found["property"])
    few = compare("GaussianNB", tasks="pmlb:vote pmlb:labor", out=tmp_path, workers=1, meta="yes")
    assert any("that takes 8 datasets" in line for line in few.said)
    assert any("is not installed" in line and "[meta]" in line for line in few.said)
    assert pd.read_csv(tmp_path / "properties.csv").empty
    with pytest.raises(MissingLibraryError, match=r"\[meta\]"):  # what was named is not left out
        compare("KNN", tasks="pmlb:vote", out=tmp_path / "none", meta="general complexity")
    assert not (tmp_path / "none").exists()


def test_pymfes_groups_are_correlated_by_name_as_asked(here, tmp_path):
    pytest.importorskip("pymfe")
    rng = np.random.default_rng(0)
    tables = {f"t{k}": (x := rng.standard_normal((24 + 6 * k, 2)), np.where(
        x[:, 0] ** 2 > 0.5, "yes", "no")) for k in range(8)}
    asked = {"out": tmp_path, "workers": 1, "meta": "general relative", "correlation": "kendall"}
    found = compare("GaussianNB", tables, **asked)
    table = pd.read_csv(tmp_path / "properties.csv").set_index("property")
    assert found.properties["property"].nunique() == len(table)
    assert set(table["group"]) == {"table", "general", "landmarking", "relative"}
    assert table.loc["nr_inst", "rho"] == pytest.approx(table.loc["rows", "rho"])
    scores = found.fits[found.fits["split"] == "test"].groupby(["dataset", "method"])[
        "auc"].mean().unstack()
    gain = scores["GaussianNB"] - scores["Logistic regression"]
    rows = [24 + 6 * int(name[1:]) for name in gain.index]
    assert table.loc["rows", "rho"] == pytest.approx(kendalltau(rows, gain).statistic)
    assert any(f"the largest of {len(table)}:" in line for line in found.said)
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.glob("meta_features/*/*")}
    compare("GaussianNB", tables, **asked)
    assert len(kept) == 16 and kept == {p: p.stat().st_mtime_ns for p in kept}


@pytest.mark.parametrize(("meta", "read"), [("no", ("no",)), (True, ("yes",)), ("all", ("all",)),
                                            ("relative landmarking", ("landmarking",))])
def test_groups_of_meta_features_are_read(meta, read):
    assert check_comparison({"LEARNER": "KNN", "META": meta}).meta == read


@pytest.fixture
def evaluations():
    """Two tasks, of three and two folds, two repeats of the first; one learner failed once."""
    error = np.full((2, 2, 2, 3, 3), np.nan)
    error[0, 0, :, :, 2], error[0, 1, :, :, 2] = 0.2, 0.4
    error[1, 0, 0, :2, 2], error[1, 1, 0, 0, 2] = 0.3, 0.1
    error[..., 0] = 9  # training rows: not looked at
    return xr.Dataset({"error": (("task", "learner", "repeat", "fold", "split"), error)}, {
        "task": ["one", "two"], "learner": ["A", "B"], "repeat": [0, 1], "fold": [0, 1, 2],
        "split": ["train", "valid", "test"]})


def test_scores_are_test_errors(evaluations):
    scores = from_evaluations(evaluations)
    assert len(scores) == 2 * 6 + 2 * 2
    assert scores.groupby(["task", "method"])["value"].mean().to_dict() == pytest.approx({
        ("one", "A"): 0.2, ("one", "B"): 0.4, ("two", "A"): 0.3, ("two", "B"): 0.1})
    assert scores["value"].isna().sum() == 1
    assert not scores.duplicated(["task", "method", "fold", "seed"]).any()


@pytest.mark.parametrize(("table", "what"), [
    (np.zeros((4, 2)), "ndarray"), (pd.DataFrame({"a": [1]}), "DataFrame"), (None, "NoneType"),
    ((pd.DataFrame({"a": [1]}), "b"), "no column 'b'"), ((np.zeros((4, 2)), [0, 1]), "2 labels"),
    ((np.zeros((4, 2)), [1, 1, 1, 1]), "class")])
def test_what_is_no_table_is_named_and_nothing_is_kept(tmp_path, table, what):
    sound = (np.eye(4), [0, 1, 0, 1])
    with pytest.raises(DatasetError, match=what):
        compare(SVC(), {"sound": sound, "mine": table}, tmp_path / "out")
    assert not (tmp_path / "out").exists()
