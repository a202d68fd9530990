"""Which configs a budget of training time pays for."""

import numpy as np


class BudgetError(ValueError):
    """A budget that does not pay for a single config."""


def affordable(
    train_times: np.ndarray | None, budget: float, configs: int | None = None
) -> int:
    """Return how many configs, in the order given, a budget pays for.

    Parameters
    ----------
    train_times : ndarray, shape (config,)
        Seconds each.
    budget : float
        Seconds; the running sum of the times stays strictly below it (TabRepo's published code).
    configs : int, optional
        How many times there have to be.

    Raises
    ------
    BudgetError
        If the first config reaches the budget.
    ValueError
        If times lack, are NaN or negative.
    """
    if train_times is None:
        raise ValueError("A budget needs the configs' training times: pass train_times.")
    times = np.asarray(train_times, float)
    if configs is not None and times.shape != (configs,):
        raise ValueError(f"There are {configs} configs, but training times of the shape "
                         f"{times.shape}.")
    if not (times >= 0).all():
        raise ValueError(f"{(~(times >= 0)).sum()} training times are NaN or negative, the first "
                         f"at position {np.argmin(times >= 0)}.")
    paid = int((np.cumsum(times) < budget).sum())
    if not paid:
        raise BudgetError(f"A budget of {budget:g} s is used up by the first config, which takes "
                          f"{times[0]:g} s; the cheapest takes {times.min():g} s. Raise the "
                          "budget, or evaluate a fallback config instead.")
    return paid
