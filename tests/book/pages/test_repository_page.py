"""The page on the repository: families, portfolios, claims of a part of ours; what others lack."""

import shutil
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from notebook_runs import run

from analysis.databases.evaluations import open_repository
from analysis.portfolios import LeftOut, open_records, take_configs
from collection.store.connection import seal_anew
from collection.store.evaluations import EVALUATIONS
from lab.shipped.evaluations import FOLDER, _keep_only

TASKS = 6


def first_tasks(folder, without="no family"):
    """Write the first tasks of our repository to a folder."""
    shutil.copytree(FOLDER, folder / "few")
    names = open_repository("evaluations").evaluations["task"].values[:TASKS].tolist()
    with closing(sqlite3.connect(folder / "few" / EVALUATIONS.file)) as db, db:
        _keep_only(db, names)
        db.execute("DELETE FROM evaluations WHERE learner IN "
                   "(SELECT id FROM learners WHERE family = ?)", (without,))
        seal_anew(db, EVALUATIONS)
    return str(folder / "few")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return first_tasks(tmp_path_factory.mktemp("repository"))


@pytest.fixture(scope="module")
def page(folder, tmp_path_factory):
    return run("repository", tmp_path_factory.mktemp("page"), repository=folder, size=5)


def test_methods_are_what_they_say(page, folder):
    records, names = open_records(folder)
    means = page.table("table1").set_index("method")
    assert means["normalized_error"].is_monotonic_increasing and (means["datasets"] == TASKS).all()
    several = [k for k, name in enumerate(names) if name != "RealMLP"]
    places = []
    for record in records:
        order = LeftOut([take_configs(r, several) for r in records], 5).portfolio(
            record.dataset).order
        kept = take_configs(record, np.array(several)[order])
        error, (best, median) = (kept.test_error[kept.valid_error.argmin()],
                                 np.quantile(record.test_error, [0, 0.5]))
        places.append(np.clip((error - best) / (median - best), 0, 1))
    assert means.loc["portfolio", "normalized_error"] == pytest.approx(np.mean(places))


def test_claims_are_judged_by_their_parts(page):
    claims, parts = page.table("claims").set_index("claim"), page.table("claim_parts")
    assert len(claims) == page.numbers.loc["n_claims", "value"] == 22
    assert claims["evidence"].notna().all() and (parts["p_adjusted"] >= parts["p"]).all()
    counts = parts.groupby("claim")["verdict"].value_counts().unstack(fill_value=0)
    assert (claims.loc[counts.index, "parts"] == counts.sum(axis=1)).all()
    assert claims.loc["The ensembled portfolio beats AutoML systems", "verdict"] == "not testable"
    few = "More training datasets lower the error"  # six datasets tell nothing by sign flips
    assert claims.loc[few, "evidence"].startswith(("0 of 2 clear", "1 of 2 clear"))
    means = page.table("table1").set_index("method")["normalized_error"]
    found = parts.set_index(["claim", "part"])["value"]
    assert found["The ensembled portfolio beats its best config alone", "portfolio"] == (
        pytest.approx(means["portfolio (ensemble)"] - means["portfolio"]))
    assert found["Tuning improves every family", "CatBoost"] == pytest.approx(
        means["CatBoost (tuned)"] - means["CatBoost (default)"])


def test_of_few_datasets_nothing_is_clear_and_no_automl_ran(page):
    assert "AutoGluon" not in page.said
    little = page.numbers.loc["one_raw_times", "high"] >= 1
    assert ("gains little, if anything" in page.said) == little
    assert "the repository /" in page.numbers.loc["title", "value"]


def test_what_lacks_is_said(tmp_path):
    assert "0 of its configs are CatBoost's" in run(
        "repository", tmp_path, repository=first_tasks(tmp_path, without="CatBoost")).said
