"""Places among others: TabRepo's cases, and its rules written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from published_data import at_hand

from analysis.leaderboards import normalize_among, place_among


@pytest.fixture(scope="module")
def scorer():
    with np.load(at_hand("tabrepo", "portfolio_cases.npz")) as file:
        return {name.split("/")[1]: file[name] for name in file.files if "scorer0" in name}


def test_places_are_the_published_ones(scorer):
    names = [name for name in scorer if name.startswith("rank_ties0_pct0")]
    assert len(names) == 2
    for name in names:
        found = [place_among(q, e, name[-1] == "1")
                 for q, e in zip(scorer["query"], scorer["error"], strict=True)]
        np.testing.assert_allclose(found, scorer[name], atol=1e-12)


def test_normalised_errors_are_the_published_ones(scorer):
    rows = list(zip(scorer["query"], scorer["error"], strict=True))
    np.testing.assert_allclose([normalize_among(q, e) for q, e in rows], scorer["norm_median"],
                               atol=1e-12)


error = st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.4, 1.0, 3.0])


@given(error, st.lists(error, min_size=1, max_size=6))
def test_places_keep_the_rules(query, others):
    found = place_among(np.array([query]), np.array(others))[0]
    place = sum(o < query for o in others) + sum(o == query for o in others) / 2
    larger = [o for o in others if o > query]
    low = max([o for o in others if o <= query], default=0)
    if larger:
        place += (query - low) / (min(larger) - low) / 2
    elif max(others) > 0:
        place += min((query - max(others)) / max(others), 1) / 2
    assert found == pytest.approx(place)
