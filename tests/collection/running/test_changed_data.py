"""No curve is stored under the fingerprint of other data than those it was fitted on."""

import pandas as pd
import pytest
from distributed import LocalCluster

from collection.containers.curves import METRICS, Status
from collection.running.curve_plan import make_plan
from collection.running.curve_settings import check_settings
from collection.running.engine import JobError, collect
from collection.running.supervisor import Supervisor
from collection.running.work import run
from collection.running.workers import LocalWorkers
from collection.store import StoreWriter, read_fits

NUMBERS = [*METRICS["error_rate"].columns, *METRICS["log_loss"].columns]


@pytest.fixture
def asked(tmp_path):
    """Return settings for curves on a CSV file that `write` fills."""
    return lambda out, **changes: check_settings(
        {"DATASETS": f"csv:{tmp_path}/own.csv?target=y", "LEARNERS": "KNN", "OUTER": "0",
         "INNER": "0 1", "ANCHORS": "16 64", "WORKERS": "1", "OUT": str(tmp_path / out), **changes})


def write(tmp_path, shift):
    """Write 200 rows whose label KNN can learn where `shift` is 0, and not where it is 1."""
    x = pd.Series(range(200))
    label = ((x + 37 * shift * x) % 200 >= 100).map({True: "p", False: "q"})
    pd.DataFrame({"x": x, "y": label}).to_csv(tmp_path / "own.csv", index=False)


def test_a_file_that_changes_between_two_runs_on_live_workers_is_read_anew(asked, tmp_path):
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, protocol="tcp",
                      dashboard_address=None) as cluster:
        for shift in (0, 1):
            write(tmp_path, shift)
            settings = asked(f"dask{shift}", SCHEDULER=cluster.scheduler_address)
            assert run(settings, make_plan(settings)).stored == 2
    for shift in (0, 1):
        write(tmp_path, shift)
        settings = asked(f"local{shift}")
        run(settings, make_plan(settings))
        dask, local = (read_fits(tmp_path / f"{where}{shift}") for where in ("dask", "local"))
        pd.testing.assert_frame_equal(dask[NUMBERS], local[NUMBERS])
    assert read_fits(tmp_path / "dask0")["error_rate_test"].mean() + 0.1 < read_fits(
        tmp_path / "dask1")["error_rate_test"].mean()


def test_a_file_that_changes_during_a_run_gives_no_curves_of_what_it_holds_now(asked, tmp_path):
    write(tmp_path, 0)
    settings = asked("out")
    plan = make_plan(settings)
    write(tmp_path, 1)
    with StoreWriter(settings.out, {}, {}) as store, LocalWorkers(1) as workers:
        outcome = collect(plan, store, workers)
    assert outcome.stored == 0 and sum(outcome.lost.values()) == 2
    (reason,) = outcome.lost
    assert "own.csv?target=y has changed since the collection began" in reason


def test_a_process_that_read_the_file_before_goes_on_with_what_it_read(asked, tmp_path):
    write(tmp_path, 0)
    jobs = list(make_plan(asked("out")).jobs.values())
    supervisor = Supervisor()
    try:
        before = supervisor.gather(jobs[0]).fits
        write(tmp_path, 1)
        again = supervisor.gather(jobs[0]).fits
        assert [f.error_rate for f in again] == [f.error_rate for f in before]
        assert {f.status for f in again} == {Status.ok}
        supervisor.close()
        with pytest.raises(JobError, match="has changed since"):
            supervisor.gather(jobs[1])
    finally:
        supervisor.close()
