"""Near-duplicates among tasks are hinted at, chance is not; what is missing may count as worst."""

import io

import numpy as np
import pandas as pd
import pytest

from analysis.leaderboards.cells import to_cells
from analysis.leaderboards.influence import fail_alike, missing_as_worst, missing_hangs_on
from analysis.leaderboards.order_page import render_page, weigh
from analysis.leaderboards.ordering import order_cells
from analysis.leaderboards.twins import (
    effective_tasks,
    families_to_paste,
    near_twins,
    with_clusters,
)


def table_of(value, tasks=None, **columns):
    """Return a table of values (task, method), higher is better."""
    names = [f"data {chr(97 + k // 26)}{chr(97 + k % 26)}" for k in range(len(value))]
    task, method = (x.ravel() for x in np.indices(value.shape))
    return pd.DataFrame({"task": np.array(tasks or names, object)[task],
                         "method": [f"m{m:02d}" for m in method], "value": value.ravel(),
                         "higher_is_better": True}).assign(**columns)


def drawn(groups, copies, methods=20, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    value = np.repeat(rng.normal(size=(groups, methods)), copies, axis=0)
    return value + noise * rng.normal(size=value.shape)


def test_groups_of_five_are_found_by_their_results_and_single_tasks_are_not():
    cells = to_cells(table_of(drawn(10, 5)))
    found = near_twins(cells)
    groups = found.groupby("family")["task"].agg(list)
    assert len(found) >= 45 and set(found["by"]) == {"results"}
    place = {task: k // 5 for k, task in enumerate(cells.tasks)}
    assert all(len({place[t] for t in tasks}) == 1 for tasks in groups)
    for seed in range(20):
        assert near_twins(to_cells(table_of(drawn(50, 1, seed=seed)))).empty


def test_too_few_methods_and_missing_results_say_nothing_by_results():
    assert near_twins(to_cells(table_of(drawn(10, 5, methods=5)))).empty
    value = drawn(10, 5)
    value[:, :16] = np.where(np.arange(50)[:, None] % 5 == np.arange(16) % 5, value[:, :16], np.nan)
    assert near_twins(to_cells(table_of(value))).empty, "four methods are shared by a group"
    value = drawn(10, 5)
    value[np.random.default_rng(0).random(value.shape) < 0.1] = np.nan
    assert len(near_twins(to_cells(table_of(value)))) > 25


@pytest.mark.parametrize(("names", "hinted"), [
    ([f"ecoli_0_v{k}" for k in range(6)], 6), (["glass1", "Glass 2", "glass-v3"], 3),
    (["task_1", "task_2"], 0), (["31", "37"], 0), (["d1", "d2"], 0), (["wine", "wine red"], 0)])
def test_names_that_differ_in_a_number_at_the_end(names, hinted):
    others = [f"other {c}" for c in "abcdefgh"]
    cells = to_cells(table_of(drawn(len(names) + 8, 1, methods=3), names + others))
    assert len(near_twins(cells)) == hinted
    alone = to_cells(table_of(drawn(len(names), 1, methods=3), names))
    assert near_twins(alone).empty, "where all are numbered, numbers say nothing"


@pytest.mark.parametrize("terms", [1, 3])
def test_clusters_by_name_count_once_where_results_resemble_each_other(terms):
    rng = np.random.default_rng(0)
    names = [f"{chr(97 + k)}x/H/{term}" for k in range(23) for term in ("short", "medium", "long")]
    apart, clustered = 0, 0
    for _ in range(40):
        shared = np.repeat(rng.normal(size=(23 * 3 // terms, 8)), terms, axis=0)
        cells = with_clusters(to_cells(table_of(shared + rng.normal(size=(69, 8)), names)))
        clustered += len(cells.families) == 23
        found = order_cells(cells, 200)
        apart += bool((found.pairs["p_adjusted"] <= 0.05).any())
        assert "clusters" in cells.read["clusters"]
        if len(cells.families) == 23:  # half of what is a task's own is shared: 69 / (1 + 2 / 2)
            assert 27 < effective_tasks(cells) < 69
            assert f"23 families, worth {effective_tasks(cells):.0f} independent" in found.read
    assert (clustered == 40) if terms == 3 else (clustered <= 2)
    assert apart <= 6


def test_a_family_without_a_name_is_hinted_at_and_yes_or_no_is_none():
    rng = np.random.default_rng(1)
    hinted = 0
    for _ in range(20):
        value = rng.normal(size=(60, 8))
        value[:15] = rng.normal(size=8) + 0.3 * rng.normal(size=(15, 8))
        cells = to_cells(table_of(value))
        hinted += len({*near_twins(cells)["task"]} & {*sorted(cells.tasks)[:15]}) >= 14
    assert hinted >= 18
    hinted, one_factor = 0, 0
    for _ in range(20):
        value = rng.normal(size=(20, 8))
        broad = value + 2 * rng.normal(size=(20, 1)) * rng.normal(size=8)
        one_factor += len(near_twins(to_cells(table_of(broad)))) > 0
        value[:6] = rng.normal(size=8) + 0.33 * rng.normal(size=(6, 8))
        hinted += len({*near_twins(to_cells(table_of(value)))["task"]}) >= 5
    assert hinted >= 17 and one_factor <= 4
    ordered = [near_twins(to_cells(table_of(rng.normal(size=(150, 6)) + np.linspace(1.5, 0, 6))))
               for _ in range(10)]  # alike on many tasks, with no family
    assert sum(len(found) > 0 for found in ordered) <= 1
    answers = rng.random((300, 12)) < rng.random(12)
    names = [f"{chr(97 + k // 26)}{chr(97 + k % 26)}b" for k in range(300)]
    assert len(near_twins(to_cells(table_of(answers.astype(float), names)))) <= 6


def test_what_is_pasted_is_taken_and_silences_the_hint():
    table = table_of(drawn(10, 5))
    cells = to_cells(table)
    found = order_cells(cells, 200)
    assert "look like near-duplicates" in found.notes[-1] and "(by results)" in found.notes[-1]
    pasted = pd.read_csv(io.StringIO(families_to_paste(cells, found.twins).to_csv(index=False)))
    again = order_cells(to_cells(table.merge(pasted)), 200)
    assert again.n_families == 50 - len(found.twins) + found.twins["family"].nunique()
    page = render_page(weigh(table, 100), "T")
    assert "task,family" in page and f"{pasted['task'][0]},{pasted['family'][0]}" in page
    assert families_to_paste(cells, found.twins.iloc[:0]) is None


def test_cochrans_q_is_scipys_chi_square_and_needs_unlike_failures():
    lacking = np.zeros((12, 4), bool)
    assert fail_alike(lacking) == 1 == fail_alike(~lacking)
    lacking[0, 0] = True
    assert fail_alike(lacking) > 0.3
    lacking[:, 0] = True
    assert fail_alike(lacking) < 1e-6
    # Cochran (1950), by hand: columns 3, 1, 1 of three tasks with 2, 2, 1 failures: Q = 8 / 3.
    some = np.array([[1, 1, 0], [1, 0, 1], [1, 0, 0]], bool)
    assert fail_alike(some) == pytest.approx(np.exp(-8 / 6))


def test_the_page_says_both_where_one_method_fails_and_only_there():
    value = drawn(20, 1, methods=5)
    value[:, 0] += 0.8
    table = table_of(value)
    assert missing_as_worst(table) is None
    value[np.argsort(value[:, 0])[:12], 0] = np.nan
    table = table_of(value)
    found = missing_as_worst(table).set_index("method")
    assert found["missing"].sum() == 12 == found.loc["m00", "missing"]
    assert found.loc["m00", "rank"] < found.loc["m00", "rank_as_worst"]
    assert "Where results are missing" in render_page(weigh(table, 100), "T")
    value[:3] = np.nan
    assert len(missing_as_worst(table_of(value))) == 5


def test_missing_that_hangs_on_the_task_is_said_and_chance_is_not():
    rng = np.random.default_rng(2)
    found = {False: 0, True: 0}
    for hangs in found:
        for _ in range(40):
            hard = rng.normal(size=(40, 1))
            value = rng.normal(size=(40, 6)) / 2 - hard
            out = (hard[:, 0] > 0.5) if hangs else rng.random(40) < 0.3
            value[out, :2] = np.nan
            found[hangs] += bool(missing_hangs_on(to_cells(table_of(value))))
    assert found[True] >= 38 and found[False] <= 5
