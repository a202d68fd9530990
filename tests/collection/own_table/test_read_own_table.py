"""A reader's table: what is used of it, what is ignored and why, and what is refused."""

import re

import numpy as np
import pandas as pd
import pytest

from collection.datasets import files
from collection.datasets.columns import judge_column
from collection.datasets.dataset import DatasetError
from collection.own_table import read
from collection.own_table.read import leaking_columns, read_own_table, source_of, use_table
from collection.project.naming import UnknownNameError

N = 120


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"x": rng.normal(size=N).round(3), "colour": rng.choice(["red", "blue"], N),
                         "label": rng.choice(["yes", "no"], N)})


def write(tmp_path, frame):
    path = tmp_path / "my.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize(("values", "reason"), [
    (np.arange(N), "identifiers"),
    ([f"row-{k:04d}" for k in range(N)], "identifiers"),
    (pd.date_range("2024-01-01", periods=N).strftime("%Y-%m-%d"), "split by"),
    ([f"{k % 28 + 1:02d}/0{k % 3 + 1}/2020" for k in range(N)], "split by"),
    ([f"{k % 2 + 20}.05.2020" for k in range(N)], "dates"),
    ([f"the patient number {k} came in" for k in range(N)], "free text"),
    ([np.nan] * N, "no row has a value"),
    ([7] * N, "the same in every row"),
])
def test_what_is_ignored_is_said_with_its_reason(tmp_path, table, values, reason):
    own = read_own_table(write(tmp_path, table.assign(odd=values)), "label")
    assert "odd" not in own.frame
    assert any("odd" in n and n.startswith("Ignored") and reason in n for n in own.notes)


