"""Results that are kept with their date: written when they change, recalled when they cannot be."""

import datetime

import numpy as np
import pandas as pd
import pytest

from analysis.published import CLOSE, DIFFERENT, EQUAL, OWN_WAY, hold_against
from analysis.published.computed import DATE, keep, recall
from collection.project.naming import UnknownNameError


@pytest.fixture
def table():
    return pd.DataFrame({"name": ["a", ""], "printed": ["60", "6.80"], "share": [1 / 3, 12345.678]})


def keep_earlier(name, table, folder):
    """Keep a table as if it had been computed before; return its file and what it says."""
    keep(name, table, folder)
    path = folder / f"{name}.csv"
    path.write_text(path.read_text().replace(datetime.date.today().isoformat(), "2020-02-02"))
    return path, path.read_text()


def test_kept_once_and_recalled(tmp_path, table):
    assert keep("t", table, tmp_path)
    kept = recall("t", tmp_path, text=("printed",))
    assert kept[DATE].eq(datetime.date.today().isoformat()).all()
    assert kept["printed"].tolist() == ["60", "6.80"]
    assert kept["share"].tolist() == [0.333333, 12345.7]
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_the_date_stays_while_nothing_changes(tmp_path, table):
    path, old = keep_earlier("t", table, tmp_path)
    assert not keep("t", table, tmp_path) and path.read_text() == old
    assert not keep("t", table.assign(share=table["share"] * (1 + 1e-12)), tmp_path)
    assert keep("t", table.assign(share=[0.5, 1]), tmp_path)
    assert "2020-02-02" not in path.read_text()


def test_what_was_never_kept_is_named(tmp_path, table):
    keep("flat", table, tmp_path)
    with pytest.raises(UnknownNameError, match="flat"):
        recall("flatt", tmp_path)


def test_claims_are_judged_as_they_are_printed():
    cases = [("12.3", 12.25), ("12.3", 12.18), ("12.3", 11.9), ("yes", np.bool_(True)),
             ("yes", False), ("kNN", "kNN"), ("kNN", "LDA")]
    found = hold_against([(f"claim {k}", *case, "") for k, case in enumerate(cases)])
    assert found["verdict"].tolist() == [EQUAL, CLOSE, DIFFERENT, EQUAL, DIFFERENT, EQUAL,
                                         DIFFERENT]
    assert found["computed"].tolist() == ["12.3", "12.2", "11.9", "yes", "no", "kNN", "LDA"]
    assert found["otherwise"].isna().all()


def test_of_a_claim_in_several_ways_the_paper_s_own_comes_first():
    found = hold_against([
        ("share", "12.3", 12.3, "rounded"), ("share", "12.3", 11.9, "exact"),
        ("rank", "2", 4, "rounded"), ("rank", "2", 2, "exact"), ("all", "yes", True, "")])
    assert found["claim"].tolist() == ["share", "rank", "all"]
    assert found["verdict"].tolist() == [OWN_WAY, DIFFERENT, EQUAL]
    assert found["otherwise"].tolist()[:2] == ["11.9: exact", "2: exact"]
