"""Files as people have them: each read, or refused in one clear line."""

import gzip
import io
import os
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from collection.datasets.columns import as_numbers, as_times
from collection.datasets.dataset import DatasetError
from collection.datasets.files import read_cells, read_file
from collection.own_table.read import read_own_table

N = 60


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"x": rng.normal(size=N).round(3), "n": rng.integers(1000, 99999, N),
                         "place": rng.choice(["Köln", "Bonn"], N),
                         "label": rng.choice(["yes", "no"], N)})


@pytest.mark.parametrize(("name", "write"), [
    ("my.csv.gz", lambda path, table: table.to_csv(path, index=False)),
    ("my.csv.bz2", lambda path, table: table.to_csv(path, index=False)),
    ("my.csv.xz", lambda path, table: table.to_csv(path, index=False)),
    ("my.zip", lambda path, table: table.to_csv(path, index=False)),
    ("my.parquet", lambda path, table: table.to_parquet(path)),
    ("my.csv", lambda path, table: table.to_csv(path, index=False, encoding="utf-16")),
    ("my.csv", lambda path, table: table.to_csv(path, index=False, sep=";")),
    ("my.csv", lambda path, table: table.to_csv(path, index=False, sep="|")),
    ("my.txt", lambda path, table: table.to_csv(path, index=False, sep="\t")),
    ("excel.csv", lambda path, table: path.write_text(
        "sep=;\n" + table.to_csv(index=False, sep=";", decimal=","), encoding="utf-8-sig")),
    ("ends.csv", lambda path, table: path.write_text("".join(
        line + ",\n" for line in table.to_csv(index=False).splitlines()))),
])
def test_every_usual_form_gives_the_same_table(tmp_path, table, name, write):
    write(tmp_path / name, table)
    own = read_own_table(tmp_path / name, "label")
    pd.testing.assert_frame_equal(own.frame, table, check_dtype=False)
    assert own.notes == []


def test_windows_text_is_read_and_said(tmp_path, table):
    (tmp_path / "my.csv").write_bytes(table.to_csv(index=False).encode("cp1252"))
    own = read_own_table(tmp_path / "my.csv", "label")
    assert set(own.frame["place"]) == {"Köln", "Bonn"} and "Windows-1252" in own.notes[0]


@pytest.mark.parametrize("name", ["my.csv.gz", "my.csv.bz2", "my.csv.xz", "my.zip"])
@pytest.mark.parametrize("damage", ["cut", "turned"])
@pytest.mark.parametrize("read", [lambda path: read_file(path, "label"), read_cells])
def test_packed_files_that_are_damaged_are_answered_in_a_line(tmp_path, table, name, damage, read):
    table.to_csv(tmp_path / name, index=False)
    raw = bytearray((tmp_path / name).read_bytes())
    middle = len(raw) // 2
    raw[middle] ^= 255
    (tmp_path / name).write_bytes(raw[:middle] if damage == "cut" else raw)
    with pytest.raises(DatasetError, match="cannot be unpacked") as raised:
        read(tmp_path / name)
    assert "\n" not in str(raised.value)


def tarred():
    with tarfile.open(fileobj=(file := io.BytesIO()), mode="w") as archive:
        archive.addfile(tarfile.TarInfo("my.csv"))
    return file.getvalue()


@pytest.mark.parametrize(("name", "content", "words"), [
    ("image.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not a text file"),
    ("text.gz", b"no such thing", "cannot be unpacked"),
    ("text.zip", b"no such thing", "cannot be unpacked"),
    ("text.parquet", b"no such thing", "cannot be read as Parquet"),
    ("my.tar", tarred(), "not a text file"),
    ("my.tar.gz", gzip.compress(tarred(), mtime=0), "not a text file"),  # the same for all workers
    ("wide.csv", ",".join(f"c{k}" for k in range(100_000)).encode() + b"\n1\n",
     "100,000 columns; at most 20,000 are read"),
    ("twice.csv", b"label,x,label\na,1,b\nb,2,a\nb,3,a\n", "columns named 'label'"),
    ("blank.csv", b"label,x,label \na,1,b\nb,2,a\nb,3,a\n", "columns named 'label'"),
    ("nameless.csv", b"a,,,label\n1,2,3,x\n", "without a name"),
])
@pytest.mark.parametrize("read", [lambda path: read_file(path, "label"), read_cells])
def test_files_as_they_come_are_answered_in_a_line(tmp_path, name, content, words, read):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DatasetError, match=words) as raised:
        read(tmp_path / name)
    assert "\n" not in str(raised.value)


def test_a_long_header_and_lines_that_end_in_returns_are_read(tmp_path, table):
    long = "x" * 200_000
    table = table.rename(columns={"x": long})
    (tmp_path / "my.csv").write_bytes(
        table.to_csv(index=False).replace("\n", "\r").encode())
    frame, _ = read_file(tmp_path / "my.csv", "label")
    pd.testing.assert_frame_equal(frame, table, check_dtype=False)
    names, rows, _ = read_cells(tmp_path / "my.csv")
    assert names == list(table) and len(rows) == N


