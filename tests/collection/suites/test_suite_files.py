"""Suites and their files: what is written is read, what is released does not change."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collection.project.naming import UnknownNameError
from collection.suites import specs
from collection.suites.specs import find_suite, shipped_files
from collection.suites.suite import (
    Decision,
    Suite,
    SuiteError,
    parse_suite,
    read_suite,
    release_suite,
    subset_suite,
    suite_text,
    write_suite,
)
from collection.tasks import CrossValidation, GivenSplits, Task, load_task
from collection.tasks.procedures import HoldOut

text = st.text(max_size=12)
names = st.builds(str.__add__, st.sampled_from("abcdefghij"),
                  st.text("abcdefghij-_", max_size=11))
tasks = st.builds(
    Task, names.map("keel:{}".format), text, st.one_of(
        st.builds(CrossValidation, st.integers(2, 20), st.integers(1, 3), st.integers(0, 99)),
        st.builds(HoldOut, st.floats(0.01, 0.99), st.integers(1, 3), st.integers(0, 99)),
        st.builds(GivenSplits, names)),
    st.sampled_from(["", "auc", "log_loss"]), text, text, text)
suites = st.builds(
    Suite, names, st.sampled_from(["1.0", "2.1"]),
    st.lists(tasks, min_size=1, max_size=4, unique_by=lambda t: t.dataset).map(tuple),
    text, text, text, st.lists(text).map(tuple), st.lists(text).map(tuple),
    st.lists(st.builds(Decision, text, text, st.booleans(), text, text, text),
             max_size=3).map(tuple),
    st.lists(st.lists(text, max_size=3).map(tuple), max_size=2).map(tuple), text)


@settings(max_examples=25)
@given(suites)
def test_what_is_written_is_read(suite):
    assert parse_suite(suite_text(suite), "here") == suite
    assert suite_text(suite).count("\n  {dataset") >= len(suite.tasks)  # a line per task
    released = release_suite(suite)
    assert parse_suite(suite_text(released), "here") == released


@pytest.mark.parametrize(("limits", "told"), [
    ({"time_limit": "soon"}, "TIME_LIMIT=soon"), ({"memory_limit": "4 elephants"}, "MEMORY_LIMIT")])
def test_limits_are_of_all_that_a_suite_says_and_readable(limits, told):
    plain = Suite("mine", "1.0", (Task("sklearn:wine"),))
    stated = replace(plain, time_limit="10min", memory_limit="4GB")
    assert parse_suite(suite_text(stated), "here") == stated
    assert stated.content_hash != plain.content_hash
    assert "limit" not in suite_text(plain)  # suites released before limits keep their hash
    with pytest.raises(SuiteError, match=f"mine 1.0 states {told}"):
        replace(plain, **limits)


@pytest.fixture
def suite():
    decision = Decision("keel:iris0", "own_target", False, "me", "2026-01-01", "cut")
    return Suite("small", "1.0", tuple(Task(f"keel:{n}", "class") for n in ("bupa", "vehicle")),
                 decisions=(decision,))


def test_a_released_suite_does_not_change(suite, tmp_path):
    path = write_suite(release_suite(suite), tmp_path / "small.toml")
    released = read_suite(path)
    assert write_suite(released, path) == path  # the same again
    with pytest.raises(SuiteError, match=r"holds small 1.0, which was released"):
        write_suite(replace(released, description="better"), path)
    assert read_suite(path) == released
    path.write_text(path.read_text().replace("keel:bupa", "keel:bands"))
    with pytest.raises(SuiteError, match=r"its content is not that of then.*new version"):
        read_suite(path)
    with pytest.raises(SuiteError, match="already"):
        release_suite(released)


def test_a_draft_may_change(suite, tmp_path):
    with pytest.raises(SuiteError, match="There is no file"):
        read_suite(tmp_path / "deep" / "small.toml")
    path = write_suite(suite, tmp_path / "deep" / "small.toml")
    write_suite(replace(suite, description="better"), path)
    assert read_suite(path).description == "better"
    assert [f.name for f in path.parent.iterdir()] == ["small.toml"]


GOOD = 'name = "x"\nversion = "1.0"\ntasks = [{dataset = "keel:bupa"}]\n'


@pytest.mark.parametrize("text, error, message", [
    (GOOD + 'licens = "MIT"', UnknownNameError, "Unknown key of the suite here 'licens'.*licence"),
    ("name = ", SuiteError, "not valid TOML"),
    ('name = "x"\nversion = "1"', SuiteError, "has no tasks"),
    ('version = "1"\ntasks = [{dataset = "a:b"}]', SuiteError, "has no name"),
    (GOOD + "creator = 3", SuiteError, "creator must be text"),
    (GOOD + 'criteria = "rows"', SuiteError, "criteria must be a list"),
    (GOOD.replace("dataset", "data"), UnknownNameError, "Unknown key of a task 'data'"),
    ('name = "x"\nversion = "1.0"\ntasks = [{target = "t"}]', SuiteError, "names no dataset"),
    (GOOD + 'procedure = {kind = "holdout"}', UnknownNameError, "kind of procedure"),
    (GOOD + 'decisions = [{dataset = "a"}]', SuiteError, "decision on a lacks criterion"),
    (GOOD + 'decisions = [{data = "a"}]', UnknownNameError, "key of a decision"),
    (GOOD + 'released = "2026-01-01"', SuiteError, "the file states none"),
    (GOOD.replace("}]", '}, {dataset = "keel:bupa"}]'), SuiteError, "lists keel:bupa twice"),
])
def test_files_that_are_none(text, error, message):
    with pytest.raises(error, match=message):
        parse_suite(text, "here")


def test_a_subset_of_a_suite(suite):
    less = subset_suite(suite, "small", "1.1", without=["keel:bupa"])
    assert less.datasets == ["keel:vehicle"] and less.derived_from == suite.reference
    with pytest.raises(UnknownNameError, match=r"dataset of small 1.0 'keel:bup'"):
        subset_suite(suite, "s", "1", only=["keel:bup"])
    with pytest.raises(SuiteError, match="No task"):
        subset_suite(suite, "s", "1", without=suite.datasets)
    with pytest.raises(SuiteError, match="exists already"):
        subset_suite(suite, "small", "1.0")


def test_shipped_suites_are_released_and_hold():
    files = shipped_files()
    assert "classic" in files and "classic@1.0" in files
    for name, path in files.items():
        suite = read_suite(path)
        assert suite.released and suite.name == name.partition("@")[0]
        assert suite.licence and suite.description and (suite.criteria or suite.filters)


def test_classic_is_what_its_record_says():
    suite = find_suite("classic")
    kept = {d.dataset for d in suite.decisions} - {d.dataset for d in suite.decisions if not d.keep}
    assert set(suite.datasets) == kept
    for group in suite.duplicates:
        assert len(set(group) & set(suite.datasets)) <= 1
    loaded = load_task(suite.tasks[suite.datasets.index("sklearn:wine")])
    assert len(loaded.folds) == 10 and loaded.dataset.n_rows == 178


def test_finding_suites(tmp_path, monkeypatch, suite):
    monkeypatch.setattr(specs, "SHIPPED", tmp_path)
    for version in ("1.9", "1.10"):
        write_suite(release_suite(replace(suite, version=version)),
                    tmp_path / f"small-{version}.toml")
    assert find_suite("small").version == "1.10" and find_suite("small@1.9").version == "1.9"
    assert find_suite(str(tmp_path / "small-1.9.toml")).version == "1.9"
    with pytest.raises(UnknownNameError, match=r"Unknown suite 'smal'. Did you mean 'small'"):
        find_suite("smal")
