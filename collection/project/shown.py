"""Strangers' text made fit for terminals, pages and spreadsheets; and how far long work is."""

import csv
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

# Controls but for tabs and ends of lines; marks that turn the direction of what follows.
HIDDEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
FORMULA = re.compile(r"[=+\-@\t\r]")  # at which a spreadsheet takes a cell for one
CODE = re.compile("`([^`\n]+)`")
NUMBER = re.compile(r"[+-][\d.]+(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


def visible(text: str) -> str:
    r"""Return a text with control characters and marks of direction as escapes, such as ``\x1b``.

    Examples
    --------
    >>> visible("red: \x1b[31m")
    'red: \\x1b[31m'
    """
    return HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class _Visible:
    """A stream to which everything is written `visible`, with 'quotes' for backticks.

    A bar of progress begins its line anew.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        plain = text.lstrip("\r")
        self._stream.write(text[:len(text) - len(plain)] + CODE.sub(r"'\1'", visible(plain)))
        return len(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


@contextmanager
def visible_output() -> Iterator[None]:
    """Have what is printed in the context, names of strangers among it, be `visible`."""
    with redirect_stdout(_Visible(sys.stdout)), redirect_stderr(_Visible(sys.stderr)):
        yield


def write_csv(table: "pd.DataFrame", where: "str | Path | IO[str] | None" = None,
              guarded: bool = False, **form: object) -> str | None:
    """Write a table as CSV without its index; every name reads back, one with a bare CR, too.

    Parameters
    ----------
    table : pandas.DataFrame
    where : path or file, optional
        By default the text is returned.
    guarded : bool
        For people, who open it in a spreadsheet: text that begins as a formula does (``= + - @``,
        a tab, a carriage return) has a ``'`` before it. What programs read back is not guarded.
    **form
        As of `pandas.DataFrame.to_csv`.
    """
    words = [c for c in table if table[c].dtype.kind not in "biufcmM"]
    if guarded and words:
        table = table.assign(**{c: table[c].map(_guarded, na_action="ignore") for c in words})
    odd = "\r" in "".join(map(str, table)) or any(
        table[c].astype(str).str.contains("\r", regex=False).any() for c in words)
    quoting = csv.QUOTE_NONNUMERIC if odd else csv.QUOTE_MINIMAL
    return table.to_csv(where, index=False, quoting=quoting, **form)


def _guarded(cell: object) -> object:
    formula = isinstance(cell, str) and FORMULA.match(cell) and not NUMBER.fullmatch(cell)
    return f"'{cell}" if formula else cell


FIRST, NEXT = 3.0, 60.0  # seconds


@contextmanager
def said_if_slow(what: str) -> Iterator[None]:
    """Say what is done in the context, where that takes longer than `FIRST` seconds.

    Parameters
    ----------
    what : str
        Such as "reading results.csv".
    """
    began, ended = time.monotonic(), threading.Event()

    def say() -> None:
        wait = FIRST
        while not ended.wait(wait):
            print(f"{what} … ({time.monotonic() - began:.0f} s)", file=sys.stderr, flush=True)
            wait = NEXT

    thread = threading.Thread(target=say, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
