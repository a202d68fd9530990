"""The text of the book: short, plain, and each chapter with its answer and figure at the top."""

import ast
import re

import pytest
from browsing import CONTENTS, HTML

from collection.project.paths import ROOT

PAGES = {name: (ROOT / "book" / f"{name}.md").read_text() for name in CONTENTS}
CHAPTERS = [name for name, text in PAGES.items() if "\n:::{container} answer\n" in text]
WORDS, GLUED, FIGURES, TABLES = 18_000, 640, 75, 80
MOST_NUMBERS = 3  # in a sentence
IN_ANSWER = 2
WORD = re.compile(r"\w[\w'’-]*")
NUMBER = re.compile(r"(?<![\w.{/-])\d[\d,.]*(?![\w}])")
#: Digits that name something.
NAMES = re.compile(r"\b(?:LCDB|[Tt]ables?|[Ff]igures?|[Ss]ections?|Definitions?|OpenML|Python|"
                   r"NumPy|SciPy|scikit-learn|page|steps?) \d[\d.]*"
                   r"|\$[^$]*\$|`[^`{}]*`(?!`)|\{(?!glue)\w+\}`[^`]*`")
#: What a cell says with.
SAYING = ("say", "answer")
#: Ways of saying that only this house understands.
IDIOMS = re.compile(
    r"pays? for (?:comparisons|them)|pays? alike|own price|always says yes|told apart from|"
    r"the former|the latter|in hindsight|known afterwards|holds 0\b|nothing special|"
    r"no achievement|[Ee]xperience forecasts|other seventeen's|\bof \.0\d|by \.0\d", re.DOTALL)
#: What a template leaves behind where its words do not fit its numbers.
DEBRIS = re.compile(r"\b0 of the \d+ do not\b|none on [\w ]+, none on|\bp = 0\.0+\b|\bp 0\.0\b|"
                    r"\b0\.0 to [-−]0\.\d|\b(?!more |again )(\w{4,}) and \1\b|\bnan\b|–\s?%|"
                    r"\bby 0\.0 \w+ at most|\bloses [-−]\d|\b(\d+) and \2 of \2\b")


def prose(text: str) -> str:
    """Return a page's Markdown without front matter, code, directives and their options."""
    kept, fence = [], ""
    lines = text.splitlines()
    if lines and lines[0] == "---":
        lines = lines[lines.index("---", 1) + 1:]
    for line in lines:
        opened = re.match(r"\s*(`{3,})", line)
        if fence:
            if opened and line.strip() == fence:
                fence = ""
        elif opened and not re.match(r"\s*`{3,}\{(admonition|note|tip|warning)", line):
            fence = opened[1]
        elif not re.match(r"\s*(:{3,}|`{3,}|:[\w-]+:)", line):
            kept.append(line)
    return "\n".join(kept)


def spoken(text: str) -> str:
    """Return the sentences that a page's cells say, a number that was kept as a glued one.

    Of several that depend on the result the longest counts: one of them is on the page.
    """
    said = "\n\n".join(_said(ast.parse(cell).body) for cell in code_cells_of(text))
    return re.sub(r"\{(\w+)(\.\w+)?\}(?!`)", r"{glue:text}`\1\2`", said)


def _said(body: list[ast.stmt]) -> str:
    parts = []
    for node in body:
        if isinstance(node, ast.If):
            parts.append(max(_said(node.body), _said(node.orelse), key=len))
        elif isinstance(node, ast.For | ast.With):
            parts.append(_said(node.body))
        else:
            parts += [_words(call) for call in ast.walk(node) if isinstance(call, ast.Call)
                      and getattr(call.func, "attr", "") in SAYING]
    return "\n\n".join(part for part in parts if part)


def _words(call: ast.Call) -> str:
    return "".join("1" if isinstance(part, ast.FormattedValue) else part.value
                   for part in ast.walk(call) if isinstance(part, ast.FormattedValue)
                   or (isinstance(part, ast.Constant) and isinstance(part.value, str)))


def code_cells_of(text: str) -> list[str]:
    """Return the code of a page's cells that is Python."""
    cells = re.findall(r"^```\{code-cell\}.*?\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [re.sub(r"\A(---\n.*?\n---\n|(:[\w-]+:[^\n]*\n)+)", "", cell, flags=re.DOTALL)
            for cell in cells if "%load" not in cell]


def captions(text: str) -> list[str]:
    """Return the captions of figures that code cells draw."""
    return re.findall(r"^    caption: ?\|?\n?((?:.+\n)(?:      .*\n)*)", text, re.MULTILINE)


