"""The report: answers from curves of known shape, a page that is whole and loads nothing."""

import re
import warnings
from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from own_tables_here import AMPLE, Here, measure_here

from analysis.report import Costs, Report, answer_table, page, report
from analysis.report.answers import STOP, TIMES, _shapes, answer
from analysis.report.measured import DRAWS, Measured, measured_points, measured_rows
from analysis.report.metrics import METRICS
from analysis.report.page import write_page
from analysis.report.sentences import decision, sentences
from collection.datasets.dataset import DatasetError
from collection.own_table import gather
from collection.own_table.read import use_table
from collection.project.naming import UnknownNameError
from collection.project.parameters import SettingsError, Share
from commands import COMMANDS
from commands.report.points import read_points
from commands.report.settings import check_report
from commands.report.written import answer_points

main = COMMANDS["report"].run

SIZES = np.array([16, 32, 64, 128, 181, 256])
N = 320


def curve(floor, scale, power):
    return floor + scale * SIZES ** -power


@pytest.fixture(scope="module")
def measured():
    rng = np.random.default_rng(0)
    means = {"KNN": curve(0.20, 1.0, 0.5), "LogisticRegression": curve(0.05, 1.2, 0.5),
             "ens.RandomForest": np.full(len(SIZES), 0.45)}
    values = np.array(list(means.values()))[:, None, None] + rng.normal(0, 0.004, (3, 5, 1, 6))
    errors = xr.DataArray(values, dims=("learner", "outer", "inner", "anchor"), coords={
        "learner": list(means), "outer": range(5), "inner": [0], "anchor": SIZES.astype(float)})
    now = values[..., -1].mean((1, 2))
    shared = rng.normal(0, 1, (DRAWS, 1))
    draws = now + np.sqrt(now * (1 - now) / N) * shared + rng.normal(0, 0.004, (DRAWS, 3))
    return Measured(errors, np.full(3, 256), now, draws.clip(0, 1), 1.0, 0.5,
                    (0.5 + 0.028 * shared[:, 0]))


@pytest.fixture(scope="module")
def tables(measured):
    return answer(measured, wanted=0.1)


def test_the_best_now_is_the_lowest_and_sure_of_it(tables, measured):
    best = tables.now.iloc[0]
    assert best["learner"] == "LogisticRegression" and best["chance_best"] > 0.9
    assert tables.now["chance_best"].sum() == pytest.approx(1)
    assert best["error"] == pytest.approx(measured.now[1], rel=0.02)
    assert best["measured"] == measured.now[1] and tables.now["tied"].tolist() == [
        True, False, False]
    assert 0 < best["saves_low"] < best["saves"] < best["saves_high"] < 1
    now, noise = np.array([0.2, 0.23, 0.4]), np.random.default_rng(1).normal(0, 0.02, (DRAWS, 3))
    close = answer(replace(measured, now=now, draws=now + noise)).now
    assert 0.1 < close["chance_best"][1] < 0.2  # not told apart
    assert close["tied"].tolist() == [True, True, False]


@pytest.mark.parametrize("whole", [256, 512])
def test_whoever_stopped_before_is_compared_by_a_forecast_at_the_rows_of_the_table(measured, whole):
    short = measured.errors.where((measured.errors["anchor"] <= 64)
                                  | (measured.errors["learner"] != "LogisticRegression"))
    now = np.r_[measured.now[0], float(short[1].mean(["outer", "inner"]).sel(anchor=64)),
                measured.now[2]]
    part = replace(measured, errors=short, size=np.array([256, 64, 256]), now=now, whole=whole,
                   draws=measured.draws - measured.now + now)
    found = answer(part, wanted=0.05)
    own = found.now.set_index("learner").loc["LogisticRegression"]
    assert (found.now["size"] == whole).all() and own["reached"] == 64
    assert own["low"] < own["error"] < min(now[1], own["high"])  # it falls on the way
    assert found.later["size"].tolist() == np.repeat(np.rint(whole * np.array(TIMES)), 3).tolist()
    told = sentences(Report(**vars(found), curves=part, title="", metric="error_rate", label="e"))
    assert "measured up to" in dict(told)["Best now"] or own.name != found.now["learner"].iloc[0]


