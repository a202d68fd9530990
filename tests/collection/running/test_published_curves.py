"""A fast part of the comparison with the published means: a few learners and anchors.

All anchors and learners: the chapter *database*.
"""

import json

import numpy as np
import pytest
from published_data import LCDB11

from collection.containers.curves import CurveKey
from collection.datasets import load_dataset
from collection.protocol.splits import SEEDS
from collection.running.curve import curve_fits

HALF = 0.5e-4 * (1 + 1e-6)  # the published means are rounded to 4 decimals

pytestmark = pytest.mark.skipif(
    not LCDB11.exists(), reason=f"needs the published means in {LCDB11}")


def _means(spec: str, learner: str, anchors: list[int]) -> np.ndarray:
    """Return our mean errors over the 25 repeats, shape (anchors, train/valid/test)."""
    dataset = load_dataset(spec)
    repeats = [CurveKey(spec, learner, "none", "no", o, i) for o in SEEDS for i in SEEDS]
    return np.mean([[fit.error_rate for fit in curve_fits(dataset, task, anchors)]
                    for task in repeats], axis=0)


def _published(openml_id: int, learner: str, anchors: list[int]) -> np.ndarray:
    """Return the published means, shape (anchors, train/valid/test)."""
    meta = json.loads((LCDB11 / "meta.json").read_text())
    curves = json.loads((LCDB11 / "er" / f"{openml_id}.json").read_text())
    means = np.array(curves[meta["learners"].index(learner)][0], dtype=float)
    return means[[meta["anchors"].index(anchor) for anchor in anchors]]


@pytest.mark.parametrize(("spec", "openml_id", "learner", "anchors"), [
    ("keel:vehicle", 54, "Decision Tree", [16, 609]),
    ("keel:vehicle", 54, "LDA", [20, 128]),
    ("keel:vehicle", 54, "GaussianNB", [16, 305]),
    ("keel:vehicle", 54, "SVM_Sigmoid", [91]),
    ("keel:vehicle", 54, "SGDClassifier", [64]),
    ("keel:vehicle", 54, "MLP", [25]),
    ("keel:chess", 3, "BernoulliNB", [18, 2436]),
    ("keel:chess", 3, "ExtraTree", [46, 862]),
    ("keel:chess", 3, "RidgeClassifier", [35]),
    ("sklearn:breast_cancer", 1510, "GaussianNB", [59]),
])
def test_means_are_the_published_ones_to_4_decimals(spec, openml_id, learner, anchors):
    gaps = np.abs(_means(spec, learner, anchors) - _published(openml_id, learner, anchors))
    assert gaps.max() <= HALF


@pytest.mark.deep
def test_published_tabnet_below_1024_rows_is_the_untrained_network():
    ours = _means("keel:vehicle", "TabNet", [16])
    published = _published(54, "TabNet", [16, 256, 609])
    np.testing.assert_allclose(ours[0], published[0], atol=HALF)
    assert (published[1:, 1:] == published[0, 1:]).all()
