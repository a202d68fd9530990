"""Shares of true sizes from what is seen, on counts whose truth is known."""

import numpy as np
import pandas as pd
import pytest
from curve_examples import labelled

from chapters.trust import mixture, prevalence
from chapters.trust.mixture import N_SEEN, at_least, chances, counts_of, fit_weights, folds
from chapters.trust.prevalence import (
    N_TRUE,
    TRUE_ENDS,
    _size,
    _with_violations,
    pool_of,
    seen_curves,
)


def pool(rng, n=4000, learners=3, rows=2):
    """Counts of simulated curves: the larger the true size, the further right what is seen."""
    centre = np.arange(N_TRUE)[:, None] * 2.5
    chance = np.exp(-0.5 * ((np.arange(N_SEEN) - centre) / 1.5) ** 2)
    chance /= chance.sum(axis=1, keepdims=True)
    return rng.multinomial(n, np.broadcast_to(chance, (learners, rows, *chance.shape))).astype(
        float), chance


def test_weights_that_made_the_counts_are_found_again():
    rng = np.random.default_rng(0)
    made, chance = pool(rng)
    true = np.array([[0.9, 0.02, 0.02, 0.02, 0.02, 0.02], [0.3, 0, 0, 0, 0.3, 0.4],
                     [0.6, 0.1, 0.1, 0.1, 0.05, 0.05]])
    seen = np.stack([rng.multinomial(20_000, w @ chance, size=2) for w in true]).astype(float)
    found = fit_weights(seen, chances(made), strength=0.0)
    np.testing.assert_allclose(found, true, atol=0.03)


def test_few_curves_are_drawn_towards_all_learners_and_many_are_not():
    rng = np.random.default_rng(1)
    made, chance = pool(rng)
    few, many = np.array([0, 0, 0, 0, 0, 1.0]), np.array([1.0, 0, 0, 0, 0, 0])
    seen = np.stack([rng.multinomial(n, w @ chance, size=2)
                     for n, w in ((3, few), (3000, many), (3000, many))]).astype(float)
    found = fit_weights(seen, chances(made), strength=30.0)
    assert found[0, 0] > 0.6 and found[1, 0] > 0.95
    assert fit_weights(seen, chances(made), strength=0.0)[0, 0] < 0.2


def test_it_stops_where_no_step_changes_anything():
    rng = np.random.default_rng(2)
    made, chance = pool(rng)
    seen = rng.multinomial(500, chance.mean(axis=0), size=(3, 2)).astype(float)
    matrix = chances(made)
    found = fit_weights(seen, matrix, 10.0)
    likelihood = mixture.log_likelihood(seen, matrix, found)
    for _ in range(50):
        other = 0.98 * found + 0.02 * rng.dirichlet(np.ones(N_TRUE), size=3)
        prior = 10 * (found.mean(axis=0) * (np.log(other + 1e-12) - np.log(found + 1e-12))).sum()
        assert mixture.log_likelihood(seen, matrix, other) + prior <= likelihood + 0.05


def test_thresholds_and_missing_curves_count():
    weights = np.array([[0.5, 0.1, 0.1, 0.1, 0.1, 0.1]])
    seen = np.full((1, 1, 1), 80.0)
    np.testing.assert_allclose(at_least(weights, seen, np.array([100.0])),
                               [[0.8 * 40, 0.8 * 30, 0.8 * 20, 0.8 * 10]])


