"""Pages on a reader's few curves: they say what these tell, or what lacks, and no dash."""

import re
from pathlib import Path

import numpy as np
import pytest
from notebook_runs import run
from tiny_databases import ANCHORS, DATABASES, plain_database, tiny_database

import analysis
from collection.project.paths import ROOT

TEXTS = {page.stem: page.read_text() for page in sorted((ROOT / "book").glob("*.md"))}
#: Pages with a database to choose that say sentences of their results.
PAGES = [name for name, text in TEXTS.items()
         if re.search("^database = ", text, re.MULTILINE) and "page.lacks(" in text]
COMPARING = {"da2", "da3", "da4", "leakage", "performance"}  # datasets, of which there are few
#: A number or verdict that is not there.
NOTHING = re.compile(r"–|\bnan\b|\(no interval\)")
#: What such curves tell, or lack, where it is said.
TOLD = {("da2", "scaled"): "without (and with )?scaling", ("da3", "flat"): "0 non-monotone",
        ("da1", "one"): "Of the 1 learning curves of", ("da1", "flat"): "none clearly get worse",
        ("da1", "scaled"): r"no repeats of curves with the scaling \*none\*",
        ("closeup", "one"): "lacks some of it", ("closeup", "scaled"): "lacks some of it",
        ("closeup", "flat"): "No curve of a linear discriminant has a peak",
        ("repeats", "flat"): "nothing varies between seeds",
        ("repeats", "scaled"): "curves without scaling",
        ("suite_worth", "one"): "takes three learners on 20 unrelated datasets",
        ("suite_worth", "few"): "takes three learners on 20 unrelated datasets"}


def test_most_pages_on_curves_take_a_reader_s():
    assert len(PAGES) >= 12 and set(PAGES) >= COMPARING | {page for page, _ in TOLD}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return {name: tiny_database(name, tmp_path_factory.mktemp(name)) for name in DATABASES}


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("page", PAGES)
def test_of_few_curves_no_page_claims_what_they_do_not_tell(page, database, folders, tmp_path):
    said = run(page, tmp_path, database=folders[database]).said
    assert not NOTHING.search(said)
    assert re.search(TOLD.get((page, database), ""), said)
    if page in COMPARING and database in ("one", "few"):
        assert "cannot tell: " in said and "LCDB" not in said


def test_a_parameter_that_a_page_lacks_is_refused_with_those_it_has(tmp_path):
    with pytest.raises(Exception, match="Unknown parameter of this notebook"):
        run("da2", tmp_path, databse="mini")


@pytest.mark.parametrize(("page", "wrong", "said"), [
    ("suite_worth", {"draws": "many"}, "draws is a number such as 1000, not 'many'"),
    ("suite_worth", {"draws": 0}, "draws is a number above 0 such as 1000, not 0"),
    ("by_size", {"sizes": "64"}, "sizes is a list of numbers such as"),
    ("da1", {"scaling": 3}, "a word such as"), ("leakage", {"database": 54}, "a word such as")])
def test_a_parameter_of_another_kind_is_refused(page, wrong, said, tmp_path):
    with pytest.raises(Exception, match=said):
        run(page, tmp_path, **wrong)


@pytest.mark.parametrize("page", PAGES)
def test_of_numbers_to_predict_each_says_what_it_takes(page, tmp_path):
    said = run(page, tmp_path, database="regression").said
    assert re.search("error rate|lacks some of|no repeats of|needs curves of ensembles", said)


@pytest.fixture(scope="module")
def rising(tmp_path_factory):
    """Forty datasets on which all curves rise, and never cross, of one repeat."""
    folder = tmp_path_factory.mktemp("own") / "rising"
    return plain_database(folder, lambda d, k, anchor, _: 0.2 + 0.05 * k + anchor / 1000, 40)


@pytest.mark.parametrize("page", ["da1", "da3", "shapes", "closeup", "repeats"])
def test_of_one_repeat_no_page_says_that_a_curve_behaves(page, rising, tmp_path):
    page = run(page, tmp_path, database=rising)
    assert re.search("no repeats|has none|lacks some of it", page.said)
    assert "none clearly" not in page.said and "No curve" not in page.said


def test_curves_that_never_cross_are_no_hard_case(rising, tmp_path):
    assert "no learner's curve crosses another's" in run("da4", tmp_path, database=rising).said


