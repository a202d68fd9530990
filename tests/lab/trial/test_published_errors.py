"""What papers print of forecasts comes out by their protocols."""

import pytest
from numpy.testing import assert_allclose

from analysis.published import recall
from analysis.published.printed import EQUAL
from lab.trial.published import _harvey, _scaling


@pytest.fixture
def at_hand(published, monkeypatch):
    monkeypatch.setenv("LEARNING_CURVES_PUBLISHED", str(published))


def test_published_errors_come_out(at_hand):
    """21 of 24 power laws, all but one law on the 92 tasks; what is kept is what comes out."""
    harvey, scaling = _harvey(), _scaling()
    law = harvey[harvey["item"].str.startswith("power law")]
    assert (abs(law["published"].astype(float) - law["ours"]) <= 0.0021).sum() == 21
    assert_allclose(scaling["ours"], scaling["published"].astype(float), atol=6e-4)
    kept = recall("trial_published").set_index("item")
    for table in (harvey, scaling):
        assert_allclose(kept.loc[table["item"], "ours"], table["ours"], atol=1e-4)


def test_the_thesis_comes_out_as_printed():
    every = recall("trial_published").fillna({"reason": ""})
    kept = every.query("source == 'Cazacu 2025'")
    assert len(kept) == 3 and (kept["n"] >= 700).all()
    assert (kept["verdict"] == EQUAL).all() and len(every) == 63
    assert (every["reason"].ne("") == every["verdict"].ne(EQUAL)).all()
