"""Who performs best: the lowest point of each curve, honestly judged (Appendix C)."""

from itertools import product

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chapter_curves import least_leakage, metric_of, without_stray
from analysis.databases.load import load_curves
from analysis.statistics.bootstrap import FEW, mean_interval
from analysis.statistics.families import count_families
from analysis.statistics.sign_flips import family_p
from analysis.statistics.summary import REPEATS, summarise
from collection.containers.curves import SCALINGS, only_dims

KEYS = ["learner", "scaling"]
LIMIT = 10_000  # rows of the training set of a small dataset


def mean_errors(curves: xr.Dataset) -> xr.DataArray:
    """Return mean error rates over the repeats, of validation and test, without leakage.

    Parameters
    ----------
    curves : xarray.Dataset
        A database. Where it has leakage "yes" alone, that is taken. Of LCDB 1.1, values past the
        end of a dataset are left out.

    Returns
    -------
    xarray.DataArray, dims (dataset, learner, scaling, anchor, split)
        Over the repeats that have a value; the means themselves where a database has no repeats.
    """
    errors = metric_of(curves).sel(
        split=["valid", "test"], leakage=least_leakage(curves), drop=True)
    mean = errors.mean([d for d in REPEATS if d in errors.dims]).compute()
    if str(curves.attrs.get("database", "")).startswith("lcdb11"):
        mean = without_stray(mean)
    return mean.transpose("dataset", "learner", "scaling", "anchor", "split")


def best_errors(mean: xr.DataArray, database: str) -> pd.DataFrame:
    """Return the lowest point of each curve's validation error, and what it is worth on test data.

    Parameters
    ----------
    mean : xarray.DataArray, dims (dataset, learner, scaling, anchor, split)
        From `mean_errors`.
    database : str
        Written into the column of that name.

    Returns
    -------
    pandas.DataFrame
        A row per curve that has a value: ``database, dataset, learner, scaling``; ``anchor``
        (rows) of the smallest mean validation error, the first of equal ones; ``valid`` and
        ``test``, the two errors there; ``last_anchor``, ``last_valid``, ``last_test``, the same
        at the curve's last anchor, where nothing was chosen. Error rates.
    """
    curve = ["dataset", *KEYS]
    points = only_dims(mean.to_dataset("split"))[["valid", "test"]].to_dataframe(
        dim_order=[*curve, "anchor"]).dropna().reset_index()
    # Rounding must not decide between two means of the same errors.
    groups = points.assign(rounded=points["valid"].round(12)).groupby(curve, sort=False)
    last = groups[["anchor", "valid", "test"]].last().add_prefix("last_")
    rows = points.loc[groups["rounded"].idxmin()].join(last, on=curve).reset_index(drop=True)
    rows.insert(0, "database", database)
    return rows


def reference_learner(best: pd.DataFrame) -> str:
    """Return whom to compare with: the lowest mean test error, unscaled, among the most complete.

    Those are the learners that have, without scaling, at least 90 % as many datasets as any has.

    Raises
    ------
    ValueError
        If there is no curve without scaling.
    """
    unscaled = best[best["scaling"] == SCALINGS[0]]
    if unscaled.empty:
        raise ValueError("No curve without scaling: there is no learner to compare others with.")
    stats = unscaled.groupby("learner")["test"].agg(["size", "mean"])
    return str(stats[stats["size"] >= 0.9 * stats["size"].max()]["mean"].idxmin())


def paired_with(mean: xr.DataArray, database: str, reference: str) -> pd.DataFrame:
    """Compare each learner with a reference (unscaled), where both have errors.

    Means over different datasets do not compare, nor do the lowest points of curves of which one
    goes on; differences on the same datasets do, each at its lowest point of the same sizes.

    Parameters
    ----------
    mean : xarray.DataArray, dims (dataset, learner, scaling, anchor, split)
        From `mean_errors`.
    database : str
    reference : str
        A learner, such as `reference_learner` names.

    Returns
    -------
    pandas.DataFrame
        Per ``learner`` and ``scaling``: ``n_datasets`` that both have, ``difference`` of the test
        errors (above 0 where the reference is better) with its 95 % interval ``low`` to ``high``
        (NaN where they have fewer than five), their ``median``, ``p`` (exact sign flips of
        families, not adjusted), and ``behind``, on how many it errs more. Error rates; the lowest
        first.
    """
    its = mean.sel(learner=reference, scaling=SCALINGS[0], drop=True)
    own, other = (best_errors(one.where(there.notnull().all("split")).transpose(*mean.dims),
                              database) for one, there in ((mean, its), (its, mean)))
    joined = own.merge(other, on=["dataset", *KEYS], suffixes=("", "_reference"))
    joined["difference"] = joined["test"] - joined["test_reference"]
    rows = []
    for key, group in joined.groupby(KEYS, sort=False):
        low, high = mean_interval(group["difference"], group["dataset"], FEW)
        rows.append(dict(zip(KEYS, key, strict=True)) | {
            "n_datasets": len(group), "difference": group["difference"].mean(), "low": low,
            "high": high, "median": group["difference"].median(),
            "p": family_p(group["difference"], group["dataset"]),
            "behind": (group["difference"] > 0).sum()})
    return pd.DataFrame(rows).sort_values("difference", ignore_index=True, kind="stable")


