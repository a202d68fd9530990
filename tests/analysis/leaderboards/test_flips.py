"""Critical values by hand: t² of the farthest pair in all sign flips and in resampled families."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from analysis.leaderboards import order
from analysis.leaderboards.flips import (
    OWN_SPREAD,
    all_signs,
    largest_statistics,
    resampled_statistics,
    resamples,
)

FAMILIES, METHODS = 6, 4
PARTS = np.random.default_rng(1).normal(size=(FAMILIES, METHODS))
SHARED = np.full((METHODS, METHODS), FAMILIES)
PAIRS = list(combinations(range(METHODS), 2))


def test_flips_are_students_t_of_every_pair():
    found = largest_statistics(PARTS, SHARED, 1000, 0)[0]
    flipped = [signs[:, None] * PARTS for signs in all_signs(FAMILIES)]
    expected = [max(d.mean()**2 / (d.var(ddof=1) / FAMILIES) for d in (
        part[:, one] - part[:, other] for one, other in PAIRS)) for part in flipped]
    np.testing.assert_allclose(found, expected)


def test_resamples_are_students_t_about_what_was_seen():
    residual = PARTS - PARTS.mean(axis=0)
    found = resampled_statistics(residual, SHARED, 200, 0)[0]
    for draw, times in enumerate(resamples(np.arange(200), FAMILIES, 0).astype(int)):
        drawn = np.repeat(np.arange(FAMILIES), times)
        expected = []
        for one, other in PAIRS:
            apart = residual[:, one] - residual[:, other]
            variance = ((1 - OWN_SPREAD) * apart[drawn].var(ddof=1)
                        + OWN_SPREAD * apart.var(ddof=1))
            expected.append(apart[drawn].mean()**2 / (variance / FAMILIES))
        assert found[draw] == pytest.approx(max(expected))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_no_pair_is_surer_than_all_flips_of_the_families_that_it_shares():
    rng = np.random.default_rng(0)
    value = rng.normal(0, 0.001, (14, 3)) + np.array([0.5, 0.5, 0.9])
    value[7:, 2] = np.nan  # the third method was run on seven
    rows = [(f"t{task}", f"m{method}", value[task, method]) for task, method in np.ndindex(14, 3)]
    table = pd.DataFrame(rows, columns=["task", "method", "value"]).assign(higher_is_better=True)
    pairs = order(table, n_resamples=20_000).pairs
    few = pairs[pairs[["one", "other"]].eq("m2").any(axis=1)]
    assert len(few) == 2 and few["p_adjusted"].to_numpy() == pytest.approx(2.0**-6)