def test_counts_are_of_the_pools_asked_for():
    table = pd.DataFrame({"learner": ["KNN"] * 4, "dataset": ["a", "a", "a", "b"],
                          "pool": ["real", "hull, redrawn", "hull, normal", "real"],
                          "true": [-1, 5, 3, -1], "max_t": [1, 1, 0, 0],
                          "corrected": [0, 1, 0, 0], "size": [2, 3, 0, 1],
                          "last": [100, 100, 100, 5000]})
    counts = counts_of(table, ("hull, redrawn",), "max_t")
    assert counts.pool.sum() == 1 and counts.pool[0, 0, 5, 4] == 1
    assert counts.seen.sum() == 2 and counts.seen[0, 0, 0, 3] == 1 and counts.seen[1, 0, 2, 0] == 1
    both = counts_of(table, ("hull, redrawn", "hull, normal"), "both")
    assert both.pool.sum() == 2 and both.pool[0, 0, 5, 3 * 4 + 3] == 1
    corrected = counts_of(table, ("hull, redrawn",), "corrected")
    assert corrected.seen[0, 0, 0, 0] == 1


def test_families_share_a_fold():
    labels = np.array([f"keel:made{k}" for k in range(20)] + ["iris", "sklearn:iris_uci"])
    fold = folds(labels, 5)
    assert set(fold) == set(range(5)) and fold[-1] == fold[-2]


def test_the_strength_is_chosen_on_families_that_were_left_out():
    """Learners that are alike are pooled strongly; those that differ, weakly."""
    rng = np.random.default_rng(3)
    made, chance = pool(rng, learners=4)
    names = np.array([f"keel:made{k}" for k in range(60)])

    def best(weights):
        seen = np.stack([[rng.multinomial(1, w @ chance, size=2) for w in weights]
                         for _ in names]).astype(float)
        counts = mixture.Counts(seen, made, np.ones(seen.shape[:2]), names, np.arange(4))
        fits = mixture.left_out_fits(counts)
        assert list(fits) == list(mixture.STRENGTHS)
        return max(fits, key=fits.get)
    alike = np.tile([0.7, 0.06, 0.06, 0.06, 0.06, 0.06], (4, 1))
    apart = np.eye(N_TRUE)[[0, 0, 5, 3]]
    assert best(apart) < best(alike)


ANCHORS = np.array([16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724])


@pytest.mark.parametrize("seed", range(3))
def test_violations_have_sizes_of_their_class(seed):
    rng = np.random.default_rng(seed)
    truth = 0.1 + rng.uniform(0.5, 2, (60, 1)) / ANCHORS
    true = np.arange(60) % len(TRUE_ENDS)
    made, reached = _with_violations(truth, ANCHORS.astype(float), true, rng)
    size = _size(made, ANCHORS.astype(float))
    np.testing.assert_allclose(made[true == 0], truth[true == 0])
    lower = np.array([0, *TRUE_ENDS[:-1]])
    upper = np.array([*TRUE_ENDS[:-1], np.inf])  # the ceiling may bend a curve further
    inside = (size >= lower[reached] - 1e-5) & (size <= upper[reached] + 1e-5)
    assert inside.all()
    assert (reached == true).mean() > 0.85  # bumps at an end, or at the ceiling, stay smaller


def real():
    rng = np.random.default_rng(0)
    values = 0.2 + 1 / ANCHORS + rng.normal(0, 0.02, (2, 4, 5, 5, len(ANCHORS)))
    return labelled(values, "dataset learner outer inner anchor", dataset=[3, 6], anchor=ANCHORS)


@pytest.mark.parametrize(("base", "residuals"), list(prevalence.POOLS))
def test_a_pool_has_a_row_per_curve_and_a_seed_makes_the_same(base, residuals):
    one = real().isel(dataset=0)
    first, again = (pool_of(one, 3, base, residuals) for _ in range(2))
    assert list(first["learner"]) == [f"L{k}" for k in range(4)] and first.equals(again)
    assert first["true"].between(0, len(TRUE_ENDS) - 1).all()


def test_a_run_that_was_stopped_goes_on(tmp_path):
    valid = real()
    whole = seen_curves(valid)
    seen_curves(valid.isel(dataset=[0]), tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["3.csv"]
    parts = seen_curves(valid, tmp_path)
    assert parts.equals(whole[parts.columns])
    assert (parts["pool"] == "real").sum() == 8 and (parts["last"] == 724).all()
