"""A collection of curves from its settings: read and check every dataset, name every curve.

Until it runs nothing is written and nothing fitted: whatever is wrong with the parameters shows
before any work.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import ClassVar

from collection.containers.curves import CurveKey
from collection.datasets import DatasetError, expand_specs, load_dataset
from collection.datasets.csv_file import portable
from collection.learners.registry import check_learners, find_suited
from collection.project.parameters import check_named_once
from collection.project.requirements import provenance
from collection.protocol.splits import check_splittable, places, training_size
from collection.running.curve import CurveJob, curve_anchors
from collection.running.curve_settings import Settings, SettingsError
from collection.running.engine import Workers
from collection.running.estimate import CostEstimate, duration, estimate
from collection.store.connection import StoreFormat
from collection.store.curves import CURVES, StoreWriter
from collection.store.shards import open_writer


@dataclass(frozen=True)
class DatasetPlan:
    """A dataset of a collection, without its rows.

    Attributes
    ----------
    row : dict
        Columns of the store's table ``datasets``.
    learners : tuple of str
        Names of those that suit what is to be predicted.
    repeats : tuple of (outer, inner)
    anchors : tuple of int
        Training-set sizes that its curves have.
    """

    row: dict[str, object]
    learners: tuple[str, ...]
    repeats: tuple[tuple[int, int], ...]
    anchors: tuple[int, ...]


def curve_jobs(datasets: Iterable[DatasetPlan], settings: Settings) -> dict[CurveKey, CurveJob]:
    """Return the jobs of a collection by what they are of.

    In the order they are gathered: dataset by dataset, and repeat by repeat within each, so that
    what is there early is complete for some of the repeats.
    """
    jobs, limits = {}, settings.limits
    for dataset in datasets:
        name, spec, fingerprint = (dataset.row[of] for of in ("name", "spec", "fingerprint"))
        for repeat, scaling, leakage, learner in product(
                dataset.repeats, settings.scalings, settings.leakage, dataset.learners):
            key = CurveKey(name, learner, scaling, leakage, *repeat)
            jobs[key] = CurveJob(replace(key, dataset=spec), fingerprint, dataset.anchors, limits,
                                 settings.predictions)
    return jobs


BUDGET = 30.0  # seconds for the estimate


@dataclass(frozen=True)
class CurvePlan:
    """The curves of a collection.

    Attributes
    ----------
    datasets : tuple of DatasetPlan
    jobs : dict of CurveKey to CurveJob
    left_out : tuple of (str, str)
        Dataset's name and learner where the learner does not suit what is to be predicted.
    """

    datasets: tuple[DatasetPlan, ...]
    jobs: dict[CurveKey, CurveJob]
    left_out: tuple[tuple[str, str], ...] = ()
    form: ClassVar[StoreFormat] = CURVES

    @property
    def fits(self) -> int:
        """Fits of all curves."""
        return sum(job.steps for job in self.jobs.values())

    @property
    def rows(self) -> list[dict[str, object]]:
        """Rows of the store's table ``datasets``."""
        return [dataset.row for dataset in self.datasets]

    def register(self, store: StoreWriter) -> None:
        """Tell the store which datasets its curves will be of."""
        for dataset in self.datasets:
            store.add_dataset(dataset.row | {
                name: portable(dataset.row[name], store.folder) for name in ("spec", "source")})

    def writer(self, settings: Settings) -> StoreWriter:
        """Return the writer of the store."""
        return open_writer(settings.out, settings.of_store, provenance(), self.fits)

    def estimate(self, missing: Iterable[CurveKey], stored: Mapping[tuple[str, str], float],
                 workers: Workers) -> CostEstimate:
        """Estimate from small fits what the `missing` curves cost."""
        return estimate(self, missing, stored, workers, BUDGET)

    def expectation(self, cost: CostEstimate, workers: int) -> str:
        """Say how long what is missing will take."""
        return (f"The others take about {duration(cost.total / workers)} on {workers} worker(s), "
                f"{duration(cost.total)} of computing: a rough guess, from {cost.timed} pairs of "
                f"dataset and learner that were timed and {cost.assumed} assumed to be alike.")


def make_plan(settings: Settings) -> CurvePlan:
    """Read every dataset, check it and the learners, and name all curves.

    Raises
    ------
    UnknownNameError, DatasetError
        A dataset or learner that does not exist or cannot be read.
    ProtocolError
        A dataset that cannot be split: one class, a class too small, too few rows.
    SettingsError
        Two datasets of one name; or no anchor that suits a dataset.
    MissingRequirementError
        A learner's optional library is not installed, or its weights are not to be had.
    """
    check_learners(settings.learners)
    datasets = tuple(_describe(spec, settings) for spec in expand_specs(settings.datasets))
    check_named_once("DATASETS", (dataset.row for dataset in datasets),
                     "rename its file, or collect it")
    left_out = [(dataset.row["name"], spec) for dataset in datasets for spec in settings.learners
                if find_suited(spec, not dataset.row["classes"]) is None]
    jobs = curve_jobs(datasets, settings)
    if not jobs:
        raise SettingsError("LEARNERS: none of them suits any dataset; classifiers do not predict "
                            "numbers, nor regressors classes.")
    return CurvePlan(datasets, jobs, tuple(left_out))


def _describe(spec: str, settings: Settings) -> DatasetPlan:
    dataset = load_dataset(spec)
    try:
        check_splittable(dataset.target)
        repeats = places(settings.outer, settings.inner, settings.seeds)
    except ValueError as error:
        raise DatasetError(f"{spec}: {error}") from error
    anchors = curve_anchors(dataset, settings.anchors)
    if not anchors:
        raise SettingsError(f"ANCHORS: none of them suits {spec}, whose training set has "
                            f"{training_size(dataset.n_rows)} rows.")
    found = (find_suited(spec, dataset.is_regression) for spec in settings.learners)
    row = {"name": dataset.name, "spec": spec, **dataset.facts,
           "train_size": training_size(dataset.n_rows)}
    return DatasetPlan(row, tuple(dict.fromkeys(learner.name for learner in found if learner)),
                       tuple(repeats), tuple(anchors))
