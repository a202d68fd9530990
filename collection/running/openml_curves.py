"""OpenML's tasks of the type *Learning Curve* (3): their nested splits, and runs in their form.

As a source of datasets, ``openml:task/ID``: repeats of the task are outer seeds, its folds inner
ones, its samples anchors. The rows that a fold tests are the split ``valid``; there are no others,
so that ``test`` has no values.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path

import arff
import numpy as np

from collection.containers.curves import CurveKey
from collection.datasets import Dataset, DatasetError, load_dataset
from collection.datasets.openml_files import class_labels
from collection.datasets.openml_source import cache_root, server_folder
from collection.project.results_folder import written_as_own
from collection.protocol.splits import SEEDS, ProtocolError, Split
from collection.tasks.openml_files import LEARNING_CURVE, describe_task, split_file
from collection.tasks.split_files import SAMPLED, TaskError, read_split_file


@dataclass(frozen=True, eq=False)
class SampledSplits:
    """Splits with nested training sets that were made elsewhere.

    Attributes
    ----------
    source : str
        ``openml:task/ID``.
    folds : mapping of (repeat, fold) to (Split, sizes)
        Training rows in an order whose first `sizes` are the samples; `Split.test` is empty.
    labels : sequence of str
        Classes as the task declares them, also those without a row; empty where it does not.
    """

    source: str
    folds: Mapping[tuple[int, int], tuple[Split, tuple[int, ...]]]
    labels: Sequence[str] = ()

    def check(self, labels: np.ndarray) -> None:
        """Raise `ProtocolError` where the splits name rows that the dataset has not."""
        most = max(int(max(s.train.max(), s.valid.max())) for s, _ in self.folds.values())
        if most >= len(labels):
            raise ProtocolError(f"the splits of {self.source} name row {most}, while the dataset "
                                f"has rows 0 to {len(labels) - 1}.")

    def check_classes(self, names: np.ndarray, counts: np.ndarray) -> None:
        """Take any classes: the splits are there."""

    def rows(self, labels: np.ndarray, outer: int, inner: int) -> Split:
        """Return the rows of a repeat (`outer`) and fold (`inner`)."""
        return self.folds[outer, inner][0]

    def sizes(self, n_rows: int, anchors: Sequence[int] | None = None,
              repeat: tuple[int, int] | None = None) -> np.ndarray:
        """Return the samples' sizes of a repeat, or those that any has; of `anchors`, if named."""
        places = self.folds if repeat is None else [repeat]
        found = sorted({size for place in places for size in self.folds[place][1]})
        return np.array([s for s in found if anchors is None or s in anchors], np.int64)

    def places(self, outer: Sequence[int], inner: Sequence[int],
               seeds: str = "paper") -> list[tuple[int, int]]:
        """Return the task's repeats and folds; where seeds were chosen, those among them."""
        repeats, folds = (None if tuple(seeds) == SEEDS else seeds for seeds in (outer, inner))
        chosen = [(repeat, fold) for repeat, fold in sorted(self.folds)
                  if (repeats is None or repeat in repeats) and (folds is None or fold in folds)]
        if not chosen:
            raise ProtocolError(f"{self.source} has none of the repeats OUTER and folds INNER.")
        return chosen


def load(name: str) -> Dataset:
    """Return the dataset of the task ``task/ID``, with the task's splits.

    Raises
    ------
    DatasetError
        Where the server cannot be asked or refuses, or rows without a label are left out, which
        the splits count.
    TaskError
        Where the task is of another type, or its splits are damaged or not nested.
    """
    spec = f"openml:{name}"
    told = describe_task(spec)
    if told.type != LEARNING_CURVE:
        raise TaskError(f"{spec} is a {told.words}, no Learning Curve: evaluate it with make "
                        f'evaluate TASKS="{spec}", or gather curves of openml:{told.dataset}.')
    dataset = load_dataset(f"openml:{told.dataset}?target={told.target}")
    if dataset.unlabelled_rows:
        raise DatasetError(f"{spec}: {dataset.unlabelled_rows} rows have no label and are left "
                           "out; the task's splits count them.")
    labels = class_labels(server_folder(cache_root()) / "datasets" / told.dataset, told.target)
    return replace(dataset, name=f"{dataset.name} ({name.replace('/', ' ')})", source=spec,
                   splits=replace(read_samples(split_file(spec), spec), labels=labels))