def test_who_is_first_at_both_sizes_is_not_named_twice(rising, tmp_path):
    page = run("by_size", tmp_path, database=rising, sizes=[16, 91], draws=200)
    assert "On all families k-nearest neighbours is first at both." in page.said
    assert "k-nearest neighbours and k-nearest" not in page.said


def test_sizes_are_the_reader_s_also_where_lcdb_lacks_them(tmp_path):
    own = plain_database(tmp_path / "own", lambda d, k, anchor, _: 0.2 + 0.05 * k + 1 / anchor,
                         anchors=(1000, 8000, 64000))
    page = run("by_size", tmp_path, database=own, sizes=[1000, 64000], draws=200)
    assert "from 1,000 to 64,000" in page.said and "LCDB 1.0 staying" not in page.said


def test_learners_that_are_level_have_no_order(tmp_path):
    own = plain_database(tmp_path / "own", lambda *_: 0)
    page = run("by_size", tmp_path, database=own, sizes=[16, 91], draws=200)
    assert "all learners are level" in page.said


def test_without_test_errors_nobody_races_and_nobody_leads(tmp_path):
    own = plain_database(tmp_path / "own", lambda d, k, *_: 0.2 + 0.05 * k, splits=["valid"])
    for page, told in {"da4": "6 on 0", "performance": "has none", "suite_worth": "0 on 0"}.items():
        assert told in run(page, tmp_path, database=own).said


def test_suites_do_not_suffice_unseen(tmp_path):
    noise = np.random.default_rng(0)
    own = plain_database(tmp_path / "own", lambda *_: noise.uniform(0.1, 0.5))
    page = run("suite_worth", tmp_path, database=own, draws=200)
    assert "More than 12" in page.said and "no sizes suffice" in page.said
    of_ten = page.table("stability").query("n_tasks == 10").set_index("source")
    found = page.numbers.loc["swaps_classic", "value"]
    assert found == pytest.approx(100 * of_ten.loc["classic", "swap_probability"])


def test_leakage_that_changes_all_is_not_called_hardly_any(tmp_path):
    own = plain_database(
        tmp_path / "own", lambda d, k, anchor, leak: 0.3 - 0.1 * (leak == "yes") + 1 / anchor, 6,
        learners=["KNN", "LDA"], leakages=["no", "yes"], seeds=(3, 1))
    page = run("leakage", tmp_path, database=own)
    assert "A little: leakage changes 12 of 12 curves" in page.said
    assert "chance alone gives" not in page.said  # one inner seed: a swap of all, or of none
    with pytest.raises(Exception, match="between 0 and 1"):
        run("leakage", tmp_path, database=own, alpha=2)


def test_one_dataset_s_seeds_are_not_said_to_be_equal(tmp_path):
    own = plain_database(tmp_path / "own", lambda *of: 0.2 + 1 / of[2], 1, seeds=(2, 2))
    assert "Of so few datasets it cannot be told" in run("repeats", tmp_path, database=own).said


def test_learners_with_no_case_are_not_said_to_have_most(tmp_path):
    bump = {anchor: 0.2 * (anchor == 32) for anchor in ANCHORS}
    own = plain_database(tmp_path / "own", lambda d, k, anchor, _: 0.2 + 1 / anchor + (
        bump[anchor] if k == 1 else 0), seeds=(5, 2), learners=[*"ABCDEFG"])
    page = run("da1", tmp_path, database=own)
    assert page.numbers.loc["ill_behaved", "value"] == pytest.approx(100 / 7)
    assert "three" not in page.said.split("## ")[0] and "leaders_share" not in page.numbers.index


def test_tables_of_plain_words_open_and_percent_does_not(tmp_path):
    mean = 0.3
    own = plain_database(tmp_path / "own", lambda *_: mean, 3, words=True)
    assert analysis.load_curves(own)["error_rate"].sizes["dataset"] == 3
    percent = plain_database(tmp_path / "percent", lambda *_: 100 * mean, 3)
    with pytest.raises(ValueError, match="divide by 100 what is in percent"):
        analysis.load_curves(percent)
    none = plain_database(tmp_path / "none", lambda *_: mean, 3, splits=[])
    with pytest.raises(ValueError, match="has no column of a metric"):
        analysis.load_curves(none)
    with pytest.raises(ValueError, match="is a file"):
        analysis.load_curves(Path(own) / "datasets.csv")
