"""The winner's curse: errors on the rows that an ensemble was selected on, and on others.

An error is compared with the mean error of all configs on the same rows. What selecting seems to
gain on the validation rows, less what it gains on the test rows, is its optimism: a difference
between the two kinds of rows that befalls every config alike cancels.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from analysis.ensembles import check_inputs, combine, fit_ensemble, measure_errors
from analysis.ensembles.crossfit import cross_fit
from analysis.ensembles.greedy import select_ensemble
from analysis.portfolios.opening import Predictions, TaskRecord
from analysis.statistics.bootstrap import mean_interval
from chapters.repository.families import family_positions

MEMBERS = (1, 2, 3, 5, 10, 15, 25, 40)
SHARES = (0.1, 0.25, 0.5, 1.0)  # of the validation rows
WAYS = {"single_best": "single best", "greedy_published": "greedy, as published",
        "cross_fitted": "greedy, cross-fitted", "equal_weights": "equal weights"}


def selected_gains(
    records: Sequence[TaskRecord], members: Iterable[int] = MEMBERS,
    shares: Iterable[float] = (1.0,), seed: int = 0,
) -> pd.DataFrame:
    """Return what greedy ensembles gain on the rows they were selected on, and on test rows.

    Parameters
    ----------
    records : sequence of TaskRecord
    members : iterable of int
        Picks, all of which count (Equation 4).
    shares : iterable of float
        Of the validation rows that are selected on, drawn with `seed`, by class.
    seed : int

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset, fold, rows`` (selected on), ``share, members, seen`` and ``test``: the
        mean error of all configs less the ensemble's, over the former, on the rows selected on
        and on the test rows; ``optimism``: ``seen`` less ``test``.
    """
    rows, members = [], list(members)
    for record in records:
        said = record.load(np.arange(len(record.test_error)))
        for share in shares:
            seen = _some_rows(said.valid_labels, share, record.metric, seed)
            picked = select_ensemble(said.valid[:, seen], said.valid_labels[seen], record.metric,
                                     max(members), "paper")
            base = measure_errors(said.valid[:, seen], said.valid_labels[seen],
                                  record.metric).mean()
            test_base = record.test_error.mean()
            for number in members:
                mean = said.test[picked.order[:number]].mean(axis=0, dtype=float)
                error = measure_errors(mean[None], said.test_labels, record.metric)[0]
                gains = gain(picked.trajectory[number - 1], base), gain(error, test_base)
                rows.append((record.dataset, record.fold, len(seen), share, number, *gains,
                             gains[0] - gains[1]))
    return pd.DataFrame(rows, columns=["dataset", "fold", "rows", "share", "members", "seen",
                                       "test", "optimism"])


def gain(error: float, base: float) -> float:
    """Return the share of the mean config's error that is saved; 0 where that makes none."""
    return 1 - error / base if base > 0 else 0.0


def _some_rows(labels: np.ndarray, share: float, metric: str, seed: int) -> np.ndarray:
    """Return positions of a share of the rows; of classes each the same share, two at least."""
    generator = np.random.default_rng(seed)
    groups = [np.arange(len(labels))] if metric == "rmse" else [
        np.flatnonzero(labels == c) for c in np.unique(labels)]
    return np.sort(np.concatenate([
        generator.permutation(group)[:max(2, round(share * len(group)))] for group in groups]))


def repaired(records: Sequence[TaskRecord], members: int = 40) -> pd.DataFrame:
    """Compare ways to choose by what they promise and what they keep.

    Parameters
    ----------
    records : sequence of TaskRecord
    members : int
        Picks at most.

    Returns
    -------
    pandas.DataFrame
        Columns ``way, dataset, fold, promised, test, optimism``: gains as in `selected_gains`.
        The cross-fitted way promises what rows say that its picks were not selected on.
    """
    rows = []
    for record in records:
        said = record.load(np.arange(len(record.test_error)))
        base, test_base = record.valid_error.mean(), record.test_error.mean()
        for way, title in WAYS.items():
            seen = said.valid, said.valid_labels, record.metric
            if way == "cross_fitted":
                made, promised = cross_fit(*check_inputs(*seen), record.metric, members)
            else:
                made = fit_ensemble(way, *seen, members)
                promised = _error(said.valid, said.valid_labels, made.weights, record.metric)
            error = _error(said.test, said.test_labels, made.weights, record.metric)
            gains = gain(promised, base), gain(error, test_base)
            rows.append((title, record.dataset, record.fold, *gains, gains[0] - gains[1]))
    return pd.DataFrame(rows, columns=["way", "dataset", "fold", "promised", "test", "optimism"])


