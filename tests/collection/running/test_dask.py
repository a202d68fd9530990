"""Larger than one machine: a scheduler and workers as processes of their own, on loopback."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pandas as pd
import pytest
from distributed import Client, LocalCluster

from collection.containers.curves import METRICS
from collection.project.requirements import curve_versions
from collection.running.curve_plan import make_plan
from collection.running.curve_settings import check_settings
from collection.running.dask_workers import DaskWorkers, gather_alike
from collection.running.engine import JobError
from collection.running.work import run
from collection.store import NoStoreError, read_curves, read_fits
from commands import main

TIMES = [*METRICS["train_time"].columns, *METRICS["predict_time"].columns]
WHAT = {"DATASETS": "keel:iris", "LEARNERS": "KNN DT GaussianNB", "OUTER": "0 1 2",
        "ANCHORS": "16 32 64 120", "WORKERS": "1"}


def settings(folder, **changes):
    return check_settings({**WHAT, "OUT": str(folder), **changes})


def dask(*arguments):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                   "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "60s"}
    return subprocess.Popen([sys.executable, "-m", "dask", *arguments, "--no-dashboard"],
                            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.fixture
def cluster():
    """Return a scheduler's address and the processes of its two workers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    processes = [dask("scheduler", "--host", address)]
    workers = [dask("worker", address, "--nthreads", "1", "--no-nanny") for _ in range(2)]
    try:
        with Client(address, timeout=120) as client:
            client.wait_for_workers(2, timeout=300)
        yield address, workers
    finally:
        for process in processes + workers:
            process.kill()
            process.wait()


def test_a_worker_killed_in_the_middle_costs_nothing(cluster, tmp_path):
    address, workers = cluster
    folder, seen, killed = tmp_path / "dask", set(), []

    def kill_one_when_both_have_worked():
        while len(seen) < 2:
            time.sleep(0.01)
            seen.update(stored(folder)["worker"])
        victim = int(stored(folder)["worker"].iloc[-1].rpartition(":")[2])
        killed.extend(worker for worker in workers if worker.pid == victim)
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill_one_when_both_have_worked, daemon=True)
    killer.start()
    asked = settings(folder, SCHEDULER=address)
    plan = make_plan(asked)
    outcome = run(asked, plan)
    assert not killer.is_alive(), "the collection ended before a worker was killed"
    assert [worker.wait(60) for worker in killed] == [-signal.SIGKILL]  # not at once, where busy
    assert sum(worker.poll() is not None for worker in workers) == 1
    assert (outcome.stored, dict(outcome.lost)) == (45, {})
    curves = stored(folder)
    assert len(curves) == 45 and not curves.duplicated(WHAT_OF).any()

    local = settings(tmp_path / "local")
    run(local, plan)
    pd.testing.assert_frame_equal(read_fits(folder).drop(columns=TIMES),
                                  read_fits(local.out).drop(columns=TIMES))


WHAT_OF = ["dataset", "learner", "scaling", "leakage", "outer", "inner"]


def stored(folder):
    try:
        return read_curves(folder)
    except NoStoreError:
        return pd.DataFrame({"worker": []})


def test_workers_that_cannot_be_had_are_told_before_anything_is_written(tmp_path, capfd):
    arguments = [f"{name}={value}" for name, value in WHAT.items()]
    assert main(["collect", *arguments, f"OUT={tmp_path}/out", "SCHEDULER=tcp://127.0.0.1:9"]) == 1
    assert "collect: No Dask scheduler answers at tcp://127" in capfd.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_scheduler_that_goes_away_ends_the_collection(tmp_path):
    with LocalCluster(n_workers=0, processes=False, protocol="tcp", dashboard_address=None) as here:
        asked = settings(tmp_path, SCHEDULER=here.scheduler_address)
        with DaskWorkers(asked) as workers:
            assert workers.count == 1  # nobody yet: one curve waits for the first worker
            here.close()
            with pytest.raises(ConnectionError, match=r"gone.*the curves that are stored stay"):
                for _ in range(100):
                    workers.submit(next(iter(make_plan(asked).jobs.values())))
                    time.sleep(0.05)


def test_a_worker_with_other_libraries_refuses(tmp_path):
    job = next(iter(make_plan(settings(tmp_path)).jobs.values()))
    with pytest.raises(JobError, match=r"scikit-learn 1\.4\.2 instead of 1\.9\.1"):
        gather_alike(job, curve_versions() | {"scikit-learn": "1.9.1"})