def test_dates_and_repeated_identifiers_are_noticed_and_can_be_asked_for(table):
    whole = table.assign(seen=[f"{k % 28 + 1}/{k // 28 + 1}/2021" for k in range(N)],
                         patient_id=np.arange(N) // 4)
    own = use_table(whole, "label")
    assert {kind: name for kind, (name, _) in own.noticed.items()} == {
        "time": "seen", "group": "patient_id"}
    assert any("TIME=seen" in n for n in own.notes)
    assert any("GROUP=patient_id" in n for n in own.notes)
    days = use_table(whole, "label", time="seen").times
    assert days[28] > days[27] > days[0]  # day first: 1/2 comes after 28/1
    assert (np.diff(use_table(whole, "label", group="patient_id").groups) >= 0).all()


@pytest.mark.parametrize(("given", "words"), [
    ({"time": "colour"}, "TIME: 'colour' holds no times"),
    ({"group": "colour"}, "GROUP: 'colour' has 2 different values"),
    ({"time": "x", "group": "colour"}, "exclude each other"),
    ({"time": "label"}, "TIME: 'label' is the column to predict"),
    ({"group": "label"}, "GROUP: 'label' is the column to predict"),
    ({"regress": True}, "holds text such as"),
])
def test_what_cannot_be_split_by_is_refused(table, given, words):
    with pytest.raises(DatasetError, match=words):
        use_table(table, "label", **given)


@pytest.mark.parametrize(("values", "regression", "said"), [
    (np.random.default_rng(1).normal(size=N), True, ""),
    (np.arange(N) % 60, True, "60 different numbers, taken for numbers to predict; REGRESS=no"),
    (np.arange(N) % 4 + 0.5, True, "4 different numbers, taken for numbers to predict; REGRESS=no"),
    (np.arange(N) % 12, False, "taken for classes; REGRESS=yes"),
    (np.arange(N) % 2, False, ""),
    (np.arange(N) % 2 + 0.5, False, ""),
    ([f"{1000 + 17 * k:,}" for k in range(N)], True, "thousands separators"),
    (np.arange(N) % 2 == 0, False, ""),
])
def test_what_the_target_is_taken_for_is_said_where_it_is_unclear(table, values, regression, said):
    whole = table.assign(y=values)
    own = use_table(whole, "y")
    assert own.regression == regression
    if 2 < whole["y"].nunique() < 20:
        assert use_table(whole, "y", regress=not regression).regression != regression
    assert any(said in n for n in own.notes) if said else own.notes == []


def test_a_column_that_gives_the_target_away_is_warned_about_and_kept(tmp_path, table):
    own = read_own_table(write(tmp_path, table.assign(code=table["label"].map(
        {"yes": 1, "no": 0}))), "label")
    assert "code" in own.frame
    assert any(n.startswith("Warning") and "code" in n for n in own.notes)
    assert leaking_columns(table, "label") == {}
    numbers = table.assign(y=np.exp(table["x"]))
    assert any("'x'" in note for note in use_table(numbers, "y").notes)


def test_rows_without_a_label_and_tiny_classes_are_left_out_and_counted(tmp_path, table):
    table.loc[:4, "label"] = np.nan
    table.loc[5:7, "label"] = "maybe"
    own = read_own_table(write(tmp_path, table.assign(rare=table["x"].where(
        table["label"] == "maybe"))), "label")  # a column of nothing where these are gone
    assert "Ignored, as no row has a value: 'rare'." in own.notes
    assert len(own.frame) == N - 8 and set(own.frame["label"]) == {"yes", "no"}
    assert any("5 rows" in n for n in own.notes)
    assert any(n.startswith("Warning") and "'maybe'" in n for n in own.notes)


def test_large_tables_are_sampled_in_proportion_and_say_so(tmp_path, table, monkeypatch):
    monkeypatch.setattr(read, "MOST_CELLS", 3000)
    big = pd.concat([table] * 30, ignore_index=True)
    own = use_table(big, "label")
    assert len(own.frame) == 1000
    assert any("of 3,600 rows, a random sample of 1,000" in n for n in own.notes)
    monkeypatch.setattr(read, "MOST_CELLS", 5000)
    own = read_own_table(write(tmp_path, big), "label")
    assert len(own.frame) == 1666
    said = [re.search("of some 3,600 rows in the file a random ([0-9,]+) are read", n)
            for n in own.notes]
    assert sum(map(bool, said)) == 1 and said[0][1].startswith("3,")
    shares = [f["label"].value_counts(normalize=True)["yes"] for f in (own.frame, big)]
    assert shares[0] == pytest.approx(shares[1], abs=0.01)
    again = read_own_table(tmp_path / "my.csv", "label")
    pd.testing.assert_frame_equal(own.frame, again.frame)
    said = [f'"a",\n{k}' for k in range(len(big))]  # what quotes hold stays together
    some = files.read_file(write(tmp_path, big.assign(said=said)), "label", 3000)[0]["said"]
    assert set(some) < set(said) and 200 < len(some) < 1000
    units = np.arange(len(big)) // 3  # groups stay with their rows
    own = use_table(big.assign(x=units + 0.5, unit=units), "label", group="unit")
    assert pd.Series(own.groups).groupby(own.frame["x"]).nunique().max() == 1


@pytest.mark.parametrize(("text", "words"), [
    (None, "There is no file"),
    ("", "empty"),
    ("a,lable\n" + "1,x\n2,y\n" * 20, "'lable'"),
    ("a,label\n1,x\n", "1 row"),
    ("just one column\n1\n2\n", "one column"),
    ("a,a,label\n1,2,x\n3,4,y\n", "several columns named 'a'"),
    ("a,a ,label\n1,2,x\n3,4,y\n", "blanks around"),
    ("a,label\n1,x\n2,y,3\n4,z\n", "cannot be read as a table"),
    ("a,label\n1,2,x\n3,4,y\n", "names 2 columns, and its rows have 3 values"),
    ("a,label\n" + "1,x\n" * 40, "nothing to learn"),
    ("a,label\n" + "1,x\n" * 40 + "2,y\n", "too small"),
    ("a,label\n" + "".join(f"1,n{k % 101}\n" for k in range(1100)), "too many"),
    ("a,label\n" + "1,\n" * 40, "empty in every row"),
    ("a,label\n" + "5,x\n" * 20 + "5,y\n" * 20, "no column left"),
    ("at,label\n" + "".join(f"2024-01-{k % 28 + 1:02},n{k % 2}\n" for k in range(60)), "the month"),
    ("a,label\n" + "1,x\n2,y\n" * 10, "too few"),
])
def test_what_cannot_be_used_is_refused_with_a_reason(tmp_path, text, words):
    path = tmp_path / "my.csv"
    if text is not None:
        path.write_text(text)
    with pytest.raises((DatasetError, UnknownNameError), match=words) as caught:
        read_own_table(path, "label")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("options", [
    {}, {"sep": ";"}, {"sep": "\t"}, {"sep": ";", "decimal": ","}, None])
def test_the_code_of_a_report_reads_the_file_that_was_given(tmp_path, options):
    frame = pd.DataFrame({"x": np.arange(60) + 0.5, "y": ["a", "b"] * 30})
    path = tmp_path / ("t.parquet" if options is None else "t.csv")
    frame.to_parquet(path) if options is None else frame.to_csv(path, index=False, **options)
    found = source_of(path, "y", read_own_table(path, "y").frame)
    given = "".join(f", {name}={value!r}" for name, value in (options or {}).items())
    assert found == f"pd.read_{path.suffix[1:]}({str(path)!r}{given})"
    pd.testing.assert_frame_equal(eval(found, {"pd": pd})[["x", "y"]], frame)


def test_where_pandas_alone_reads_otherwise_the_code_uses_our_reader(tmp_path):
    rows = "".join(f"{k % 7} %,{'ab'[k % 2]}\n" for k in range(60))
    (tmp_path / "t.csv").write_text("x,y\n" + rows)
    table = read_own_table(tmp_path / "t.csv", "y")
    assert "read_own_table" in source_of(tmp_path / "t.csv", "y", table.frame)


def test_numbers_that_trees_cannot_take_count_as_missing(table):
    table["x"] = table["x"].where(table.index > 2, [1e39, np.inf, -1e200, *[0] * (N - 3)])
    found = use_table(table, "label")
    assert found.frame["x"].isna().sum() == 3
    assert any("beyond 3e+38 count as missing: 'x'" in note for note in found.notes)


def test_labels_that_differ_by_case_or_blanks_are_one_class():
    labels = ["Yes", "yes", "YES ", "no", "no", "no"]
    frame = pd.DataFrame({"x": np.arange(60) / 7, "y": labels * 10})
    table = use_table(frame, "y")
    assert table.frame["y"].nunique() == 2
    assert any("capitals or blanks" in note for note in table.notes)


def test_a_column_that_agrees_with_the_target_but_for_a_few_rows_is_warned_of():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    frame = pd.DataFrame({"code": np.where(rng.random(400) < 0.02, 1 - y, y).astype(str),
                          "weak": np.where(rng.random(400) < 0.2, 1 - y, y).astype(str),
                          "y": np.where(y, "a", "b")})
    notes = [note for note in use_table(frame, "y").notes if "alone tells" in note]
    assert len(notes) == 1 and "'code'" in notes[0]


@pytest.mark.parametrize(("name", "values", "lost", "said"), [
    ("weight", [f"{60 + k % 30}.1 kg" for k in range(99)], 0, "'kg' is taken for a unit"),
    ("temperature", [*range(-30, 60), *[-999] * 9], 9, "-999 counts as missing"),
    ("grade", [*[1, 2, 3, 4, 5, 6, 7] * 12, *[99] * 5], 5, "99 counts as missing"),
    ("age", [*range(18, 98), *[99] * 5], 0, ""), ("capped", [*range(90), *[90] * 9], 0, ""),
    ("income", [*range(20_000, 80_000, 700), *[999_999] * 9], 9, "999999 counts as missing"),
    ("probe", [*range(-30, 60), *[-32_768] * 4], 4, "-32768 counts as missing"),
    ("adc", [*range(0, 4000, 40), *[32_767] * 4], 4, "32767 counts as missing"),
    ("cost", [*range(20_000, 80_000, 700), *[9_999_999] * 3], 3, "9999999 counts as missing"),
    ("age", [*map(str, range(80)), *["unknown"] * 30], 30, "count as missing: 'unknown'"),
    ("asked", [*range(700_000, 1_200_000, 5000), 999_999, 999_999], 0, ""),
    ("income", [*(200 + 13.7 * np.arange(300)), *[999] * 15], 15, "999 counts as missing"),
    ("price", [*range(100, 1100, 10), *range(99, 1099, 100), *[999] * 5], 0, ""),
    ("pressure", [*(60 + np.arange(60)), *[0] * 9], 9, "0 counts as missing"),
    ("rain", [*(np.arange(60) / 3 + 0.1), *[0] * 9], 0, ""),
    ("slag", [*(60 + np.arange(60)), *[0] * 40], 0, ""),
    ("answer", [*[1, 2, 3, 4, 5] * 12, *[9] * 5], 5, "9 counts as missing"),
    ("children", [*[0] * 60, *[1] * 30, *[2] * 9, 3, *[9] * 3], 0, ""),
    ("days", [*range(0, 200, 2), *[-1] * 30], 30, "-1 counts as missing"),
    ("change", [-2, *range(200), *[-1] * 3], 0, "")])
def test_units_are_dropped_and_spikes_far_out_are_missing(name, values, lost, said):
    column = judge_column(name, pd.Series(values))
    assert pd.api.types.is_numeric_dtype(column.values) and column.values.isna().sum() == lost
    assert said in " ".join(column.notes) and bool(column.notes) == bool(said)


def test_years_and_unix_times_are_times_and_stay_columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=200), "year": rng.integers(1990, 2020, 200),
                          "y": np.where(rng.random(200) < 0.5, "a", "b")})
    table = use_table(frame, "y")
    assert table.noticed["time"][0] == "year" and "year" in table.frame
    assert judge_column("ts", pd.Series(1.5e9 + 3600 * np.arange(50))).days is not None
    assert judge_column("pages", frame["year"]).days is None


