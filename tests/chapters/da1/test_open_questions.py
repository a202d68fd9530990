"""Other measures, other corrections, dips that last: on curves whose shape is known."""

import numpy as np
import pytest
import xarray as xr
from curve_examples import labelled

from analysis.shapes import PROCEDURES
from chapters.da1 import open_questions
from chapters.da1.open_questions import MEASURES, by_correction, by_measure, dips_that_last

ANCHORS = [16, 23, 32, 45, 64, 91, 128, 181]
FALLS = np.linspace(0.5, 0.15, 8)
DIPS_EARLY = np.array([0.5, 0.3, 0.4, 0.45, 0.3, 0.2, 0.15, 0.1])
DIPS_FOR_GOOD = np.array([0.5, 0.2, 0.4, 0.45, 0.42, 0.41, 0.4, 0.4])
DIPS_LATE = np.array([0.5, 0.45, 0.4, 0.35, 0.3, 0.1, 0.25, 0.3])


def curves(*means):
    """One dataset a curve, one learner; 25 repeats that differ by next to nothing."""
    noise = np.random.default_rng(0).normal(scale=1e-3, size=(len(means), 1, 5, 5, 8))
    return labelled(np.array(means)[:, None, None, None, :] + noise,
                    "dataset learner outer inner anchor", dataset=np.arange(len(means)),
                    learner=["KNN"], outer=range(5), inner=range(5), anchor=ANCHORS)


def test_a_dip_lasts_where_the_curve_stays_up():
    row = dips_that_last(curves(FALLS, DIPS_EARLY, DIPS_FOR_GOOD, DIPS_LATE)).iloc[0]
    assert (row["curves"], row["half"], row["last"], row["new"]) == (4, 2, 50, 1)
    assert row["well"] == pytest.approx(50)  # one of the two without a dip at half


def test_half_of_the_sizes_is_half_of_those_that_a_curve_has():
    valid = curves(DIPS_LATE, DIPS_LATE)
    valid[1, ..., 7] = np.nan
    valid[1, ..., 0] = np.nan  # six sizes are left: 23 to 128, and half of them end at 45
    assert dips_that_last(valid).iloc[0]["half"] == 0
    valid = curves(DIPS_EARLY)
    valid[..., 3:] = np.nan  # three sizes: no half to speak of
    assert dips_that_last(valid).iloc[0]["curves"] == 0


def test_what_is_better_high_is_turned_and_curves_have_all_measures():
    bad, good = curves(DIPS_FOR_GOOD, FALLS), curves(FALLS, FALLS)
    valid = xr.Dataset({"error_rate": bad, "f1": 1 - bad, "auc": 1 - good, "log_loss": good})
    table = by_measure(valid).set_index("measure")["ill_behaved"]
    assert table.tolist() == [50, 50, 0, 0]
    valid["auc"][{"dataset": 0}] = np.nan
    table = by_measure(valid)
    assert table["curves"].tolist() == [1] * len(MEASURES)
    assert table["ill_behaved"].tolist() == [0] * len(MEASURES)


def test_corrections_are_procedures_and_count_the_curves_that_exist(monkeypatch):
    assert set(open_questions.CORRECTED) <= set(PROCEDURES)
    monkeypatch.setattr(open_questions, "CORRECTED", ("corrected", "bh"))
    valid = curves(DIPS_FOR_GOOD, FALLS, FALLS)
    valid[2] = np.nan
    table = by_correction(valid)
    assert table["curves"].tolist() == [2, 2]
    assert table["ill_behaved"].tolist() == [50, 50]
