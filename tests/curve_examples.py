"""Curves that the tests of fitting share: one of known parameters per model."""

import numpy as np
import xarray as xr

from analysis.fitting.registry import MODELS
from collection.protocol.anchors import anchor_grid

TRUE = {
    "LAST1": (0.3,),
    "POW2": (-0.9, 0.3),
    "POW3": (0.1, -1.2, 0.5),
    "POW4": (0.1, -3.0, 0.8, 20.0),
    "LOG2": (0.05, 0.6),
    "LOGPOWER3": (0.7, 5.0, 0.8),
    "EXP2": (0.6, 0.002),
    "EXP3": (0.5, 0.01, 0.1),
    "EXP4": (5.0, -0.7, 0.6, -0.5),
    "EXPP3": (0.05, -10.0, 3.8),
    "EXPD3": (0.5, 0.01, 0.1),
    "LIN2": (-1e-4, 0.5),
    "ILOG2": (-1.0, 0.1),
    "VAP3": (-0.5, 3.0, -0.2),
    "MMF4": (0.6, 50.0, 0.1, 0.9),
    "WBL4": (0.2, -0.7, 0.1, 0.4),
    "JANOSCHEK4": (0.1, -0.7, 0.2, 0.4),
}
SIZES = anchor_grid(2000, per_doubling=4)


def as_curves(values: np.ndarray, sizes: np.ndarray = SIZES) -> xr.DataArray:
    """Label values whose last axis counts anchors."""
    dims = ("dataset", "learner")[2 - (np.ndim(values) - 1):]
    return xr.DataArray(values, dims=(*dims, "anchor"), coords={"anchor": sizes})


def true_curve(name: str, sizes: np.ndarray = SIZES) -> xr.DataArray:
    """Return the curve of the model `name` at its parameters in `TRUE`."""
    return as_curves(MODELS[name].curve(sizes.astype(float), *TRUE[name]), sizes)


def noisy_curves(number: int, noise: float = 0.02, seed: int = 0) -> xr.DataArray:
    """Return curves that no model fits exactly, dims (learner, anchor)."""
    rng = np.random.default_rng(seed)
    names = rng.choice([n for n in MODELS if n != "LAST1"], number)
    clean = np.stack([true_curve(name).values for name in names])
    return as_curves(clean + noise * rng.standard_normal(clean.shape))


def labelled(values, dims, **coords):
    """An array by the names of its dims, in one text, and the labels along some of them.

    Elsewhere learners are L0, L1, …, anchors double from 16, and what else there is is numbered.
    """
    plain = {"learner": lambda n: [f"L{k}" for k in range(n)],
             "anchor": lambda n: 16 * 2 ** np.arange(n)}
    values, names = np.asarray(values, float), dims.split()
    told = {d: plain.get(d, np.arange)(n) for d, n in zip(names, values.shape, strict=True)}
    return xr.DataArray(values, told | coords, names)
