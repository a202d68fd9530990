"""What a report warns of it warns of with the shortest budget too, and with no time left."""

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
from own_tables_here import measure_here

from analysis.report import answer_table, report
from analysis.report.settings import check_report

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
        monkeypatch.setattr(report, "BOTH_WAYS_SHARE", 0)
        monkeypatch.setattr(report, "GUARD_SHARE", 0)
    answers, page = said(frame_of(False))
    assert "ows of one 'hospital' resemble each other" in page and "GROUP=hospital" in page
    assert "20 of 320 rows are copies of another" in page
    assert "'day' holds dates" in page
    if left:  # what the command prints warns as well
        answers.ways.loc[0] = "group", "hospital", 200, 0.1, 0.4
        settings = check_report({"POINTS": "any.csv", "OUT": tmp_path / "out"})
        report.write_report(settings, answers)
        told = (settings.out / report.ANSWER).read_text().split("\n")
        assert told[1].startswith("Warning: Rows of one 'hospital' resemble each other")
        return
    assert answers.ways.empty
    (told,) = [note for note in answers.notes if note.startswith("Warning: rows of one 'hosp")]
    random, apart = (float(share) for share in re.findall(r"([\d.]+)%", told))
    assert apart > 1.5 * random > 0  # what the quick learner found, not the table's own error
    assert "No time was left to measure the error split by 'day': TIME=day does" in page
    assert "resemble each other in 'ward'" in page  # which was not tried


def test_with_numbers_the_quick_learner_s_error_is_in_the_target_s_unit(monkeypatch):
    measure_here(monkeypatch, 1)
    monkeypatch.setattr(report, "BOTH_WAYS_SHARE", 0)
    monkeypatch.setattr(report, "GUARD_SHARE", 0)
    frame = frame_of(True)
    answers, page = said(frame.assign(y=frame["y"].clip(-9, 9)))
    (told,) = [note for note in answers.notes if note.startswith("Warning: rows of one 'hosp")]
    random, apart = (float(x) for x in re.findall(r"([\d.]+) (?:at random|for a new)", told))
    assert 1 < random < 1.5 * random < apart < 9 and "root mean squared error" in told
    _, page = said(frame)
    assert "make " in page and "% of the mean squared error" in page  # a few rows, by far
