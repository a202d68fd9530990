"""Read a table as people have it: CSV of any usual kind, compressed, Parquet, Excel; its values."""

import csv
import io
import re
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from itertools import accumulate, compress
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

import numpy as np
import pandas as pd
from packaging.version import Version

from collection.datasets.columns import SOME, WRITTEN, as_numbers, check_names
from collection.datasets.dataset import DatasetError
from collection.project import opening
from collection.project.requirements import lacking
from collection.reading.names import VOCABULARY, is_measure
from collection.reading.numbers import NUMBER

MISSING = ["?", "<null>"]
# Numbers to the last bit, which pandas reads since 3.1 without being asked, and warns of the wish.
EXACT: Mapping[str, str] = {} if Version(pd.__version__) >= Version("3.1") else {
    "float_precision": "round_trip"}
WITH_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+")
WITH_POINTS = re.compile(r"[+-]?\d{1,3}(\.\d{3})+(,\d+)?")
WITH_POINT = re.compile(r"[+-]?\d+\.\d+")
SEPARATORS = (",", ";", "\t", "|")
PARQUET = (".parquet", ".pq")
EXCEL = (".xlsx", ".xls", ".xlsm", ".ods")
NOTHING = "behind the last separator"  # a column, where every line ends with one
ROW_NAMES = "before the first name"  # a column, where lines have a value more than names
HEAD = 10**7  # letters in which the names and the first row are looked for
CELLS_MOST = 50_000_000  # of a sheet
PLACE = re.compile(rb"""\br=["']([A-Z]{0,3})(\d{1,7})["']""")  # of a cell, or of a row
ODS = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"


def read_file(path: Path, target: str, most: float = np.inf,
              labels: str = "") -> tuple[pd.DataFrame, list[str]]:
    """Read a file of a user's own, values as they are written where they are no plain numbers.

    Parameters
    ----------
    path : Path
        Text with a line of column names, separated by commas, semicolons, tabs or bars, perhaps
        packed (.gz, .bz2, .xz, .zip); Parquet; or an Excel sheet.
    target : str
        A column that it should have: tells which separator is meant.
    most : float
        Cells that are read of text: of a larger table a random sample of rows, which is said.
    labels : str
        A column whose values stay as they are written in a text, even where all are numbers.

    Returns
    -------
    frame : pandas.DataFrame
    notes : list of str
        What had to be guessed.

    Raises
    ------
    DatasetError
        The file is absent, empty, no table, or has columns of the same name.
    """
    path, notes = opening.check_file(path, DatasetError), []
    frame = _other_form(path, notes)
    if frame is None:
        frame = _text_table(path, _decoded(path, notes), target, notes, most, labels)
    if len(frame) < 2:
        raise DatasetError(f"{path} has {len(frame)} row(s) below its line of names; a learning "
                           "curve needs at least some 30.")
    return frame, notes


def read_cells(path: Path) -> tuple[list[str], list[list[str]], list[str]]:
    """Read a file as `read_file` does, every value as the text that stands there.

    Returns
    -------
    names : list of str
        One may be empty, as spreadsheets and pandas leave that of the row labels.
    rows : list of list of str
        As many values as names, without blanks around them; empty where missing.
    notes : list of str

    Raises
    ------
    DatasetError
        As `read_file`; for a row with more values than names.
    """
    path, notes = opening.check_file(path, DatasetError), []
    if path.suffix.lower() in PARQUET:
        frame = _parquet(path)
        return [str(name) for name in frame], as_text(frame).to_numpy().tolist(), notes
    if path.suffix.lower() in EXCEL:
        names, *rows = as_text(_sheet(path, notes)).to_numpy().tolist()
    else:
        names, rows = _text_cells(path, notes)
    names, rows = _names_in_one_line(names, rows, notes)
    kept = [row for row in rows if row != names]
    if len(kept) < len(rows):
        notes.append("A line that repeats the names is left out.")
    return check_names(names, str(path)), kept, notes


