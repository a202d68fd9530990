"""What a report warns of it warns of with the shortest budget too, and with no time left."""

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
from own_tables_here import measure_here

from analysis.report import answer_table, report
from commands.report import written
from commands.report.settings import check_report

N, EACH = 30, 10


def frame_of(regress):
    """Rows of one hospital resemble each other; some rows stand twice; there are dates."""
    rng = np.random.default_rng(0)
    which, a = np.repeat(np.arange(N), EACH), rng.normal(size=N * EACH)
    signal = a + rng.choice([-4, 4], N)[which]
    y = (signal + rng.normal(size=N * EACH) if regress else
         np.where(rng.random(N * EACH) < 1 / (1 + np.exp(-signal)), "yes", "no"))
    if regress:
        y[:6] += 200  # heavy tails
    frame = pd.DataFrame({
        "hospital": [f"h{k}" for k in which], "a": a, "b": rng.normal(size=N * EACH),
        "ward": [f"w{k}" for k in rng.integers(0, 40, N * EACH)], "y": y,
        "day": pd.date_range("2020-01-01", periods=N * EACH).astype(str)})
    return pd.concat([frame, frame.iloc[:20]], ignore_index=True)


def said(frame, **settings):
    answers = answer_table(frame, "y", "5s", learners=["KNN"], workers=1, show=False, **settings)
    return answers, unescape(re.sub(r"<[^>]*>|\s+", " ", answers.page()))


@pytest.mark.parametrize("left", [True, False])
def test_guards_fire_in_five_seconds_and_with_no_time_left(monkeypatch, left, tmp_path):
    if not left:
        monkeypatch.setattr(report, "WHOLE", 0)
        monkeypatch.setattr(report, "GUARD_SHARE", 0)
    answers, page = said(frame_of(False))
    assert "ows of one 'hospital' resemble each other" in page and "GROUP=hospital" in page
    assert "20 of 320 rows are copies of another" in page
    assert "'day' holds times" in page and set(answers.ways["column"]) > {"day", "hospital"}
    settings = check_report({"POINTS": "any.csv", "OUT": tmp_path / "out"})
    written.write_report(settings, answers)  # what the command prints warns as well
    assert "Warning: Rows of one 'hospital' resemble each other" in (
        settings.out / written.ANSWER).read_text()
    if left:
        return
    way = answers.ways.set_index("column").loc["hospital"]
    assert way["quick"] and way["split"] > 1.5 * way["random"] > 0
    assert "(a quick learner's, on 320 rows)" in page
    assert "resemble each other in 'ward'" in page  # which was not tried


@pytest.mark.parametrize("name", ["site", "shade"])
def test_few_groups_are_spoken_of_and_nothing_breaks_where_time_is_left(monkeypatch, name):
    measure_here(monkeypatch, 1)
    rng = np.random.default_rng(0)
    place, x = rng.integers(0, 3, 300), rng.normal(size=300)
    y = np.where(x + np.array([-4, 0, 4])[place] + rng.normal(size=300) > 0, "up", "down")
    answers, page = said(pd.DataFrame({"x": x, name: np.array(list("abc"))[place], "y": y}))
    assert (f"Rows of one '{name}' resemble each other" in page) == (name == "site")
    assert (f"For a '{name}' that no row here has, a quick learner's error rate is" in page) == (
        name == "shade")
    assert answers.ways["quick"].all()


def test_with_numbers_the_quick_learner_s_error_is_in_the_target_s_unit(monkeypatch):
    measure_here(monkeypatch, 1)
    monkeypatch.setattr(report, "WHOLE", 0)
    monkeypatch.setattr(report, "GUARD_SHARE", 0)
    frame = frame_of(True)
    answers, page = said(frame.assign(y=frame["y"].clip(-9, 9)))
    way = answers.ways.set_index("column").loc["hospital"]
    assert 1 < way["random"] < 1.5 * way["random"] < way["split"] < 9
    assert "for a new 'hospital' expect a root mean squared error of" in page
    _, page = said(frame)
    assert "make " in page and "% of the mean squared error" in page  # a few rows, by far


def test_a_drift_is_warned_of_with_no_time_left_and_no_drift_is_not(monkeypatch):
    measure_here(monkeypatch, 1)
    monkeypatch.setattr(report, "WHOLE", 0)
    for drift in (8, 0):
        rng = np.random.default_rng(3)
        y = rng.integers(0, 2, 400)
        x = np.linspace(0, drift, 400) + y + rng.normal(0, 0.4, 400)
        days = pd.date_range("2020-01-01", periods=400).strftime("%Y%m%d").astype(int)
        frame = pd.DataFrame({"x": x, "seen": days, "y": np.where(y, "up", "down")})
        answers, page = said(frame)
        assert answers.ways["far"].tolist() == [drift > 0] and answers.ways["quick"].all()
        assert ("By 'seen' later rows differ from earlier ones" in page) == (drift > 0)
