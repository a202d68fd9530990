"""Fill the status page when the book is written: sums first, then chapters, versions, results."""

import csv
import hashlib
import html
import json
import platform
import re
from collections import Counter
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = "book/status"
PLACE = '<div id="status-of-the-build"></div>'
DATABASE = re.compile(r'"(lcdb10|mini|lcdb11(?:-anew|-cc18|-summary)?|evaluations)\\?"')
PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "xarray", "jupyter-book", "matplotlib")
#: How numbers and claims of each paper stand, counted by the ledger's chapter.
CHECKED = "ledger/papers.csv"
COME_OUT, NOT_TOLD = "reproduced", "cannot be told here"

def setup(app) -> dict:
    """Connect to Sphinx; the page is written anew at each build."""
    app.connect("env-updated", lambda app, env: [PAGE] if PAGE in env.found_docs else [])
    app.connect("html-page-context", fill)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def fill(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Put the tables into the page: all chapters have run by the time pages are written."""
    if pagename == PAGE:
        tables = [_sums(ROOT / "results"), _published(ROOT / "results"), _chapters(app),
                  _versions(), _speed(ROOT / "book" / "computed" / "benchmarks.csv"),
                  _results(ROOT / "results")]
        context["body"] = context["body"].replace(PLACE, "\n".join(tables))


def _sums(results: Path) -> str:
    """Return how many published numbers are covered, and how those stand that can be told."""
    counts = sum(_standings(results).values(), Counter())
    if not counts:
        return ""
    told = {name: n for name, n in counts.items() if name != NOT_TOLD}
    others = [f"{html.escape(name)}: {n:,}" for name, n in told.items() if name != COME_OUT]
    sums = ((counts.total(), "numbers and claims of all papers are covered"),
            (counts[NOT_TOLD], "of them cannot be told here: most need files that do not ship"),
            (counts[COME_OUT], "were computed and come out: equal as printed, or the claim holds"),
            (sum(told.values()) - counts[COME_OUT],
             "were computed and do not, or not wholly: " + "; ".join(others)))
    rows = "".join(f"<li><strong>{n:,}</strong> {words}</li>" for n, words in sums)
    return f'<ul class="sums">{rows}</ul>'


def _chapters(app) -> str:
    stamps = json.loads(Path(app.srcdir, "stamps.json").read_text())
    rows = []
    for doc in sorted(app.env.found_docs):
        if ran := stamps.get(doc.removeprefix("book/")):
            names = sorted(set(DATABASE.findall(Path(app.env.doc2path(doc)).read_text())))
            rows.append((f'<a href="{app.builder.get_relative_uri(PAGE, doc)}">'
                         f"{html.escape(app.env.titles[doc].astext())}</a>", ran["built"],
                         ", ".join(names), f"{ran['seconds']:.0f}",
                         f"<code>{ran['stamp'][:12]}</code>"))
    return _table("Chapters", ("chapter", "built", "databases", "seconds", "stamp"), rows)


def _versions() -> str:
    rows = [("Python", platform.python_version()), *((p, version(p)) for p in PACKAGES)]
    return _table("Versions", ("package", "version"), rows)


def _published(results: Path) -> str:
    rows = [(html.escape(paper), f"{counts.total():,}", html.escape("; ".join(
        f"{name}: {n:,}" for name, n in counts.items())))
        for paper, counts in _standings(results).items()]
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


def _standings(results: Path) -> dict[str, Counter]:
    """Return of each paper how many numbers stand how; nothing where the ledger is not built."""
    found: dict[str, Counter] = {}
    if (results / CHECKED).exists():
        with (results / CHECKED).open(newline="") as rows:
            for row in csv.DictReader(rows):
                found.setdefault(row["paper"], Counter())[row["standing"]] += int(row["numbers"])
    return found


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
