"""Examples of each shape are found where they are."""

import numpy as np
import pytest
from curve_examples import labelled

import analysis
from chapters.shapes import find_examples

ANCHORS = np.array([16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724, 1024])


@pytest.fixture
def valid():
    """Four learners on one dataset: a peak, a dip, a phase transition, nothing."""
    decay = 0.1 + 3 / ANCHORS
    peak, dip = decay.copy(), decay.copy()
    peak[5:7] += 0.3
    dip[8:] += np.linspace(0.1, 0.3, 5)
    step = np.where(ANCHORS < 256, 0.5, 0.1)
    means = np.stack([peak, dip, step, decay])
    data = np.random.default_rng(0).normal(means[:, None, None], 0.001, (4, 5, 5, len(ANCHORS)))
    return labelled(data[None], "dataset learner outer inner anchor", anchor=ANCHORS,
                    learner=["peak", "dip", "step", "none"])


def test_each_shape_is_found(valid):
    found = find_examples(valid, analysis.detect_shapes(valid)).set_index("shape")["learner"]
    assert found["peaking"] == "peak" and found["phase transition"] == "step"
    assert "dip" in np.atleast_1d(found["dipping"])
    assert "none" not in found.values


def test_a_missing_curve_is_no_example(valid):
    gone = valid.where(valid["learner"] != "step")
    found = find_examples(gone, analysis.detect_shapes(gone))
    assert "phase transition" not in set(found["shape"]) and "step" not in set(found["learner"])
