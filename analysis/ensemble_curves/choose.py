"""The weights that a way of ensembling gives the members at one anchor of one repeat."""

from collections.abc import Sequence

import numpy as np

from analysis.ensemble_curves.members import Members
from analysis.ensemble_curves.registry import ROWS, EnsembleCurve
from analysis.ensembles import fit_ensemble

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
