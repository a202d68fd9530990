"""Studies side by side: claims and reruns, on cases whose answer is known."""

import pandas as pd
import pytest

from analysis import leaderboards
from analysis.leaderboards.tables import OWN
from lab import studies


def claims(*rows):
    return pd.DataFrame(rows, columns=["study", "one", "other", "effect", "p_adjusted"])


@pytest.mark.parametrize(("rows", "verdict"), [
    ([("talent", 1, 0.01), ("rtdl_2021", 2, 0.01)], "stands"),
    ([("talent", 1, 0.01), ("rtdl_2021", -2, 0.01)], "reverses"),
    ([("talent", 1, 0.01), ("rtdl_2021", -2, 0.5)], "one study only"),
    ([("talent", 1, 0.5), ("rtdl_2021", -2, 0.5)], "nobody tells"),
    # Two tables of one team are one study; a study of the reader's is its own.
    ([("talent", 1, 0.01), ("talent_regression", 1, 0.01), ("rtdl_2021", 1, 0.9)],
     "one study only"),
    ([("rtdl_2021", 1, 0.01), ("tabr", 1, 0.01), ("talent", 1, 0.9)], "one study only"),
    ([("mine", 1, 0.01), ("tabr", 1, 0.01)], "stands"),
])
def test_verdicts_on_a_claim(rows, verdict):
    table = leaderboards.settle_claims(claims(*((s, "A", "B", e, p) for s, e, p in rows)))
    assert table["verdict"].tolist() == [verdict]


def test_claims_are_counted_by_team_and_one_team_alone_makes_none():
    ahead = ("talent", "A", "B", -1, 0.01)
    table = leaderboards.settle_claims(claims(ahead, ("rtdl_2021", "A", "B", -2, 0.01)))
    assert table[["studies", "ahead", "behind"]].to_numpy().tolist() == [[2, 0, 2]]
    one_team = claims(ahead, ("talent_regression", "A", "B", -1, 0.01))
    assert leaderboards.settle_claims(one_team).empty


@pytest.mark.parametrize("name", [*leaderboards.shipped_studies().index, *OWN])
def test_methods_in_words_are_the_studies_own(name):
    assert set(leaderboards.method_words(name)) <= set(studies.cells_of(name).methods)


def test_a_study_of_ours_has_more_than_the_book_compares():
    some, every = (leaderboards.load_results("own", selection=which)["method"].nunique()
                   for which in ("paper", "all"))
    assert some == 8 < every


def test_families_that_a_study_names_stand():
    """By their names Chronos's tasks are clusters; the study says that each is one of its own."""
    table = leaderboards.load_results("fev_chronos_zeroshot")
    assert leaderboards.order(table, 1).n_families == table["family"].nunique() == 27
    assert leaderboards.order(table.drop(columns="family"), 1).n_families == 18


def test_an_order_is_summed_up_as_its_tables_say():
    results = leaderboards.load_results("amlb_2019")
    found = leaderboards.order(results, 200)
    row = leaderboards.summarise_order(found, results)
    assert row["pairs_apart"] == (found.pairs["p_adjusted"] <= 0.05).mean()
    assert row["neighbours_apart"] <= row["neighbours"] == row["methods"] - 1 == 7
    assert row["may_be_first"] == found.ranks["low"].eq(1).sum() and 0 < row["seeds_share"] < 1


def test_several_studies_are_ordered_as_each_alone():
    names = ["amlb_2019", "own_small"]
    found = leaderboards.order_studies(names, 200)
    assert {name: list(dict.fromkeys(table["study"])) for name, table in found.items()} == {
        "studies": names, "ranks": names, "claims": names}
    results = leaderboards.load_results("own_small")
    alone = leaderboards.order(results, 200)
    assert found["ranks"].query("study == 'own_small'")["rank"].tolist() == (
        alone.ranks["rank"].tolist())
    row = found["studies"].set_index("study").loc["own_small"]
    assert row["pairs"] == len(alone.pairs) and row["title"]
    assert not any(map(len, leaderboards.order_studies([]).values()))