@pytest.mark.parametrize(("form", "odd", "told"), [
    ("%Y%m%d", [], True), ("%Y%m", [], True), ("%Y%m%d", [0, np.nan, 99999999], True),
    ("%Y%d%m", [], False)])
def test_dates_written_as_one_number_are_times_whatever_the_column_is_called(form, odd, told):
    days = pd.Series(pd.date_range("2019-03-01", periods=300, freq="3D"))
    written = pd.Series([*days.dt.strftime(form).astype(int), *odd])
    found = judge_column("lot", written).days
    assert (found is not None) == told
    if told:
        assert found.iloc[:300].diff().dropna().min() >= 0
        assert found.iloc[299] - found.iloc[0] == pytest.approx(897, abs=31)
    rng = np.random.default_rng(0)
    prices = pd.Series(rng.integers(19_000_000, 21_000_000, 300))
    assert judge_column("price", prices).days is None


MONTHS = pd.date_range("2015-03-01", periods=60, freq="MS")


@pytest.mark.parametrize(("name", "values", "told"), [
    *[("period", MONTHS.strftime(form), True)
      for form in ("%b %Y", "%B %Y", "%Y-%m", "%m/%Y", "%Y-%b", "%Y-Q3")],
    ("period", [f"Q{month.quarter} {month.year}" for month in MONTHS], True),
    ("car", [f"Ford {2000 + k % 20}" for k in range(60)], False),
    ("datum", 43_000 + np.arange(60) / 2, True), ("salary", 43_000 + np.arange(60), False),
    ("sold_on", 43_000 + np.arange(60), True), ("region", 43_000 + np.arange(60), False),
    ("v3", 1.6e12 + 1e7 * np.arange(60), True), ("ean", 4.1e12 + 1e7 * np.arange(60), False)])
