"""What a notebook says with: sentences made of its results, which are kept beside them.

A notebook begins with a cell tagged ``parameters``; its `Page` refuses parameters that are not
there. Numbers are kept by key and written, with all tables, to ``results/<name>/``.
"""

import ast
import os
import re
import runpy
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.drawing.chart import draw
from analysis.drawing.tables import list_results, show_table, with_minus
from analysis.published.computed import NotAtHandError, recall
from analysis.statistics.summary import Summary, as_number, with_interval
from collection.project.naming import check_known
from collection.project.paths import FIGURE_HOOK, FIGURE_NUMBERS, written_whole
from collection.project.shown import visible, write_csv

#: Columns of ``numbers.csv``.
COLUMNS = ("key", "value", "low", "high", "unit", "digits", "n", "note")
#: How papermill begins the cell with the values that it was given.
INJECTED = "# Parameters"
#: What the output of a cell after which nothing is shown has in its metadata.
LAST = "ends_here"
KEPT = re.compile(r"(?<!:)\{(\w+)(?:\.(ci|range))?\}(?!`)")
#: What MyST makes of a text and plain Markdown does not: pattern → what stands for it.
PLAIN = {r"(?ms)^(`{3,})\{[\w-]+\}.*?^\1\n?": "",
         r"(?m)^:{3,}.*\n?(?:^:[\w-]+:.*\n?)*": "", r"\[\]\((\w+)\.(?:md|ipynb)\)": r"*\1*",
         r"\{(?:cite\w*)[^}]*\}`([^`]*)`": r"(\1)",
         r"\{(?!glue)\w[\w:-]*\}`([^`<]*?)(?: ?<[^`]*>)?`": r"\1", r"(?m)^\([\w-]+\)=\n": ""}


class Number(str):
    """A number as text, with its unit.

    Attributes
    ----------
    ci, range : str
        The number with its 95 % interval, and the interval alone; of a number without one, the
        number.
    value : float or str
    """

    def __new__(cls, value: float | str, low: float = np.nan, high: float = np.nan,
                unit: str = "", digits: int = 0) -> "Number":
        """Write a number; words are taken as they are."""
        words = isinstance(value, str)
        made = super().__new__(cls, value if words else with_minus(as_number(value, digits, unit)))
        made.value, made.ci, made.range = value, str(made), str(made)
        if not words and not pd.isna(low) and not pd.isna(high):
            made.ci = with_minus(with_interval(value, low, high, digits, unit))
            made.range = with_minus(f"{as_number(low, digits)} to {as_number(high, digits, unit)}")
        return made

    def _ipython_display_(self) -> None:
        """Show nothing where a cell ends with a number that was kept: sentences show it."""

    def part(self, name: str | None) -> str:
        """Return its part of a name, ``ci`` or ``range``; of none, itself."""
        return getattr(self, name) if name else str(self)