@pytest.mark.parametrize("baseline", [0.5, 0.03])
def test_who_errs_more_than_always_the_same_is_not_named_best(measured, baseline):
    shown = replace(measured, baseline=baseline, baseline_draws=np.full(DRAWS, baseline))
    told = Report(**vars(answer(shown)), curves=shown, title="", metric="error_rate", label="error",
                  always="“a”")
    best, worse = dict(sentences(told))["Best now"], baseline < 0.1
    assert best.startswith("No learner that was tried does better than always saying “a”") == worse
    assert ("the best of" in best) != worse
    assert decision(told).startswith("No learner") == worse


@pytest.mark.parametrize("wanted", [0.03, 0.13, 0.5])
def test_the_wanted_error_agrees_with_the_ranges(measured, wanted):
    tables = answer(measured, wanted=wanted)
    for row in tables.wanted.itertuples():
        own = tables.now.set_index("learner").loc[row.learner]
        path = tables.path[tables.path["learner"] == row.learner]
        known = [n for n in (row.early, row.rows, row.late) if np.isfinite(n)]
        assert known == sorted(known)
        for at, end in ((row.early, "low"), (row.rows, "error"), (row.late, "high")):
            assert (at == own["size"]) == (own[end] <= wanted)
            if np.isfinite(at) and at > own["size"]:
                assert path.loc[path["size"] == at, end].iloc[0] <= wanted
            if np.isnan(at):
                assert (path[end] > wanted).all()


def test_rows_or_another_learner_is_told_from_what_both_would_gain(measured, tables):
    by = tables.helps.set_index("way")  # the best falls on, and is far ahead
    assert by.loc["rows", "more"] > 0.95 > 0.05 > by.loc["learner", "chance"]
    assert by.loc["both", "gain"] >= by.loc["rows", "gain"] > 0 > by.loc["learner", "gain"]
    assert (by["low"] < by["gain"]).all() and (by["gain"] < by["high"]).all()
    told = dict(sentences(Report(**vars(tables), curves=measured, title="", metric="error_rate",
                                 label="error")))
    assert told["Rows or another learner"].startswith("Rows, more likely: with ")
    rng = np.random.default_rng(2)  # two that stay where they are, each as likely the better one
    flat = measured.errors.isel(learner=[0, 1]).copy(
        data=0.2 + rng.normal(0, 1e-3, (2, 5, 1, len(SIZES))))
    now = np.full(2, 0.2)
    stay = answer(replace(measured, errors=flat, size=measured.size[:2], now=now,
                          draws=now + rng.normal(0, 0.05, (DRAWS, 2)))).helps.set_index("way")
    assert 0.25 < stay.loc["learner", "chance"] < 0.75 and stay.loc["rows", "more"] < 0.75
    alone = replace(measured, errors=flat[:1], size=measured.size[:1], now=now[:1],
                    draws=measured.draws[:, :1])
    assert answer(alone).helps.empty


def test_costs_stop_where_a_thousand_rows_cost_more_than_they_save(measured):
    cheap = answer(measured, costs=Costs(0.0, 1.0, 1e6)).costs
    assert (cheap["gain"] >= cheap["cost"]).all() and (cheap["low"] <= cheap["gain"]).all()
    assert cheap["chance"].between(0, 1).all()
    dear = answer(measured, costs=Costs(1e9, 1.0, 1000)).costs
    assert (dear["gain"] < dear["cost"]).all() and (dear["chance"] == 0).all()
    assert answer(measured).costs.empty


@pytest.mark.parametrize("wanted", [np.nan, 0.0, -0.1])
def test_an_error_that_cannot_be_wanted_is_refused(measured, wanted):
    with pytest.raises(ValueError, match="above 0"):
        answer(measured, wanted=wanted)


def test_all_numbers_of_the_best_are_those_of_the_table(tables):
    """One forecast: what is expected is a cell of the table, and never above the learners' mean."""
    now, later, expected = tables.now, tables.later, tables.expected
    assert expected["times"].tolist() == [1.0, *TIMES]
    assert expected["error"].iloc[0] == now["error"].iloc[0] == now["error"].min()
    cells = later.groupby("times")["error"]
    np.testing.assert_array_equal(expected["error"].to_numpy()[1:], cells.min())
    assert (expected["error"].to_numpy()[1:] <= cells.mean()).all()
    assert (expected["error"].diff().dropna() <= 0).all()
    path = tables.path[tables.path["learner"] == expected["learner"].iloc[2]].set_index("size")
    assert expected["error"].iloc[2] == path.loc[expected["size"].iloc[2], "error"]
    reached = tables.wanted.set_index("learner").loc[now["learner"].iloc[0], "rows"]
    assert path.loc[path.index >= reached, "error"].max() <= 0.1 < path.loc[
        path.index < reached, "error"].min()


