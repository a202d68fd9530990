"""One curve: this package against the same protocol written plainly, in the same process.

Plainly is a ``ColumnTransformer`` pipeline per fit and scikit-learn's metrics; the splits are made
once per repeat for both. Predictions must be identical.
"""

import random
import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.metrics import accuracy_score, f1_score, log_loss, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from benchmarks.timing import Timing, timed
from collection.containers.curves import SPLITS, CurveKey
from collection.datasets import Dataset, load_dataset
from collection.learners import find_learner
from collection.learners.registry import SEED
from collection.running.curve import curve_anchors, curve_fits

CASES = (("keel:chess", "GaussianNB"), ("keel:vehicle", "KNN"),
         ("keel:vehicle", "ens.RandomForest"))
SCALERS = {"minmax": MinMaxScaler, "standard": StandardScaler}


def plain_pipeline(dataset: Dataset, task: CurveKey):
    """Return the protocol's pipeline for one fit as one would write it with scikit-learn."""
    numeric, onehot = [SimpleImputer(strategy="median")], [
        SimpleImputer(strategy="most_frequent"),
        OneHotEncoder(sparse_output=False, handle_unknown="ignore")]
    if task.scaling != "none":
        numeric.append(SCALERS[task.scaling]())
    if task.scaling == "standard":
        onehot.append(StandardScaler())
    columns = [("numeric", make_pipeline(*numeric), dataset.numeric)]
    columns += [(f"onehot {c}", make_pipeline(*onehot), [c]) for c in dataset.categorical]
    learner = find_learner(task.learner)
    return make_pipeline(ColumnTransformer(columns), learner.load()(**learner.settings))


def plain_curve(dataset: Dataset, task: CurveKey, anchors) -> list[dict[str, np.ndarray]]:
    """Fit, predict and measure every anchor plainly; return the predicted labels."""
    X, y = dataset.features, dataset.target
    X_learn, X_test, y_learn, y_test = train_test_split(
        X, y, train_size=0.9, random_state=task.outer, stratify=y)
    X_train, X_valid, y_train, y_valid = train_test_split(
        X_learn, y_learn, train_size=0.9, random_state=task.inner, stratify=y_learn)
    fits = []
    for anchor in anchors:
        model = plain_pipeline(dataset, task)
        random.seed(SEED)
        np.random.seed(SEED)  # noqa: NPY002
        model.fit(X_train[:anchor], y_train[:anchor])
        splits = ((X_train[:anchor], y_train[:anchor]), (X_valid, y_valid), (X_test, y_test))
        labels = {}
        for split, (part, true) in zip(SPLITS, splits, strict=True):
            labels[split] = model.predict(part)
            measure_plainly(true, labels[split], model.predict_proba(part), model.classes_)
        fits.append(labels)
    return fits


def measure_plainly(true, predicted, probabilities, classes) -> None:
    """Compute the four metrics with scikit-learn."""
    accuracy_score(true, predicted)
    f1_score(true, predicted, average="weighted")
    if set(true) == set(classes):
        scores = probabilities[:, 1] if len(classes) == 2 else probabilities
        roc_auc_score(true, scores, multi_class="ovr", average="weighted", labels=classes)
        log_loss(true, probabilities, labels=classes)


def main() -> Iterator[Timing]:
    warnings.simplefilter("ignore")
    for spec, learner in CASES:
        repeats = 1 if learner.startswith("ens.") else 3
        fast, slow, alone = compare(spec, learner, repeats)
        what = f"{repeats} curves of {learner} on {spec}"
        yield Timing(what, fast, "a pipeline a fit, as one would write it (same predictions)", slow)
        yield Timing(what, fast, "its fits and predictions alone", alone)


def compare(spec: str, learner: str, repeats: int) -> tuple[float, float, float]:
    """Return seconds taken by this package, plainly, and by the learner alone."""
    dataset = load_dataset(spec)
    tasks = [CurveKey(spec, learner, "none", "no", r // 5, r % 5) for r in range(repeats)]
    anchors = curve_anchors(dataset)
    list(curve_fits(dataset, tasks[-1], anchors[:2]))  # imports and the dataset's encoding
    with timed() as fast:
        ours = [list(curve_fits(dataset, task, anchors, predictions=True)) for task in tasks]
    alone = sum(f.train_time + sum(f.predict_time) for fits in ours for f in fits)
    with timed() as slow:
        plain = [plain_curve(dataset, task, anchors) for task in tasks]
    classes = np.unique(dataset.target)
    for fits, rows in zip(ours, plain, strict=True):
        for fit, labels in zip(fits, rows, strict=True):
            for split in SPLITS:
                mine = classes[fit.predictions[f"{split}_label"]]
                assert np.array_equal(mine, labels[split]), (spec, learner, fit.anchor, split)
    return fast.seconds, slow.seconds, alone
