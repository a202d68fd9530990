"""Which members an ensemble may choose among, and the weights it gives them at one anchor."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from analysis.ensemble_curves.members import Members
from analysis.ensemble_curves.registry import PORTFOLIO_SIZE, ROWS, EnsembleCurve
from analysis.ensembles import fit_ensemble
from analysis.portfolios.select import select_portfolio

PICKS = 40  # TabRepo, Section 3


def validation_rows(way: EnsembleCurve, anchor: int) -> int | None:
    """Return how many validation rows a way of ensembling may see; None for all."""
    return ROWS[way.rows](anchor) if way.rows in ROWS else way.rows


def candidates(
    way: EnsembleCurve, names: Sequence[str], portfolio: Sequence[str] = ()
) -> list[int]:
    """Return the positions of the members that a way of ensembling may choose among.

    All of them, or those that come first in `portfolio` (learners in order) and are there.
    """
    if way.of is None:
        return list(range(len(names)))
    first = [name for name in portfolio if name in names][:way.of]
    return [k for k, name in enumerate(names) if name in first]


def choose_weights(
    way: EnsembleCurve, members: Members, labels: np.ndarray, anchor: int, seed: Sequence[int],
    portfolio: Sequence[str] = (),
) -> np.ndarray | None:
    """Return the members' weights, chosen on validation rows alone.

    Parameters
    ----------
    way : EnsembleCurve
    members : Members
    labels : ndarray of int, shape (row,)
        True classes of the validation rows.
    anchor : int
        Training rows of the members.
    seed : sequence of int
        Of the order in which members are shown, so that ties go to nobody in particular, and of
        the draw of validation rows: prefixes of one order, so that more rows include the fewer.
    portfolio : sequence of str
        Learners in the order learned on other datasets, for ways that ask for it.

    Returns
    -------
    ndarray of float, shape (member,), or None
        They add up to 1. None where a way that is to see few validation rows would see all, and
        where no member of the portfolio is there.
    """
    generator = np.random.default_rng(list(seed))
    order = generator.permutation(len(members.names))
    rows, wanted = generator.permutation(len(labels)), validation_rows(way, anchor)
    if wanted is not None and wanted >= len(rows):
        return None
    rows = np.sort(rows[:wanted])
    shown = order[np.isin(order, candidates(way, members.names, portfolio))]
    if not len(shown):
        return None
    valid = members.probabilities["valid"][shown][:, rows]
    weights = np.zeros(len(members.names))
    weights[shown] = fit_ensemble(way.ensembler, valid, labels[rows], way.metric, PICKS).weights
    return weights


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
