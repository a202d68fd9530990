"""Limits, crashes and clean endings, by learners that misbehave beyond 20 rows."""

import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from threading import Event, Thread

import psutil
import pytest

from collection.containers.curves import CurveKey
from collection.datasets import load_dataset
from collection.running.curve import CurveJob
from collection.running.engine import JobError, Limits
from collection.running.supervisor import Stopped, Supervisor

ANCHORS = (16, 20, 23, 32, 46)
AMPLE = Limits(time=300, memory=20e9)


IRIS = load_dataset("keel:iris").fingerprint


def job(learner, limits=AMPLE, dataset="keel:iris"):
    return CurveJob(CurveKey(dataset, learner, "none", "no", 0, 0), IRIS, ANCHORS, limits)


@pytest.fixture(scope="module")
def supervisor():
    supervisor = Supervisor()
    yield supervisor
    supervisor.close()


def statuses(result):
    assert tuple(fit.anchor for fit in result.fits) == ANCHORS
    return [fit.status.name for fit in result.fits]


def test_a_fit_stuck_in_c_code_is_stopped_and_larger_anchors_are_not_tried(supervisor):
    supervisor.gather(job("KNN"))  # a process is at hand, so only fits are timed
    result = supervisor.gather(job("misbehaving.Stuck", Limits(time=30 / 7, memory=20e9)))
    assert statuses(result) == ["ok", "ok", "timeout", "timeout", "timeout"]
    assert result.seconds >= 30 / 7
    assert [fit.message for fit in result.fits[2:]] == [
        "stopped after 4.29 s", *["not tried: 23 training rows already ran out of time"] * 2]


def test_a_fit_that_fills_the_memory_is_stopped(supervisor):
    result = supervisor.gather(job("misbehaving.Hungry", Limits(time=300, memory=2.1e9 / 3 + 1)))
    assert statuses(result) == ["ok", "ok", "memory", "memory", "memory"]
    assert result.fits[2].message == "stopped when it used more than 0.7 GB"
    assert result.fits[3].message == "not tried: 23 training rows already ran out of memory"


def test_what_earlier_curves_left_in_memory_does_not_count(supervisor):
    own = Limits(time=300, memory=0.8e9)
    assert all(statuses(supervisor.gather(job("misbehaving.Hoards", own))) == ["ok"] * 5
               for _ in range(4))


@pytest.mark.parametrize(("learner", "after", "how"), [
    ("Exits", "ok", "the process ended with exit code 3; the last that it said: no such device"),
    ("Segfaults", "ok", "the process was ended by signal SIGSEGV"),
    ("Misbehaving", "error", "RuntimeError: I would rather not")])
def test_a_fit_that_fails_or_ends_its_process_says_how(supervisor, learner, after, how):
    result = supervisor.gather(job(f"misbehaving.{learner}"))
    assert statuses(result) == ["ok", "ok", "error", after, after]
    assert result.fits[2].message == how


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_killed_from_outside_is_not_the_learners_doing(supervisor, how):
    def kill():
        while not supervisor._fitter:
            time.sleep(0.01)
        _wait_until_busy(psutil.Process(supervisor._fitter._process.pid))
        supervisor._fitter._process.send_signal(how)

    supervisor.close()
    killer = Thread(target=kill)
    killer.start()
    with pytest.raises(JobError, match=rf"keel:iris, misbehaving\.Stuck: the process was ended by "
                                       rf"signal {how.name}"):
        supervisor.gather(job("misbehaving.Stuck"))
    killer.join()
    assert statuses(supervisor.gather(job("KNN"))) == ["ok"] * 5


@pytest.mark.parametrize(("what", "told"), [
    ({"learner": "misbehaving.Needs"},
     r"misbehaving\.Needs: ModuleNotFoundError: No module named 'no_such_library'"),
    ({"learner": "KNN", "dataset": "keel:nothing"}, "Unknown KEEL dataset 'nothing'"),
    ({"learner": "KNNN"}, "Unknown learner 'KNNN'")])
def test_what_is_not_the_learners_doing_is_no_fit(supervisor, what, told):
    with pytest.raises(JobError, match=told):
        supervisor.gather(job(**what))
    assert statuses(supervisor.gather(job("KNN"))) == ["ok"] * 5


def test_a_process_starts_where_a_thousand_files_are_open(supervisor):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    supervisor.close()
    with ExitStack() as files:
        files.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(1100):
            files.enter_context(open(os.devnull))
        assert statuses(supervisor.gather(job("KNN"))) == ["ok"] * 5


def test_a_fit_has_one_thread(supervisor):
    message = supervisor.gather(job("misbehaving.SaysItsThreads")).fits[0].message
    assert "threads [1" in message and not set(message.partition("threads")[2]) & set("023456789")


def test_a_supervisor_told_to_stop_gives_up_the_curve_in_flight():
    stop, raised = Event(), []
    supervisor = Supervisor(stop)

    def gather():
        try:
            supervisor.gather(job("misbehaving.Stuck"))
        except Stopped as stopped:
            raised.append(stopped)

    thread = Thread(target=gather)
    thread.start()
    time.sleep(1)
    stop.set()
    thread.join(300)
    assert raised and not thread.is_alive()


def test_a_killed_collection_leaves_no_process_behind():
    script = ("from test_supervisor import job\n"
              "from collection.running.supervisor import Supervisor\n"
              "Supervisor().gather(job('misbehaving.Stuck'))")
    here = Path(__file__)
    folders = os.pathsep.join([str(here.parent), str(here.parents[1]), *filter(None, sys.path)])
    with subprocess.Popen([sys.executable, "-c", script],
                          env={**os.environ, "PYTHONPATH": folders}) as driver:
        fitter = _busy_child(psutil.Process(driver.pid))
        driver.send_signal(signal.SIGKILL)
    gone, alive = psutil.wait_procs([fitter], timeout=300)
    assert gone and not alive


def _busy_child(parent):
    """Wait until the process that fits is up and stuck in C code."""
    for _ in range(1200):
        if children := parent.children():
            _wait_until_busy(children[0])
            return children[0]
        time.sleep(0.1)
    raise AssertionError("there never was a process that fits")


def _wait_until_busy(process):
    for _ in range(1200):
        if process.cpu_times().user > 0 and process.status() == psutil.STATUS_RUNNING:
            busy = process.cpu_times().user
            time.sleep(1)
            if process.cpu_times().user > busy:
                return
        time.sleep(0.1)
    raise AssertionError("the process that fits never got busy")
