"""Superlatives come from fair comparisons only, and chapters use nothing else for them."""

import ast
import re

import numpy as np
import pandas as pd
import pytest

from analysis.statistics import headlines
from collection.project.paths import ROOT

#: The reference has examples of an interpreter, not cells.
CHAPTERS = sorted(set((ROOT / "book").glob("*.md")) - {ROOT / "book" / "reference.md"})
SUPERLATIVE = re.compile(r"\b(?:best|worst|lowest|highest|in every|in all|none of)\b")
CITED = re.compile(r"\{glue:text\}`([\w.]+?)(?:\.ci|\.range)?`")
PICKS = {"idxmin", "idxmax", "argmin", "argmax", "nsmallest", "nlargest", "sort_values"}
WORDED_BY = {"leader_if_fair", "comparable_rows"}


def contest(**errors):
    """A row per contender and dataset; None: it lacks that dataset."""
    return pd.DataFrame([(name, k, value) for name, values in errors.items()
                         for k, value in enumerate(values) if value is not None],
                        columns=["learner", "dataset", "test"])


def test_an_unequal_comparison_is_made_equal():
    hard = contest(A=[0.1] * 10 + [None], B=[0.05] * 10 + [0.9])
    fair = headlines.leader_if_fair(hard, "test", "learner")
    assert (fair.name, fair.n, fair.rivals) == ("B", 10, ())
    assert fair.doubt == "ahead of all 1 others, tested one by one,"


def test_fewer_than_five_common_datasets_crown_nobody():
    few = contest(A=[0.1] * 4, B=[0.2] * 4)
    assert headlines.leader_if_fair(few, "test", "learner") is None
    apart = contest(A=[0.1] * 5 + [None] * 5, B=[None] * 5 + [0.1] * 5)
    assert headlines.leader_if_fair(apart, "test", "learner") is None
    unknown = contest(A=[0.1] * 9 + [np.nan], B=[0.2] * 10)
    assert headlines.leader_if_fair(unknown, "test", "learner") is None
    enough = contest(A=[0.1] * 5, B=[0.2] * 5)
    assert headlines.leader_if_fair(enough, "test", "learner").name == "A"


def test_those_with_few_datasets_are_left_out_before_the_others_are_cut_down():
    rows = contest(A=[0.1] * 10, B=[0.2] * 9 + [None], C=[0.0] + [None] * 9)
    kept = headlines.comparable_rows(rows, "learner")
    assert set(kept["learner"]) == {"A", "B"} and kept["dataset"].nunique() == 9


def test_a_rival_is_who_cannot_be_told_apart():
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.05, 12)
    rows = contest(A=[0.2] * 12, B=list(0.205 + noise), C=[0.4] * 12)
    first = headlines.leader_if_fair(rows, "test", "learner")
    assert first.contenders == 3 and "C" not in first.rivals and len(first.rivals) == 1
    assert first.doubt == "not clearly ahead of 1 of the 2 others"


def chosen_names(sources):
    """Return the facts that name who came first or last without a fair comparison.

    A fact is so if its value, followed through the names that its function assigns, picks by a
    value (`PICKS`) and calls none of the functions that compare fairly (`WORDED_BY`). Keys are
    patterns: where a key is put together, any text stands for what is filled in. A key that is a
    variable altogether is not followed.
    """
    functions = [node for source in sources for node in ast.walk(ast.parse(source))
                 if isinstance(node, ast.FunctionDef)]
    return {key for function in functions for key, value in _facts_of(function)
            if key != ".*" and _names_called(value, function) & PICKS
            and not _names_called(value, function) & WORDED_BY}


def _facts_of(code):
    """Yield key and value of what a function, or a module, adds to `Facts`."""
    for node in ast.walk(code):
        if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Attribute):
            if node.func.attr == "add" and len(node.args) > 1:
                yield _pattern(node.args[0]), node.args[1]
            if node.func.attr == "update" and isinstance(node.args[0], ast.Dict):
                yield from ((_pattern(k), v) for k, v in zip(
                    node.args[0].keys, node.args[0].values, strict=True) if k)


