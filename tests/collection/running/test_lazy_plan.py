"""A plan names every curve without holding them, in the order and with the jobs of plain loops."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collection.containers.curves import LEAKAGES, SCALINGS, CurveKey
from collection.running.curve import CurveJob
from collection.running.curve_plan import CurveJobs, DatasetPlan
from collection.running.curve_settings import check_settings

SETTINGS = check_settings({"DATASETS": "keel:iris", "TIME_LIMIT": "5"})


def some(labels, least=1):
    return st.lists(st.sampled_from(labels), unique=True, min_size=least).map(tuple)


datasets = st.lists(st.builds(
    lambda name, *rest: DatasetPlan(
        {"name": name, "spec": f"keel:{name}", "fingerprint": f"of {name}"}, *rest),
    st.sampled_from(["iris", "wine", "a b"]), some(["KNN", "LDA", "DT"], 0),
    st.dictionaries(st.tuples(st.sampled_from([0, 3, 9]), st.sampled_from([1, 7])),
                    some([16, 18, 20]), min_size=1)),
    max_size=3, unique_by=lambda plan: plan.row["name"])
chosen = st.builds(lambda **ways: replace(SETTINGS, **ways), scalings=some(SCALINGS),
                   leakage=some(LEAKAGES), predictions=st.booleans())


def eager(plans, ways):
    jobs = {}
    for plan in plans:
        for repeat, anchors in plan.anchors_of.items():
            for scaling in ways.scalings:
                for leakage in ways.leakage:
                    for learner in plan.learners:
                        task = CurveKey(plan.row["spec"], learner, scaling, leakage, *repeat)
                        key = replace(task, dataset=plan.row["name"])
                        jobs[key] = CurveJob(task, plan.row["fingerprint"], anchors,
                                             ways.limits, ways.predictions)
    return jobs


@given(plans=datasets, ways=chosen)
def test_the_lazy_plan_is_the_eager_product(plans, ways):
    lazy, jobs = CurveJobs(plans, ways), eager(plans, ways)
    assert list(lazy) == list(jobs) and len(lazy) == len(jobs) and bool(lazy) == bool(jobs)
    assert dict(lazy) == jobs and lazy.fits == sum(job.steps for job in jobs.values())


@given(plans=datasets, ways=chosen, key=st.builds(
    CurveKey, st.sampled_from(["iris", "wine", "zoo"]), st.sampled_from(["KNN", "QDA"]),
    st.sampled_from([*SCALINGS, "log"]), st.sampled_from([*LEAKAGES, "some"]),
    st.integers(0, 4), st.integers(0, 8)))
def test_what_is_not_planned_is_not_in_it(plans, ways, key):
    lazy, jobs = CurveJobs(plans, ways), eager(plans, ways)
    assert (key in lazy) == (key in jobs)
    if key not in jobs:
        with pytest.raises(KeyError):
            lazy[key]
