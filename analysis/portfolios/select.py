"""Portfolios: an order of configs that do well together over tasks (TabRepo, Section 5)."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from analysis.leaderboards.measures import normalized_errors, ranks
from collection.project.naming import check_known


class Portfolio(NamedTuple):
    """Configs in the order in which they are to be trained.

    Attributes
    ----------
    order : ndarray of int, shape (pick,)
        Positions of configs, none twice. May be shorter than asked for.
    trace : ndarray of float, shape (pick,)
        The mean over tasks of the criterion's least value among the picks so far.
    """

    order: np.ndarray
    trace: np.ndarray


class PortfolioProcedure(NamedTuple):
    """What a portfolio makes low.

    Attributes
    ----------
    criterion : callable
        From errors, shape (task, config), to values of the same shape, low where good.
    by_cost : bool
        Whether the gain is counted per second of training.
    stops : bool
        Whether to stop once nothing gets better.
    """

    criterion: Callable[[np.ndarray], np.ndarray]
    by_cost: bool = False
    stops: bool = True


PROCEDURES = {
    "published": PortfolioProcedure(ranks),
    "paper": PortfolioProcedure(np.array, stops=False),
    "normalized": PortfolioProcedure(normalized_errors),
    "cost_aware": PortfolioProcedure(ranks, by_cost=True),
}


def select_portfolio(errors: np.ndarray, size: int, weights: np.ndarray | None = None,
                     procedure: str = "published",
                     train_times: np.ndarray | None = None) -> Portfolio:
    """Select a portfolio greedily: at each step the config that lowers the mean over tasks most.

    Parameters
    ----------
    errors : ndarray, shape (task, config)
        Lower is better. Errors on the test rows of tasks other than those that the portfolio is
        judged on may be used: the published code does.
    size : int
        At most so many configs.
    weights : ndarray, shape (task,), optional
        What tasks count; for folds of one dataset, one over their number.
    procedure : str
        ``"published"``: mid-ranks within each task (1 is best) times the task's weight; stops when
        the mean does not change, so that fewer configs may come back. ``"paper"``: the errors
        themselves (Section 5), whatever their scale; goes on to `size`. ``"normalized"``:
        normalised errors, on one scale. ``"cost_aware"``: ranks, picking by the gain per second of
        training (Streeter and Golovin 2008), for a low error at any time.
    train_times : ndarray, shape (config,) or (task, config), optional
        Seconds, for ``"cost_aware"``; over tasks, their weighted mean counts.

    Returns
    -------
    Portfolio
        ``order`` and ``trace``. The trace's mean divides by the number of tasks, not by the sum of
        weights, as published.

    Raises
    ------
    ValueError
        For errors that are NaN or infinite, shapes that do not
        fit, a size below 1, weights or times that are not above 0, and what a procedure needs and
        was not given.
    UnknownNameError
        For an unknown procedure.
    """
    check_known("procedure", [procedure], PROCEDURES)
    errors = check_errors(errors, size)
    weights = _positive("weights", weights, (len(errors),)) if weights is not None else None
    way = PROCEDURES[procedure]
    return pick_configs(way.criterion(errors), size, way, weights, train_times)


def pick_configs(values: np.ndarray, size: int, way: PortfolioProcedure, weights: np.ndarray | None,
                 train_times: np.ndarray | None) -> Portfolio:
    """Do as `select_portfolio` with the criterion's values, shape (task, config), at hand."""
    costs = _mean_costs(train_times, weights, values.shape) if way.by_cost else None
    if weights is not None:
        values = values * weights[:, None]
    order, trace = cover(values, int(size), costs, way.stops)
    return Portfolio(np.array(order), np.array(trace))


def check_errors(errors: np.ndarray, size: int) -> np.ndarray:
    """Return errors as an array, once they and the size have been found to be usable."""
    errors = np.asarray(errors, float)
    if size < 1:
        raise ValueError(f"A portfolio has at least one config, not {size}.")
    if errors.ndim != 2 or 0 in errors.shape:
        raise ValueError(f"Errors have the shape (task, config); these have {errors.shape}.")
    wrong = ~np.isfinite(errors)
    if wrong.any():
        task, config = np.argwhere(wrong)[0]
        raise ValueError(f"{wrong.sum()} of {errors.size} errors are NaN or infinite, the first of "
                         f"task {task}, config {config}. Leave the config out, or open the "
                         "records with a fallback that stands in.")
    return errors


def _positive(name: str, values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    values = np.asarray(values, float)
    if values.shape != shape:
        raise ValueError(f"There must be {name} of the shape {shape}, not {values.shape}.")
    if not (values > 0).all() or np.isinf(values).any():
        raise ValueError(f"{name.capitalize()} must be above 0; {(~(values > 0)).sum()} are not.")
    return values


def _mean_costs(train_times: np.ndarray | None, weights: np.ndarray | None,
                shape: tuple[int, int]) -> np.ndarray:
    """Return each config's mean seconds over tasks."""
    if train_times is None:
        raise ValueError("The cost-aware procedure needs training times: pass train_times.")
    times = np.asarray(train_times, float)
    if times.ndim == 2:
        return np.average(_positive("training times", times, shape), axis=0, weights=weights)
    return _positive("training times", times, shape[1:])


def cover(values: np.ndarray, size: int, costs: np.ndarray | None = None,
          stop_unchanged: bool = True) -> tuple[list[int], list[float]]:
    """Pick configs one after the other, none twice.

    Parameters
    ----------
    values : ndarray, shape (task, config)
        What is to be low, weights included.
    size : int
        At most so many picks.
    costs : ndarray, shape (config,), optional
        What each config costs. The pick is then the largest gain per cost: by how much it lowers
        the mean, the first from the mean of every task's largest value.
    stop_unchanged : bool
        Whether to stop once no config lowers the mean, or to go on with the first ones left.

    Returns
    -------
    order : list of int
        Of equal ones, the first goes first.
    trace : list of float
        The mean over tasks of the least value among the picks so far. Sums run from the first task
        to the last, as the published code's do, so that the same means compare equal.
    """
    values = np.ascontiguousarray(values)  # so that sums run from task to task
    least, left = values.max(axis=1), np.ones(values.shape[1], bool)
    order: list[int] = []
    trace: list[float] = []
    while len(order) < min(size, len(left)):
        means = np.minimum(values, least[:, None]).sum(axis=0) / len(values)
        gain = -means if costs is None else (least.cumsum()[-1] / len(values) - means) / costs
        pick = int(np.where(left, gain, -np.inf).argmax())
        mean = float(means[pick])
        if stop_unchanged and trace and mean == trace[-1]:
            break
        order.append(pick)
        trace.append(mean)
        left[pick] = False
        least = np.minimum(least, values[:, pick])
    return order, trace
