"""What it changes to fit the preprocessor on all data: significance and size (Appendix B)."""

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from analysis.statistics.bootstrap import mean_interval, share_interval
from analysis.statistics.headlines import LEAST
from analysis.statistics.repeats import TIE
from collection.container import SCALINGS, only_dims

ALPHA = 0.05
REPEATS = ["outer", "inner"]


def leakage_differences(valid: xr.DataArray) -> xr.Dataset:
    """Compare every curve with leakage against the same curve without it (Table 5).

    Parameters
    ----------
    valid : xarray.DataArray, dims (..., leakage, outer, inner, anchor)
        Error rates; ``leakage`` has "no" and "yes". NaN where a repeat has no value.

    Returns
    -------
    xarray.Dataset over the remaining dims
        ``compared`` (bool): at some anchor two repeats have both values. ``different`` (bool): at
        any anchor a paired t-test over the repeats is significant, its p-value times the number
        of anchors being below 0.05. ``p``: the smallest, so corrected; NaN where untested. Also
        over ``anchor``: ``difference``, the mean of "yes" minus "no" in error rate; below 0 where
        leakage makes the curve look better.

    Notes
    -----
    Where no repeat differs there is nothing to test, and no difference. A difference that is the
    same in all repeats, but not 0, has p = 0.
    """
    change = valid.sel(leakage="yes", drop=True) - valid.sel(leakage="no", drop=True)
    n = change.count(REPEATS)
    mean = change.mean(REPEATS)
    error = change.std(REPEATS, ddof=1) / n.where(n > 1) ** 0.5
    moved = (abs(mean) > TIE) & (n > 1)
    t = (abs(mean) / error.where(error > TIE, 0)).where(moved).compute()
    p = 2 * xr.apply_ufunc(stats.t.sf, t, n.compute() - 1) * (n > 0).sum("anchor")
    p = p.clip(max=1)
    return xr.Dataset({
        "compared": (n > 1).any("anchor"), "different": (p < ALPHA).any("anchor"),
        "p": p.min("anchor"), "difference": mean}).compute()


def difference_table(differences: xr.Dataset, database: str) -> pd.DataFrame:
    """Return a row per compared curve: whether leakage changes it, and by how much.

    Parameters
    ----------
    differences : xarray.Dataset, dims (dataset, learner, scaling[, anchor])
        From `leakage_differences`.
    database : str
        Written into the column of that name.

    Returns
    -------
    pandas.DataFrame
        Columns ``database, dataset, learner, scaling, different`` (0 or 1), ``p``,
        ``identical`` (1 where no anchor differs at all) and, in points of error rate, ``largest``
        and ``typical`` (maximum and mean over anchors of the absolute difference) and ``change``
        (mean of the difference).
    """
    points = 100 * differences["difference"]
    size = abs(points)
    wide = differences[["compared", "different", "p"]].assign(
        identical=size.max("anchor") == 0, largest=size.max("anchor"),
        typical=size.mean("anchor"), change=points.mean("anchor"))
    dims = ["dataset", "learner", "scaling"]
    wide = only_dims(wide)
    table = wide.to_dataframe(dim_order=dims).reset_index()
    table = table[table.pop("compared").astype(bool)]
    table = table.astype({"different": int, "identical": int})
    table.insert(0, "database", database)
    return table.sort_values("scaling", key=lambda s: s.map(SCALINGS.index), kind="stable",
                             ignore_index=True)


def different_share(table: pd.DataFrame) -> pd.DataFrame:
    """Return the share of curves that leakage changes, per scaling (Table 5).

    Parameters
    ----------
    table : pandas.DataFrame
        From `difference_table`.

    Returns
    -------
    pandas.DataFrame
        Columns ``database, scaling, percent``, ``low`` and ``high`` (95 % percentile interval over
        resampled datasets), ``n_curves``, ``n_datasets``, ``identical`` (percent).
    """
    rows = []
    for (database, scaling), group in table.groupby(["database", "scaling"], sort=False):
        share = 100 * group["different"]
        rows.append((database, scaling, share.mean(), *share_interval(share, group["dataset"]),
                     len(group), group["dataset"].nunique(), 100 * group["identical"].mean()))
    return pd.DataFrame(rows, columns=["database", "scaling", "percent", "low", "high",
                                       "n_curves", "n_datasets", "identical"])