def _text_cells(path: Path, notes: list[str]) -> tuple[list[str], list[list[str]]]:
    """Return the names and values of a text, as many values in a row as names."""
    text, sep = _separated(path, _decoded(path, notes).replace("\ufeff", ""), "")
    lines = _lines(path, text, sep)
    names, rows = _names(path, lines), []
    for k, row in enumerate(lines, 2):
        cells = [cell.strip() for cell in row]
        if any(cells[len(names):]):
            raise DatasetError(f"Row {k} of {path} has {len(row)} values for {len(names)} column "
                               "names. Put values that hold a separator into quotes.")
        rows.append(cells[:len(names)] + [""] * (len(names) - len(cells)))
    if len(names) > 2 and not names[-1] and not any(row[-1] for row in rows):
        names, rows = names[:-1], [row[:-1] for row in rows]  # every line ends with a separator
    return names, rows


def _names_in_one_line(names: list[str], rows: list[list[str]],
                       notes: list[str]) -> tuple[list[str], list[list[str]]]:
    """Join names that stand in two lines or more, as pandas' levels and merged cells do.

    What stands above is part of a name where what is below is no name alone; a measure comes last.
    """
    while len({*names}) < len(names) and rows and not any(map(NUMBER.fullmatch, rows[0])):
        above = accumulate(names, lambda one, name: name or one) if any(names[1:]) else names
        notes.append(f"Two lines of names, above {', '.join(dict.fromkeys(names)).strip(', ')}.")
        below, *rows = rows
        labelled = names.count("") < 2 or not (names[0] or below[0])
        whole = any(map(is_measure, names[1:])) or len({*below}) < len(below)
        names = [" | ".join(sorted(filter(None, (top * (whole or not sub), sub)), key=is_measure))
                 for top, sub in zip(above, below, strict=True)]
        if labelled and rows and not any(rows[0][1:]):  # what pandas calls the rows
            names[0] = rows.pop(0)[0]
    return names, rows