def size_groups(best: pd.DataFrame) -> pd.Series:
    """Tell small datasets from large ones, as Figure 8 does.

    Parameters
    ----------
    best : pandas.DataFrame
        From `best_errors`, of one database.

    Returns
    -------
    pandas.Series
        Per row of `best`: "large" where any learner's curve on that dataset has an anchor of
        more than `LIMIT` rows, "small" elsewhere.
    """
    longest = best.groupby("dataset")["last_anchor"].transform("max")
    return pd.Series(np.where(longest > LIMIT, "large", "small"), best.index, name="size")


def paired_by_size(mean: xr.DataArray, database: str) -> pd.DataFrame:
    """Compare with the best learner on average, on small and on large datasets (Figure 8).

    Parameters
    ----------
    mean : xarray.DataArray, dims (dataset, learner, scaling, anchor, split)
        From `mean_errors`.
    database : str
        Written into the column of that name.

    Returns
    -------
    pandas.DataFrame
        As `paired_with`, then ``database``, ``size`` (from `size_groups`), ``reference`` (from
        `reference_learner`, of all datasets).
    """
    best = best_errors(mean, database)
    reference = reference_learner(best)
    return pd.concat([paired_with(mean.sel(dataset=own.unique()), database, reference).assign(
        database=database, size=size, reference=reference)
        for size, own in best["dataset"].groupby(size_groups(best), sort=False)],
        ignore_index=True)


def picking_optimism(best: pd.DataFrame) -> pd.DataFrame:
    """Measure how far the validation error of a pick flatters, the more there is to pick from.

    Validation rows of a dataset may by chance be harder than its test rows, for all learners alike.
    What test minus validation is at the last anchors, where nothing is picked, is taken off.

    Parameters
    ----------
    best : pandas.DataFrame
        From `best_errors`, of one database.

    Returns
    -------
    pandas.DataFrame
        A row per ``pick`` ("nothing": each curve's last anchor; "anchor": the lowest of each
        curve; "curve": the lowest of each dataset, the first of equal ones): ``database``, mean
        ``valid`` and ``test`` error of the pick (means over datasets, in error rate), and
        ``optimism``, test minus validation less that at the dataset's last anchors, with its 95 %
        interval ``low`` to ``high`` over resampled datasets, in points of error rate; how many
        ``datasets`` there are.
    """
    curve = best.sort_values(["dataset", "valid"], kind="stable").drop_duplicates("dataset")
    last = best[["dataset"]].assign(valid=best["last_valid"], test=best["last_test"])
    picks = {"nothing": last, "anchor": best, "curve": curve}
    means = {pick: rows.groupby("dataset")[["valid", "test"]].mean()
             for pick, rows in picks.items()}
    control = means["nothing"]["test"] - means["nothing"]["valid"]
    rows = []
    for pick, mean in means.items():
        flattery = 100 * (mean["test"] - mean["valid"] - control)
        low, high = mean_interval(flattery, flattery.index.to_series())
        rows.append((best["database"].iloc[0], pick, mean["valid"].mean(), mean["test"].mean(),
                     flattery.mean(), low, high, len(flattery)))
    return pd.DataFrame(
        rows, columns=["database", "pick", "valid", "test", "optimism", "low", "high", "datasets"])


def sizes_of_summary() -> pd.DataFrame:
    """Return `paired_by_size` of LCDB 1.1's published means.

    Raises
    ------
    NotAtHandError
        Where they are not at hand.
    """
    return paired_by_size(mean_errors(load_curves("lcdb11-summary")), "lcdb11-summary")


def rule_regrets(regret: pd.DataFrame, against: str) -> pd.DataFrame:
    """Return what rules of choosing cost by size, and how one of them compares.

    Parameters
    ----------
    regret : pandas.DataFrame
        A row per size and dataset (levels ``rows`` and ``dataset``), a column per rule.
    against : str
        The rule that is compared.

    Returns
    -------
    pandas.DataFrame
        ``rows, rule``; ``regret`` with its 95 % interval over families, ``low, high``; by how much
        that of `against` is below it, negative, as ``less, less_low, less_high``, with ``p`` of
        sign flips; ``n_tables``, families.
    """
    rows = []
    for (size, own), rule in product(regret.groupby("rows"), regret):
        tables = own.index.get_level_values("dataset")
        costs, apart = summarise(own[rule], tables), own[against] - own[rule]
        less = summarise(apart, tables)
        rows.append((size, rule, costs.value, costs.low, costs.high, less.value, less.low,
                     less.high, family_p(apart, tables), count_families(tables)))
    return pd.DataFrame(rows, columns=["rows", "rule", "regret", "low", "high", "less", "less_low",
                                       "less_high", "p", "n_tables"])


def gaps_where_both(errors: xr.DataArray, one: str, other: str, datasets: np.ndarray) -> pd.Series:
    """Return by dataset how much the best test error of one learner is above another's, unscaled.

    Parameters
    ----------
    errors : xarray.DataArray
        From `mean_errors`; what either learner lacks is left out of both.
    one, other : str
    datasets : ndarray

    Returns
    -------
    pandas.Series
        Ascending.
    """
    both = errors.sel(learner=[one, other], dataset=datasets, scaling=["none"])
    both = best_errors(both.where(both.notnull().all(["learner", "split"])), "")
    wide = both.pivot(index="dataset", columns="learner", values="test")
    return (wide[one] - wide[other]).sort_values()
