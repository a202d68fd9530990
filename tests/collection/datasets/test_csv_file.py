import struct
import warnings
from math import isfinite

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collection.datasets import DatasetError, load_dataset
from collection.datasets.csv_file import looks_continuous, suspicious_columns
from collection.datasets.dataset import make_dataset
from collection.datasets.files import read_file
from collection.project.naming import UnknownNameError

TEXT = """a,b c,flag,kind,label & more
1.5, x ,True,1,yes
?,,False,2,no
-3e2,"y,z",True,one,yes
4,x,,3,no
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "own data.v2.csv"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_kinds_missing_and_labels(file):
    dataset = load_dataset(f"csv:{file}?target=label & more")
    assert dataset.name == "own data" and dataset.openml_id is None
    assert dataset.source == f"csv:{file}?target=label & more"
    assert dataset.licence == "not stated"
    assert dataset.numeric == ["a"] and dataset.categorical == ["b c", "flag", "kind"]
    assert list(dataset.features["a"].dropna()) == [1.5, -300.0, 4.0]
    assert list(dataset.features["b c"].cat.categories) == ["x", "y,z"]
    assert list(dataset.features["flag"].cat.categories) == ["False", "True"]
    assert list(dataset.features["kind"]) == ["1", "2", "one", "3"]
    assert dataset.n_missing == 3
    assert list(dataset.target) == ["yes", "no", "yes", "no"]


def test_labels_stay_as_written(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,01\n2,1\n3,1.0\n4,\n", encoding="utf-8")
    with pytest.warns(UserWarning, match=r"1 of 4 rows have no label in 'y'"):
        dataset = load_dataset(f"csv:{tmp_path / 'a.csv'}?target=y")
    assert list(dataset.target) == ["01", "1", "1.0"]


@pytest.mark.parametrize("form", ["csv:{}", "csv:{}?target=", "csv:{}?column=a"])
def test_target_not_named(file, form):
    spec = form.format(file)
    with pytest.raises(DatasetError, match=r"csv:PATH\?target=COLUMN") as caught:
        load_dataset(spec)
    if not spec.endswith("?column=a"):
        assert "Its columns: 'a', 'b c', 'flag', 'kind', 'label & more'." in str(caught.value)


def test_target_absent(file):
    with pytest.raises(UnknownNameError, match="label & more"):
        load_dataset(f"csv:{file}?target=label")


@pytest.mark.parametrize("content, message", [
    (None, "There is no file"),
    (b"", "is empty"),
    (b"x,y\n1,a\n2,b,c\n", "Expected 2 fields in line 3"),
    (b"x,y\n\xff\x00,a\n1,b\n", "not a text file"),
    (b"x,y\n", r"0 row\(s\) below its line of names"),
    (b"x,y\n1,\n2,\n", "no row has a label"),
    (b"y\na\nb\n", "one column only"),
    (b"x,y,y\n1,a,b\n2,b,a\n", "several columns named 'y'"),
])
def test_unusable_files(tmp_path, content, message):
    if content is not None:
        (tmp_path / "bad.csv").write_bytes(content)
    with pytest.raises(DatasetError, match=message) as caught:
        load_dataset(f"csv:{tmp_path / 'bad.csv'}?target=y")
    assert str(tmp_path) in str(caught.value)


def test_decimal_points_stay_points_and_commas_separate_where_they_can(tmp_path):
    (tmp_path / "a.csv").write_text("x;z;y\n" + "1.5;2,5;a\n2.5;3;b\n" * 5)
    dataset = load_dataset(f"csv:{tmp_path / 'a.csv'}?target=y")
    assert dataset.numeric == ["x"] and list(dataset.features["x"][:2]) == [1.5, 2.5]
    (tmp_path / "b.csv").write_text("x,y;z\n" + "1;2,a\n2;3,b\n" * 5)
    assert load_dataset(f"csv:{tmp_path / 'b.csv'}?target=y;z").categorical == ["x"]


def test_german_numbers_have_points_for_thousands_and_commas_for_decimals(tmp_path):
    turnover, share = [1234 + 977 * k for k in range(40)], [k / 40 for k in range(40)]
    (tmp_path / "a.csv").write_text("turnover;share;y\n" + "".join(
        f"{t:,}".replace(",", ".") + f";{s:.3f};".replace(".", ",") + f"{'pq'[k % 2]}\n"
        for k, (t, s) in enumerate(zip(turnover, share, strict=True))))
    assert "1.234;0,000;p" in (tmp_path / "a.csv").read_text()
    with pytest.warns(UserWarning, match=r"'turnover', points .* thousands separators \('1\.234'"):
        dataset = load_dataset(f"csv:{tmp_path / 'a.csv'}?target=y")
    assert dataset.numeric == ["turnover", "share"]
    assert dataset.features["turnover"].tolist() == turnover
    assert dataset.features["share"].tolist() == share


SHIFTED = "x,z,y\n" + "".join(f"{i % 7},{i},{i % 5},{'pq'[i % 2]}\n" for i in range(40))


def test_a_header_with_a_name_too_few_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text(SHIFTED)
    with pytest.raises(DatasetError, match="names 3 columns, and its rows have 4 values"):
        load_dataset(f"csv:{tmp_path / 'a.csv'}?target=y")
    (tmp_path / "a.csv").write_text(SHIFTED.replace("x,z,y", "x,y"))
    with pytest.raises(DatasetError, match="a value for each of its 2 column names"):
        load_dataset(f"csv:{tmp_path / 'a.csv'}?target=y")


@pytest.mark.parametrize("name", [lambda i: f"{i + 1}", lambda i: f'"{i + 1}"',
                                  lambda i: f'"row {i}"'])
def test_the_row_names_that_r_writes_are_left_out_and_said(tmp_path, name):
    rows = [f"{name(i)},{i % 5},\"{'pq'[i % 2]}\"" for i in range(40)]
    (tmp_path / "a.csv").write_text("\n".join(['"x","y"', *rows]))
    with pytest.warns(UserWarning, match="taken for the row names that R writes, and left out"):
        dataset = load_dataset(f"csv:{tmp_path / 'a.csv'}?target=y")
    assert list(dataset.features) == ["x"] and list(dataset.features["x"][:6]) == [0, 1, 2, 3, 4, 0]
    assert list(dataset.target[:2]) == ["p", "q"]


@pytest.mark.parametrize("first", [range(20), [1, 2] * 5])  # the first is like row numbers
def test_a_separator_at_the_end_of_every_row_is_no_column(tmp_path, first):
    rows = "".join(f"{x},{'pq'[x % 2]},\n" for x in first)
    (tmp_path / "a.csv").write_text("x,y\n" + rows)
    dataset = load_dataset(f"csv:{tmp_path / 'a.csv'}?target=y")
    assert list(dataset.features["x"]) == list(first) and set(dataset.target) == {"p", "q"}


def test_a_target_of_many_numbers_is_called_regression(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n" + "".join(f"{i},{i * 0.37}\n" for i in range(60)))
    with pytest.raises(DatasetError, match="60 different numbers in 60 rows: a regression"):
        load_dataset(f"csv:{tmp_path / 'a.csv'}?target=y")


@pytest.mark.parametrize(("file", "name"), [
    (".hidden.csv", "hidden"), ("..%2f..%2fa.csv", "%2f"), ("...", "..."),
    ("<img src=x>.v2.csv", "<img src=x>")])
def test_every_dataset_has_a_name(tmp_path, file, name):
    (tmp_path / file).write_text("x,y\n" + "1.5,p\n2.5,q\n" * 5)
    assert load_dataset(f"csv:{tmp_path / file}?target=y").name == name


numbers = (st.floats(allow_nan=False, allow_infinity=False).map(repr)
           | st.from_regex(r"-?[0-9]{1,25}\.[0-9]{1,25}(e-?[0-9]{1,3})?", fullmatch=True).filter(
               lambda number: isfinite(float(number))))  # larger ones are text to pandas


@settings(max_examples=30)
@given(st.lists(numbers, min_size=1, max_size=20))
def test_numbers_are_read_to_the_last_bit_and_nothing_is_deprecated(tmp_path_factory, written):
    path = tmp_path_factory.mktemp("numbers") / "a.csv"
    path.write_text("x,y\n0.5,p\n" + "".join(f"{number},q\n" for number in written))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = read_file(path, "y")[0]["x"].tolist()
    exact = [0.5, *map(float, written)]
    assert [struct.pack("d", value) for value in read] == [struct.pack("d", v) for v in exact]


N = 60
RNG = np.random.default_rng(0)
LABELS = np.array(["good", "bad"])[RNG.integers(0, 2, N)]
WORDS = ("the", "cat", "sat", "on", "a", "mat", "and", "saw", "two", "dogs", "run", "by", "noon")


def told(**columns):
    """Return what is said of columns beside the target ``class``."""
    frame = pd.DataFrame({**columns, "class": LABELS})
    return list(suspicious_columns(make_dataset(frame, "class", name="t", source="t")))


@pytest.mark.parametrize("copy", [
    LABELS, (LABELS == "bad") * 1, np.where(LABELS == "bad", "x", "y")])
def test_a_copy_of_the_target_is_told_in_whatever_coding(copy):
    (message,) = told(other=RNG.normal(size=N), again=copy)
    assert "'again' tells the target 'class' without error" in message


@pytest.mark.parametrize(("name", "column", "message"), [
    ("whatever", np.arange(N), "numbers that count the rows"),
    ("customer_id", RNG.permutation(10_000)[:N], "another whole number in every row"),
    ("userID", RNG.permutation(10_000)[:N], "another whole number in every row"),
    ("code", [f"a{i}" for i in range(N)], "identifiers, with a value of its own in most"),
    ("when", pd.date_range("2024-01-01", periods=N).astype(str), "holds dates"),
    ("when", ["31/12/2023 10:05", "1/2/2024 9:00"] * (N // 2), "holds dates"),
    ("said", [" ".join(RNG.choice(WORDS, 8)) for _ in range(N)], "free text"),
])
def test_what_is_no_feature_is_told(name, column, message):
    (said,) = told(**{name: column})
    assert pd.Series(said).str.contains(rf"column {name!r} .*{message}").all(), said


@pytest.mark.parametrize(("name", "column"), [
    ("x", RNG.normal(size=N)), ("income", RNG.permutation(10_000)[:N]), ("width", np.arange(N) / 3),
    ("colour", np.array(["red", "blue", "green"])[np.arange(N) % 3]),
    ("range", np.array(["1-2", "3-4", "5+"])[np.arange(N) % 3]), ("paid", np.arange(N) % 5),
    ("version", np.array(["v1.2", "v1.3"])[RNG.integers(0, 2, N)])])
def test_what_may_well_be_a_feature_is_not(name, column):
    assert told(**{name: column}) == []


@pytest.mark.parametrize(("labels", "continuous"), [
    (np.arange(200) * 0.1, True), (np.arange(200), True), (np.arange(200) % 50, False),
    (np.arange(200) % 10 / 2, False), (["a", *map(str, range(199))], False),
    # At the limits: 21 numbers, three rows each.
    (np.arange(21 * 3) // 3, False), (np.arange(21 * 2) // 2, True), (np.arange(20), False),
    (np.arange(21) / 2, True), (np.arange(20) / 2, False)])
def test_labels_that_are_for_a_regression(labels, continuous):
    assert looks_continuous(np.array([str(label) for label in labels])) == continuous


def test_of_a_target_of_distinct_numbers_only_a_copy_is_told():
    target = RNG.normal(size=N)
    frame = pd.DataFrame({"other": RNG.normal(size=N), "third": RNG.random(N),
                          "scaled": 3 * target + 1, "turned": -target, "y": target})
    made = make_dataset(frame, "y", name="t", source="t", regression=True)
    told = list(suspicious_columns(made))
    assert [message.split("'")[1] for message in told] == ["scaled", "turned"]
