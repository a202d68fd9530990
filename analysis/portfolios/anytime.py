"""A portfolio on one task, under a budget of training time (TabRepo, Section 5, anytime)."""

from collections.abc import Iterable

import numpy as np

from analysis.ensembles import ENSEMBLERS, BudgetError, affordable, combine, fit_ensemble
from analysis.ensembles.metrics import measure_errors
from analysis.portfolios.records import TaskRecord
from collection.naming import check_known

MEMBERS = 40  # picks of an ensemble (TabRepo, Appendix A)


def trained_configs(
    order: np.ndarray, record: TaskRecord, budget: float | None = None, fallback: int | None = None
) -> tuple[np.ndarray, bool]:
    """Return which configs of a portfolio are trained, and whether the fallback stands in.

    Configs are trained in order while the running sum of their times is below the budget. If the
    first already is not, the fallback config is evaluated instead, whatever it takes.

    Raises
    ------
    BudgetError
        If the budget does not pay for the first config and there is no fallback.
    """
    if budget is None:
        return order, False
    try:
        return order[:affordable(record.train_time[order], budget)], False
    except BudgetError:
        if fallback is None:
            raise
        return np.array([fallback]), True


def evaluate_portfolio(
    order: np.ndarray,
    record: TaskRecord,
    budgets: Iterable[float | None] = (None,),
    fallback: int | None = None,
    ensemblers: Iterable[str] = ("single_best", "greedy_published"),
    members: int = MEMBERS,
    seed: int = 0,
) -> list[dict]:
    """Evaluate a portfolio on a task without training anything.

    Parameters
    ----------
    order : ndarray of int, shape (pick,)
        Positions of configs, as `select_portfolio` returns them.
    record : TaskRecord
    budgets : iterable of float or None
        Seconds of training; None for no limit.
    fallback : int, optional
        The config that is evaluated where a budget does not pay for the first.
    ensemblers : iterable of str
        Names in `analysis.ensembles.ENSEMBLERS`, fitted on the validation rows.
    members, seed : int
        Picks of an ensemble, and the seed of what is drawn.

    Returns
    -------
    list of dict
        One per budget and ensembler: ``dataset, fold, budget, ensembler, error`` (on the test
        rows), ``valid_error``, ``train_time`` (of all trained configs), ``infer_time`` (of those
        with weight), ``configs`` (trained), ``members`` (with weight), ``fallback`` (whether it
        stood in).
    """
    ensemblers = list(ensemblers)
    check_known("ensembler", ensemblers, ENSEMBLERS)
    order, rows, found = np.asarray(order), [], {}
    for budget in budgets:
        configs, stands_in = trained_configs(order, record, budget, fallback)
        key = configs.tobytes()
        if key not in found:  # several budgets may pay for the same configs
            found[key] = [_evaluate(name, configs, record, members, seed) for name in ensemblers]
        rows += [{"dataset": record.dataset, "fold": record.fold,
                  "budget": np.inf if budget is None else budget, **row, "fallback": stands_in}
                 for row in found[key]]
    return rows


def _evaluate(name: str, configs: np.ndarray, record: TaskRecord, members: int, seed: int) -> dict:
    """Return what one ensembler makes of trained configs."""
    train_time = float(record.train_time[configs].sum())
    if name == "single_best":  # its errors are stored
        best = configs[int(record.valid_error[configs].argmin())]
        return {"ensembler": name, "error": float(record.test_error[best]),
                "valid_error": float(record.valid_error[best]), "train_time": train_time,
                "infer_time": float(record.infer_time[best]), "configs": len(configs),
                "members": 1}
    seen = record.load(configs)
    ensemble = fit_ensemble(name, seen.valid, seen.valid_labels, record.metric, members, seed)
    mean = combine(seen.test, ensemble.weights)
    error = measure_errors(mean[None], seen.test_labels, record.metric)[0]
    used = configs[ensemble.weights > 0]
    return {"ensembler": name, "error": float(error),
            "valid_error": float(ensemble.trajectory[-1]), "train_time": train_time,
            "infer_time": float(record.infer_time[used].sum()), "configs": len(configs),
            "members": len(used)}
