"""What an ensemble's members predicted in a repeat, and the weights they get at an anchor."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from analysis.ensemble_curves.registry import PORTFOLIO_SIZE, EnsembleCurve
from analysis.ensembles import fit_ensemble
from analysis.portfolios.select import select_portfolio
from collection.datasets import load_dataset
from collection.protocol.encoded import encode
from collection.protocol.splits import split_rows
from collection.store import read_curve_predictions

JUDGED = ("valid", "test")  # splits: ensembles are chosen on the first, judged on the second


class NoMembersError(ValueError):
    """Curves without the predictions that ensembles are made of; the message says which."""


@dataclass(frozen=True)
class Repeat:
    """One dataset in one repeat, under one setting.

    Attributes
    ----------
    setting : dict
        What a curve is of, but for its learner: ``dataset`` (its label in the store), ``scaling,
        leakage, outer, inner``.
    spec : str
        Where the dataset is loaded from.
    fingerprint : str
        Of the rows as they were when the curves were gathered.
    """

    setting: dict[str, Any]
    spec: str
    fingerprint: str


@dataclass(frozen=True)
class Members:
    """Predictions of all members at one anchor.

    Attributes
    ----------
    names : tuple of str
        Those whose probabilities are there, all of them numbers.
    probabilities : dict of split to ndarray, shape (member, row, class)
    """

    names: tuple[str, ...]
    probabilities: dict[str, np.ndarray]


def read_labels(repeat: Repeat) -> dict[str, np.ndarray]:
    """Return the true classes of the rows of both judged splits, shape (row,), numbers from 0.

    Raises
    ------
    NoMembersError
        Where the dataset has other rows than when its curves were gathered.
    """
    dataset = load_dataset(repeat.spec)
    if dataset.fingerprint != repeat.fingerprint:
        raise NoMembersError(
            f"{repeat.spec} has other rows than those that the curves of "
            f"{repeat.setting['dataset']} were gathered on: labels and predictions would not "
            "match. Gather the curves anew.")
    labels = encode(dataset).labels
    rows = split_rows(dataset.target, repeat.setting["outer"], repeat.setting["inner"])
    return {split: labels[getattr(rows, split)] for split in JUDGED}


def read_members(store: Path, repeat: Repeat, learners: Sequence[str]) -> dict[int, Members]:
    """Return the members' predictions by anchor; anchors where no member has any are left out.

    A fit that failed, gave no probabilities, or some that are not numbers, is no member there.

    Raises
    ------
    NoMembersError
        Where no fit of the repeat has probabilities.
    """
    names = [f"{split}_probability" for split in JUDGED]
    kept: dict[int, dict[str, dict[str, np.ndarray]]] = {}
    for learner in learners:
        found = read_curve_predictions(store, names, learner=learner, **repeat.setting)
        for anchor, said in found.items():
            own = {split: said.get(name) for split, name in zip(JUDGED, names, strict=True)}
            if all(p is not None and np.isfinite(p).all() for p in own.values()):
                kept.setdefault(anchor, {})[learner] = own
    if not kept:
        raise NoMembersError(
            "{} holds no class probabilities of {dataset}, outer seed {outer}, inner seed "
            "{inner}. They are stored where make collect ran with "
            "PREDICTIONS=yes, of learners that have them.".format(store, **repeat.setting))
    return {anchor: Members(tuple(own), {split: np.stack([p[split] for p in own.values()])
                                         for split in JUDGED})
            for anchor, own in sorted(kept.items())}


PICKS = 40  # TabRepo, Section 3


def candidates(way: EnsembleCurve, names: Sequence[str],
               portfolio: Sequence[str] = ()) -> list[int]:
    """Return the positions of the members that a way of ensembling may choose among.

    All of them, or those that come first in `portfolio` (learners in order) and are there.
    """
    if way.of is None:
        return list(range(len(names)))
    first = [name for name in portfolio if name in names][:way.of]
    return [k for k, name in enumerate(names) if name in first]


def choose_weights(way: EnsembleCurve, members: Members, labels: np.ndarray, seed: Sequence[int],
                   among: Sequence[int]) -> np.ndarray:
    """Return the members' weights, chosen on validation rows alone.

    Parameters
    ----------
    way : EnsembleCurve
    members : Members
    labels : ndarray of int, shape (row,)
        True classes of the validation rows.
    seed : sequence of int
        Of the order in which members are shown, so that ties go to nobody in particular.
    among : sequence of int
        Members that may have weight, from `candidates`.

    Returns
    -------
    ndarray of float, shape (member,)
        They add up to 1.
    """
    order = np.random.default_rng(list(seed)).permutation(len(members.names))
    shown = order[np.isin(order, among)]
    valid, weights = members.probabilities["valid"][shown], np.zeros(len(members.names))
    weights[shown] = fit_ensemble(way.ensembler, valid, labels, way.metric, PICKS).weights
    return weights


def left_out_portfolios(errors: xr.DataArray) -> dict[tuple[str, int], tuple[str, ...]]:
    """Return the portfolio of every dataset and anchor, learned on all other datasets.

    Parameters
    ----------
    errors : xarray.DataArray, dims (dataset, learner, anchor)
        Mean test error rates of the members on two datasets or more. Of one that ends before an
        anchor, its largest anchor counts; a learner without a value there counts as the worst.

    Returns
    -------
    dict of (dataset, anchor) to tuple of str
        At most `PORTFOLIO_SIZE` learners in order, by mean ranks as published; of all that the
        dataset is not part of.
    """
    errors = errors.transpose("anchor", "dataset", "learner")
    names, learners = errors["dataset"].values, errors["learner"].values
    portfolios, latest = {}, np.full(errors.shape[1:], np.nan)
    for anchor, now in zip(errors["anchor"].values, errors.values, strict=True):
        reached = ~np.isnan(now).all(axis=1)
        latest[reached] = now[reached]
        worst = np.nanmax(latest, axis=1, keepdims=True)
        filled = np.where(np.isnan(latest), worst, latest)
        for k in np.flatnonzero(reached):
            picked = select_portfolio(np.delete(filled, k, axis=0), PORTFOLIO_SIZE).order
            portfolios[str(names[k]), int(anchor)] = tuple(map(str, learners[picked]))
    return portfolios
