"""Superlatives come from fair comparisons only, and chapters use nothing else for them."""

import ast
import re

import jupytext
import numpy as np
import pandas as pd
import pytest

from analysis.statistics.headlines import (
    UnfairComparisonError,
    comparable_rows,
    how_many,
    leader,
    leader_if_fair,
)
from collection.paths import ROOT

#: The reference has examples of an interpreter, not cells.
CHAPTERS = sorted(set((ROOT / "book").glob("*.md")) - {ROOT / "book" / "reference.md"})
SUPERLATIVE = re.compile(r"\b(?:best|worst|lowest|highest|in every|in all|none of)\b")
WORDED_BY = {"leader", "leader_if_fair", "comparable_rows", "how_many"}


def contest(**errors):
    """A row per contender and dataset; None: it lacks that dataset."""
    return pd.DataFrame([(name, k, value) for name, values in errors.items()
                         for k, value in enumerate(values) if value is not None],
                        columns=["learner", "dataset", "test"])


def test_an_unequal_comparison_is_refused_and_can_be_made_equal():
    hard = contest(A=[0.1] * 10, B=[0.05] * 10 + [0.9])
    with pytest.raises(UnfairComparisonError, match="A lack some"):
        leader(hard, "test", "learner")
    fair = leader(comparable_rows(hard, "learner"), "test", "learner")
    assert (fair.name, fair.n, fair.rivals) == ("B", 10, ())
    assert fair.doubt == "clearly ahead of all 1 others"


def test_fewer_than_five_datasets_crown_nobody():
    few = contest(A=[0.1] * 4, B=[0.2] * 4)
    with pytest.raises(UnfairComparisonError, match="4 datasets"):
        leader(few, "test", "learner")
    with pytest.raises(UnfairComparisonError, match="needs 5"):
        comparable_rows(few, "learner")
    assert leader_if_fair(few, "test", "learner") is None
    enough = contest(A=[0.1] * 5, B=[0.2] * 5)
    assert leader(enough, "test", "learner").name == "A"
    assert leader(enough, "test", "learner", highest=True).name == "B"


def test_those_with_few_datasets_are_left_out_before_the_others_are_cut_down():
    rows = contest(A=[0.1] * 10, B=[0.2] * 9 + [None], C=[0.0] + [None] * 9)
    kept = comparable_rows(rows, "learner")
    assert set(kept["learner"]) == {"A", "B"} and kept["dataset"].nunique() == 9
    with pytest.raises(UnfairComparisonError):
        comparable_rows(contest(A=[0.1] * 5 + [None] * 5, B=[None] * 5 + [0.1] * 5), "learner")


def test_contenders_of_two_columns():
    rows = contest(A=[0.1] * 6).assign(scaling="none")
    both = pd.concat([rows, rows[rows["dataset"] < 6].assign(scaling="minmax")])
    assert len(comparable_rows(both, ["learner", "scaling"])) == 12


def test_a_rival_is_who_cannot_be_told_apart():
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.05, 12)
    rows = contest(A=[0.2] * 12, B=list(0.205 + noise), C=[0.4] * 12)
    first = leader(rows, "test", "learner")
    assert first.contenders == 3 and "C" not in first.rivals and len(first.rivals) == 1
    assert first.doubt == "not clearly ahead of 1 of the 2 others"


@pytest.mark.parametrize("flags, words", [
    ([True] * 6, "all 6 settings"), ([False] * 6, "none of 6 settings"),
    ([True] * 2, "2 of 2 settings"), ([True, False] * 3, "3 of 6 settings")])
def test_all_and_none_need_five(flags, words):
    assert how_many(pd.Series(flags), "settings") == words


def worded_names(cells):
    """Return the names that a chapter's cells assign from the functions that word headlines."""
    names = set()
    for tree in cells:
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and _calls(node.value) & WORDED_BY:
                names |= {n.id for t in node.targets for n in ast.walk(t)
                          if isinstance(n, ast.Name)}
    return names


def _calls(tree):
    return {getattr(n.func, "id", getattr(n.func, "attr", "")) for n in ast.walk(tree)
            if isinstance(n, ast.Call)}


def unfounded_superlatives(sources):
    """Return the glued texts with a superlative that no fair comparison stands behind."""
    cells = [ast.parse(re.sub(r"^[%!].*", "", s, flags=re.MULTILINE)) for s in sources]
    names, found = worded_names(cells), []
    for tree in cells:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "glue":
                text = " ".join(n.value for part in node.args[1:] for n in ast.walk(part)
                                if isinstance(n, ast.Constant) and isinstance(n.value, str))
                used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
                if SUPERLATIVE.search(text) and not used & names and not _calls(node) & WORDED_BY:
                    found.append(text)
    return found


def test_a_superlative_is_seen():
    bad = 'first = means.iloc[0]\nglue("winner", f"the best is {first}")'
    good = 'first = leader(best, "test", "learner")\nglue("winner", f"the best is {first.name}")'
    assert unfounded_superlatives([bad]) and not unfounded_superlatives([good])


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda p: p.stem)
def test_chapters_word_superlatives_from_fair_comparisons(chapter):
    cells = [c.source for c in jupytext.read(chapter).cells if c.cell_type == "code"]
    assert not unfounded_superlatives(cells)
