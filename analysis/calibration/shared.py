"""How much of the variance of a curve's steps all repeats of a dataset share, in a population."""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.calibration.cells import ON_NOISE
from analysis.shapes.simulation import simulate_curves
from analysis.statistics.bootstrap import percentile_interval

RESAMPLES = 400
KINDS = {"flat": "drawn, population"} | dict.fromkeys(ON_NOISE, "learned, population")


def measured_shares(n: int = 300, rows: int = 1000, anchors: int = 9,
                    seed: int = 9) -> pd.DataFrame:
    """Measure what repeats share on curves that are constant in their population.

    Parameters
    ----------
    n : int
        Datasets of each kind.
    rows, anchors : int
        Of each dataset; of its curve.
    seed : int
        Of the simulation and of the resamples.

    Returns
    -------
    pandas.DataFrame
        ``generator, truth, step`` ("next anchor": a mean over all steps; "first to last"),
        ``share, low, high``: percent of the variance of a repeat's difference that all repeats of
        its dataset share; 95 % interval from resampling datasets.
    """
    rows_of = []
    for truth, generator in KINDS.items():
        curves = simulate_curves(truth, n, seed, rows=rows, anchors=anchors, estimand="population")
        for step, differences in (("next anchor", curves.diff("anchor")),
                                  ("first to last", curves.isel(anchor=[-1]) - curves[..., 0])):
            rows_of.append((generator, truth, step, *shared_share(differences, seed)))
    return pd.DataFrame(rows_of, columns=["generator", "truth", "step", "share", "low", "high"])


def shared_share(differences: xr.DataArray, seed: int = 0) -> tuple[float, float, float]:
    """Return the share, in percent, and its 95 % interval; differences as curves have dims."""
    repeats = differences.stack(repeat=("outer", "inner")).transpose("curve", "repeat", "anchor")
    within, means = repeats.var("repeat", ddof=1).values, repeats.mean("repeat").values
    draws = np.random.default_rng(seed).integers(len(means), size=(RESAMPLES, len(means)))
    resampled = np.array([_share(within[k], means[k], repeats.sizes["repeat"]) for k in draws])
    low, high = percentile_interval(resampled)
    return _share(within, means, repeats.sizes["repeat"]), float(low), float(high)


def _share(within: np.ndarray, means: np.ndarray, n_repeats: int) -> float:
    own = within.mean(axis=0)
    common = means.var(axis=0, ddof=1) - own / n_repeats
    return 100 * float((common / (common + own)).mean())