def without_blanks(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table without blanks around its texts."""
    return frame.apply(lambda column: column if pd.api.types.is_numeric_dtype(column) else
                       column.map(lambda v: v.strip() if isinstance(v, str) else v))


def as_text(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table's values as they would stand in a text, empty where missing."""
    return frame.astype(object).where(frame.notna(), "").map(_as_text)


def _as_text(value: object) -> str:
    """Return a value of a spreadsheet or Parquet file as it would stand in a text."""
    if isinstance(value, float | np.floating) and float(value).is_integer() and abs(value) < 2**53:
        return str(int(value))
    return repr(float(value)) if isinstance(value, float | np.floating) else str(value).strip()


def _other_form(path: Path, notes: list[str]) -> pd.DataFrame | None:
    """Return what a spreadsheet or Parquet file holds; None for text."""
    if path.suffix.lower() in EXCEL:
        return _excel(path, notes)
    return _parquet(path) if path.suffix.lower() in PARQUET else None


def _excel(path: Path, notes: list[str]) -> pd.DataFrame:
    frame = _sheet(path, notes)
    names = check_names(list(frame.iloc[0].fillna("")), str(path))
    return frame.iloc[1:].set_axis(names, axis=1).reset_index(drop=True).infer_objects()


def _sheet(path: Path, notes: list[str]) -> pd.DataFrame:
    """Return the cells of a workbook's first sheet, its line of names among them."""
    engine = "odf" if path.suffix.lower() == ".ods" else "openpyxl"
    if not find_spec(engine):
        raise DatasetError(f"{path} is a spreadsheet: save it as CSV (in Excel: Save as, CSV UTF-8)"
                           f" and give that file. Or: {lacking(ImportError(name=engine))}")
    if path.suffix.lower() == ".xls" and not zipfile.is_zipfile(path):
        raise DatasetError(f"{path} is a workbook of Excel 2003 or before, or none: save it as "
                           ".xlsx or CSV and give that file.")
    opening.check_archive(path, DatasetError)
    try:
        if (cells := _cells_declared(path)) > CELLS_MOST:
            raise DatasetError(f"{path} says it has {cells:,} cells, more than is read "
                               f"({CELLS_MOST:,}): one lies far out, or rows are repeated. Take "
                               "out what is not the table, or give it as CSV.")
        sheets = pd.read_excel(path, sheet_name=None, engine=engine, header=None)
    except DatasetError:
        raise
    except opening.DAMAGED as error:
        raise DatasetError(
            f"{path} cannot be read as a spreadsheet: {opening.first_line(error)}") from error
    name = next(iter(sheets))
    if len(sheets) > 1:
        notes.append(f"The workbook has {len(sheets)} sheets; the first, {name!r}, is read.")
    frame = sheets[name].dropna(how="all").dropna(axis=1, how="all")
    if frame.empty:
        raise DatasetError(f"The sheet {name!r} of {path} is empty.")
    if len(sheets) > 1 and frame.shape[1] < 2:
        raise DatasetError(f"The first of {len(sheets)} sheets of {path}, {name!r}, is no table: "
                           "put the one that is in front, or save it as CSV.")
    return frame


def _cells_declared(path: Path) -> int:
    """Return how many cells a workbook's largest sheet is laid out with, before it is read."""
    most = 0
    with zipfile.ZipFile(path) as book:
        for name in book.namelist():
            if name == "content.xml":
                with book.open(name) as stream:
                    most = max(most, *_repeated(stream))
            elif re.match(r"xl/worksheets/[^/]+\.xml$", name):
                column = row = 0
                for letters, digits in PLACE.findall(book.read(name)):
                    column, row = max(column, _number(letters)), max(row, int(digits))
                most = max(most, column * row)
    return most


def _repeated(stream: IO[bytes]) -> Iterator[int]:
    """Yield the cells of each table of an OpenDocument, what is repeated as often as it is."""
    rows = blank = width = own = 0
    for _, part in ElementTree.iterparse(stream):
        kind = part.tag.rpartition("}")[2]
        if kind == "table-row":
            times, own = int(part.get(f"{ODS}number-rows-repeated", 1)), 0
            cells = list(part)
            while cells and not len(cells[-1]):
                cells.pop()
            own = sum(int(cell.get(f"{ODS}number-columns-repeated", 1)) for cell in cells)
            rows, blank = (rows + blank + times, 0) if own else (rows, blank + times)
            width = max(width, own)
            part.clear()
        elif kind == "table":
            yield rows * width
            rows = blank = width = 0
    yield rows * width


def _number(letters: bytes) -> int:
    """Return the number of a column from its letters."""
    return int(np.polyval([letter - 64 for letter in letters], 26)) if letters else 0


def _parquet(path: Path) -> pd.DataFrame:
    import pyarrow
    import pyarrow.parquet

    try:
        about = pyarrow.parquet.read_metadata(path)
        most = max(opening.SMALL, opening.MOST_RATIO * path.stat().st_size)
        if 8 * about.num_rows * about.num_columns > min(most, opening.BYTES_MOST):
            raise DatasetError(f"{path} has {about.num_rows:,} rows of {about.num_columns} columns,"
                               " more than is read. Give a random part of its rows.")
        schema = pyarrow.parquet.read_schema(path)
        nested = [field.name for field in schema if pyarrow.types.is_nested(field.type)]
        frame = None if nested else pd.read_parquet(path)
    except DatasetError:
        raise
    except (*opening.DAMAGED, pyarrow.ArrowException) as error:
        raise DatasetError(
            f"{path} cannot be read as Parquet: {opening.first_line(error)}") from error
    if nested:
        raise DatasetError(f"Column {nested[0]!r} of {path} holds lists or records, not one value "
                           "a row. Take them apart first.")
    frame.columns = check_names(list(frame.columns), str(path))
    return frame.reset_index(drop=True)


def _decoded(path: Path, notes: list[str]) -> str:
    """Return the text of a file, unpacked: UTF-8, what Excel calls Unicode, or Windows's."""
    raw = opening.read_bytes(path, DatasetError)
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", errors="replace")
    if not raw.strip() or b"\0" in raw[:100_000]:
        raise DatasetError(f"{path} is {'empty' if not raw.strip() else 'not a text file'}. It has "
                           "to hold a line of column names and a line for each row.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        notes.append("The file is not in UTF-8; it is read as Windows-1252 (Western European). If "
                     "letters look wrong, save it as CSV UTF-8.")
        return raw.decode("cp1252", errors="replace")


def _separated(path: Path, text: str, target: str) -> tuple[str, str]:
    """Return the text from its line of names on, and what separates its values."""
    for known, what in VOCABULARY["foreign"].items():
        if re.match(known, text[:HEAD // 100]):
            raise DatasetError(f"{path} is {what}.")
    text = re.sub(r"Unnamed: \d+_level_\d+", "", text)  # as pandas calls what has no name
    first = re.split(r"\r\n|\r|\n", text[:200].lstrip("\r\n"), maxsplit=1)[0].strip()
    text = text.lstrip("\r\n")
    if first.lower().startswith("sep=") and len(first) <= 5:  # what Excel writes for itself
        rest = re.split(r"\r\n|\r|\n", text, maxsplit=1)
        return rest[1] if len(rest) > 1 else "", first[4:] or "\t"
    found = {sep: [n.strip() for n in next(_lines(path, text[:HEAD], sep), [])]
             for sep in SEPARATORS}
    return text, max(found, key=lambda s: (target in found[s], len(found[s])))


def _lines(path: Path, text: str, sep: str) -> Iterator[list[str]]:
    """Yield the values of each line that holds any."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=sep, skipinitialspace=True):
            if any(cell.strip() for cell in row):
                yield row
    except csv.Error as error:
        raise DatasetError(
            f"{path} cannot be read as a table: {opening.first_line(error)}") from error


def _names(path: Path, lines: Iterator[list[str]]) -> list[str]:
    """Return the names of the columns, which the first line holds."""
    names = [name.strip() for name in next(lines, [])]
    if len(names) < 2:
        raise DatasetError(f"{path} has one column only, {names[0] if names else ''!r}: it is no "
                           "table with commas, semicolons or tabs between columns. Save it as CSV, "
                           "without lines above that of the names.")
    return names


def _text_table(path: Path, text: str, target: str, notes: list[str], most: float,
                labels: str) -> pd.DataFrame:
    text, sep = _separated(path, text, target)
    lines = _lines(path, text[:HEAD], sep)
    names = _names(path, lines)
    first = [cell.strip() for cell in next(lines, [])]
    if not names[-1]:  # every line ends with a separator
        names[-1] = NOTHING
    elif len(first) == len(names) + 1:
        names = [ROW_NAMES, *names] if first[-1] else [*names, NOTHING]
    names = check_names(names, str(path))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # more values than names
            form = {"sep": sep, "header": 0, "names": names, "na_values": MISSING,
                    "low_memory": False, "skipinitialspace": True, "index_col": False}
            head = None if sep == "," else pd.read_csv(io.StringIO(text), nrows=SOME, dtype=str,
                                                       **form)
            commas = head is not None and has_decimal_commas(head)
            rows = text.count("\n") - text.endswith("\n")
            if rows * len(names) > most:
                share = most / (rows * len(names))
                read = np.random.default_rng(0).random(rows + 1) < share
                text = _some_lines(text, read)
                notes.append(f"Warning: of some {rows:,} rows in the file a random "
                             f"{read.sum():,} are read, and count as the table.")
            frame = pd.read_csv(io.StringIO(text), decimal="," if commas else ".",
                                dtype={labels: str} if labels else None, **EXACT, **form)
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError) as error:
        raise DatasetError(f"{path} cannot be read as a table, each row with a value for each of "
                           f"its {len(names)} column names: {str(error).strip()}") from error
    if NOTHING in frame and frame[NOTHING].isna().all():
        frame = frame.drop(columns=NOTHING)
    if ROW_NAMES in frame and not _are_row_names(frame.pop(ROW_NAMES)):
        raise DatasetError(f"The header of {path} names {len(names) - 1} columns, and its rows have"
                           f" {len(names)} values. Name them all: as it is, nobody can tell which "
                           "name is of which.")
    if ROW_NAMES in names:
        notes.append(f"Rows have one value more than the header of {path} has names. The first is "
                     "taken for the row names that R writes, and left out.")
    if MISSING[0] in text:
        written = pd.read_csv(io.StringIO(text), dtype=str, **form | {"na_values": []})
        lost = (written == MISSING[0]).sum().reindex(frame.select_dtypes("number").columns)
        notes += [f"In {name!r}, {MISSING[0]!r} counts as missing ({count:,} rows)."
                  for name, count in lost[lost > 0].items()]
    frame = _without_footer(frame, notes)
    notes += take_commas(frame, labels) if commas else []
    return frame


def _some_lines(text: str, read: np.ndarray) -> str:
    """Return some lines of a text and the first one; what quotes hold together stays together."""
    lines = text.split("\n")
    quotes = [line.count('"') for line in lines] if '"' in text else [0] * len(lines)
    within = np.cumsum(quotes) % 2  # a quote, at a line's end
    line = np.cumsum(np.r_[0, within[:-1] == 0])
    kept = np.r_[True, read[1:], np.ones(len(lines), bool)][line]
    return "\n".join(compress(lines, kept))


def _are_row_names(values: pd.Series) -> bool:
    """Tell whether the first values of the rows are 1, 2, 3, … or distinct words."""
    numbers = pd.to_numeric(values, errors="coerce")
    counted = list(numbers) == list(range(1, len(values) + 1))
    return counted or (values.is_unique and bool(numbers.isna().all()))


def _without_footer(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """Leave out a last line that sums the others up: a word where numbers are, and mostly gaps."""
    if len(frame) < 3:
        return frame
    last, above = frame.iloc[-1], frame.iloc[:-1]
    odd = [name for name in frame if isinstance(last[name], str)
           and pd.to_numeric(pd.Series([last[name]]), errors="coerce").isna().all()
           and not pd.api.types.is_numeric_dtype(frame[name])
           and pd.to_numeric(above[name], errors="coerce").notna().mean() > 0.9]
    gaps = last.isna().mean() - above.isna().to_numpy().mean()
    if not (odd and gaps > 0.3):
        return frame
    notes.append(f"The last line ({odd[0]!r} is {last[odd[0]]!r}, with gaps) looks like a total "
                 "and is left out.")
    return above.apply(lambda c: pd.to_numeric(c) if c.name in odd
                       and pd.to_numeric(c, errors="coerce").notna().sum() == c.notna().sum()
                       else c)


def has_decimal_commas(head: pd.DataFrame) -> bool:
    """Tell whether numbers are written as ``3,5``, and points, if any, part thousands: ``1.234``.

    Parameters
    ----------
    head : pandas.DataFrame
        The first rows as they are written, separated by something else than commas.
    """
    cells = [cell.strip() for cell in head.to_numpy().ravel() if isinstance(cell, str)]
    return (any(WITH_COMMA.fullmatch(cell) for cell in cells)
            and not any(WITH_POINT.fullmatch(cell) and not WITH_POINTS.fullmatch(cell)
                        for cell in cells))


def take_commas(frame: pd.DataFrame, but: str) -> list[str]:
    """Make numbers of columns such as ``1.234,5`` in a table with decimal commas, in place.

    Parameters
    ----------
    frame : pandas.DataFrame
        As it was read, with decimal commas.
    but : str
        A column that stays text.

    Returns
    -------
    list of str
        What has to be said: of each column where points part thousands.
    """
    notes = []
    for name in frame.columns.drop(but, errors="ignore"):
        column = frame[name]
        if not pd.api.types.is_numeric_dtype(column) and (
                found := as_numbers(column.astype(object), WRITTEN[2:3])):
            frame[name], said = found
            notes += [f"In {name!r}, {said}, as decimals have commas in the file."] * bool(said)
    return notes
