"""What ill-behaviour costs, in error-rate points: wrong predictions, and data that hurts."""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.intervals.bootstrap import percentile_interval, ratio_of_sums, resample_datasets
from collection.container import only_dims

PARTS = ("well-behaved", "ill-behaved")


def ill_behaviour_cost(table: pd.DataFrame, by: tuple[str, ...] = ("share", "model"),
                       value: str = "points") -> pd.DataFrame:
    """Compare a mean over ill-behaved curves with that over well-behaved ones.

    Parameters
    ----------
    table : DataFrame
        Columns ``dataset``, ``learner``, ``group`` ("well-behaved" or "ill-behaved"), those of
        `by` and `value`; a row per curve and whatever `by` distinguishes.
    by : tuple of str
        A row of the result for each of their combinations.
    value : str
        The column that is averaged, in error-rate points.

    Returns
    -------
    DataFrame
        Columns of `by`; ``n_well``, ``n_ill``; for each of ``well``, ``ill``, ``cost`` (ill minus
        well) and ``same_learner`` (ill minus the mean over the well-behaved curves of the same
        learner; curves of learners without any are left out) the value and its 95 % interval,
        ``…_low`` and ``…_high``, from resampling whole datasets. NaN where a group is empty.
    """
    datasets = np.sort(table["dataset"].unique())
    learners = np.sort(table["learner"].unique())
    rows = []
    for key, rest in table.groupby(list(by), sort=False):
        cells = {part: _cells(rest[rest["group"] == part], value, datasets, learners)
                 for part in PARTS}
        counts = {f"n_{short}": int(cells[part][1].sum())
                  for short, part in zip(("well", "ill"), PARTS, strict=True)}
        rows.append(dict(zip(by, key, strict=True)) | counts | _intervals(cells))
    return pd.DataFrame(rows)


def cost_of_all_data(valid: xr.DataArray, test: xr.DataArray) -> pd.DataFrame:
    """Return how much worse a learner tests with all its data than with the best amount of it.

    Parameters
    ----------
    valid, test : DataArray, dims (..., anchor)
        Mean error rates of the same curves; NaN where there is no anchor.

    Returns
    -------
    DataFrame
        A row per curve: the labels of the other dims, ``best`` and ``last`` (training-set sizes:
        where the validation error is lowest, at the largest one if several are, and the last),
        and ``points``: the test error at the last minus that at the best, in error-rate points.
        Choosing on validation and judging on test keeps the choice's luck out of the answer as long
        as an outer seed is by itself: the validation rows of others are among its test rows.
    """
    both = valid.notnull() & test.notnull()
    seen = valid.where(both)
    sizes = seen["anchor"].where(both)
    best = sizes.where(seen == seen.min("anchor")).max("anchor")
    last = sizes.max("anchor")
    gap = test.where(both & (sizes == last)).max("anchor") - test.where(
        both & (sizes == best)).max("anchor")
    result = xr.Dataset({"best": best, "last": last, "points": 100 * gap})
    dims = [d for d in valid.dims if d != "anchor"]
    result = only_dims(result)
    return result.to_dataframe(dim_order=dims).reset_index().dropna(subset="points")


def _cells(rows: pd.DataFrame, value: str, datasets: np.ndarray, learners: np.ndarray):
    """Return sums and counts by dataset and learner, both of shape (n_datasets, n_learners)."""
    at = (np.searchsorted(datasets, rows["dataset"]), np.searchsorted(learners, rows["learner"]))
    total, count = np.zeros((2, len(datasets), len(learners)))
    np.add.at(total, at, rows[value].to_numpy())
    np.add.at(count, at, 1)
    return total, count


def _intervals(cells: dict) -> dict[str, float]:
    n_datasets = len(cells[PARTS[0]][0])
    estimate = _compare(cells, np.ones((1, n_datasets)))
    resampled = _compare(cells, resample_datasets(n_datasets))
    result = {}
    for name, values in resampled.items():
        low, high = percentile_interval(values)
        result |= {name: estimate[name][0], f"{name}_low": float(low), f"{name}_high": float(high)}
    return result


def _compare(cells: dict, times: np.ndarray) -> dict[str, np.ndarray]:
    """Return the comparison for every row of `times`: how often each dataset counts."""
    (well, n_well), (ill, n_ill) = ((times @ t, times @ c) for t, c in cells.values())
    expected = _ratio(well, n_well)
    known = n_ill * np.isfinite(expected)
    own = np.where(known > 0, ill - n_ill * np.nan_to_num(expected), 0).sum(1)
    means = {short: ratio_of_sums(*(part.sum(1) for part in cells[name]), times)
             for short, name in zip(("well", "ill"), PARTS, strict=True)}
    return means | {"cost": means["ill"] - means["well"],
                    "same_learner": _ratio(own, known.sum(1))}


def _ratio(total: np.ndarray, count: np.ndarray) -> np.ndarray:
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
