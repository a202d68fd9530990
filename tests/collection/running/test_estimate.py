from collections import Counter
from concurrent.futures import Future

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collection.containers.curves import CurveKey, Status
from collection.protocol.anchors import anchor_grid
from collection.running import estimate
from collection.running.curve import CurveJob, CurveResult, Fit
from collection.running.engine import JobError, Limits
from collection.running.estimate import CostEstimate, Progress

ANCHORS = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
GRID = tuple(int(a) for a in anchor_grid(15405))
TASK = CurveKey("keel:iris", "KNN", "none", "no", 0, 0)


def job(time=np.inf, anchors=ANCHORS):
    return CurveJob(TASK, "", anchors, Limits(time, 1e9))


def probed(seconds):
    probe = estimate._probe(job())
    fits = [Fit(a, Status.ok, train_time=seconds(a) / 2, predict_time=(seconds(a) / 2, 0.0, 0.0))
            for a in probe.anchors]
    return CurveResult(tuple(fits), 0.0, "")


def test_a_probe_is_three_small_sizes_each_with_its_neighbour_where_there_is_one():
    assert estimate._probe(job(anchors=GRID)).anchors == (16, 18, 118, 128, 940, 1024)
    assert estimate._probe(job(anchors=(16, 17))).anchors == (16, 17)
    assert estimate._probe(job()).anchors == (16, 128, 1024)
    assert estimate._probe(job(anchors=(32, 100, 300))).anchors == (32, 100, 300)
    assert estimate._probe(job(anchors=(4096,))).anchors == (4096,)
    assert estimate._probe(job()).limits.time == 10


@given(constant=st.floats(1e-4, 1), scale=st.floats(1e-4, 1), power=st.floats(0.6, 2.9))
def test_a_constant_and_a_power_law_are_extrapolated(constant, scale, power):
    def seconds(n):
        return constant + scale * ((n / 16) ** power - 1)
    truth = sum(map(seconds, ANCHORS))
    assert truth / 2 < estimate.extrapolate(probed(seconds), job()) < truth * 2


def test_the_time_limit_ends_a_curve():
    assert estimate.extrapolate(probed(lambda n: n / 1024), job(time=1.5)) == pytest.approx(
        sum(a / 1024 for a in ANCHORS[:7]) + 1.5, rel=0.1)


def timed(seconds, anchors=GRID):
    """Return a probe whose fits took `seconds`, ascending by size."""
    sizes = estimate._probe(job(anchors=anchors)).anchors
    return CurveResult(tuple(
        Fit(a, Status.ok, train_time=s, predict_time=(0.0, 0.0, 0.0))
        for a, s in zip(sizes, seconds, strict=True)), 0.0, "")


@given(where=st.integers(0, 5), held_up=st.floats(0, 10))
def test_a_fit_that_was_held_up_does_not_become_hours(where, held_up):
    seconds = [0.0017, 0.0017, 0.0017, 0.0018, 0.0020, 0.0021]
    undisturbed = estimate.extrapolate(timed(seconds), job(anchors=GRID))
    seconds[where] += held_up
    assert estimate.extrapolate(timed(seconds), job(anchors=GRID)) < 2 * undisturbed


def test_long_fits_count_as_their_mean_but_for_the_first_which_loads_a_library():
    # RealMLP: seconds that hang on the moment, not on the rows; 4 min were said, 7.5 taken
    probe = timed([54.0, 2.0, 1.5, 3.5, 2.0, 4.0])
    expected = pytest.approx(len(GRID) * 2.5, rel=0.25)
    assert estimate.extrapolate(probe, job(anchors=GRID)) == expected


def test_where_workers_would_stand_idle_all_time_the_pair_at_once():
    class Machine:
        count, failures, submitted = 3, (), ()

        def submit(self, probe):  # the more at once, the slower; the last is lost
            self.submitted = (*self.submitted, probe)
            done = Future()
            if len(self.submitted) > 3:
                done.set_exception(JobError("lost"))
            else:
                done.set_result(probed(lambda n: float(len(self.submitted))))
            return done

    pair, machine = ("iris", "RealMLP"), Machine()
    timed = estimate._time_pairs({pair: job()}, machine, 30)
    assert timed[pair] == pytest.approx(2 * len(ANCHORS), rel=0.1)
    assert len(machine.submitted) == 3
    assert estimate._time_pairs({pair: job()}, machine, 30) == {}


