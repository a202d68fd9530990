"""Which members come first on the other datasets: a portfolio for each dataset and anchor."""

import numpy as np
import xarray as xr

from analysis.ensemble_curves.registry import PORTFOLIO_SIZE
from analysis.portfolios.select import select_portfolio


def left_out_portfolios(
    errors: xr.DataArray, size: int = PORTFOLIO_SIZE
) -> dict[tuple[str, int], tuple[str, ...]]:
    """Return the portfolio of every dataset and anchor, learned on all other datasets.

    Parameters
    ----------
    errors : xarray.DataArray, dims (dataset, learner, anchor)
        Mean test error rates of the members. Of a dataset that ends before an anchor, its largest
        anchor counts; a learner without a value there counts as the worst one.
    size : int
        Members of a portfolio at most.

    Returns
    -------
    dict of (dataset, anchor) to tuple of str
        Learners in order, by mean ranks as published; of all that the dataset is not part of.

    Raises
    ------
    ValueError
        For fewer than two datasets.
    """
    if errors.sizes["dataset"] < 2:
        raise ValueError("A portfolio is learned on other datasets, and there is only "
                         f"{errors['dataset'].values[0]}.")
    errors = errors.transpose("anchor", "dataset", "learner")
    names, learners = errors["dataset"].values, errors["learner"].values
    portfolios, latest = {}, np.full(errors.shape[1:], np.nan)
    for anchor, now in zip(errors["anchor"].values, errors.values, strict=True):
        reached = ~np.isnan(now).all(axis=1)
        latest[reached] = now[reached]
        worst = np.nanmax(latest, axis=1, keepdims=True)
        filled = np.where(np.isnan(latest), worst, latest)
        for k in np.flatnonzero(reached):
            picked = select_portfolio(np.delete(filled, k, axis=0), size).order
            portfolios[str(names[k]), int(anchor)] = tuple(map(str, learners[picked]))
    return portfolios