def test_months_quarters_days_of_spreadsheets_and_milliseconds_are_times(name, values, told):
    days = judge_column(name, pd.Series(values)).days
    assert (days is not None) == told
    if told and len(set(values)) == 60:
        assert (np.diff(days) > 0).all() and 14_000 < days.iloc[0] < 19_000


@pytest.mark.parametrize(("name", "values", "told"), [
    ("week", range(1, 151), True), ("Day_Nr", range(400, 500), True),
    ("season", [1990 + k % 25 for k in range(100)], True), ("day", [*range(1, 32)] * 4, False),
    ("days", range(1, 151), False), ("tenure_month", range(1, 151), False)])
def test_weeks_and_days_that_count_on_are_times_and_durations_are_none(name, values, told):
    assert (judge_column(name, pd.Series(values)).days is not None) == told


def test_a_label_that_says_unknown_is_a_class():
    frame = pd.DataFrame({"x": np.arange(90) / 7, "y": [*"12" * 30, *["unknown"] * 30]})
    assert use_table(frame, "y").frame["y"].nunique() == 3


def test_question_marks_in_numbers_are_told(tmp_path):
    (tmp_path / "t.csv").write_text("x,colour,y\n" + "".join(
        f"{'?' if k % 9 == 0 else k / 7},{'r?g'[k % 3]},{'ab'[k % 2]}\n" for k in range(90)))
    notes = read_own_table(tmp_path / "t.csv", "y").notes
    assert "In 'x', '?' counts as missing (10 rows)." in notes and "'colour'" not in str(notes)