def test_chances_are_in_order_and_say_when_to_stop(tables, measured):
    falls = tables.expected.iloc[1:]
    assert (falls["falls_enough"] <= falls["falls"]).all() and falls["falls"].between(0, 1).all()
    more, fewer = (answer(measured, less=less) for less in (0.002, 0.05))
    assert (more.expected["falls_enough"] >= fewer.expected["falls_enough"]).all()
    assert not more.stop < fewer.stop and tables.counts == "a tenth of the error now"
    assert tables.less == pytest.approx(0.1 * tables.now["error"].iloc[0])
    after = tables.enough[tables.enough["size"] >= tables.stop]
    assert (after["chance"] < STOP).all()
    with pytest.raises(ValueError, match="A fall that counts"):
        answer(measured, less=0.0)


@pytest.mark.parametrize("wrong", [0, 1, 40])
def test_no_error_rate_is_above_one_and_none_is_without_a_range(wrong):
    values = np.array([0.4, 0.3, 0.2, 0.1, 0.05, wrong / 60])
    found = answer(measured_points(points_of(values[None]), {"mine": 60.0}))
    for table in (found.now, found.later, found.expected, found.path):
        assert table[["error", "low", "high"]].stack().between(0, 1).all()
        assert (table["high"] > table["low"] + 0.01).all()


def test_what_is_reached_now_is_as_sure_as_the_rows_that_it_was_tested_on():
    points = points_of(np.array([[0.3, 0.25, 0.2, 0.15, 0.12, 0.10]]))
    told = {tested: dict(sentences(answer_points(points.assign_attrs(
        tested={"mine": tested} if tested else {}), wanted=0.11)))["The error you want"]
        for tested in (None, 100, 1e6)}
    assert "nobody can say" in told[None] and "over 95 %" in told[1e6]
    assert "with a chance of 6" in told[100] and "sure" not in told[100]


def test_the_same_input_gives_the_same_answers(tables, measured):
    again = answer(measured, wanted=0.1)
    for name in ("now", "later", "path", "wanted", "enough", "shapes"):
        pd.testing.assert_frame_equal(getattr(tables, name), getattr(again, name))


def points_of(values, **attrs):
    return xr.DataArray(values[None], dims=("learner", "repeat", "anchor"), attrs=attrs, coords={
        "learner": ["mine"], "repeat": range(len(values)), "anchor": SIZES.astype(float)})


def test_points_without_repeats_have_a_range_only_if_they_say_how_many_rows_were_tested():
    values = curve(0.1, 1, 0.5)[None]
    unknown = answer_points(points_of(values), "points")
    assert unknown.now["low"].isna().all() and "tested" in unknown.notes[0]
    known = answer_points(points_of(values, tested={"mine": 300}), "points")
    width = known.now["high"].iloc[0] - known.now["low"].iloc[0]
    assert width == pytest.approx(2 * 1.645 * np.sqrt(0.16 * 0.84 / 300), rel=0.1)
    assert known.notes == []
    later = [a.later.query("times == 2")[["low", "high"]].iloc[0] for a in (unknown, known)]
    assert np.ptp(later[1]) > np.ptp(later[0])


def test_the_first_sentence_says_the_chance_that_more_rows_help():
    falls = answer_points(points_of(curve(0.02, 3, 0.6)[None], tested={"mine": 2000}), less=0.01)
    flat = answer_points(points_of(np.full((1, 6), 0.2), tested={"mine": 2000}), less=0.01)
    told = [next(sentences(one)) for one in (falls, flat)]
    assert all(about == "More rows" and "Twice the rows (512) lower" in words
               for about, words in told)
    high, low = (one.expected.set_index("times").loc[2, "falls_enough"] for one in (falls, flat))
    assert high > 0.8 and low < 0.3
    assert "now, where it is" in dict(sentences(flat))["When to stop"]
    assert flat.stop == 256 and falls.stop > 256