def test_pipes_and_devices_are_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    for path in (tmp_path / "pipe.csv", Path("/dev/zero")):
        with pytest.raises(DatasetError, match="a device or a pipe, not a file"):
            read_file(path, "label")


def test_parquet_with_lists_or_records_names_the_column(tmp_path, table):
    for value in ([1, 2], {"a": 1}):
        table.assign(odd=[value] * N).to_parquet(tmp_path / "my.parquet")
        with pytest.raises(DatasetError, match=r"Column 'odd' .* lists or records"):
            read_file(tmp_path / "my.parquet", "label")


def test_spreadsheets_of_every_damage_are_answered_in_a_line(tmp_path, table):
    pytest.importorskip("openpyxl", reason="the extra excel is not installed")
    table.to_excel(tmp_path / "my.xlsx", index=False)
    with zipfile.ZipFile(tmp_path / "my.xlsx") as book:
        parts = {name: book.read(name) for name in book.namelist()}
    for broken in parts:
        for content in (None, b"", b"<worksheet", parts[broken][: len(parts[broken]) // 2]):
            with zipfile.ZipFile(tmp_path / "bad.xlsx", "w") as book:
                for name, part in parts.items():
                    if name != broken or content is not None:
                        book.writestr(name, content if name == broken else part)
            try:
                frame, _ = read_file(tmp_path / "bad.xlsx", "label")
            except DatasetError as error:
                assert "\n" not in str(error)
            else:
                assert list(frame) == list(table)
    table.rename(columns={"n": "x"}).to_excel(tmp_path / "twice.xlsx", index=False)
    with pytest.raises(DatasetError, match="several columns named 'x'"):
        read_file(tmp_path / "twice.xlsx", "label")


def test_small_files_that_say_they_are_huge_are_refused_before_they_are_read(tmp_path, table):
    openpyxl = pytest.importorskip("openpyxl", reason="the extra excel is not installed")
    book = openpyxl.Workbook()
    book.active["A1"], book.active["B2"], book.active["XFD1048576"] = "x", 1, 1
    book.save(tmp_path / "far.xlsx")
    pytest.importorskip("odf", reason="the extra excel is not installed")
    table.to_excel(tmp_path / "my.ods", index=False, engine="odf")
    with zipfile.ZipFile(tmp_path / "my.ods") as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    for name, old, new in (
            ("rows", b"<table:table-row>", b'<table:table-row table:number-rows-repeated="9999999'
             b'99">'),
            ("blank", b"<table:table-row>", b'<table:table-row table:number-rows-repeated="9999999'
             b'99"/><table:table-row>'),
            ("wide", b"<table:table-cell ", b'<table:table-cell table:number-columns-repeated="9999'
             b'999" ')):
        assert old in parts["content.xml"]
        with zipfile.ZipFile(tmp_path / f"{name}.ods", "w") as out:
            for part, content in parts.items():
                out.writestr(part, content.replace(old, new))
    nulls = pyarrow.table({f"c{k}": pyarrow.nulls(400_000) for k in range(101)})
    parquet.write_table(nulls, tmp_path / "nulls.parquet")
    assert (tmp_path / "nulls.parquet").stat().st_size < 200_000
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0 and more")
    with pytest.raises(DatasetError, match="Excel 2003 or before"):
        read_cells(tmp_path / "old.xls")
    for name in ("far.xlsx", "rows.ods", "blank.ods", "wide.ods", "nulls.parquet"):
        with pytest.raises(DatasetError, match="more than is read"):
            read_cells(tmp_path / name)
    end = b'<table:table-row table:number-rows-repeated="1048000"><table:table-cell ' \
          b'table:number-columns-repeated="16384"/></table:table-row></table:table>'
    with zipfile.ZipFile(tmp_path / "usual.ods", "w") as out:  # what LibreOffice fills sheets with
        for part, content in parts.items():
            out.writestr(part, content.replace(b"</table:table>", end))
    assert len(read_cells(tmp_path / "usual.ods")) == len(read_cells(tmp_path / "my.ods"))


def test_cells_are_read_as_they_stand_from_every_form(tmp_path, table):
    table.to_csv(tmp_path / "my.csv", index=False)
    table.to_parquet(tmp_path / "my.parquet")
    one, other = (read_cells(tmp_path / f"my.{kind}") for kind in ("csv", "parquet"))
    assert one[0] == other[0]
    assert one[1] == other[1]


def test_a_spreadsheet_is_read_and_a_second_sheet_is_said(tmp_path, table):
    pytest.importorskip("openpyxl", reason="the extra excel is not installed")
    with pd.ExcelWriter(tmp_path / "my.xlsx") as book:
        table.to_excel(book, sheet_name="first", index=False)
        table.head(3).to_excel(book, sheet_name="second", index=False)
    own = read_own_table(tmp_path / "my.xlsx", "label")
    pd.testing.assert_frame_equal(own.frame, table, check_dtype=False)
    assert own.notes == ["The workbook has 2 sheets; the first, 'first', is read."]
    with pd.ExcelWriter(tmp_path / "my.xlsx") as book:
        pd.DataFrame({"Notes": ["by Ann"]}).to_excel(book, sheet_name="Readme", index=False)
        table.to_excel(book, sheet_name="second", index=False)
    with pytest.raises(DatasetError, match="first of 2 sheets"):
        read_file(tmp_path / "my.xlsx", "label")
    (tmp_path / "my.xlsx").write_bytes(b"no such thing")
    with pytest.raises(DatasetError, match="cannot be read as a spreadsheet"):
        read_file(tmp_path / "my.xlsx", "label")


def test_a_spreadsheet_without_what_reads_it_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setattr("collection.datasets.files.find_spec", lambda name: None)
    for name in ("my.xlsx", "my.ods"):
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(DatasetError, match=r"as CSV .*(make env-test|\[excel\])"):
            read_file(tmp_path / name, "label")


def test_folders_archives_of_several_files_and_what_unpacks_to_too_much(
        tmp_path, table, monkeypatch):
    monkeypatch.setattr("collection.project.opening.BYTES_MOST", 1000)
    table.to_csv(tmp_path / "large.csv.xz", index=False)
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        for name in ("a.csv", "b.csv"):
            archive.writestr(name, table.to_csv(index=False))
    for path, words in ((tmp_path, "is a folder"), (tmp_path / "two.zip", "2 files"),
                        (tmp_path / "large.csv.xz", "Give a random part")):
        with pytest.raises(DatasetError, match=words):
            read_file(path, "label")


def test_a_footer_is_left_out_and_words_among_numbers_are_counted(tmp_path, table):
    text = table[["n", "x", "place", "label"]].to_csv(index=False)
    (tmp_path / "my.csv").write_text(text + "Total,,,60\n", encoding="utf-8")
    own = read_own_table(tmp_path / "my.csv", "label")
    assert len(own.frame) == N and "looks like a total" in own.notes[0]
    (tmp_path / "my.csv").write_text(text + "Total,0.5,Bonn,yes\n", encoding="utf-8")
    own = read_own_table(tmp_path / "my.csv", "label")
    assert "1 of 61 values are no numbers" in own.notes[0] and "'Total'" in own.notes[0]
    assert own.frame["n"].isna().sum() == 1


def test_infinite_values_count_as_missing(tmp_path, table):
    table.loc[:2, "x"] = np.inf
    table.to_csv(tmp_path / "my.csv", index=False)
    own = read_own_table(tmp_path / "my.csv", "label")
    assert own.frame["x"].isna().sum() == 3 and "'x'" in own.notes[0]


FORMS = {"1,234.5": lambda v: f"{v:,.1f}", "1.234,5": lambda v: f"{v:,.1f}".translate(
    str.maketrans(",.", ".,")), "1 234.5": lambda v: f"{v:,.1f}".replace(",", " "),
    "€ 12.5": lambda v: f"€ {v:.1f}", "12.5 %": lambda v: f"{v:.1f} %"}


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=30)
@given(values=st.lists(st.integers(-10**6, 10**6), min_size=3, max_size=20))
def test_numbers_are_read_however_they_are_written(form, values):
    numbers = pd.Series([v + 0.5 for v in values] + [12345.5])
    found, _ = as_numbers(numbers.map(FORMS[form]).astype(object))
    pd.testing.assert_series_equal(found, numbers, check_names=False)


def test_texts_are_no_numbers_and_numbers_no_dates():
    assert as_numbers(pd.Series(["a1", "b2", "c3"], dtype=object)) is None
    assert as_times(pd.Series(["1.5", "2.25"], dtype=object)) is None
    assert as_times(pd.Series([1.0, 2.0])) is None
    days = as_times(pd.Series(["31/12/2019", "01/02/2020", None], dtype=object))
    assert days[1] - days[0] == 32 and np.isnan(days[2])
    assert as_times(pd.Series(pd.to_datetime(["1970-01-02"])))[0] == 1
    months = as_times(pd.Series(["12/05/1970", "01/02/1970"], dtype=object))  # no day above 12
    assert months.tolist() == [338, 1]


def test_names_in_two_lines_of_a_sheet_are_joined_and_a_repeated_line_of_them_is_said(tmp_path):
    path, columns = tmp_path / "two.xlsx", pd.MultiIndex.from_product([["A", "B"], ["auc", "f1"]])
    index = pd.Index(["a", "b"], name="task")
    pd.DataFrame(np.arange(8).reshape(2, 4) / 8, index, columns).to_excel(path)
    names, rows, notes = read_cells(path)
    assert names == ["task", "A | auc", "A | f1", "B | auc", "B | f1"]
    assert rows[1] == ["b", "0.5", "0.625", "0.75", "0.875"] and len(rows) == 2
    assert notes == ["Two lines of names, above A, B."]
    pd.DataFrame([["a", "1"], ["task", "A"]], columns=["task", "A"]).to_excel(path, index=False)
    assert read_cells(path)[1:] == ([["a", "1"]], ["A line that repeats the names is left out."])
