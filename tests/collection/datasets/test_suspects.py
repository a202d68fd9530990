import numpy as np
import pandas as pd
import pytest

from collection.datasets import load_dataset
from collection.datasets.csv_file import looks_continuous, suspicious_columns
from collection.datasets.dataset import make_dataset

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


def test_a_second_column_of_the_targets_name_is_told(tmp_path):
    rows = "".join(f"{i % 7},{label},{label}\n" for i, label in enumerate(LABELS))
    (tmp_path / "a.csv").write_text("x,class,class\n" + rows)
    with pytest.warns(UserWarning, match=r"'class\.1' tells the target 'class' without error"):
        load_dataset(f"csv:{tmp_path / 'a.csv'}?target=class")


@pytest.mark.parametrize(("name", "column", "message"), [
    ("whatever", np.arange(N), "another whole number in every row: an identifier"),
    ("customer_id", RNG.permutation(10_000)[:N], "another whole number in every row"),
    ("userID", RNG.permutation(10_000)[:N], "another whole number in every row"),
    ("code", [f"a{i}" for i in range(N)], "60 different values in 60 rows, .* an identifier"),
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