def decomposed(records: Sequence[TaskRecord], families: Sequence[str],
               members: int = 20) -> pd.DataFrame:
    """Take a greedy ensemble's gain on test rows apart, exactly.

    The gain over the mean config is what its members are better than the mean config (weighted:
    *selection*), and what they are worse than their ensemble (*averaging*, which is worth the more
    the more diverse they are). *All families*: what the ensemble gains by choosing from all
    families instead of the one whose ensemble is best on validation rows. *Optimism*: what
    validation rows promised beyond that.

    Parameters
    ----------
    records : sequence of TaskRecord
    families : sequence of str
        The family of each config.
    members : int
        Picks at most.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset, fold, part, value``: shares of the mean config's test error; ``part`` is
        promised, optimism, kept, selection, averaging or all families.
    """
    rows, places = [], family_positions(families)
    for record in records:
        said, base = record.load(np.arange(len(record.test_error))), record.test_error.mean()
        kept, promised, weights = _greedy(record, said, np.arange(len(record.test_error)), members)
        mean_member = float(weights @ record.test_error)
        own = [_greedy(record, said, order, members) for order in places.values()]
        within = max(own, key=lambda found: found[1])[0]
        parts = {"promised": promised, "optimism": promised - kept, "kept": kept,
                 "selection": gain(mean_member, base),
                 "averaging": kept - gain(mean_member, base), "all families": kept - within}
        rows += [(record.dataset, record.fold, *part) for part in parts.items()]
    return pd.DataFrame(rows, columns=["dataset", "fold", "part", "value"])


def _greedy(record: TaskRecord, said: Predictions, chosen: np.ndarray,
            members: int) -> tuple[float, float, np.ndarray]:
    """Return what an ensemble of some configs keeps, what it promised, and its weights."""
    made = fit_ensemble("greedy_published", said.valid[chosen], said.valid_labels, record.metric,
                        members)
    promised, kept = (
        gain(_error(rows[chosen], true, made.weights, record.metric), errors.mean())
        for rows, true, errors in ((said.valid, said.valid_labels, record.valid_error),
                                   (said.test, said.test_labels, record.test_error)))
    return kept, promised, made.weights


def _error(said: np.ndarray, labels: np.ndarray, weights: np.ndarray, metric: str) -> float:
    """Return an ensemble's error on some rows, by the measure that its configs were measured by."""
    return measure_errors(combine(said, weights)[None], labels, metric)[0]


def mean_gains(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Average gains over tasks, in percent, with 95 % intervals over datasets.

    Parameters
    ----------
    table : pandas.DataFrame
        From `selected_gains` or `repaired`.
    by : sequence of str

    Returns
    -------
    pandas.DataFrame
        `by`, ``rows`` (mean, where known); ``seen`` or ``promised`` and ``test`` with ``_low`` and
        ``_high`` (%), ``optimism, low, high`` (points), ``datasets``.
    """
    gains = [c for c in ("seen", "promised", "test") if c in table]
    found = []
    for key, part in table.groupby(list(by), sort=False):
        row = dict(zip(by, key, strict=True))
        if "rows" in part:
            row["rows"] = part["rows"].mean()
        for name in gains:
            low, high = mean_interval(100 * part[name], part["dataset"])
            row |= {name: 100 * part[name].mean(), f"{name}_low": low, f"{name}_high": high}
        low, high = mean_interval(100 * part["optimism"], part["dataset"])
        found.append({**row, "optimism": 100 * part["optimism"].mean(), "low": low, "high": high,
                      "datasets": part["dataset"].nunique()})
    return pd.DataFrame(found)


def mean_parts(table: pd.DataFrame) -> pd.DataFrame:
    """Average the parts of a gain over tasks, with 95 % intervals over datasets.

    Returns
    -------
    pandas.DataFrame
        Columns ``part, value, low, high`` (% of the mean config's test error), ``datasets``.
    """
    rows = []
    for part, own in table.groupby("part", sort=False):
        low, high = mean_interval(100 * own["value"], own["dataset"])
        rows.append((part, 100 * own["value"].mean(), low, high, own["dataset"].nunique()))
    return pd.DataFrame(rows, columns=["part", "value", "low", "high", "datasets"])
