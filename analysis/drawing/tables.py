"""Tables of results, shown rounded, with names in words."""

import html
import numbers
import re
from collections.abc import Mapping, Sequence

import pandas as pd

from analysis.databases.naming import database_name, dataset_title, learner_title
from analysis.statistics.bootstrap import FEW
from analysis.statistics.summary import with_interval
from collection.project.shown import visible

#: Columns whose labels are shown as names.
NAMED = {"dataset": dataset_title, "database": database_name, "learner": learner_title}
LONG = 24  # characters; a column with longer text is given the width to be read
INTERVAL = re.compile(r" \[([^\s,]+), ([^\s\]]+)\]")  # "rate [low, high]" stays on one line


def show_table(frame: pd.DataFrame, caption: str, digits: int = 1,
               result: str | None = None) -> str:
    r"""Return a table as HTML: rounded, with a caption, sortable when it is long.

    Parameters
    ----------
    frame : pandas.DataFrame
        What to show; its index is not shown. TeX in \(…\) is set as a formula. Columns
        ``dataset``, ``database`` and ``learner`` show names: those of OpenML's datasets, the
        paper's of databases, learners in words.
    caption : str
        What the table says, in a sentence.
    digits : int
        Decimals of numbers that are not integers. NaN shows as "–".
    result : str, optional
        Address of the file with the numbers, linked below the table.
    """
    frame = frame.assign(**{c: frame[c].map(name) for c, name in NAMED.items() if c in frame})
    kinds = [_kind(frame.iloc[:, k]) for k in range(frame.shape[1])]
    head = "".join(f'<th class="{k}">{html.escape(str(c))}</th>'
                   for c, k in zip(frame.columns, kinds, strict=True))
    rows = "".join(
        "<tr>" + "".join(f'<td class="{kind}">{_format(value, digits)}</td>'
                         for value, kind in zip(values, kinds, strict=True)) + "</tr>"
        for values in frame.itertuples(index=False))
    sortable = ' class="sortable"' if len(frame) > 12 else ""
    title = html.escape(caption).replace(" %", "&nbsp;%")
    return visible(
        f'<div class="book-table mathjax_process"><p class="table-caption">{title}</p>'
        f'<div class="table-scroll" tabindex="0" role="region" aria-label="{title}">'
        f"<table{sortable}><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        + (_download(result) if result else "") + "</div>")


def list_results(tables: Mapping[str, pd.DataFrame], folder: str) -> str:
    """Return files of results as a list of links in HTML, each with its rows and columns.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
        By the names of their files.
    folder : str
        Address of the folder that they lie in.
    """
    items = [f'<li><a href="{folder}/{name}.csv" download>{name}.csv</a>: {len(table):,} rows; '
             f"{html.escape(', '.join(map(str, table.columns)))}</li>"
             for name, table in tables.items()]
    return visible(f'<ul class="result-files">{"".join(items)}</ul>')


def _kind(column: pd.Series) -> str:
    """Return the class of a column's cells, for its alignment and least width."""
    if pd.api.types.is_numeric_dtype(column):
        return ""
    return "text long" if column.astype(str).str.len().max() > LONG else "text"


def with_minus(text: str) -> str:
    """Return a text whose numbers below 0 have a minus sign, not a hyphen."""
    return re.sub(r"(?<![\w.,)-])-(?=\d)", "\N{MINUS SIGN}", text)


def _format(value: object, digits: int) -> str:
    if pd.isna(value):
        return "–"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, numbers.Integral):
        return with_minus(f"{value:,}")
    if isinstance(value, float):
        return with_minus(f"{value:,.{digits}f}")
    return INTERVAL.sub(r"&nbsp;[\1,&nbsp;\2]", with_minus(html.escape(str(value))))


def _download(link: str) -> str:
    shown = link.removeprefix("../")
    return f'<p class="table-download">The numbers: <a href="{link}" download>{shown}</a></p>'


def interval_texts(table: pd.DataFrame, value: str, low: str = "low", high: str = "high",
                   digits: int = 1, scale: float = 1) -> list[str]:
    """Return `with_interval` of each row of a table.

    Parameters
    ----------
    table : pandas.DataFrame
        A row per estimate.
    value, low, high : str
        Columns: the estimate and the ends of its interval.
    digits : int
        Decimals.
    scale : float
        What the numbers are multiplied by: 100 for shares in percent.

    Returns
    -------
    list of str
        Without an interval where ``n_families`` is a column and below `FEW`.
    """
    if "n_families" in table:
        table = table.assign(**{end: table[end].where(table["n_families"] >= FEW)
                                for end in (low, high)})
    return [with_interval(scale * middle, scale * least, scale * most, digits)
            for middle, least, most in table[[value, low, high]].to_numpy(float)]


def with_intervals(table: pd.DataFrame, value: str, name: str, without: Sequence[str] = ()
                   ) -> pd.DataFrame:
    """Return a table whose estimate and interval are one column of text, for `Page.table` to show.

    Parameters
    ----------
    table : pandas.DataFrame
        With columns ``low`` and ``high``.
    value, name : str
        The column of the estimate, and what it is called when shown.
    without : sequence of str
        Columns that are not shown.
    """
    return table.assign(**{value: interval_texts(table, value)}).rename(
        columns={value: name}).drop(columns=["low", "high", *without])
