"""A reader's CSV: what is used of it, what is ignored and why, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from collection.datasets.dataset import DatasetError
from collection.naming import UnknownNameError
from collection.own_table import read
from collection.own_table.read import giveaways, read_own_table

N = 120


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"x": rng.normal(size=N).round(3), "colour": rng.choice(["red", "blue"], N),
                         "label": rng.choice(["yes", "no"], N)})


def write(tmp_path, frame, **options):
    path = tmp_path / "my.csv"
    frame.to_csv(path, index=False, **options)
    return path


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_any_usual_separator(tmp_path, table, separator):
    own = read_own_table(write(tmp_path, table, sep=separator), "label")
    assert list(own.frame.columns) == ["x", "colour", "label"] and own.n_rows == N
    assert own.notes == []


@pytest.mark.parametrize(("values", "reason"), [
    (np.arange(N), "identifiers"),
    ([f"row-{k:04d}" for k in range(N)], "identifiers"),
    (pd.date_range("2024-01-01", periods=N).strftime("%Y-%m-%d"), "dates"),
    ([f"the patient number {k} came in" for k in range(N)], "free text"),
    ([np.nan] * N, "no row has a value"),
    ([7] * N, "the same in every row"),
])
def test_what_is_ignored_is_said_with_its_reason(tmp_path, table, values, reason):
    own = read_own_table(write(tmp_path, table.assign(odd=values)), "label")
    assert "odd" not in own.frame and any("odd" in n and reason in n for n in own.notes)


def test_a_column_that_gives_the_target_away_is_warned_about_and_kept(tmp_path, table):
    own = read_own_table(write(tmp_path, table.assign(code=table["label"].map(
        {"yes": 1, "no": 0}))), "label")
    assert "code" in own.frame
    assert any(n.startswith("Warning") and "code" in n for n in own.notes)
    assert giveaways(table, "label") == []


def test_rows_without_a_label_and_tiny_classes_are_left_out_and_counted(tmp_path, table):
    table.loc[:4, "label"] = np.nan
    table.loc[5:7, "label"] = "maybe"
    own = read_own_table(write(tmp_path, table), "label")
    assert own.n_rows == N - 8 and set(own.frame["label"]) == {"yes", "no"}
    assert any("5 rows" in n for n in own.notes) and any("maybe" in n for n in own.notes)


def test_few_numbers_are_classes(tmp_path, table):
    own = read_own_table(write(tmp_path, table.assign(label=np.arange(N) % 3)), "label")
    assert own.frame["label"].nunique() == 3


def test_a_large_table_is_sampled_and_says_so(tmp_path, table, monkeypatch):
    monkeypatch.setattr(read, "MOST_CELLS", 1)
    big = pd.concat([table] * 20, ignore_index=True)
    own = read_own_table(write(tmp_path, big), "label")
    assert own.n_rows == 20 * N and 950 <= len(own.frame) <= 1050
    (told,) = [n for n in own.notes if "random sample" in n]
    assert told.startswith("Warning") and "rows that you have already" in told  # at the top
    again = read_own_table(write(tmp_path, big), "label")
    pd.testing.assert_frame_equal(own.frame, again.frame)


@pytest.mark.parametrize(("text", "words"), [
    ("", "empty"),
    ("a,label\n1,x\n", "1 row"),
    ("just one column\n1\n2\n", "one column"),
    ("a,a,label\n1,2,x\n3,4,y\n", "several columns named 'a'"),
    ("a,label\n1,x\n2,y,3\n4,z\n", "cannot be read as a table"),
    ("a,label\n1,2,x\n3,4,y\n", "cannot be read as a table"),
    ("a,label\n" + "1,x\n" * 40, "nothing to learn"),
    ("a,label\n" + "1,x\n" * 40 + "2,y\n", "too small"),
    ("a,label\n" + "".join(f"1,{k}\n" for k in range(400)), "regression"),
    ("a,label\n" + "".join(f"1,{k / 7}\n" for k in range(40)), "regression"),
    ("a,label\n" + "1,\n" * 40, "empty in every row"),
    ("a,label\n" + "5,x\n" * 20 + "5,y\n" * 20, "no column left"),
])
def test_what_cannot_be_used_is_refused_with_a_reason(tmp_path, text, words):
    path = tmp_path / "my.csv"
    path.write_text(text)
    with pytest.raises(DatasetError, match=words):
        read_own_table(path, "label")


def test_no_such_file_and_no_such_column(tmp_path, table):
    with pytest.raises(DatasetError, match="There is no file"):
        read_own_table(tmp_path / "none.csv", "label")
    with pytest.raises(UnknownNameError, match="label"):
        read_own_table(write(tmp_path, table), "lable")


def test_a_picture_is_no_table(tmp_path):
    path = tmp_path / "my.csv"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    with pytest.raises(DatasetError, match="text"):
        read_own_table(path, "label")
