import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collection.container import Status
from collection.curve import CurveTask, Fit
from collection.running.estimate import Estimate, _by_others, _probe, extrapolate
from collection.running.job import CurveResult, Job
from collection.running.limits import Limits
from collection.running.progress import Progress, duration
from collection.store.writer import CurveKey

ANCHORS = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
TASK = CurveTask("keel:iris", "KNN", "none", "no", 0, 0)


def job(time=np.inf, anchors=ANCHORS):
    return Job(TASK, anchors, Limits(time, 1e9))


def probed(seconds):
    probe = _probe(job())
    fits = [Fit(a, Status.ok, train_time=seconds(a) / 2, predict_time=(seconds(a) / 2, 0.0, 0.0))
            for a in probe.anchors]
    return CurveResult(probe.task, tuple(fits), 0.0, "")


def test_a_probe_is_three_small_fits():
    assert _probe(job()).anchors == (16, 128, 1024)
    assert _probe(job(anchors=(32, 100, 300))).anchors == (32, 100, 300)
    assert _probe(job(anchors=(4096,))).anchors == (4096,)
    assert _probe(job()).limits.time == 10


@given(constant=st.floats(1e-4, 1), scale=st.floats(1e-4, 1), power=st.floats(0.6, 2.9))
def test_a_constant_and_a_power_law_are_extrapolated(constant, scale, power):
    def seconds(n):
        return constant + scale * ((n / 16) ** power - 1)
    truth = sum(map(seconds, ANCHORS))
    assert truth / 2 < extrapolate(probed(seconds), job()) < truth * 2


def test_the_time_limit_ends_a_curve():
    assert extrapolate(probed(lambda n: n / 1024), job(time=1.5)) == pytest.approx(
        sum(a / 1024 for a in ANCHORS[:7]) + 1.5, rel=0.1)


def test_fits_that_failed_cost_what_others_did():
    failed = CurveResult(TASK, tuple(Fit(a, Status.error, "no") for a in (16, 128, 1024)), 0.0, "")
    assert 0 < extrapolate(failed, job()) < 1


def test_a_pair_that_was_not_timed_is_judged_by_its_learner():
    first = {("a", "KNN"): job(), ("b", "KNN"): job(anchors=(16, 32)), ("b", "DT"): job()}
    timed = {("a", "KNN"): sum(ANCHORS) * 0.5, ("b", "DT"): sum(ANCHORS) * 7.0}
    assert _by_others(("b", "KNN"), job(anchors=(16, 32)), first, timed) == 48 * 0.5
    assert _by_others(("b", "LDA"), job(anchors=(16,)), first, timed) == 16 * 3.75
    assert _by_others(("b", "LDA"), job(), first, {}) == 0


def test_time_left_follows_what_curves_really_take(capsys):
    keys = [CurveKey("iris", "KNN", "none", "no", 0, inner) for inner in range(4)]
    progress = Progress(Estimate(dict.fromkeys(keys, 100.0), 1, 0), found=1, workers=TwoWorkers())
    assert progress.time_left() == 400 / 2
    progress(keys[0], CurveResult(TASK, (), 200.0, ""))
    assert progress.time_left() == pytest.approx(300 / 2 * (200 + 20) / (100 + 20))
    progress(keys[1], None)  # lost: says nothing of how long curves take
    assert progress.time_left() == pytest.approx(200 / 2 * (200 + 20) / (100 + 20))
    progress.close()
    shown = capsys.readouterr().err
    assert shown.rstrip().endswith("about 3 min left") and "60% 3/5 curves" in shown


class TwoWorkers:
    count = 2


@pytest.mark.parametrize(("seconds", "words"), [
    (0, "0 s"), (59.6, "60 s"), (89, "89 s"), (600, "10 min"), (5399, "90 min"),
    (9000, "2.5 h"), (86400, "24.0 h"), (864000, "10.0 days")])
def test_durations_are_words(seconds, words):
    assert duration(seconds) == words