class Page:
    """What one notebook says and keeps.

    Where a cell asks for data that are not at hand, the page says so and ends, as by `lacks`.

    Parameters
    ----------
    name : str
        Of its folder of results.
    results : str or Path
        Where that folder lies.

    Raises
    ------
    UnknownNameError
        Where papermill was given a parameter that the notebook does not have; lists those it has.
    ValueError
        Where one is of another kind than the notebook's own, such as a word for a number.
    """

    def __init__(self, name: str, results: str | Path = "results") -> None:
        self.name, self.numbers, self.tables = name, {}, {}
        self.rows: list[dict] = []
        self.cited: list[dict] = []
        self._folder = Path(results) / name
        self._shell = _shell()
        self.given = _given(self._shell)
        if self._shell:
            self._shell.set_custom_exc((NotAtHandError,), self._not_at_hand)
            self._shell.events.register("post_run_cell", _said_in_words)

    def __getitem__(self, key: str) -> Number:
        check_known("number", [key], self.numbers)
        return self.numbers[key]

    def keep(self, key: str, value: float | str | Summary, low: float = np.nan,
             high: float = np.nan, *, unit: str = "", digits: int = 0, n: int | None = None,
             note: str = "") -> Number:
        """Keep a number, a name or a few words under a key, for sentences to cite.

        Parameters
        ----------
        key : str
        value : float, str or Summary
            A `Summary` brings its interval and its n.
        low, high : float
            The ends of its 95 % interval, if it has one.
        unit : str
            Written behind the number: "%", "points", "rows".
        digits : int
            Decimals that are shown; the file keeps all.
        n : int, optional
            Units behind the number: families of datasets, curves.
        note : str
            What is counted, in a few words, where the key does not say it.

        Raises
        ------
        ValueError
            If the key is there already, or the value is NaN: whoever says it asks first whether
            there is anything to say.
        """
        if isinstance(value, Summary):
            value, low, high, n = value.value, value.low, value.high, value.n if n is None else n
        if key in self.numbers:
            raise ValueError(f"The number {key!r} is there already.")
        if pd.isna(value):
            raise ValueError(f"{key}: there is nothing to say; ask before saying it.")
        self.rows.append(dict(zip(COLUMNS, (key, value, low, high, unit, digits, n, note),
                                   strict=True)))
        number = self.numbers[key] = Number(value, low, high, unit, digits)
        if self._shell and FIGURE_NUMBERS in os.environ:
            from myst_nb import glue

            for ending, text in (("", str(number)), (".ci", number.ci), (".range", number.range)):
                glue(key + ending, text, display=False)
        return number

    def keep_row(self, key: str, row: Mapping[str, object], value: str, low: str = "",
                 high: str = "", n: str = "", scale: float = 1, **settings) -> Number:
        """Keep the estimate in a table's row under a key.

        Parameters
        ----------
        key : str
        row : mapping, such as a Series
            Column → number.
        value, low, high, n : str
            Columns: the estimate, the ends of its interval (by default ``<value>_low`` and
            ``<value>_high``, or ``low`` and ``high`` where these are not there), and the units
            behind it, if there is such a column.
        scale : float
            What the numbers are multiplied by: 100 for shares in percent.
        **settings
            As for `keep`.
        """
        before = f"{value}_" * (f"{value}_low" in row)
        low, high = low or f"{before}low", high or f"{before}high"
        return self.keep(key, *(scale * row[column] for column in (value, low, high)),
                         n=int(row[n]) if n else None, **settings)

    def cite(self, key: str, page: str, own_key: str, kept: bool | str = False) -> Number:
        """Keep a number of another page, so that two pages never say two numbers of one thing.

        Parameters
        ----------
        key : str
            By which this page's sentences name it.
        page, own_key : str
            Whose it is, and its key there.
        kept : bool or str
            Whether to take it as the book last kept it (`analysis.published.recall`), even where
            the other page has run here; or the table that keeps it, of another run.

        Raises
        ------
        UnknownNameError
            Where the other page has no such number.
        """
        file = self._folder.parent / page / "numbers.csv"
        if kept or not file.exists():
            table = as_numbers(recall(kept if isinstance(kept, str) else "cited", text=("value",)))
            table = table[table["chapter"] == page]
            table = table.assign(key=table.get("own_key", table["key"]))
        else:
            table = read_numbers(file)
        check_known(f"number of {page}", [own_key], list(table["key"]))
        row = table.set_index("key").loc[own_key]
        self.cited.append({"key": key, **row[list(COLUMNS[1:])], "chapter": page,
                           "own_key": own_key})
        return self.keep(key, *row[["value", "low", "high"]],
                         **row[["unit", "digits", "n", "note"]])

    def keep_all(self, numbers: Mapping[str, object], **settings) -> None:
        """Keep several numbers that have the same settings: key → value."""
        for key, value in numbers.items():
            self.keep(key, value, **settings)

    def say(self, text: str) -> None:
        """Show sentences, in Markdown, where their numbers are made.

        Parameters
        ----------
        text : str
            ``{key}`` stands for a number that was kept, ``{key.ci}`` for it with its interval,
            ``{key.range}`` for the interval alone.

        Raises
        ------
        UnknownNameError
            For a key that was not kept.
        """
        from IPython.display import Markdown, display

        check_known("number", [key for key, _ in KEPT.findall(text)], self.numbers)
        in_book = FIGURE_NUMBERS in os.environ
        mark = '<data value="{}">{}</data>' if in_book else "{1}"
        filled = KEPT.sub(lambda at: mark.format(at[1], self[at[1]].part(at[2])), text)
        display(Markdown(visible(filled if in_book else plain(filled))))

    def answer(self, text: str) -> None:
        """Show the one or two sentences that answer the page's question; as `say`."""
        self.say(f":::{{container}} answer\n{text}\n:::\n")

    def lacks(self, text: str) -> None:
        """Say what the curves lack for this notebook's question, and end it: no later cell runs."""
        from IPython.display import display

        self.answer(text)
        self.close()
        display({"text/markdown": " "}, raw=True, metadata={LAST: True})
        if self._shell:
            self._shell.input_transformers_cleanup.append(_nothing_more)

    def _not_at_hand(self, shell: object, kind: type, error: NotAtHandError, *_, **__) -> None:
        self.lacks(str(error))

    def draw(self, table: pd.DataFrame, kind: str, **specification) -> Figure:
        """Return the chart of a table, once it is legible; as `analysis.drawing.draw`."""
        return self.figure(draw(table, kind, **specification))

    def figure(self, figure: Figure, name: str = "") -> Figure:
        """Return a figure; where the book is built, once it is legible and its numbers are kept.

        Parameters
        ----------
        figure : matplotlib.figure.Figure
        name : str
            By which an error calls it; by default the page's.

        Raises
        ------
        FigureError
            Naming what cannot be read: overlapping texts, clipped points, small letters. Raised
            where the book is built and no parameter was given: else any figure is better than none.
        """
        if hook := os.environ.get(FIGURE_HOOK):
            runpy.run_path(hook)["look_at"](figure, name or self.name, not self.given)
        return figure

    def write(self, name: str, table: pd.DataFrame) -> pd.DataFrame:
        """Write a table, unrounded, to ``results/<page>/<name>.csv``; return it.

        It is for programs: a name that a spreadsheet would take for a formula stays as it is.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        with written_whole(self._folder / f"{name}.csv") as part:
            write_csv(table, part)
        self.tables[name] = table
        return table

    def table(self, name: str, table: pd.DataFrame, caption: str, digits: int = 1,
              shown: pd.DataFrame | None = None) -> None:
        """Write a table, and show it rounded, with names in words and a link to its file.

        Parameters
        ----------
        name : str
            Of its file.
        table : pandas.DataFrame
        caption : str
            What the table says, in a sentence.
        digits : int
            Decimals of numbers that are not whole.
        shown : pandas.DataFrame, optional
            What is shown where that differs: rows left out, intervals as text.
        """
        self.write(name, table)
        self.show(table if shown is None else shown, caption, digits, name)

    def show(self, table: pd.DataFrame, caption: str, digits: int = 1, name: str = "") -> None:
        """Show a table; `name` is that of the file with its numbers, if it has one."""
        from IPython.display import HTML, display

        link = f"{self._address()}/{name}.csv" if name else None
        display(HTML(show_table(table, caption, digits, link)))

    def close(self) -> None:
        """Write the numbers that were kept, and list all files of the page."""
        from IPython.display import HTML, display

        self.write("numbers", pd.DataFrame(self.rows, columns=list(COLUMNS)))
        display(HTML(list_results(self.tables, self._address())))

    def _address(self) -> str:
        """Return the address of the page's results, from a page of the book or from its folder."""
        above = "../" if FIGURE_NUMBERS in os.environ else ""
        return f"{above}{self._folder.as_posix()}"