def test_a_fit_that_was_stopped_costs_at_least_that_long():
    fits = [Fit(16, Status.ok, train_time=1.0, predict_time=(0.0, 0.0, 0.0)),
            *(Fit(a, Status.timeout, "stopped") for a in (128, 1024))]
    probe = CurveResult(tuple(fits), 0.0, "")
    assert estimate.extrapolate(probe, job()) > 10 * len([a for a in ANCHORS if a >= 1024])


def test_a_pair_that_was_not_timed_is_judged_by_its_learner():
    first = {("a", "KNN"): job(), ("b", "KNN"): job(anchors=(16, 32)), ("b", "DT"): job(),
             ("b", "LDA"): job(anchors=(16,))}
    timed = {("a", "KNN"): sum(ANCHORS) * 0.5, ("b", "DT"): sum(ANCHORS) * 7.0}
    assert estimate._by_others(first, timed) == {("b", "KNN"): 48 * 0.5, ("b", "LDA"): 16 * 3.75}
    assert estimate._by_others(first, {}) == dict.fromkeys(first, 0)


def key(dataset, learner, inner):
    return CurveKey(dataset, learner, "none", "no", 0, inner)


def expected(seconds):
    """Return an estimate from the seconds of every curve, alike within a pair."""
    return CostEstimate({key.pair: s for key, s in seconds.items()},
                        Counter(key.pair for key in seconds), 1, 0)


def took(seconds):
    return CurveResult((), seconds, "")


def test_time_left_follows_what_curves_really_take(capsys):
    keys = [key("iris", "KNN", inner) for inner in range(4)] + [key("wine", "KNN", 0)]
    progress = Progress(expected(dict.fromkeys(keys, 99.0)), found=1, workers=TwoWorkers())
    assert progress.time_left() == 5 * 99 / 2
    progress(keys[0], took(199.0))
    assert progress.time_left() == pytest.approx((3 * 199 + 99 * 2) / 2)
    progress(keys[1], None)  # lost: says nothing of how long curves take
    assert progress.time_left() == pytest.approx((2 * 199 + 99 * 2) / 2)
    progress(keys[2], took(9.0))
    progress(keys[3], took(9.0))
    assert progress.time_left() == pytest.approx(99 * 0.1 / 2)
    progress.close()
    shown = capsys.readouterr().err
    assert shown.rstrip().endswith("about 5 s left") and "83% 5/6 curves" in shown
    assert [line.split("%")[0].strip() for line in shown.splitlines() if line.strip()] == [
        "17", "83"]  # in a log each is a line


def test_one_curve_that_was_held_up_does_not_count():
    keys = [key("iris", "KNN", inner) for inner in range(5)]
    progress = Progress(expected(dict.fromkeys(keys, 99.0)), found=0, workers=TwoWorkers())
    for done, seconds in zip(keys, (9.0, 9.0, 900.0), strict=False):
        progress(done, took(seconds))
    assert progress.time_left() == pytest.approx(2 * 9 / 2)
    progress.close()


def test_small_curves_say_little_of_large_ones(capsys):
    keys = [key("small", "KNN", inner) for inner in range(25)]
    large = [key("large", "KNN", inner) for inner in range(25)]
    announced = dict.fromkeys(keys, 0.001) | dict.fromkeys(large, 100.0)
    progress = Progress(expected(announced), found=0, workers=TwoWorkers())
    for one in keys:
        progress(one, took(0.1))  # a hundred times as much
    assert 2500 / 2 <= progress.time_left() < 1.2 * 2500 / 2
    progress.close()


class TwoWorkers:
    count = 2


@pytest.mark.parametrize(("seconds", "words"), [
    (0, "0 s"), (59.6, "60 s"), (89, "89 s"), (600, "10 min"), (5399, "90 min"),
    (9000, "2.5 h"), (86400, "24.0 h"), (864000, "10.0 days")])
def test_durations_are_words(seconds, words):
    assert estimate.duration(seconds) == words