def difference_sizes(table: pd.DataFrame) -> pd.DataFrame:
    """Return how large the differences are, per scaling, of changed curves and of the others.

    Parameters
    ----------
    table : pandas.DataFrame
        From `difference_table`.

    Returns
    -------
    pandas.DataFrame
        Per ``scaling`` and ``different`` (0 or 1): ``n_curves``, ``n_datasets``; ``typical`` and
        ``largest``, medians over curves; ``largest_95`` and ``largest_all``, the 95th percentile
        and the maximum of ``largest``; ``change``, the mean, with its interval ``low`` to ``high``
        over datasets, NaN where these are fewer than `LEAST`. In points of error rate.
    """
    rows = []
    for (scaling, different), group in table.groupby(["scaling", "different"], sort=False):
        n_datasets = group["dataset"].nunique()
        low, high = (mean_interval(group["change"], group["dataset"]) if n_datasets >= LEAST
                     else (np.nan, np.nan))
        rows.append({
            "scaling": scaling, "different": different, "n_curves": len(group),
            "n_datasets": n_datasets,
            "typical": group["typical"].median(), "largest": group["largest"].median(),
            "largest_95": group["largest"].quantile(0.95), "largest_all": group["largest"].max(),
            "change": group["change"].mean(), "low": low, "high": high})
    columns = ["scaling", "different", "n_curves", "n_datasets", "typical", "largest",
               "largest_95", "largest_all", "change", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def differences_by_learner(table: pd.DataFrame) -> pd.DataFrame:
    """Count the changed curves of each learner.

    Parameters
    ----------
    table : pandas.DataFrame
        From `difference_table`.

    Returns
    -------
    pandas.DataFrame
        ``learner, scaling, n_curves, different`` (how many) and ``largest`` difference of any, in
        points of error rate.
    """
    groups = table.groupby(["learner", "scaling"], sort=False)
    return groups.agg(n_curves=("different", "size"), different=("different", "sum"),
                      largest=("largest", "max")).reset_index()


def differences_by_size(differences: xr.Dataset) -> pd.DataFrame:
    """Return how the difference depends on the training-set size, per scaling.

    Parameters
    ----------
    differences : xarray.Dataset
        From `leakage_differences`.

    Returns
    -------
    pandas.DataFrame
        A row per ``scaling`` and ``anchor`` (rows): ``n_curves`` with a value there, ``typical``
        (mean over curves of the absolute difference), ``change`` (mean of the difference, below 0
        where leakage flatters), ``low`` and ``high`` (its interval over datasets); in points of
        error rate.
    """
    points = 100 * differences["difference"]
    points = only_dims(points)
    table = points.rename("points").to_dataframe().reset_index().dropna(subset="points")
    rows = []
    for (scaling, anchor), group in table.groupby(["scaling", "anchor"]):
        low, high = mean_interval(group["points"], group["dataset"])
        rows.append((scaling, int(anchor), len(group), group["points"].abs().mean(),
                     group["points"].mean(), low, high))
    columns = ["scaling", "anchor", "n_curves", "typical", "change", "low", "high"]
    rows = pd.DataFrame(rows, columns=columns)
    return rows.sort_values("scaling", key=lambda s: s.map(SCALINGS.index), kind="stable",
                            ignore_index=True)


def null_share(valid: xr.DataArray, seed: int = 0) -> xr.DataArray:
    """Return which curves the test calls different after each repeat's sign is drawn at random.

    What there would be to find if leakage changed nothing on average: the differences keep their
    size and their dependence along the curve, but not their direction.

    Parameters
    ----------
    valid : xarray.DataArray, dims (..., leakage, outer, inner, anchor)
        As for `leakage_differences`.
    seed : int
        Of the signs, one per repeat of each curve.

    Returns
    -------
    xarray.DataArray of bool
        ``different`` under that draw.
    """
    no, yes = valid.sel(leakage="no", drop=True), valid.sel(leakage="yes", drop=True)
    template = no.isel(anchor=0, drop=True)
    flip = template.copy(data=np.random.default_rng(seed).random(template.shape) < 0.5)
    swapped = xr.concat([xr.where(flip, yes, no), xr.where(flip, no, yes)], "leakage")
    return leakage_differences(swapped.assign_coords(leakage=["no", "yes"]))["different"]
