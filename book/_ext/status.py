"""Fill the status page when the book is written: sums first, then chapters, versions, results."""

import csv
import hashlib
import html
import platform
import re
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from myst_nb.sphinx_ import NbMetadataCollector

PAGE = "book/status"
PLACE = '<div id="status-of-the-build"></div>'
DATABASE = re.compile(r'"(lcdb10|mini|lcdb11(?:-cc18|-summary)?|evaluations)"')
PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "xarray", "jupyter-book", "matplotlib")
#: Files of results that compare published with computed numbers: a row for each number and its
#: ``verdict``, or a row for each verdict with how many ``numbers`` have it.
CHECKED = {"LCDB 1.1": "ledger/numbers.csv", "OpenML benchmarking suites": "suites/published.csv",
           "PMLBmini": "small_data/claims.csv", "TabRepo": "repository/claims.csv"}
#: Verdicts of numbers and claims that come out as printed, and of those that cannot be told here.
COME_OUT = {"equal as printed", "holds"}
NOT_TOLD = {"needs the official files", "needs the summary", "not testable",
            "not checkable here"}


def setup(app) -> dict:
    """Connect to Sphinx; the page is written anew at each build."""
    app.connect("env-updated", lambda app, env: [PAGE] if PAGE in env.found_docs else [])
    app.connect("html-page-context", fill)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def fill(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Put the tables into the page: all chapters have run by the time pages are written."""
    if pagename == PAGE:
        root = Path(app.srcdir)
        tables = [_sums(root / "results"), _published(root / "results"), _chapters(app, root),
                  _versions(), _speed(root / "book" / "computed" / "benchmarks.csv"),
                  _results(root / "results")]
        context["body"] = context["body"].replace(PLACE, "\n".join(tables))


def _sums(results: Path) -> str:
    """Return how many published numbers are covered, computed, equal; why the others are not."""
    counts = sum((_verdicts(results / file) for file in CHECKED.values()), Counter())
    if not counts:
        return ""
    waiting = sum(counts[verdict] for verdict in NOT_TOLD)
    come_out = sum(counts[verdict] for verdict in COME_OUT)
    others = [f"{html.escape(verdict)}: {n:,}" for verdict, n in counts.most_common()
              if verdict not in COME_OUT | NOT_TOLD]
    sums = ((counts.total(), "numbers and claims of four papers are covered"),
            (waiting, "of them nobody can compute or test here: they need files that do not ship"),
            (come_out, "were computed or tested and come out: equal as printed, or the claim holds"),
            (counts.total() - waiting - come_out, "were, and come out otherwise or only in part: " + "; ".join(others)))
    rows = "".join(f"<li><strong>{n:,}</strong> {words}</li>" for n, words in sums)
    return f'<ul class="sums">{rows}</ul>'


def _chapters(app, root: Path) -> str:
    stamps = getattr(app, "chapter_stamps", {})
    rows = []
    for doc in sorted(app.env.found_docs):
        data = NbMetadataCollector.get_exec_data(app.env, doc)
        if data:
            built = datetime.fromtimestamp(data["mtime"]).strftime("%Y-%m-%d %H:%M")
            names = _databases(Path(app.env.doc2path(doc)))
            title = app.env.titles[doc].astext()
            rows.append((f'<a href="{app.builder.get_relative_uri(PAGE, doc)}">'
                         f"{html.escape(title)}</a>", built, ", ".join(names) or "–",
                         f"{data['runtime']:.0f}" if data["runtime"] else "–",
                         f"<code>{stamps.get(doc, '')[:12]}</code>"))
    return _table("Chapters", ("chapter", "built", "databases", "seconds", "stamp"), rows)


def _databases(chapter: Path) -> list[str]:
    """Return the databases that a chapter or its folder of code names."""
    code = (chapter.parents[1] / "chapters" / chapter.stem).glob("*.py")
    return sorted({name for file in (chapter, *code) for name in DATABASE.findall(
        file.read_text())})


def _versions() -> str:
    rows = [("Python", platform.python_version()), *((p, version(p)) for p in PACKAGES)]
    return _table("Versions", ("package", "version"), rows)


def _published(results: Path) -> str:
    rows = []
    for paper, file in CHECKED.items():
        counts = _verdicts(results / file)
        if counts:
            rows.append((paper, f"{counts.total():,}", html.escape("; ".join(
                f"{verdict}: {n:,}" for verdict, n in counts.most_common()))))
        else:
            rows.append((paper, "–", "not compared number by number in this build"))
    return _table("Published numbers, checked", ("paper", "numbers", "what came of them"), rows)


def _speed(kept: Path) -> str:
    """Return how much faster the code is than the straightforward version, as ``make bench`` found.

    Nothing where no table is kept.
    """
    if not kept.exists():
        return ""
    with kept.open(newline="") as opened:
        timings = list(csv.DictReader(opened))
    rows = [(html.escape(row["what"]), f"{float(row['seconds']):,.3g}", html.escape(row["against"]),
             f"{float(row['ratio']):,.1f}") for row in timings]
    day = timings[0]["computed_on"]
    return _table(f"Speed, as timed on {day}",
                  ("what", "seconds", "against", "times as long"), rows, folded="comparisons")


def _verdicts(file: Path) -> Counter:
    """Count numbers by verdict; none where there is no such file or column, or it is empty."""
    counts = Counter()
    if file.exists():
        with file.open(newline="") as rows:
            for row in csv.DictReader(rows):
                if row.get("verdict"):
                    counts[row["verdict"]] += int(row.get("numbers") or 1)
    return +counts


def _results(results: Path) -> str:
    rows = [(f'<a href="../results/{(name := p.relative_to(results).as_posix())}">{name}</a>',
             f"{p.stat().st_size:,}",
             f"<code>{hashlib.sha256(p.read_bytes()).hexdigest()[:16]}</code>")
            for p in sorted(results.rglob("*.csv"))]
    return _table("Results", ("file", "bytes", "sha256 (first 16 digits)"), rows,
                  folded="files with their checksums")


def _table(title: str, head: Iterable[str], rows: Iterable[tuple], folded: str = "") -> str:
    anchor = re.sub(r"\W+", "-", title.lower()).strip("-")
    cells = "".join(f'<th class="text" scope="col">{h}</th>' for h in head)
    body = "".join("<tr>" + "".join(f'<td class="text">{c}</td>' for c in row) + "</tr>"
                   for row in rows)
    table = ('<div class="table-scroll" tabindex="0">'
             f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>")
    if folded:
        table = (f"<details><summary>{body.count('<tr>'):,} {folded}</summary>{table}</details>")
    return f'<section id="{anchor}"><h2>{title}</h2>{table}</section>'
