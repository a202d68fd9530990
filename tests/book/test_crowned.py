"""Sentences of a page crown nobody whom no fair comparison stands behind."""

import ast
import re

import pytest
from test_prose import code_cells_of, prose, spoken

from collection.project.paths import ROOT

PAGES = sorted(page for page in (ROOT / "book").glob("*.md") if page.stem != "reference")
#: "At worst" is a bound, "as the worst" a way to count: they crown nobody.
SUPERLATIVE = re.compile(r"\b(?:(?<!at )(?<!as the )(?:best|worst)|lowest|highest|in every|in all|"
                         r"none of)\b")
CHOSEN = re.compile(r"(?:chosen|left out) (?:on|after)")  # how the best was found stands beside it
CITED = re.compile(r"\{glue:text\}`([\w.]+?)(?:\.ci|\.range)?`")
PICKS = {"idxmin", "idxmax", "argmin", "argmax", "nsmallest", "nlargest", "sort_values"}
WORDED_BY = {"leader_if_fair", "comparable_rows"}


class Kept(ast.NodeVisitor):
    """What a page's cells keep: pattern of a key → the names that its value is made with.

    Names are followed through what was assigned to them last. Where a key is put together, any
    text stands for what is filled in; a key that is a variable altogether is not followed.
    """

    def __init__(self, cells):
        self.made, self.names = [], {}
        for cell in cells:
            self.visit(ast.parse(cell))

    def called(self, value):
        own = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(value)}
        return own.union(*(self.names.get(name, ()) for name in own))

    def follow(self, target, value):
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                own = isinstance(target, ast.Subscript) and self.names.get(node.id, set())
                self.names[node.id] = self.called(value) | (own or set())

    def visit_Assign(self, node):
        self.visit(node.value)
        for target in node.targets:
            self.follow(target, node.value)

    def visit_For(self, node):
        self.follow(node.target, node.iter)
        self.generic_visit(node)

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        self.names[node.name] = self.called(node)

    def visit_Call(self, node):
        if getattr(node.func, "attr", "") in ("keep", "keep_row") and len(node.args) > 1:
            self.made.append((pattern(node.args[0]), self.called(node.args[1])))
        if getattr(node.func, "attr", "") == "keep_all" and isinstance(node.args[0], ast.Dict):
            self.made += [(pattern(key), self.called(value)) for key, value in zip(
                node.args[0].keys, node.args[0].values, strict=True) if key]
        self.generic_visit(node)


def pattern(key):
    if isinstance(key, ast.JoinedStr):
        return "".join(re.escape(part.value) if isinstance(part, ast.Constant) else ".*"
                       for part in key.values)
    return re.escape(key.value) if isinstance(key, ast.Constant) else ".*"


def unfounded_superlatives(text):
    """Return a page's sentences that crown somebody whom no fair comparison stands behind."""
    picked = {key for key, names in Kept(code_cells_of(text)).made
              if key != ".*" and names & PICKS and not names & WORDED_BY}
    every = f"{prose(text)}\n\n{spoken(text)}"
    return [sentence for sentence in re.split(r"(?<=[.;:!?])\s|\n\n|\n- ", every)
            if SUPERLATIVE.search(CITED.sub("", sentence)) and not CHOSEN.search(sentence)
            and any(re.fullmatch(key, cited) for cited in CITED.findall(sentence)
                    for key in picked)]


CROWNED = """Of all, {glue:text}`winner` is the best on average. {glue:text}`n` datasets count.

```{code-cell} python3
first = means.mean("dataset").idxmin()
page.keep("n", 3)
page.keep("winner", str(first))
page.say("They count.")
```
"""


@pytest.mark.parametrize(("old", "new", "unfounded"), [
    ("", "", 1), ('"winner"', 'f"{what}ner"', 1), ("best", "third", 0),
    ("best", "best (chosen on these)", 0), ("the best", "at best third", 0),
    ('"They count."', '"The lowest is {winner}."', 2),
    ('page.keep("n", 3)', "first = means.columns[0]", 0),
    ('means.mean("dataset").idxmin()', 'leader_if_fair(means, "test", "learner").name', 0)])
def test_a_superlative_is_seen(old, new, unfounded):
    assert len(unfounded_superlatives(CROWNED.replace(old, new))) == unfounded


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_word_superlatives_from_fair_comparisons(page):
    assert not unfounded_superlatives(page.read_text())