def test_an_error_that_rose_comes_first_without_repeats_too():
    rose = answer_points(points_of(np.array([[0.2, 0.21, 0.23, 0.25, 0.27, 0.29]])))
    about, words = next(sentences(rose))
    assert about == "Fewer rows did better" and "near 16 rows it was lowest (0.200)" in words
    flat = answer_points(points_of(np.array([[0.2, 0.21, 0.2, 0.205, 0.21, 0.212]])))
    assert next(sentences(flat))[0] == "More rows"


@pytest.mark.parametrize(("splits", "rows", "risen"), [(2, 400, 0), (5, 400, 0), (5, 4000, 1)])
def test_a_rise_by_a_few_tested_rows_is_none(splits, rows, risen):
    """In every split alike, which leaves a test over splits no noise to hold it against."""
    errors = points_of(np.tile([0.2, 0.1, 0.08, 0.06, 0.07, 0.07], (splits, 1)))
    found = answer(replace(measured_points(errors), tested=None, step=np.array([1 / rows])))
    assert (found.shapes["shape"] == "dipping").sum() == risen


def page_of(measured, **given):
    return Report(**vars(answer(measured, given.get("wanted_error"))), curves=measured,
                   title=given.pop("title", "mine"), metric="error_rate", label="error rate",
                   always="“no”", **given)


def test_the_page_is_whole_and_loads_nothing(measured):
    page = write_page(page_of(measured, title="<my> & table", wanted_error=0.1, notes=[
        "Warning: the column 'x' tells all.", "Ignored: 'id'."]))
    assert page.startswith("<!doctype html>") and page.rstrip().endswith("</html>")
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", page) and "<script" not in page
    assert "&lt;my&gt; &amp; table" in page and "Best now" in page
    assert page.index("tells all") < page.index("Best now") < page.index("Ignored")
    assert page.count("<svg") == 1 and page.count("<figure") == 1
    assert "always “no”" in page and "wanted" in page


def test_sentences_say_what_the_tables_say(measured):
    told = dict(sentences(page_of(measured)))
    assert "tuned logistic regression" in told["Best now"] and "clearly" in told["Best now"]
    assert "always saying “no” has 0.500" in told["What it is worth"]
    noise = np.random.default_rng(5).normal(1, 0.2, DRAWS)
    for words, share, by in (("Hardly anything. It saves 3 %", 0.97, 1), ("It saves 20 %", 0.8, 1),
                             ("Too few rows to tell. It saves 20 %", 0.8, noise)):
        like = replace(measured, baseline=measured.now.min() / share,
                       baseline_draws=measured.draws[:, 1] / share * by)
        assert dict(sentences(page_of(like)))["What it is worth"].startswith(words)
    far, here = (dict(sentences(page_of(measured, wanted_error=wanted)))["The error you want"]
                 for wanted in (0.001, 0.2))
    assert "out of reach" in far and "leave every learner above it" in far
    score = dict(sentences(replace(page_of(measured, wanted_error=0.001), label="1 − F1")))
    assert score["The error you want"].startswith("An F1 of 0.999 looks out")
    assert "leave every learner below it" in score["The error you want"]
    assert "seems to have now" in here
    level = replace(measured, now=np.full(3, 0.2), draws=measured.draws[:, :1]
                    + np.random.default_rng(0).normal(0, 0.01, (DRAWS, 3)))
    assert "do not differ significantly" in dict(sentences(page_of(level)))["Best now"]


def frame_of(n=N):
    rng = np.random.default_rng(1)
    label = rng.choice(["yes", "no"], n, p=[0.15, 0.85])
    return pd.DataFrame({"x": rng.normal(size=n) + 1.5 * (label == "yes"),
                         "colour": rng.choice(["red", "blue"], n), "made_on": "2020-01-01",
                         "label": label, "price": 1000 * rng.normal(5, 1, n)})


QUICK = ("LogisticRegression", "KNN")


@pytest.fixture
def short(monkeypatch):
    measure_here(monkeypatch)


@pytest.fixture(scope="module")
def gathered():
    table = use_table(frame_of().drop(columns="price"), "label").measurable()
    with pytest.MonkeyPatch.context() as patch:
        measure_here(patch)
        return table, gather.gather_within(table, 36000, Here(1), QUICK, show=False)


@pytest.fixture(scope="module")
def answers(gathered):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "gather_within", lambda *_, **__: gathered[1])
        return answer_table(frame_of().drop(columns="price"), "label", AMPLE, learners=QUICK)