def test_rows_of_different_texts_are_no_copies():
    rng = np.random.default_rng(0)
    words = np.array(["reset", "locked", "screen", "broken", "help", "today", "cannot", "problem"])
    frame = pd.DataFrame({"subject": [" ".join(rng.choice(words, 9)) for _ in range(400)],
                          "product": rng.choice(["laptop", "phone"], 400),
                          "year": rng.integers(2000, 2006, 400), "y": rng.choice(["a", "b"], 400)})
    assert not any("equal another" in note for note in use_table(frame, "y").notes)
    twice = pd.concat([frame, frame[:100]], ignore_index=True)
    assert any("100 of 500 rows" in note for note in use_table(twice, "y").notes)


def test_a_straight_line_and_a_fine_split_of_many_rows_tell_the_target():
    rng = np.random.default_rng(1)
    price, label = rng.lognormal(7, 1.3, 700), rng.choice(["no", "yes"], 600)
    frame = pd.DataFrame({"tax": 0.8 * price + rng.normal(0, 0.03 * price.std(), 700),
                          "area": price ** 0.5 * rng.lognormal(0, 0.3, 700), "price": price})
    assert list(leaking_columns(frame, "price", True)) == ["tax"]
    days = np.where((label == "yes") ^ (rng.random(600) < 0.02), 30, 8) + rng.normal(0, 3, 600)
    frame = pd.DataFrame({"days": days, "age": rng.normal(0, 1, 600), "churn": label})
    assert list(leaking_columns(frame, "churn")) == ["days"]


def test_a_number_that_nearly_tells_the_target_is_named():
    rng = np.random.default_rng(0)
    price = rng.gamma(2, 100, 400)
    frame = pd.DataFrame({"price": price, "tax": 0.8 * price + rng.normal(0, 8, 400),
                          "size": price + rng.normal(0, 60, 400)})
    assert list(found := leaking_columns(frame, "price", True)) == ["tax"]
    assert "'tax'" in found["tax"]
    label = np.where(rng.random(400) < 0.5, "a", "b")
    told = np.where(rng.random(400) < 0.015, -1, 1) * np.where(label == "a", 1, -1)
    frame = pd.DataFrame({"y": label, "level": 5 * told + rng.normal(size=400)})
    assert len(leaking_columns(frame, "y")) == 1