def plain(text: str) -> str:
    """Return prose with each role replaced by what it says or stands for."""
    return re.sub(r"\{[\w:]+\}`[^`]*`", "1", prose(text))


def sentences(text: str) -> list[str]:
    """Return the sentences of a page, headings and table rows left out."""
    lines = [line for line in prose(text).splitlines() if not re.match(r"\s*[|#]", line)]
    blocks = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)", "\n".join(lines))
    return [s for block in blocks for s in re.split(r"(?<=[.!?:])\s+(?=[A-Z*\[{])", block.strip())
            if s]


def n_numbers(sentence: str) -> int:
    """Return how many numbers a sentence states; digits in names and formulas are none."""
    glued = len(re.findall(r"\{glue:text\}", sentence))
    rest = re.sub(r"\{glue:text\}`[^`]*`", " ", sentence)
    return glued + len(NUMBER.findall(NAMES.sub(" ", rest)))


def count(text: str) -> dict[str, int]:
    """Return how many words, glued numbers, figures and tables a page has."""
    every = text + spoken(text)
    return {"words": len(WORD.findall(plain(text))) + len(WORD.findall(plain(spoken(text)))),
            "glued": len(re.findall(r"\{glue:text\}", every)),
            "figures": text.count("\n  figure:") + text.count("{glue:figure}")
            + text.count("{cited-figure}") - text.count("\n:wordless:"),
            "tables": len(re.findall(r"\bshow_table\(|\.table\(", text))
            + len(re.findall(r"^\|[ :-]+\|", text, re.MULTILINE))}


def test_the_book_is_short_and_most_pages_are_chapters():
    assert len({*CHAPTERS, *(n for n, text in PAGES.items() if "page.answer(" in text)}) >= 20
    counts = {name: count(text) for name, text in PAGES.items()}
    total = {what: sum(c[what] for c in counts.values())
             for what in ("words", "glued", "figures", "tables")}
    longest = sorted(((c["words"], name) for name, c in counts.items()), reverse=True)[:6]
    assert total["words"] <= WORDS, (total, longest)
    assert total["glued"] <= GLUED and total["figures"] <= FIGURES, total
    assert total["tables"] <= TABLES, total


@pytest.mark.parametrize("name", CONTENTS)
def test_no_sentence_is_a_list_of_numbers(name):
    loaded = [s for s in sentences(PAGES[name]) if n_numbers(s) > MOST_NUMBERS]
    assert not loaded, loaded


@pytest.mark.parametrize("name", CONTENTS)
def test_words_are_plain(name):
    text = prose(PAGES[name]) + "\n".join(captions(PAGES[name]))
    assert not IDIOMS.findall(text), IDIOMS.findall(text)


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_answers_its_question_first(name):
    head, *rest = re.split(r"^## ", PAGES[name], flags=re.MULTILINE)
    answer = re.search(r"^:::\{container\} answer\n(.*?)^:::", head, re.MULTILINE | re.DOTALL)[1]
    assert len(re.findall(r"\{glue:text\}", answer)) <= IN_ANSWER, answer
    assert re.search(r"^# .+\?", head, re.MULTILINE), "the title is the reader's question"
    summed_up = name == "findings" and "| Does it hold? |" in head  # all claims in one table
    drawn = any(way in head for way in ("\n  figure:", "{glue:figure}", "panel.html"))
    assert drawn or summed_up, "a figure is in the head"
    titles = [part.splitlines()[0] for part in rest]
    assert titles[-1] == "All numbers", titles


@pytest.mark.parametrize(("text", "found"), [
    ("0 of the 6 do not agree.", True), ("none on the one, none on the other", True),
    ("p = 0.0", True), ("0.0 to −0.1", True), ("trees and trees", True),
    ("differs by 0.0 points at most", True),
    ("loses −7.3 points", True), ("in 8 and 8 of 8 families", True),
    ("6 of 6 agree, p = 0.04, trees and forests", False)])
def test_debris_is_known(text, found):
    assert bool(DEBRIS.search(text)) == found


@pytest.mark.book
@pytest.mark.parametrize("name", CONTENTS)
def test_built_pages_have_no_debris(name):
    page = (HTML / "book" / f"{name}.html").read_text(encoding="utf-8")
    page = re.sub(r"<(script|style|pre|table|code)\b.*?</\1>", " ", page, flags=re.DOTALL)
    page = re.search(r"<article.*</article>", page, re.DOTALL)[0]
    found = DEBRIS.search(" ".join(re.sub(r"<[^>]+>", " ", page).split()))
    assert not found, found


if __name__ == "__main__":
    for page, source in PAGES.items():
        print(f"{page:22}", *count(source).values())