def test_a_table_is_measured_and_answered_in_python(answers):
    assert {"learner", "size", "outer", "inner", "error"} == set(answers.measured)
    assert {"learner", "size", "error", "low", "high"} <= set(answers.now)
    assert {"learner", "times", "size", "error", "low", "high"} <= set(answers.later)
    largest = answers.measured[answers.measured["size"] == answers.now["size"].max()]
    means = largest.groupby("learner")["error"].mean()
    assert answers.now.set_index("learner")["error"].to_dict() == pytest.approx(
        means.to_dict(), abs=0.005)
    low, high = answers.now[["low", "high"]].iloc[0]
    p = answers.now["error"].iloc[0]
    assert (high - low) / (2 * 1.645 * np.sqrt(p * (1 - p) / N)) == pytest.approx(1.25, abs=0.3)
    assert answers.baseline == pytest.approx((frame_of()["label"] == "yes").mean(), abs=0.01)
    assert answers.beside["name"].tolist() == ["auc", "recall", "precision"]
    assert "<iframe srcdoc=" in answers._repr_html_()


@pytest.mark.parametrize("metric", ["auc", "log_loss"])
def test_other_metrics_have_ranges_too(gathered, metric, monkeypatch):
    monkeypatch.setattr("analysis.report.measured.WHOLE_DRAWS", 40)
    found = answer(measured_rows(*gathered, METRICS[metric])).now
    assert (found["low"] < found["error"]).all() and (found["error"] < found["high"]).all()
    assert found["error"].between(0, 1).all()


def test_numbers_are_predicted_in_their_unit(short):
    frame = frame_of()
    frame["price"] += 2000 * frame["x"]
    answers = answer_table(frame, "price", AMPLE, learners=("Ridge", "KNN"))
    assert answers.metric == "rmse" and 900 < answers.now["error"].min() < 1300
    assert answers.baseline == pytest.approx(frame["price"].std(), rel=0.02)
    page = answers.page()
    assert "the unit of" in page and "R²" in page and "always saying the mean" in page


def test_time_and_group_are_split_by(short):
    frame = frame_of().drop(columns="price").assign(
        made_on=pd.date_range("2020-01-01", periods=N).astype(str), customer_id=np.arange(N) // 4)
    by_time, by_group, plain = (answer_table(frame, "label", AMPLE, learners=("KNN",), **split)
                                for split in ({"time": "made_on"}, {"group": "customer_id"}, {}))
    assert "later in time" in by_time.how and by_time.now["size"].max() < N * 0.7
    assert "on one side" in by_group.how
    assert [a.split for a in (by_time, by_group)] == ["time", "group"]
    assert plain.ways["kind"].tolist() == ["time", "group"]
    assert "TIME=made_on" in " ".join(plain.notes)
    assert "Split by &#39;made_on&#39;" in plain.page() or "By &#39;made_on&#39;" in plain.page()


def test_a_label_of_many_letters_leaves_room_for_the_figure(answers):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "…" in page.draw_report(replace(answers, always="x" * 300))


def test_the_page_says_how_often_ranges_held_where_that_was_tried(monkeypatch):
    kept = pd.DataFrame({"role": ["latest", "new", "by group", "by time"], "times": 0,
                         "method": "report", "kind": "classes", "n_tables": [7, 8, 15, 6],
                         "coverage90": [0.71, 0.99, 0.98, 0.42]})
    monkeypatch.setattr(page, "recall", lambda name: kept)
    promise = page.promise.__wrapped__  # without its cache
    assert "71 of 100" in promise(False) and "narrow" in promise(False)
    by_group, by_time = (promise(False, split) for split in ("group", "time"))
    assert "15 tables split by group" in by_group and "98 of 100" in by_group
    assert "narrow" not in by_group and "42 of 100" in by_time and "narrow" in by_time
    numbers = kept.assign(kind="numbers", role=["latest", "by group", "newer by group", "by time"])
    monkeypatch.setattr(page, "recall", lambda name: numbers)
    assert "98 of 100" in promise(True, "group")  # those by which these ranges were not widened
    kept["coverage90"] = 0.9
    monkeypatch.setattr(page, "recall", lambda name: kept)
    assert "90 of 100" in promise(False) and "narrow" not in promise(False)


@pytest.mark.parametrize(("tail", "metric", "told"), [(1.5, "rmse", 1), (0.2, "rmse", 0),
                                                       (1.5, "mae", 0)])
def test_a_few_values_far_out_are_told_and_widen_the_ranges(tail, metric, told, short):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(150, 3))
    frame = pd.DataFrame(x, columns=list("abc")).assign(y=np.exp(tail * rng.normal(size=150)))
    found = answer_table(frame, "y", AMPLE, metric, learners=("Ridge",))
    notes = [n for n in found.notes if "missed by most" in n]
    assert len(notes) == told
    assert found.curves.stretch.rows == (1.3 if told else 1.0)
    if told:
        losses = np.sort((frame["y"] - found.curves.held["Ridge"]) ** 2)
        share = 100 * losses[-1] / losses.sum()
        assert f"1 of 150 rows, those missed by most, make {share:.0f} % of" in notes[0]


