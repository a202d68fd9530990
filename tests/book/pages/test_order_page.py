"""The page on orders: some studies of its own, shipped, kept and ours, and one alone."""

import pytest
from notebook_runs import run

GROUP = ["rtdl_2021", "num_embeddings", "tabr", "tabm", "tabred"]


def test_the_page_says_what_its_studies_come_to(tmp_path):
    some = ["weka_2017", "own_small", *GROUP]
    page = run("order", tmp_path, studies=some, draws=200)
    table = page.table("studies").set_index("study")
    assert list(table.index) == some
    apart = 100 * table["neighbours_apart"].sum() / table["neighbours"].sum()
    assert page.numbers.loc["neighbours_share", "value"] == pytest.approx(apart)
    assert "Ours" not in page.said and "LightGBM" not in page.said
    assert page.numbers.loc["n_claims", "value"] == len(page.table("claims"))


def test_one_study_alone_is_compared_with_none(tmp_path):
    page = run("order", tmp_path, studies=["tabfm_2026"], short=1, draws=200)
    assert "on longer ones" not in page.said and "two independent groups" in page.said
    assert page.table("claims").empty and "nan" not in page.said and "–" not in page.said
