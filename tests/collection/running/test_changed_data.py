"""No curve is stored under the fingerprint of other data than those it was fitted on."""

import numpy as np
import pandas as pd
import pytest

from collection.containers.curves import Status
from collection.running.curve_plan import make_plan
from collection.running.curve_settings import check_settings
from collection.running.engine import JobError, collect
from collection.running.supervisor import Supervisor
from collection.running.workers import LocalWorkers
from collection.store import StoreWriter


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


def test_a_process_reads_anew_what_a_new_plan_is_of_and_goes_on_with_what_it_read(asked, tmp_path):
    write(tmp_path, 0)
    supervisor, jobs = Supervisor(), list(make_plan(asked("out")).jobs.values())
    try:
        before = errors(supervisor.gather(jobs[0]))
        write(tmp_path, 1)
        assert errors(supervisor.gather(jobs[0])) == before
        now = list(make_plan(asked("out")).jobs.values())
        after = errors(supervisor.gather(now[0]))
        assert np.mean(before) + 0.1 < np.mean(after)
        supervisor.close()
        with pytest.raises(JobError, match="has changed since"):
            supervisor.gather(jobs[1])
        assert errors(supervisor.gather(now[0])) == after
    finally:
        supervisor.close()


def errors(curve):
    assert {fit.status for fit in curve.fits} == {Status.ok}
    return [fit.error_rate for fit in curve.fits]
