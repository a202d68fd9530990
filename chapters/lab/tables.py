"""Show a table on a page: rounded, with names in words, linked to its file."""

import html
import numbers
import re
from collections.abc import Sequence

import pandas as pd
from IPython.display import HTML

from analysis.drawing.tables import NAMED
from analysis.statistics.bootstrap import FEW
from analysis.statistics.summary import with_interval
from collection.project.paths import RESULTS, ROOT

LONG = 24  # characters; a column with longer text is given the width to be read
IDENTIFIERS = ("ID",)  # numbers that name something: no thousands separators
INTERVAL = re.compile(r" \[([^\s,]+), ([^\s\]]+)\]")  # "rate [low, high]" stays on one line


def show_table(frame: pd.DataFrame, caption: str, digits: int = 1,
               result: tuple[str, str] | None = None) -> HTML:
    r"""Return a table for a chapter: rounded, with a caption, sortable when it is long.

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
    result : tuple of (chapter, name), optional
        The file in ``results`` that holds the numbers, linked below the table.

    Raises
    ------
    FileNotFoundError
        If `result` names a file that `write_result` has not written.
    """
    frame = frame.assign(**{c: frame[c].map(name) for c, name in NAMED.items() if c in frame})
    frame = frame.astype({c: str for c in frame.columns if c in IDENTIFIERS})
    kinds = [_kind(frame.iloc[:, k]) for k in range(frame.shape[1])]
    head = "".join(f'<th class="{k}">{html.escape(str(c))}</th>'
                   for c, k in zip(frame.columns, kinds, strict=True))
    rows = "".join(
        "<tr>" + "".join(f'<td class="{kind}">{_format(value, digits)}</td>'
                         for value, kind in zip(values, kinds, strict=True)) + "</tr>"
        for values in frame.itertuples(index=False))
    sortable = ' class="sortable"' if len(frame) > 12 else ""
    title = html.escape(caption).replace(" %", "&nbsp;%")
    return HTML(
        f'<div class="book-table mathjax_process"><p class="table-caption">{title}</p>'
        f'<div class="table-scroll" tabindex="0" role="region" aria-label="{title}">'
        f"<table{sortable}><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        + (_download(*result) if result else "") + "</div>"
    )


def list_results(chapter: str, names: Sequence[str]) -> HTML:
    """Return the files of a chapter as a list of links, each with its rows and columns.

    Parameters
    ----------
    chapter : str
    names : sequence of str
        Of tables that `write_result` has written.
    """
    items = []
    for name in names:
        link = f"results/{chapter}/{name}.csv"
        head = pd.read_csv(RESULTS / chapter / f"{name}.csv", low_memory=False)
        items.append(f'<li><a href="../{link}" download>{name}.csv</a>: {len(head):,} rows; '
                     f"{html.escape(', '.join(map(str, head.columns)))}</li>")
    return HTML(f'<ul class="result-files">{"".join(items)}</ul>')


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


def _download(chapter: str, name: str) -> str:
    path = RESULTS / chapter / f"{name}.csv"
    if not path.exists():
        raise FileNotFoundError(f"{path.relative_to(ROOT)} is not there: call write_result first.")
    link = f"results/{chapter}/{name}.csv"
    return f'<p class="table-download">The numbers: <a href="../{link}" download>{link}</a></p>'


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
