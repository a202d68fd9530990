"""Corrections for many comparisons are procedures, and count the curves that exist."""

import numpy as np
from curve_examples import labelled

from analysis.shapes import PROCEDURES
from lab import corrections


def test_corrections_count_the_curves_that_exist(monkeypatch):
    assert set(corrections.CORRECTED) <= set(PROCEDURES)
    monkeypatch.setattr(corrections, "CORRECTED", ("corrected_independent", "bh"))
    means = np.array([[0.5, 0.2, 0.4, 0.45], [0.5, 0.4, 0.3, 0.2], [0.5, 0.4, 0.3, 0.2]])
    noise = np.random.default_rng(0).normal(scale=1e-3, size=(3, 1, 5, 5, 4))
    valid = labelled(means[:, None, None, None, :] + noise, "dataset learner outer inner anchor")
    valid[2] = np.nan
    table = corrections.by_correction(valid)
    assert table["curves"].tolist() == [2, 2] and table["ill_behaved"].tolist() == [50, 50]