def read_numbers(file: Path) -> pd.DataFrame:
    """Return what a page has kept, with columns `COLUMNS`: numbers as numbers, words as text."""
    return as_numbers(pd.read_csv(file, dtype={"value": str}))


def as_numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Return kept numbers whose ``value`` was read as text: numbers as numbers, words as text."""
    values = pd.to_numeric(table["value"], errors="coerce")
    return table.assign(value=values.astype(object).where(values.notna(), table["value"]),
                        digits=table["digits"].fillna(0).astype(int),
                        **{name: table[name].fillna("") for name in ("unit", "note")})


def plain(text: str) -> str:
    """Return a text of a page as plain Markdown, without what only MyST knows."""
    for pattern, stands in PLAIN.items():
        text = re.sub(pattern, stands, text)
    return text


def _shell() -> object | None:
    """Return the notebook's shell, None outside of one; cells run again after `Page.lacks`."""
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    shell = get_ipython()
    if shell and _nothing_more in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.remove(_nothing_more)
    return shell


def _given(shell: object | None) -> dict[str, object]:
    """Return the parameters that papermill was given, all of which the notebook has."""
    cells = list(shell.user_ns.get("In", ())) if shell else []
    place = next((k for k, cell in enumerate(cells) if cell.startswith(INJECTED)), None)
    if place is None:
        return {}
    own = _assigned(cells[place - 1])
    given = {name: shell.user_ns[name] for name in _assigned(cells[place])}
    check_known("parameter of this notebook", given, own)
    for name, value in given.items():
        usual = ast.literal_eval(own[name])
        if kind := _lacking(usual, value):
            raise ValueError(f"The parameter {name} is {kind} such as {usual!r}, not {value!r}.")
    return given


def _lacking(usual: object, value: object) -> str:
    """Return what a parameter has to be, as it usually is; "" where it is. One name is a list."""
    several, words = isinstance(value, (list, tuple)), isinstance(value, str)
    if isinstance(usual, str):
        return "" if words else "a word"
    if isinstance(usual, list) and not all(map(_is_number, usual or [""])):
        return "" if several or words else "a list"
    if isinstance(usual, list):
        return "" if several and value and all(map(_is_number, value)) else "a list of numbers"
    return "a number" if not _is_number(value) else "a number above 0" if value <= 0 < usual else ""


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _assigned(source: str) -> dict[str, ast.expr]:
    return {target.id: node.value for node in ast.parse(source).body
            if isinstance(node, ast.Assign)
            for target in node.targets if isinstance(target, ast.Name)}


def _said_in_words(result: object) -> None:
    """Let a cell that ended its page for want of data count as one that ran."""
    if isinstance(result.error_in_exec, NotAtHandError):
        result.error_in_exec = None


def _nothing_more(lines: list[str]) -> list[str]:
    """Empty every cell but the one that begins a page anew."""
    return lines if any("Page(" in line for line in lines) else []