def read_samples(path: str | Path, source: str) -> SampledSplits:
    """Return the splits of a file with samples.

    Raises
    ------
    TaskError
        Where a sample does not hold the one before, tests other rows, or tests what it trains on.
    """
    samples: dict[tuple[int, int], list[tuple[np.ndarray, np.ndarray]]] = {}
    for (repeat, fold, _), rows in sorted(read_split_file(path, SAMPLED).items()):
        samples.setdefault((repeat, fold), []).append(rows)
    return SampledSplits(source, {place: _nested(rows, f"{source}: repeat {place[0]}, fold "
                                                 f"{place[1]}") for place, rows in samples.items()})


def _nested(samples: list[tuple[np.ndarray, np.ndarray]],
            where: str) -> tuple[Split, tuple[int, ...]]:
    order: dict[int, None] = {}
    sizes: list[int] = []
    tested = np.sort(samples[0][1])
    for sample, (train, test) in enumerate(samples):
        order |= dict.fromkeys(train.tolist())
        if len(order) != len(train) or (sizes and len(train) <= sizes[-1]):
            raise TaskError(f"{where}: sample {sample} does not hold the one before, and more.")
        if not np.array_equal(np.sort(test), tested):
            raise TaskError(f"{where}: sample {sample} tests other rows than the one before.")
        sizes.append(len(train))
    if both := order.keys() & set(tested.tolist()):
        raise TaskError(f"{where} overlaps: {len(both)} row(s) are in training and test.")
    train = np.fromiter(order, np.int64)
    return Split(train, samples[0][1], np.array([], np.int64)), tuple(sizes)


def write_runs(folder: str | Path, datasets: Iterable[Dataset]) -> list[Path]:
    """Write what a store predicted for tasks as OpenML's files of predictions.

    One ARFF file a task and learner, in ``openml/`` of the store's folder: repeat, fold, sample,
    row, prediction, truth, confidences. Curves that are not whole are left out.

    Parameters
    ----------
    folder : str or Path
        Of a store with predictions.
    datasets : iterable of Dataset
        From `load`.

    Returns
    -------
    list of Path
    """
    from collection.store import read_keys

    keys, written = read_keys(folder), []
    for dataset in datasets:
        own = [key for key in keys if key.dataset == dataset.name]
        for learner, scaling, leakage in sorted({(k.learner, k.scaling, k.leakage) for k in own}):
            curves = [k for k in sorted(own, key=lambda k: (k.outer, k.inner))
                      if (k.learner, k.scaling, k.leakage) == (learner, scaling, leakage)]
            samples = [s for key in curves for s in _predicted(folder, dataset, key)]
            if len(samples) < sum(len(sizes) for _, sizes in dataset.splits.folds.values()):
                continue
            name = "-".join((dataset.source.rpartition("/")[2], learner, scaling,
                             leakage)).replace(" ", "_")
            path = Path(folder) / "openml" / f"{name}.arff"
            with written_as_own(path) as part:
                part.write_text(_arff(dataset, chain(*samples)), encoding="utf-8")
            written.append(path)
    return written


def _predicted(folder: str | Path, dataset: Dataset, key: CurveKey) -> Iterator[list[list]]:
    """Yield the rows of OpenML's file for each sample of a curve that has predictions."""
    from collection.store import read_curve_predictions

    split, sizes = dataset.splits.folds[key.outer, key.inner]
    classes, fits = dataset.classes, read_curve_predictions(folder, **asdict(key))
    place = [_labels(dataset).index(label) for label in classes]
    for size, said in fits.items():
        labels = said["valid_label"]
        confidences = np.zeros((len(labels), len(_labels(dataset))))
        confidences[:, place] = said.get("valid_probability", np.eye(len(classes))[labels])
        yield [[key.outer, key.inner, sizes.index(size), row, classes[label], dataset.target[row],
                *confidence] for row, label, confidence in
               zip(split.valid.tolist(), labels, confidences.tolist(), strict=True)]


def _labels(dataset: Dataset) -> list[str]:
    """Return the classes that the task declares; those of the rows where it declares others."""
    own, declared = dataset.classes.tolist(), list(dataset.splits.labels)
    return declared if set(own) <= set(declared) else own


def _arff(dataset: Dataset, rows: Iterable[list]) -> str:
    classes = _labels(dataset)
    numbers = ["repeat", "fold", "sample", "row_id"], [f"confidence.{name}" for name in classes]
    before, after = ([(name, "NUMERIC") for name in names] for names in numbers)
    return arff.dumps({
        "relation": f"predictions of {dataset.source}", "data": list(rows),
        "attributes": [*before, ("prediction", classes), ("correct", classes), *after]})
