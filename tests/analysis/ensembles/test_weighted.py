"""Non-negative least squares against scipy's, also where unknowns are nearly the same."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from analysis.ensembles.weighted import solve_nonnegative


@given(st.integers(0, 10**6), st.integers(1, 14), st.sampled_from([0.0, 0.9, 1.0]),
       st.sampled_from([1e-6, 1e-2, 10.0]))
def test_it_is_what_scipy_finds(seed, unknowns, alike, penalty):
    generator = np.random.default_rng(seed)
    shared = generator.normal(size=(30, 1))
    matrix = alike * shared + (1.001 - alike) * generator.normal(size=(30, unknowns))
    target = generator.normal(size=30) + generator.choice([-1, 1]) * shared[:, 0]
    rows = np.vstack([matrix, np.sqrt(penalty) * np.eye(unknowns)])
    wanted, _ = nnls(rows, np.append(target, np.zeros(unknowns)), maxiter=100 * unknowns)
    found = solve_nonnegative(rows.T @ rows, matrix.T @ target)
    assert (found >= 0).all()
    np.testing.assert_allclose(found, wanted, atol=1e-6)


def test_all_at_the_bound():
    assert not solve_nonnegative(np.eye(3), -np.ones(3)).any()