def _pattern(key):
    if isinstance(key, ast.JoinedStr):
        return "".join(re.escape(part.value) if isinstance(part, ast.Constant) else ".*"
                       for part in key.values)
    return re.escape(key.value) if isinstance(key, ast.Constant) else ".*"


def _names_called(value, function):
    """Return all names in a value, and in what its function assigns to these names."""
    given = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in (n.id for t in node.targets for n in ast.walk(t)
                           if isinstance(n, ast.Name)):
                given.setdefault(target, []).append(node.value)
    found, waiting = set(), [value]
    while waiting:
        new = {getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(waiting.pop())} - found
        found |= new
        waiting += [value for name in new for value in given.get(name, [])]
    return found


def unfounded_superlatives(text, sources):
    """Return the sentences that crown somebody whom no fair comparison stands behind.

    Parameters
    ----------
    text : str
        A chapter.
    sources : list of str
        The modules that compute its facts.
    """
    picked = chosen_names(sources)
    prose = re.sub(r"^```\{code-cell\}.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return [sentence for sentence in re.split(r"(?<=[.;:!?])\s|\n\n|\n- ", prose)
            if SUPERLATIVE.search(CITED.sub("", sentence))
            and any(re.fullmatch(key, cited) for cited in CITED.findall(sentence)
                    for key in picked)]


CROWNED = "Of all, {glue:text}`winner` is the best on average. {glue:text}`n` datasets count."
PICKED = """
def facts(means):
    rows = Facts()
    first = means.mean("dataset").idxmin()
    rows.add("winner", str(first))
    return rows.table()
"""


def test_a_superlative_is_seen():
    assert len(unfounded_superlatives(CROWNED, [PICKED])) == 1
    assert len(unfounded_superlatives(CROWNED, [PICKED.replace('"winner"', 'f"{what}ner"')])) == 1
    fair = PICKED.replace('means.mean("dataset").idxmin()',
                          'leader_if_fair(means, "test", "learner").name')
    assert not unfounded_superlatives(CROWNED, [fair])
    assert not unfounded_superlatives(CROWNED.replace("best", "third"), [PICKED])


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda p: p.stem)
def test_chapters_word_superlatives_from_fair_comparisons(chapter):
    own = ROOT / "chapters" / chapter.stem
    sources = [file.read_text() for file in [*own.glob("*.py"), own.with_suffix(".py")]
               if file.exists()]
    assert not unfounded_superlatives(chapter.read_text(), sources)


def test_where_facts_name_the_first_is_still_found():
    """Should facts be collected in another way, this rule has to follow."""
    files = [file.read_text() for file in (ROOT / "chapters").rglob("*.py")]
    told = [text for text in files if re.search(r"^def facts\(", text, re.MULTILINE)]
    assert sum(any(_facts_of(ast.parse(text))) for text in told) == len(told)


def test_who_was_left_out_is_named_with_what_it_does_against_the_leader():
    rows = contest(A=[0.20] * 10, B=[0.3] * 10, few=[0.1 + 0.01 * k for k in range(6)] + [None] * 4,
                   worse=[0.4] * 7 + [None] * 3, two=[0.0] * 2 + [None] * 8)
    first = headlines.leader_if_fair(rows, "test", "learner")
    found = headlines.excluded(rows, "test", "learner", first)
    assert first.name == "A" and [x.name for x in found] == ["few", "worse", "two"]
    few, worse, two = found
    assert few.beats and not worse.beats and not two.beats
    assert few.gap == pytest.approx(0.125 - 0.2) and few.low < few.gap < few.high and few.n == 6
    assert two.n == 2 and np.isnan([two.gap, two.low, two.high]).all()
    points = [one._replace(gap=100 * one.gap) for one in found]
    assert headlines.left_out(points, str.upper) == (
        "FEW, 7.5 points better on 6 common datasets; 2 that did worse or share too few datasets")
    assert headlines.left_out([], str) == "nobody"
