"""A collection of curves from its settings to its store: read and check, name every curve, run.

Until it runs nothing is written and nothing fitted: whatever is wrong with the parameters shows
before any work.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, product
from math import prod

import pandas as pd

from collection.containers.curves import CurveKey
from collection.datasets import Dataset, DatasetError, expand_specs, load_dataset
from collection.datasets.csv_file import portable
from collection.learners.registry import check_learners, find_suited
from collection.project.requirements import curve_versions, provenance
from collection.protocol.splits import training_size
from collection.running.curve import CurveJob, curve_anchors
from collection.running.curve_settings import Settings, SettingsError
from collection.running.engine import Outcome, collect
from collection.running.estimate import Estimate, Progress, duration, estimate
from collection.running.workers import make_workers
from collection.store.shards import open_writer
from collection.store.writer import StoreWriter, check_same_data


@dataclass(frozen=True)
class DatasetPlan:
    """A dataset of a collection, without its rows.

    Attributes
    ----------
    row : dict
        Columns of the store's table ``datasets``.
    anchors : tuple of int
        Training-set sizes that its curves have.
    learners : tuple of str
        Names of those that suit what is to be predicted.
    anchors_of : dict of (outer, inner) to tuple of int
        Its repeats, each with the training-set sizes that it has; empty: those of the settings,
        with all of `anchors`.
    """

    row: dict[str, object]
    anchors: tuple[int, ...]
    learners: tuple[str, ...] = ()
    anchors_of: Mapping[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)


class CurveJobs(Mapping):
    """The jobs of a collection by what they are of, each made when it is asked for.

    In the order they are gathered: dataset by dataset, and repeat by repeat within each, so that
    what is there early is complete for some of the repeats.

    Parameters
    ----------
    datasets : iterable of DatasetPlan
        Of different names.
    settings : Settings
        Scalings, leakages, seeds, limits and whether predictions are kept.
    """

    def __init__(self, datasets: Iterable[DatasetPlan], settings: Settings):
        self._datasets = {dataset.row["name"]: dataset for dataset in datasets}
        self._settings = settings
        self._ways = (settings.scalings, settings.leakage)
        self._repeats = tuple(product(settings.outer, settings.inner))

    def _anchors_of(self, dataset: DatasetPlan) -> Mapping[tuple[int, int], tuple[int, ...]]:
        return dataset.anchors_of or dict.fromkeys(self._repeats, dataset.anchors)

    @property
    def fits(self) -> int:
        """Fits of all curves."""
        each = prod(map(len, self._ways))
        return each * sum(len(d.learners) * sum(map(len, self._anchors_of(d).values()))
                          for d in self._datasets.values())

    def __len__(self) -> int:
        return prod(map(len, self._ways)) * sum(
            len(dataset.learners) * len(self._anchors_of(dataset))
            for dataset in self._datasets.values())

    def __iter__(self) -> Iterator[CurveKey]:
        for name, dataset in self._datasets.items():
            for repeat, scaling, leakage, learner in product(
                    self._anchors_of(dataset), *self._ways, dataset.learners):
                yield CurveKey(name, learner, scaling, leakage, *repeat)

    def __getitem__(self, key: CurveKey) -> CurveJob:
        dataset = self._datasets[key.dataset]
        way, repeat = (key.scaling, key.leakage), (key.outer, key.inner)
        known = (label in labels for label, labels in zip(way, self._ways, strict=True))
        anchors_of = self._anchors_of(dataset)
        if key.learner not in dataset.learners or repeat not in anchors_of or not all(known):
            raise KeyError(key)
        return CurveJob(replace(key, dataset=dataset.row["spec"]), dataset.row["fingerprint"],
                        anchors_of[repeat], self._settings.limits, self._settings.predictions)


@dataclass(frozen=True)
class Plan:
    """The curves of a collection.

    Attributes
    ----------
    datasets : tuple of DatasetPlan
    jobs : CurveJobs
    left_out : tuple of (str, str)
        Dataset's name and learner where the learner does not suit what is to be predicted.
    """

    datasets: tuple[DatasetPlan, ...]
    jobs: CurveJobs
    left_out: tuple[tuple[str, str], ...] = ()

    def given_splits(self) -> list[Dataset]:
        """Return the datasets that bring splits of their own, loaded."""
        return [load_dataset(dataset.row["spec"]) for dataset in self.datasets
                if dataset.row["spec"].startswith("openml:task/")]

    def register(self, store: StoreWriter) -> None:
        """Tell the store which datasets its curves will be of."""
        for dataset in self.datasets:
            store.add_dataset(dataset.row | {
                name: portable(dataset.row[name], store.folder) for name in ("spec", "source")})


def make_plan(settings: Settings) -> Plan:
    """Read every dataset, check it and the learners, and name all curves.

    Raises
    ------
    UnknownNameError, DatasetError
        A dataset or learner that does not exist or cannot be read.
    ProtocolError
        A dataset that cannot be split: one class, a class too small, too few rows.
    SettingsError
        Two datasets of one name; or no anchor that suits a dataset.
    MissingLibraryError
        A learner's optional library is not installed.
    """
    check_learners(settings.learners)
    datasets = tuple(_describe(spec, settings) for spec in expand_specs(settings.datasets))
    names = pd.Series([dataset.row["name"] for dataset in datasets])
    if names.duplicated().any():
        name = names[names.duplicated()].iloc[0]
        specs = [d.row["spec"] for d in datasets if d.row["name"] == name]
        raise SettingsError(f"DATASETS: {' and '.join(specs)} are both called {name!r}; leave one "
                            "out, rename its file, or collect it into another OUT.")
    left_out = [(dataset.row["name"], spec) for dataset in datasets for spec in settings.learners
                if find_suited(spec, not dataset.row["classes"]) is None]
    jobs = CurveJobs(datasets, settings)
    if not jobs:
        raise SettingsError("LEARNERS: none of them suits any dataset; classifiers do not predict "
                            "numbers, nor regressors classes.")
    return Plan(datasets, jobs, tuple(left_out))


def _describe(spec: str, settings: Settings) -> DatasetPlan:
    dataset = load_dataset(spec)
    try:
        dataset.splits.check(dataset.target)
        repeats = dataset.splits.places(settings.outer, settings.inner)
    except ValueError as error:
        raise DatasetError(f"{spec}: {error}") from error
    anchors_of = {repeat: tuple(curve_anchors(dataset, settings.anchors, repeat))
                  for repeat in repeats}
    if not all(anchors_of.values()):
        raise SettingsError(f"ANCHORS: none of them suits {spec}, whose training set has "
                            f"{training_size(dataset.n_rows)} rows.")
    found = (find_suited(spec, dataset.is_regression) for spec in settings.learners)
    return DatasetPlan(_row(spec, dataset), tuple(sorted({*chain(*anchors_of.values())})),
                       tuple(dict.fromkeys(learner.name for learner in found if learner)),
                       anchors_of)


def _row(spec: str, dataset: Dataset) -> dict[str, object]:
    return {
        "name": dataset.name, "spec": spec, "openml_id": dataset.openml_id,
        "source": dataset.source, "licence": dataset.licence, "rows": dataset.n_rows,
        "features": dataset.features.shape[1], "categorical": len(dataset.categorical),
        "classes": len(dataset.classes), "missing_values": dataset.n_missing,
        "train_size": training_size(dataset.n_rows), "fingerprint": dataset.fingerprint,
    }


BUDGET = 30.0  # seconds for the estimate


def store_settings(settings: Settings) -> Mapping[str, object]:
    """Return what every curve of the store depends on, so that none can be added under another.

    More datasets, learners, scalings, leakages or seeds extend a store; these may not change.
    """
    return {
        "ANCHORS": settings.anchors and list(settings.anchors),
        "TIME_LIMIT": settings.time_limit,
        "MEMORY_LIMIT": settings.memory_limit,
        "PREDICTIONS": settings.predictions,
        **{f"version of {name}": found for name, found in curve_versions().items()},
    }


def run(settings: Settings, plan: Plan) -> Outcome:
    """Gather the curves of the plan that the store lacks; say how long it will take, and how far.

    Raises
    ------
    LockedStoreError, ChangedSettingsError
        See `collection.store.writer`.
    ConnectionError, SettingsError
        The workers cannot be had; nothing is written then.
    """
    check_same_data(settings.out, [dataset.row for dataset in plan.datasets])
    with (make_workers(settings) as workers,
          open_writer(settings.out, store_settings(settings), provenance(),
                      plan.jobs.fits) as store):
        finished = store.finished()
        missing = (key for key in plan.jobs if key not in finished)
        cost = estimate(plan, missing, store.mean_seconds(), workers, BUDGET)
        for name, learners in _left_out(plan).items():
            print(f"{name}: left out, being of another kind: {', '.join(learners)}.",
                  file=sys.stderr)
        print(_announce(plan, cost, workers.count), file=sys.stderr)
        progress = Progress(cost, len(plan.jobs) - cost.missing, workers)
        try:
            return collect(plan, store, workers, progress)
        finally:
            progress.close()


def _left_out(plan: Plan) -> dict[str, list[str]]:
    """Return the learners that were left out, by dataset."""
    learners: dict[str, list[str]] = {}
    for dataset, learner in plan.left_out:
        learners.setdefault(dataset, []).append(learner)
    return learners


def _announce(plan: Plan, cost: Estimate, workers: int) -> str:
    """Say before the work how much of it there is."""
    missing = cost.missing
    if not missing:
        return f"All {len(plan.jobs)} curves are in the store."
    return (f"{len(plan.jobs)} curves, {len(plan.jobs) - missing} of them in the store. The others "
            f"take about {duration(cost.total / workers)} on {workers} worker(s), "
            f"{duration(cost.total)} of computing: a rough guess, from {cost.timed} pairs of "
            f"dataset and learner that were timed and {cost.assumed} assumed to be alike.")
