"""The trial of forecasts: frozen tasks, rivals on curves whose end is known, entries."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from analysis.commands import COMMANDS
from analysis.trial import RIVALS, all_forecasts, forecasts, lcpfn, open_trial, place, read_entry
from analysis.trial.entry import LARGEST, EntryError, shipped_entries
from analysis.trial.laws import LAWS, by_law, by_process
from analysis.trial.rivals import MIDDLE, with_neighbours
from analysis.trial.scoring import LEVELS, open_forecasts, summarise
from analysis.trial.scoring import score as scored
from analysis.trial.tasks import FOLDER, FROZEN, Trial

QUANTILES = [str(level) for level in LEVELS]


@pytest.fixture(scope="module")
def trial():
    return open_trial()


def small_trial(curves, asked):
    """Return a trial of curves: name → (sizes, errors), each asked for at (times, size, truth)."""
    tasks = pd.DataFrame({
        "task": list(curves), "source": "none", "dataset": list(curves), "learner": "",
        "family": list(curves), "metric": "error_rate", "fold": -1, "known": False,
        "seen": [len(sizes) for sizes, _ in curves.values()],
        "last": [sizes[-1] for sizes, _ in curves.values()], "tuned_by": ""})
    points = pd.concat([pd.DataFrame({"task": name, "size": sizes, "error": errors,
                                      "deviation": np.nan})
                        for name, (sizes, errors) in curves.items()], ignore_index=True)
    return Trial(tasks, points, pd.DataFrame(
        [(name, *one) for name in curves for one in asked[name]],
        columns=["task", "times", "size", "truth"]))


def test_tasks_are_frozen_and_hide_what_is_asked(trial):
    for name, digest in FROZEN.items():
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == digest
    last = trial.tasks.set_index("task")["last"]
    assert (trial.points["size"] <= trial.points["task"].map(last)).all()
    assert (trial.asked["size"] > trial.asked["task"].map(last)).all()
    multiple = trial.asked[trial.asked["times"] != "last"]
    off = multiple["size"] / multiple["task"].map(last) / multiple["times"].astype(int) - 1
    assert off.abs().max() <= 0.1 and trial.tasks["task"].is_unique
    own = trial.tasks[trial.tasks["source"] == "lcdb10"]
    assert set(own["fold"]) == {0, 1}  # whose models have not seen them
    assert not trial.tasks.query("source == 'mini'")["known"].any()


def test_kept_forecasts_are_of_every_rival_and_ascend(trial):
    kept = open_forecasts()
    assert set(kept["rival"]) == set(RIVALS)
    assert not kept.duplicated(["task", "times", "rival"]).any()
    assert (np.diff(kept[QUANTILES].to_numpy(), axis=1) >= -1e-4).all()
    counts = kept.groupby("rival", observed=True).size() / len(trial.asked)
    seen_by_training = counts["small networks"]  # LCDB 1.0 trained it: there it has none
    assert seen_by_training < 0.8 and counts.drop("small networks").min() > 0.98


@settings(max_examples=20)
@given(st.lists(st.floats(0, 1), min_size=14, max_size=14),
       st.lists(st.floats(0, 1), min_size=2, max_size=2))
def test_scores_are_those_of_a_loop(quantiles, truths):
    names = ["a", "b"]
    trial = small_trial({n: ([16, 32, 64], [0.5, 0.4, 0.3]) for n in names},
                        {n: [("last", 128, t)] for n, t in zip(names, truths, strict=True)})
    rows = np.sort(np.array(quantiles).reshape(2, 7), axis=1)
    table = scored(pd.DataFrame(rows, columns=QUANTILES).assign(
        task=names, times="last", rival="me"), trial)
    for k, row in enumerate(table.itertuples()):
        own, truth = rows[k], truths[k]
        assert row.error == abs(own[3] - truth) and row.width == own[6] - own[0]
        assert row.inside == (own[0] <= truth <= own[6]) and row.doublings == 1
        edges = np.r_[0, (np.array(LEVELS[1:]) + LEVELS[:-1]) / 2, 1]
        loss = sum((b - a) * (level * (truth - q) if truth > q else (1 - level) * (q - truth))
                   for a, b, level, q in zip(edges, edges[1:], LEVELS, own, strict=False))
        assert row.crps == pytest.approx(2 * loss, abs=1e-12)


def test_a_mean_counts_a_family_once(trial):
    kept = all_forecasts()
    some = scored(kept[kept["rival"].isin(["nothing changes", "POW2"])
                       & (kept["times"] == "last")], trial)
    row = summarise(some).set_index(["scope", "rival"]).loc[("mini", "POW2")]
    own = some[(some["source"] == "mini") & (some["rival"] == "POW2")]
    assert row["error"] == pytest.approx(own.groupby("family")["error"].mean().mean())
    assert row["n_families"] == own["family"].nunique() and row["error_low"] < row["error"]


SIZES = 16 * 2.0 ** np.arange(0, 8, 0.5)
Z = SIZES / SIZES[11]


@pytest.mark.parametrize(("name", "curve"), [
    ("M1", lambda z: 0.3 * z**-0.4), ("M2", lambda z: 0.1 + 0.2 * z**-0.5),
    ("M3", lambda z: 0.05 + 0.2 * (1 / z + 0.3) ** 0.6),
    ("M4", None), ("BNSL", lambda z: 0.05 + 0.2 * z**-0.2 * (1 + (z / 0.2) ** 2) ** -0.2)])
def test_a_law_continues_its_own_curve(name, curve):
    own = LAWS[name].curve(Z, 0.05, np.log(0.3), 0.5, np.log(0.7), 0.5) if curve is None \
        else curve(Z)
    found = by_law(SIZES[:12], own[:12], SIZES[12:], name)
    assert_allclose(found, own[12:], rtol=0.04)


def test_a_process_goes_on_and_knows_less_far_away():
    error = 0.1 + 0.4 * (SIZES / 16) ** -0.5
    found = by_process(SIZES[:10], error[:10], SIZES[10:], "GP power law", LEVELS)
    assert_allclose(found[:, MIDDLE], error[10:], atol=0.02)
    width = found[:, -1] - found[:, 0]
    assert width[-1] > width[0] and (np.diff(found, axis=1) >= 0).all()


ODD = {"two sizes": ([16, 32], [0.5, 0.4]), "constant": ([16, 32, 64, 128], [0.3] * 4),
       "rising": ([16, 32, 64, 128], [0.2, 0.23, 0.25, 0.29]),
       "holes": ([16, 45, 64, 1024], [0.5, 0.4, 0.38, 0.2]),
       "zero": ([16, 32, 64, 128], [0.1, 0.0, 0.0, 0.0]),
       "loss above 1": ([1e6, 1e7, 1e8], [5.1, 4.0, 3.3])}


@pytest.mark.parametrize("name", [name for name, rival in RIVALS.items()
                                  if rival.kind != "LC-PFN" and rival.sees == "curve"])
def test_an_odd_curve_has_a_forecast_too(name, monkeypatch):
    asked = {one: [("2", 2 * sizes[-1], 0.2), ("last", 8 * sizes[-1], 0.1)]
             for one, (sizes, _) in ODD.items()}
    trial = small_trial(ODD, asked)
    rng = np.random.default_rng(0)
    past = small_trial({f"c{k}": (SIZES[:8], 0.1 + 0.4 * rng.random() * SIZES[:8] ** -0.3)
                        for k in range(12)}, {f"c{k}": [("last", 4096, 0.1)] for k in range(12)})
    seen, _ = past.seen()
    later = 2.0 ** rng.uniform(8, 13, (12, 4))
    monkeypatch.setattr("analysis.trial.rivals.calibration_curves",
                        lambda: (seen, later, rng.uniform(0, 0.3, later.shape)))
    with np.errstate(all="ignore"):
        found = forecasts(RIVALS[name], trial)
    assert np.isfinite(found[:, [0, 3]]).all() and np.isnan(found[:, [1, 2]]).all()
    assert (found[:, [0, 3]] >= 0).all() and (np.diff(found[:, [0, 3]], axis=2) >= 0).all()
    if name == "nothing changes":
        assert_allclose(found[:, 3, MIDDLE], [errors[-1] for _, errors in ODD.values()])


def test_neighbours_are_seen_as_far_as_the_task_is(monkeypatch, power_curves):
    curves, seen = power_curves(), []
    monkeypatch.setattr("analysis.trial.rivals.own_curves", lambda: {"mine": curves})
    trial = small_trial({"it": ([16, 23, 32], [0.5, 0.4, 0.3])}, {"it": [("last", 128, 0.1)]})
    trial.tasks[["source", "dataset", "learner"]] = "mine", "d1", "LDA"
    found = with_neighbours(trial, np.full((1, 4), 128.0), lambda scene, at: (
        seen.append(scene), np.repeat(scene.level[:, None], 4, axis=1))[1])
    assert seen[1].learner.tolist() == ["KNN", "LDA"] and set(seen[1].sizes[seen[1].last]) == {32}
    own = curves.sel(dataset="d1", learner="LDA", anchor=32).mean()
    assert found == pytest.approx(float(own))


@pytest.fixture
def package():
    pytest.importorskip("lcpfn.model", reason="lcpfn is not installed")
    pytest.importorskip("torch")


def test_priors_and_real_curves_are_drawn_alike_by_one_seed():
    from analysis.extrapolation.training.examples import Source

    rng = np.random.default_rng(0)
    errors = rng.random((3, 2, 2, 2, 9))
    errors[0, 0, ..., 7:] = np.nan
    source = Source(errors, 16 * 2.0 ** np.arange(9), np.array(["a", "b", "c"]),
                    np.array(["a", "b", "c"]), ("x", "y"), np.array([0, 0, 1]))
    draw = lcpfn.real_curves(source, 1)
    one, other = (draw(np.random.default_rng(1), 5, 3) for _ in range(2))
    assert all((a == b).all() for a, b in zip(one, other, strict=True))
    assert one[0].shape == one[1].shape and (np.diff(one[0], axis=0) > 0).all()
    assert ((one[1] >= 0) & (one[1] <= 1)).all() and draw.longest == 9


def test_a_tiny_net_trains_resumes_and_answers(package, tmp_path, monkeypatch):
    monkeypatch.setattr(lcpfn, "SAVED", 2)
    monkeypatch.setattr(lcpfn, "POOL", 200)
    draw = lcpfn.bent_prior(np.random.default_rng(0))
    whole = lcpfn.train(draw, 4, 0, tmp_path / "whole")
    halted = lcpfn.train(draw, 4, 0, tmp_path / "whole")  # nothing is left to do
    for (key, one), other in zip(whole.state_dict().items(), halted.state_dict().values(),
                                 strict=True):
        assert (one == other).all(), key
    found = lcpfn._ask(whole, np.arange(1.0, 6), np.linspace(0.5, 0.8, 5),
                       np.array([6.0, 12.0]), LEVELS)
    assert found.shape == (2, 7) and (np.diff(found, axis=1) >= 0).all()


@pytest.fixture(scope="module")
def entry(tmp_path_factory):
    """Return a file made from what is shipped for everybody: the last error seen stays."""
    path = tmp_path_factory.mktemp("entry") / "my.csv"
    points = pd.read_csv(FOLDER / "points.csv.gz", dtype=str)
    last = points[points["times"].isna()].groupby("task")["error"].last()
    asked = points[points["times"].notna()]
    asked[["task", "times"]].assign(value=asked["task"].map(last)).to_csv(path, index=False)
    return path


def test_an_entry_gets_its_place(entry, capsys):
    assert COMMANDS["trial"].run([f"ENTRY={entry}"]) == 0
    told = capsys.readouterr().out
    assert "error rates, unseen: error" in told and "1.00 times that of nothing changes" in told
    assert "nothing changes" in told.split("not told apart from")[1]
    assert "too few to order" in told  # three corpora of language models


def change(entry, tmp_path, edit):
    rows = pd.read_csv(entry, dtype=str).to_dict("records")
    path = tmp_path / "changed.csv"
    pd.DataFrame(edit(rows) or rows).to_csv(path, index=False)
    return path


def falling(rows):
    return [{"task": r["task"], "times": r["times"],
             **{q: str(0.5 - k / 100) for k, q in enumerate(QUANTILES)}} for r in rows]


@pytest.mark.parametrize(("edit", "said"), [
    (lambda rows: rows.pop(5) and None, "lacks 1 forecasts of sources that it has begun"),
    (lambda rows: rows.append(rows[3]), r"line \d+: .* is there a second time"),
    (lambda rows: rows[7].update(task="lcdb10/3/KNM"), "line 9: Unknown task"),
    (lambda rows: rows[7].update(times="16"), "line 9: .* is not asked for at '16'"),
    (lambda rows: rows[7].update(value="many"), "line 9: .* has no number"),
    (lambda rows: rows[7].update(value="inf"), "line 9: .* has no number"),
    (lambda rows: rows[7].update(value="-0.1"), "line 9: .* errors are not below 0"),
    (lambda rows: rows[7].update(value="34"), "line 9: .* a share, at most 1"),
    (falling, "line 2: .* quantiles do not ascend"),
    (lambda rows: [{"task": r["task"], "value": r["value"]} for r in rows], "column 'times'"),
    (lambda rows: [{"task": r["task"], "times": r["times"]} for r in rows], "column '0.05'")])
def test_a_wrong_entry_is_refused_with_its_line(edit, said, entry, tmp_path, trial):
    with pytest.raises(EntryError, match=said):
        read_entry(change(entry, tmp_path, edit), trial)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b'a,"b\n'])
def test_what_is_no_table_is_refused(content, tmp_path, trial):
    path = tmp_path / "my.csv"
    path.write_bytes(content)
    with pytest.raises(EntryError, match=r"my\.csv"):
        read_entry(path, trial)


def test_one_whole_source_is_enough_and_names_are_not_taken_twice(entry, tmp_path, trial):
    mini = change(entry, tmp_path, lambda rows: [r for r in rows if r["task"].startswith("mini/")])
    found = read_entry(mini, trial)
    assert [line.split(":")[0] for line in place(found, "mine")][-1] == "mini"
    with pytest.raises(EntryError, match="the name of a rival"):
        place(found, "POW2")


def test_every_entry_that_is_shipped_is_as_the_trial_asks(trial):
    """What a pull request that adds an entry is held to."""
    listed = shipped_entries()
    files = {path.name for path in (FOLDER / "entries").glob("*")} if (
        FOLDER / "entries").exists() else set()
    assert files == set(listed["file"]) and listed["entry"].is_unique
    assert not set(listed["entry"]) & set(RIVALS)
    for row in listed.itertuples():
        path = FOLDER / "entries" / row.file
        assert path.stat().st_size <= LARGEST, row.file
        assert pd.to_datetime(row.date) and row.code.startswith("https://") and row.trained_on
        assert len(read_entry(path, trial))
