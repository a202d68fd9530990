"""Larger than one machine: a scheduler and workers as processes of their own, on loopback."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import pandas as pd
import pytest
from distributed import Client, LocalCluster

from analysis.commands import main
from collection.containers.curves import METRICS
from collection.project.requirements import curve_versions
from collection.running.curve_plan import make_plan
from collection.running.curve_settings import PARAMETERS, SettingsError, check_settings
from collection.running.dask_workers import DaskWorkers, gather_alike, slurm_cluster
from collection.running.engine import JobError
from collection.running.work import run
from collection.store import NoStoreError, read_curves, read_fits

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


@pytest.mark.parametrize(("where", "told"), [
    ("SCHEDULER=tcp://127.0.0.1:9", "collect: No Dask scheduler answers at tcp://127"),
    ("CLUSTER=slurm", "there is no command sbatch here")])
def test_workers_that_cannot_be_had_are_told_before_anything_is_written(
        tmp_path, capfd, monkeypatch, where, told):
    monkeypatch.setenv("PATH", str(tmp_path))
    arguments = [f"{name}={value}" for name, value in WHAT.items()]
    assert main(["collect", *arguments, f"OUT={tmp_path}/out", where]) == 1
    assert told in capfd.readouterr().err
    assert not list(tmp_path.iterdir())


def test_jobs_that_slurm_does_not_take_end_the_collection_at_once(tmp_path, monkeypatch):
    sbatch = tmp_path / "bin" / "sbatch"
    sbatch.parent.mkdir()
    sbatch.write_text("#!/bin/sh\necho 'sbatch: error: invalid partition: gpuu' >&2; exit 1\n")
    sbatch.chmod(0o755)
    monkeypatch.setenv("PATH", f"{sbatch.parent}{os.pathsep}{os.environ['PATH']}")
    asked = settings(tmp_path / "out", CLUSTER="slurm")
    with pytest.raises(SettingsError, match=r"Slurm does not take such jobs: .*partition: gpuu"):
        run(asked, make_plan(asked))
    assert not (tmp_path / "out" / "curves.sqlite").exists()


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


def job_script(folder, **changes):
    with slurm_cluster(settings(folder, CLUSTER="slurm", **changes)) as cluster:
        return cluster.job_script()


def test_the_slurm_template_asks_for_one_core_and_enough_memory(tmp_path):
    script = job_script(tmp_path)
    assert "#SBATCH --cpus-per-task=1\n" in script and "#SBATCH -t 24:00:00\n" in script
    assert re.search(r"#SBATCH --mem=(2[1-9])G\n", script)
    assert f"{sys.executable} -m distributed.cli.dask_worker tcp://" in script
    assert "--nthreads 1 " in script and "--lifetime 20h --lifetime-stagger 30m" in script
    assert f"#SBATCH -e {tmp_path}/slurm_logs/" in script


def test_a_template_of_ones_own_reaches_the_job(tmp_path):
    template = tmp_path / "mine.toml"
    commented = PARAMETERS["CLUSTER_TEMPLATE"].default.read_text()
    template.write_text(re.sub(r"^# (?=(queue|account|job_\w+) = )", "", commented, flags=re.M))
    script = job_script(tmp_path, CLUSTER_TEMPLATE=template)
    for line in ("#SBATCH -p general", "#SBATCH -A my-project", "#SBATCH --qos=short",
                 "module load python/3.11"):
        assert f"{line}\n" in script


@pytest.mark.parametrize(("text", "message"), [
    ("cores = ", "Invalid value"), ('cores = 1\nmemory = "1GB"\nqueu = "a"\n', "queu"),
    ("cores = 1\n", "memory")])
def test_a_template_that_cannot_be_used_is_named(tmp_path, text, message):
    template = tmp_path / "mine.toml"
    template.write_text(text)
    with pytest.raises(SettingsError, match=rf"CLUSTER_TEMPLATE: {template}: [\s\S]*{message}"):
        job_script(tmp_path, CLUSTER_TEMPLATE=str(template))
