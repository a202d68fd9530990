"""Train a small part of the extrapolators again, and compare it with what is shipped."""

import numpy as np
import pandas as pd

from analysis.extrapolation.extrapolators.artefacts import shipped_gaussian
from analysis.extrapolation.extrapolators.gaussian import fit_gaussian
from analysis.extrapolation.extrapolators.training.examples import open_source
from analysis.extrapolation.extrapolators.training.windows import make_windows


def compare_gaussian(fold: int = 0) -> pd.DataFrame:
    """Fit one fold's Gaussian again.

    Parameters
    ----------
    fold : int
        Whose datasets are left out.

    Returns
    -------
    DataFrame
        ``part`` (mean, standard deviations), ``shipped`` and ``refitted`` (their average) and
        ``largest_difference``, all of logarithmic errors.
    """
    source = open_source()
    windows, folds = make_windows(source)
    found, kept = fit_gaussian(windows[folds != fold], source.learners), shipped_gaussian(fold)
    parts = {"mean": (kept.mean, found.mean),
             "standard deviation": tuple(np.sqrt(np.diag(m.covariance)) for m in (kept, found))}
    return pd.DataFrame([(name, a.mean(), b.mean(), np.abs(a - b).max())
                         for name, (a, b) in parts.items()],
                        columns=["part", "shipped", "refitted", "largest_difference"])
