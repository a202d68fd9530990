"""A rerun beside a published run: what reruns differ by passes, what is planted is found."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from analysis.leaderboards.cells import ResultsError, to_cells
from commands import COMMANDS
from commands.order import reruns


def run_of(seed=0, gap=0.0, tasks=20, lower=False, metric="accuracy", scale=1.0, **only):
    """Return a table of three methods; of method A all is better by `gap` hundredths."""
    rng = np.random.default_rng(1)
    base = rng.uniform(0.7, 0.9, size=(tasks, 3))
    noise = np.random.default_rng(seed).normal(size=(tasks, 3, 4)) / 500
    rows = [{"task": f"data {chr(97 + t)}", "method": m, "seed": s, "metric": metric,
             "value": scale * (base[t, k] + noise[t, k, s]
                               + (gap / 100 if m == "A" else 0) * (-1 if lower else 1)),
             "lower_is_better": lower}
            for t in range(tasks) for k, m in enumerate("ABC") for s in range(4)]
    return pd.DataFrame(rows).assign(**only)


def cells_of(**about):
    return to_cells(run_of(**about))


def test_a_rerun_with_other_seeds_shows_nothing_and_a_gap_is_found_where_it_is():
    methods, tasks = reruns.compare_runs(cells_of(), cells_of(seed=1))
    assert not methods["differs"].any()
    methods, tasks = reruns.compare_runs(cells_of(), cells_of(seed=1, gap=-0.5))
    assert methods["shifted"].tolist() == [True, False, False]
    assert methods["gap"][0] == pytest.approx(-0.5, abs=0.1)
    said = reruns.in_words(methods)
    assert "worse in the median of 20 families, a common shift" in said[0]
    assert said[1].endswith("; no common shift found; no task found further off than reruns are.")
    assert not any("within" in words for words in said)
    assert len(tasks) == 60 and tasks["as_far"].between(0, 1).all()


def broken(change):
    """Return what is said of method A when its results are changed, and the tables."""
    mine = run_of(seed=1)
    own = mine["method"] == "A"
    mine = change(mine, own)
    found = reruns.compare_runs(to_cells(run_of()), to_cells(mine))
    return found[0].set_index("method").loc["A"], reruns.in_words(found[0])[0]


def moved(mine, own, places):
    """Return the table with A's results of each task at another's place."""
    tasks = sorted(mine["task"].unique())
    to = dict(zip(tasks, np.array(tasks)[places], strict=True))
    return mine.assign(task=mine["task"].where(~own, mine["task"].map(to)))


def test_broken_reruns_are_told():
    found, said = broken(lambda mine, own: moved(mine, own, np.random.default_rng(0).permutation(
        20)))
    assert found["far"] and "tasks further off than reruns are (" in said
    few = ["data b", "data e", "data k", "data r"]
    for by in (0.09, -0.3):
        found, said = broken(lambda mine, own, by=by: mine.assign(
            value=mine["value"] + by * (own & mine["task"].isin(few))))
        assert sorted(found["far_on"].split("; ")) == few and not found["shifted"]
    found, said = broken(lambda mine, own: mine.replace({"method": {"A": "B", "B": "A"}}))
    assert found["nearer_to"] == "B" and "nearer to the published results of B" in said
    found, said = broken(lambda mine, own: mine[~own | (mine["task"] < "data h")])
    assert found["lacking"] == 13 and "13 of 20 published results are not in the rerun" in said


def test_a_file_against_itself_has_no_difference():
    said = reruns.in_words(reruns.compare_runs(cells_of(), cells_of())[0])
    assert all("no difference in the median of 20 families" in words for words in said)


def test_whole_stored_reruns_are_seldom_called_different():
    """Either sign, tasks of a run drawn anew, and the run itself left out of what is stored."""
    stored, alarms = pd.read_csv(reruns.STORED), []
    rng = np.random.default_rng(0)
    for key, run in stored.groupby(["one", "other", "method"]):
        if len(run) < 5:
            continue
        others = stored[(stored[["one", "other", "method"]] != key).any(axis=1)]
        for sign in (1, -1):
            drawn = run.iloc[rng.integers(len(run), size=20)].reset_index(drop=True)
            drawn[["points", "deviations"]] *= sign
            p = [reruns.shift(drawn["points"], reruns.floor(others)),
                 reruns.far_off(reruns.as_far(drawn, others), reruns.clustering(others))]
            alarms.append(2 * min(p) <= reruns.ALPHA)
    assert len(alarms) >= 40 and np.mean(alarms) <= 0.1


@given(st.booleans(), st.sampled_from([1.0, 100.0]))
@settings(max_examples=8, deadline=None)
def test_better_is_better_whatever_the_direction_and_unit(lower, scale):
    about = {"lower": lower, "metric": "rmse" if lower else "accuracy", "scale": scale}
    found = reruns.differences(cells_of(**about), cells_of(gap=2, **about))
    own = found[found["method"] == "A"]
    assert (own["points"] > 0).all() and (own["deviations"] > 0).all()
    smaller = own[["published", "mine"]].min(axis=1)
    share = own["points"] / 2 * (1 if not lower and scale == 1 else smaller / scale)
    np.testing.assert_allclose(share, 1, rtol=1e-6)
    assert (found.loc[found["method"] != "A", "points"].abs() < 1e-9).all()


def test_families_count_once_and_holes_are_left_out():
    one, other = run_of(family="f"), run_of(seed=1, gap=3, family="f")
    methods, _ = reruns.compare_runs(to_cells(one), to_cells(other))
    assert (methods["families"] == 1).all() and not methods["shifted"].any()
    assert "too few families to tell" in reruns.in_words(methods)[0]
    other.loc[(other["task"] == "data a") & (other["method"] == "B"), "value"] = np.nan
    assert len(reruns.differences(to_cells(one), to_cells(other))) == 59


def test_shifts_as_reruns_have_are_none_and_few_families_tell_none():
    floor = reruns.floor(pd.read_csv(reruns.STORED))
    assert 0.05 < floor[0] < 0.3
    assert reruns.shift(np.zeros(30), floor) == 1
    assert reruns.shift(np.full(1000, floor[0]), floor) > 0.3
    assert reruns.shift(np.full(5, 9.0), floor) == 1
    assert reruns.shift(np.full(30, 4 * floor[0]), floor) == pytest.approx(2 * t.sf(4, floor[1]))
    assert reruns.shift(np.arange(6) + 9.0, floor) == pytest.approx(
        reruns.shift(-np.arange(6) - 9.0, floor))


@pytest.mark.parametrize(("change", "message"), [
    ({"task": "elsewhere"}, "share 0 tasks and 3 methods"), ({"lower_is_better": True}, "LOWER=")])
def test_what_cannot_be_compared_is_refused(change, message):
    with pytest.raises(ResultsError, match=message):
        reruns.compare_runs(cells_of(), to_cells(run_of(seed=1).drop_duplicates(
            ["task", "method"] if "task" not in change else ["method"]).assign(**change)))


def test_the_command_says_it_and_writes_its_tables(tmp_path, capsys):
    for name, table in (("published", run_of()), ("rerun", run_of(seed=1, gap=1))):
        table.drop(columns="lower_is_better").to_csv(tmp_path / f"{name}.csv", index=False)
    assert COMMANDS["order"].run([f"CSV={tmp_path / 'published.csv'}", "RESAMPLES=100",
                                  f"MINE={tmp_path / 'rerun.csv'}", f"OUT={tmp_path / 'o'}"]) == 0
    out = capsys.readouterr().out
    assert "points better in the median of 20 families, a common shift, more than reruns" in out
    assert out.count("no common shift found; no task found further off") == 2
    assert pd.read_csv(tmp_path / "o" / "rerun.csv")["differs"].tolist() == [True, False, False]
    assert len(pd.read_csv(tmp_path / "o" / "rerun_tasks.csv")) == 60
    assert "more than reruns have" in (tmp_path / "o" / "order.html").read_text()


@pytest.mark.parametrize(("mine", "out", "message"), [
    ("o/rerun.csv", "o", "is read, and lies in the folder of the results"),
    ("none.csv", "p", "There is no file"), ("none", "p", "Unknown table of results"),
    ("nameless.csv", "q", "nearer to 1 less the published ones")])
def test_a_rerun_is_looked_at_before_anything_is_computed(tmp_path, capsys, monkeypatch, mine, out,
                                                          message):
    monkeypatch.setattr("analysis.leaderboards.order_page.weigh", pytest.fail)
    (tmp_path / "o").mkdir()
    table = run_of().drop(columns="lower_is_better")
    table.to_csv(tmp_path / "published.csv", index=False)
    table.to_csv(tmp_path / "o" / "rerun.csv", index=False)
    table.assign(value=1 - table["value"]).drop(columns="metric").to_csv(
        tmp_path / "nameless.csv", index=False)
    before = (tmp_path / "o" / "rerun.csv").read_bytes()
    assert COMMANDS["order"].run([f"CSV={tmp_path / 'published.csv'}", f"MINE={tmp_path / mine}",
                                  f"OUT={tmp_path / out}"]) != 0
    assert message in capsys.readouterr().err
    assert (tmp_path / "o" / "rerun.csv").read_bytes() == before