@pytest.mark.parametrize(("slope", "told"), [(2.0, "rises"), (-2.0, "falls"), (0.0, "")])
def test_a_target_that_drifts_is_a_warning_and_ranges_by_time_are_wider(slope, told):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=150), "day": np.arange(150)})
    frame["y"] = frame["x"] + slope * frame["day"] / 50 + rng.normal(size=150)
    found = answer_table(frame, "y", budget="2s", time="day", learners=["Ridge"], show=False)
    notes = [n for n in found.notes if "with time" in n]
    assert len(notes) == bool(told) and all(f"'y' {told} with time (rank" in n for n in notes)
    if not told:
        plain = answer_table(frame, "y", budget="2s", learners=["Ridge"], show=False)
        assert np.subtract(*found.now[["high", "low"]].iloc[0]) > np.subtract(
            *plain.now[["high", "low"]].iloc[0])


@pytest.mark.parametrize(("given", "error", "words"), [
    ({"target": "lable"}, UnknownNameError, "label"),
    ({"metric": "rmse"}, UnknownNameError, "error_rate"),
    ({"metric": "auc", "wanted": 5}, SettingsError, "5%"),
    ({"time": "colour"}, DatasetError, "TIME"),
    ({"frame": frame_of(), "target": "x", "less": Share(0.02)}, SettingsError, "of what"),
    ({"learners": ("Ridge",)}, UnknownNameError, "Ridge"),
    ({"frame": {"x": [1]}}, TypeError, "DataFrame"),
])
def test_bad_questions_are_refused_at_once(given, error, words):
    asked = {"frame": frame_of(), "target": "label", "budget": "1s"} | given
    with pytest.raises(error, match=words):
        answer_table(**asked)


