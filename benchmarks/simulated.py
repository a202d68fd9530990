"""Curves that cost nothing: what is planned, queued, run and stored at the size of a database.

A job answers at once, with a status of every kind; all else is what gathers real curves: the plan,
the supervisor and the process that fits, the workers, the store.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
from distributed import Client

from collection.containers.curves import LEAKAGES, SCALINGS, Status
from collection.containers.learner_names import LEARNERS
from collection.project.paths import DATA
from collection.protocol.anchors import anchor_grid
from collection.protocol.splits import SEEDS
from collection.running.curve import CurveJob, Fit
from collection.running.curve_plan import CurvePlan, DatasetPlan, curve_jobs
from collection.running.curve_settings import Settings, check_settings

CHANCES = {Status.ok: 0.9, Status.timeout: 0.03, Status.memory: 0.02, Status.error: 0.04,
           Status.invalid: 0.01}
N_LEARNERS = 32


@dataclass(frozen=True)
class SimulatedJob(CurveJob):
    """A curve whose fits are drawn from a seed, its key; see `CurveJob`."""

    def load(self) -> None:
        """Read nothing."""

    def run(self, loaded: None) -> Iterator[Fit]:
        """Yield a fit per anchor, each with a status of its own."""
        yield from simulated_fits(self.task, self.anchors)


def simulated_fits(key, anchors: Sequence[int]) -> Iterator[Fit]:
    """Yield fits as they might have been, the same for the same key."""
    names = sorted(map(str, vars(key).values()))
    rng = np.random.default_rng(list("".join(names).encode()))
    statuses = rng.choice(list(CHANCES), len(anchors), p=list(CHANCES.values()))
    values = rng.random((len(anchors), 16)).round(4).tolist()
    for anchor, status, v in zip(anchors, statuses, values, strict=True):
        if status == Status.ok:
            yield Fit(anchor, Status.ok, "", tuple(v[:3]), tuple(v[3:6]), tuple(v[6:9]),
                      tuple(v[9:12]), v[12], tuple(v[13:16]))
        else:
            yield Fit(anchor, Status(status), f"simulated: {Status(status).name}")


def simulated_plan(n_fits: int, out: Path, **changes: object) -> CurvePlan:
    """Return a plan of about `n_fits` fits in the shape of LCDB 1.1, as many datasets as it takes.

    The largest has all 265 datasets with the anchors of theirs, 32 learners and 150 curves of
    each: 1.27 million curves.
    """
    settings = simulated_settings(out, **changes)
    table = pd.read_csv(DATA / "lcdb11_datasets.csv").sample(frac=1, random_state=0)
    learners = tuple(LEARNERS)[:N_LEARNERS]
    datasets, fits = [], 0
    for row in table.itertuples():
        anchors = tuple(anchor_grid(row.max_anchor).tolist())
        each = len(anchors) * len(learners)
        repeats = len(SCALINGS) * len(LEAKAGES) * len(SEEDS) ** 2
        if fits + each * repeats > n_fits and datasets:
            break
        few = max(1, min(len(learners), round(n_fits / (len(anchors) * repeats))))
        datasets.append(DatasetPlan(_row(row), learners[:few],
                                    tuple(product(SEEDS, SEEDS)), anchors))
        fits += len(anchors) * few * repeats
    return CurvePlan(tuple(datasets), {key: SimulatedJob(**vars(job)) for key, job in curve_jobs(
        datasets, settings).items()})


def simulated_settings(out: Path, **changes: object) -> Settings:
    """Return settings of all scalings, leakages and repeats."""
    return replace(check_settings({
        "DATASETS": "keel:iris", "OUT": str(out), "SCALINGS": " ".join(SCALINGS),
        "LEAKAGE": " ".join(LEAKAGES)}), **changes)


def _row(row) -> dict[str, object]:
    return {"name": f"{row.name}-{row.openml_id}", "spec": f"openml:{row.openml_id}",
            "openml_id": row.openml_id, "source": "simulated", "licence": "", "rows": row.samples,
            "features": row.features, "categorical": 0, "classes": row.classes,
            "missing_values": 0, "train_size": row.max_anchor, "fingerprint": str(row.openml_id)}


@contextmanager
def dask_processes(count: int) -> Iterator[tuple[str, psutil.Process]]:
    """Have a Dask scheduler and workers, each a process; give its address and process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    started = [_dask("scheduler", "--host", address)]
    try:
        with Client(address, timeout=120) as client:
            started += [_dask("worker", address, "--nthreads", "1", "--no-nanny")
                        for _ in range(count)]
            client.wait_for_workers(count, timeout=300)
        yield address, psutil.Process(started[0].pid)
    finally:
        for process in started:
            process.kill()
            process.wait()


def _dask(*arguments: str) -> subprocess.Popen:
    environment: Mapping[str, str] = {**os.environ, "PYTHONPATH": os.pathsep.join(
        filter(None, [os.getcwd(), *sys.path]))}
    return subprocess.Popen([sys.executable, "-m", "dask", *arguments, "--no-dashboard"],
                            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
