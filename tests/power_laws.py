"""Noisy power laws, for what extrapolates."""

import numpy as np
import xarray as xr

SIZES = np.array([16, 23, 32, 45, 64, 91, 128])


def make_power_curves(n_datasets=3, learners=("KNN", "LDA"), repeats=4, seed=0):
    rng = np.random.default_rng(seed)
    shape = (n_datasets, len(learners), 1, 1)
    level = rng.uniform(0.05, 0.3, shape) + rng.uniform(0.5, 1.5, shape) * SIZES**-0.5
    noise = 0.002 * rng.standard_normal((n_datasets, len(learners), repeats, len(SIZES)))
    return xr.DataArray((level + noise).clip(0, 1), dims=("dataset", "learner", "repeat", "anchor"),
                        coords={"dataset": [f"d{k}" for k in range(n_datasets)],
                                "learner": list(learners), "anchor": SIZES})