@pytest.fixture
def points(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("size,error\n" + "".join(
        f"{n},{e:.4f}\n" for n, e in zip(SIZES, curve(0.1, 1, 0.5), strict=True)))
    return path


def test_points_make_a_report(points, tmp_path, capsys):
    out = tmp_path / "out"
    assert main([f"POINTS={points}", f"OUT={out}", "WANTED=12%", "COST_PER_ROW=1",
                 "COST_PER_ERROR=100"]) == 0
    assert {p.name for p in out.glob("[!.]*")} == {
        "report.html", "answer.txt", "now.csv", "later.csv", "path.csv", "wanted.csv",
        "measured.csv", "costs.csv", "enough.csv", "expected.csv"}
    told = (out / "answer.txt").read_text()
    assert "Best now: With" in told and told in capsys.readouterr().out
    page = (out / "report.html").read_text()
    assert page.count("<table") == 1 and "What rows are worth" in page
    table = pd.read_csv(out / "later.csv")
    answers = answer_points(read_points(points), wanted=0.12)
    assert table["error"].tolist() == pytest.approx(answers.later["error"].tolist())
    assert pd.read_csv(out / "wanted.csv")["wanted"].tolist() == [0.12]
    assert (pd.read_csv(out / "costs.csv")["cost"] == 1000).all()


@pytest.mark.parametrize(("values", "error", "words"), [
    ({}, SettingsError, "one of CSV"),
    ({"CSV": "a.csv", "POINTS": "b.csv"}, SettingsError, "one of CSV"),
    ({"CSV": "a.csv"}, SettingsError, "TARGET"),
    ({"CSV": "a.csv", "TARGET": "y", "BUDGET": "soon"}, SettingsError, "BUDGET"),
    ({"CSV": "a.csv", "TARGET": "y", "COST_PER_ROW": "2"}, SettingsError, "belong together"),
    ({"CSV": "a.csv", "TARGET": "y", "COST_PER_ROW": "-2"}, SettingsError, "COST_PER_ROW"),
    ({"CSV": "a.csv", "TARGET": "y", "LEARNERS": "KNNN"}, UnknownNameError, "KNN"),
    ({"POINTS": "b.csv", "WANTED": "low"}, SettingsError, "WANTED"),
    ({"POINTS": "b.csv", "LESS": "a bit"}, SettingsError, "LESS"),
    ({"POINTS": "b.csv", "METRIC": "auc"}, SettingsError, "METRIC cannot be used"),
    ({"POINTS": "b.csv", "TARGET": "y", "SAVE": "yes"}, SettingsError, "TARGET and SAVE cannot"),
    ({"POINTS": "b.csv", "WORKERS": "0"}, SettingsError, "WORKERS"),
])
def test_bad_parameters_are_refused(values, error, words):
    with pytest.raises(error, match=words):
        check_report(values)


def test_a_file_is_measured_and_its_model_saved(tmp_path, short, answers):
    frame_of().drop(columns="price").to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "out"
    assert main([f"CSV={tmp_path / 't.csv'}", "TARGET=label", f"OUT={out}", "BUDGET=10h",
                 "SAVE=yes", "LEARNERS=LogisticRegression KNN", "COST_PER_ROW=1",
                 "COST_PER_ERROR=100"]) == 0
    text = (out / "report.html").read_text()
    assert "made_on" in text and "METRIC=auc" in text and "from sklearn" in text
    assert "That is few" in text and "The next 1,000 rows cost 1,000" in text
    model = joblib.load(out / "model.joblib")
    assert (model.predict(frame_of()) == answers.trained().predict(frame_of())).all()
    assert {"beside.csv", "costs.csv"} <= {p.name for p in out.glob("[!.]*")}
    assert answer_points(read_points(out / "points.csv")).now.set_index("learner")[
        "error"].to_dict() == pytest.approx(
            answers.now.set_index("learner")["error"].to_dict(), abs=0.005)


def test_what_is_wrong_with_the_file_is_said_in_a_line(tmp_path, capsys):
    out = tmp_path / "out"
    assert main([f"CSV={tmp_path / 'none.csv'}", "TARGET=y", f"OUT={out}", "WANTED=5"]) == 1
    told = capsys.readouterr().err
    assert "none.csv" in told and told.count("\n") == 1 and not out.exists()


def test_no_sentence_gathers_and_stops_at_once(measured, tables):
    def said(**changed):
        told = Report(**vars(tables) | changed, curves=measured, title="", metric="error_rate",
                      label="error")
        return dict(sentences(told)), decision(told)

    enough = tables.enough.assign(chance=0.3)
    enough.loc[0, "chance"] = 0.1  # a doubling counts only later
    expected = tables.expected.assign(falls_enough=0.6)
    told, first = said(enough=enough, expected=expected, less=1.0)
    assert first.startswith("Gather no more rows") and "the rows the chance is 60 %" in first
    assert "now, where it is 10 %; from far more rows on" in told["When to stop"]
    assert told["Rows or another learner"].startswith("Neither by what counts: ")
    helps = tables.helps.assign(gain=-1e-9)
    assert "by 0.000 " in said(helps=helps)[0]["Rows or another learner"]
    soon = tables.enough.assign(chance=[0.3] + [0.1] * (len(tables.enough) - 1))
    told, first = said(enough=soon, less=0.0004)
    stop = tables.enough["size"].iloc[1]
    assert first.startswith(f"Gather a few more rows, up to about {float(f'{stop:.2g}'):,.0f}:")
    assert "by at least 0.0004" in told["More rows"] and "0.000 " not in first
    assert "by at least 0.000" in said(less=0.0)[0]["More rows"]


def test_a_rise_that_one_of_several_learners_shows_by_chance_is_not_said():
    told = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        errors = 0.4 * np.arange(1, 7)[:, None] ** -0.01 + 0.03 * rng.normal(size=(4, 5, 1, 6, 1))
        errors = xr.DataArray(errors[..., 0], dims=("learner", "outer", "inner", "anchor"), coords={
            "learner": list("abcd"), "anchor": 20.0 * 2 ** np.arange(6)})
        told += any(_shapes(Measured(errors, np.full(4, 640), errors[:, :, 0, -1].values.mean(1),
                                     np.ones((9, 4))), list("abcd"), 640)["shape"] == "dipping")
    assert told <= 1
