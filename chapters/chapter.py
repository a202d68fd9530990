"""The one shape of a chapter: what it computes, and the tables, facts and charts of that.

A package ``chapters/<name>/`` offers one `Chapter`, called ``chapter``. Its page opens it in one
call, which computes, writes every table to ``results/<name>/`` and glues the facts; after that the
page shows tables and charts by their names. No chapter imports another.
"""

import os
import runpy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace

import pandas as pd
from IPython.display import HTML
from matplotlib.figure import Figure

from analysis.drawing.chart import Chart
from analysis.drawing.tables import list_results, show_table, write_result
from chapters.facts import read_facts, show_facts
from collection.project.naming import check_known
from collection.project.paths import FIGURE_HOOK, RESULTS


class Study(SimpleNamespace):
    """What a chapter found.

    Attributes
    ----------
    tables : dict of str to pandas.DataFrame
        All that are written to ``results/<chapter>/``, by the names of their files.
    others
        What else facts and charts are made of, by name: the chapter's ``compute`` says what it is.
    """

    def __init__(self, tables: Mapping[str, pd.DataFrame], **others: object) -> None:
        super().__init__(tables=dict(tables), **others)


@dataclass(frozen=True)
class Chapter:
    """A chapter as its page uses it.

    Attributes
    ----------
    name : str
        That of its page and of its folder of results.
    compute : callable
        Returns the study: tidy tables, and what else facts and charts are made of.
    facts : callable
        Of the study; returns the table of `chapters.facts.Facts`.
    charts : mapping
        Name → a `Chart` of one of the tables, or a function of the study that returns a figure.
    shown : mapping
        Name → function of the study that returns a table as the page shows it, where that differs
        from the table in the file: rows left out, intervals as text.
    """

    name: str
    compute: Callable[[], Study]
    facts: Callable[[Study], pd.DataFrame]
    charts: Mapping[str, Chart | Callable[[Study], Figure]] = field(default_factory=dict)
    shown: Mapping[str, Callable[[Study], pd.DataFrame]] = field(default_factory=dict)

    def open(self) -> "OpenChapter":
        """Compute the study, write its tables, glue its facts."""
        study = self.compute()
        for name, table in study.tables.items():
            write_result(table, self.name, name)
        show_facts(self.name, self.facts(study))
        return OpenChapter(self, study)


@dataclass(frozen=True)
class OpenChapter:
    """A chapter that was computed: its page draws and shows what it names.

    Attributes
    ----------
    chapter : Chapter
    study : Study
        What the chapter computed.
    """

    chapter: Chapter
    study: Study

    def draw(self, name: str) -> Figure:
        """Return the chart of a name, once it is legible.

        Raises
        ------
        UnknownNameError
            If the chapter has no such chart.
        FigureError
            Naming what cannot be read: overlapping texts, clipped points, small letters. Not raised
            where the reader chose the database.
        """
        check_known("chart", [name], self.chapter.charts)
        chart = self.chapter.charts[name]
        drawn = chart.draw(self.study.tables) if isinstance(chart, Chart) else chart(self.study)
        if hook := os.environ.get(FIGURE_HOOK):  # of a reader's own curves any is better than none
            runpy.run_path(hook)["look_at"](drawn, f"{self.chapter.name}.{name}",
                                            not os.environ.get("DATABASE"))
        return drawn

    def table(self, name: str, caption: str, digits: int = 1) -> HTML:
        """Return a table of a name for the page, linked to its file.

        Raises
        ------
        UnknownNameError
            If the chapter has no such table.
        """
        shown, tables = self.chapter.shown, self.study.tables
        check_known("table", [name], [*tables, *shown])
        frame = shown[name](self.study) if name in shown else tables[name]
        link = f"../results/{self.chapter.name}/{name}.csv" if name in tables else None
        return HTML(show_table(frame, caption, digits, link))

    def numbers(self) -> HTML:
        """Return the list of all files of the chapter, for the end of its page."""
        facts = read_facts(RESULTS / self.chapter.name / "facts.csv")
        return HTML(list_results({**self.study.tables, "facts": facts},
                                 f"../results/{self.chapter.name}"))
