"""The atlas: claims and reruns, on cases whose answer is known."""

from dataclasses import replace

import pandas as pd
import pytest
from published_data import PUBLISHED

from analysis.leaderboards import load_results
from chapters import order as study
from chapters.order import atlas, replications
from chapters.order.sources import SHIPPED, SOURCES


def claims(*rows):
    return pd.DataFrame(rows, columns=["study", "one", "other", "effect", "p_adjusted"])


@pytest.mark.parametrize(("rows", "verdict"), [
    ([("talent", 1, 0.01), ("rtdl_2021", 2, 0.01)], "stands"),
    ([("talent", 1, 0.01), ("rtdl_2021", -2, 0.01)], "reverses"),
    ([("talent", 1, 0.01), ("rtdl_2021", -2, 0.5)], "one study only"),
    ([("talent", 1, 0.5), ("rtdl_2021", -2, 0.5)], "nobody tells"),
    # Two tables of one team are one study.
    ([("talent", 1, 0.01), ("talent_regression", 1, 0.01), ("rtdl_2021", 1, 0.9)],
     "one study only"),
    ([("rtdl_2021", 1, 0.01), ("tabr", 1, 0.01), ("talent", 1, 0.9)], "one study only"),
])
def test_verdicts_on_a_claim(rows, verdict):
    table = atlas.claims_in_two(claims(*((s, "A", "B", e, p) for s, e, p in rows)))
    assert table["verdict"].tolist() == [verdict]


def test_the_one_of_a_claim_is_who_is_ahead_and_one_team_alone_makes_none():
    ahead = ("talent", "A", "B", -1, 0.01)
    table = atlas.claims_in_two(claims(ahead, ("rtdl_2021", "A", "B", -2, 0.01)))
    assert table[["one", "other"]].to_numpy().tolist() == [["B", "A"]]
    assert atlas.claims_in_two(claims(ahead, ("talent_regression", "A", "B", -1, 0.01))).empty


def test_methods_in_words_are_the_studies_own():
    for names in atlas.METHODS.values():
        for name, method in names.items():
            if name in SHIPPED or name.startswith("own"):
                assert method in atlas.cells(name).methods, (name, method)
    assert atlas.in_words("talent", "ftt") == "FT-Transformer"
    assert atlas.in_words("askl2", "RF_SH-eta4-i_10CV_iterative_es_if") == "halving, 10CV"


@pytest.mark.skipif(not PUBLISHED.exists(), reason="published data are not at hand")
@pytest.mark.parametrize("name", [n for n in SOURCES if n in atlas.STUDIES])
def test_every_study_has_an_order(monkeypatch, name):
    monkeypatch.setenv("LEARNING_CURVES_PUBLISHED", str(PUBLISHED))
    row = atlas.summary_of(name).iloc[0]
    assert row["neighbours_apart"] <= row["neighbours"]
    assert 1 <= row["may_be_first"] <= row["methods"]
    if name in SHIPPED:  # and is the study that its name opens
        assert row["methods"] == len(atlas.to_cells(load_results(name)).methods)  # by variant


def test_the_chapter_builds_from_what_ships_and_what_is_kept(monkeypatch):
    """On some studies: shipped, kept, and our own; the book is built of all."""
    assert len(atlas.STUDIES) >= 24
    some = {name: atlas.STUDIES[name]
            for name in ("talent", "weka_2017", "own_small", *replications.RERUN)}
    monkeypatch.setattr(atlas, "STUDIES", some)
    monkeypatch.delenv("LEARNING_CURVES_PUBLISHED", raising=False)
    for function in (atlas.cells, atlas.study_order):
        function.cache_clear()
    found = study.compute()
    assert set(found.tables["studies"]["study"]) == set(some)
    facts = study.facts(found).set_index("key")["value"]
    apart, pairs = found.tables["studies"][["neighbours_apart", "neighbours"]].sum()
    assert facts["neighbours_share"] == pytest.approx(100 * apart / pairs) and apart <= pairs
    fields = found.tables["fields"]
    assert set(fields["field"]) == set(found.tables["studies"]["field"])
    assert fields["studies"].sum() == 8


def test_a_study_repeats_itself_and_not_its_reverse(monkeypatch):
    cells = atlas.cells("tabr")
    monkeypatch.setattr(replications.atlas, "cells", lambda name: cells if name == "tabr" else
                        replace(cells, value=-cells.value))
    monkeypatch.setattr(replications.atlas, "METHODS",
                        {w: {"tabr": n["tabr"], "again": n["tabr"]}
                         for w, n in atlas.METHODS.items() if "tabr" in n})
    same = replications._replication("tabr", "tabr")
    assert same["agree"] == same["agree_sure"] == 1
    assert replications._held(cells, cells) == 1 > replications._held(
        cells, replace(cells, value=-cells.value))
    turned = replications._replication("tabr", "again")
    assert turned["agree"] == 0
