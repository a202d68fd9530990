"""The paper's meta-feature study done twice: rows paired as published, and by name."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from analysis.records.computed import recall
from analysis.small_data.baselines import baseline_auc
from analysis.small_data.meta_features import (
    PAIRINGS,
    as_published,
    correlation_interval,
    judge,
    pair,
    partial_correlation,
    rank_correlations,
)
from analysis.small_data.meta_features_table import SUITE, read_table
from analysis.small_data.published import LOGISTIC, OTHERS, published_results, published_test_auc
from collection.suites.shelf import find_suite

TOP = 10  # meta-features by which the paper counts groups
KEPT_ROWS = 100  # of the largest correlations per method and pairing: what is kept of all
COLUMNS = ["method", "meta_feature", "pairing", "rho", "p", "p_adjusted"]
ROWS = "nr_inst"
#: Methods run here, against logistic regression run here: by name only.
OWN = ("LightGBM (classifier)", "XGBoost", "CatBoost", "Random forest", "RealMLP")
#: Every method with the pairings it is looked at by.
STUDIED = (*((method, pairing) for method in OTHERS for pairing in PAIRINGS),
           *((method, "name") for method in OWN))


@dataclass(frozen=True)
class MetaStudy:
    """What is needed of the suite.

    Attributes
    ----------
    features : pandas.DataFrame
        A row per dataset, in order of size as the paper's Table 3; a column per meta-feature.
    group : pandas.Series
        PyMFE's group of each.
    gains : pandas.DataFrame
        Mean test AUC less logistic regression's, by dataset (same order) and method: the paper's
        and `OWN`; NaN where one failed.
    bands : pandas.Series
        Least number of rows of the band that the paper puts a dataset in.
    problems : list of str
        Datasets without second versions: of twins, the first by name.
    """

    features: pd.DataFrame
    group: pd.Series
    gains: pd.DataFrame
    bands: pd.Series
    problems: list[str]

    def paired(self, method: str, pairing: str) -> tuple[pd.DataFrame, pd.Series]:
        """Return meta-features and gains, row by row: by position all rows, by name problems."""
        gain = self.gains[method]
        features = pair(self.features, gain, pairing, self.bands)
        rows = gain.index if pairing == "position" else gain.loc[self.problems].dropna().index
        return features.loc[rows], gain.loc[rows]


@cache
def open_study() -> MetaStudy:
    """Open the suite's meta-features and the paper's results.

    Raises `NotAtHandError` where either is not here.
    """
    auc = published_test_auc()
    bands = published_results().drop_duplicates("dataset").set_index("dataset")["band"]
    tasks = list(find_suite(SUITE).tasks)
    features, group = read_table(tasks)
    order = [task.name for task in tasks]
    own = baseline_auc()
    gains = auc[list(OTHERS)].sub(auc[LOGISTIC], axis=0).join(
        own[list(OWN)].sub(own[LOGISTIC], axis=0)).loc[order]
    return MetaStudy(features, group, gains, bands.str.split("-").str[0].astype(int),
                     distinct_problems(order))


def distinct_problems(datasets: list[str]) -> list[str]:
    """Leave out of twins, which hold the same rows recoded, all but the first by name.

    Parameters
    ----------
    datasets : list of str
        PMLB's names.
    """
    found = recall("suites_duplicates_pmlb")
    names = found[["dataset", "twin"]].apply(lambda column: column.str.removeprefix("pmlb:"))
    same = found["kind"].isin(["copy", "recoded"]) & names.isin(datasets).all(axis=1)
    second = names[same].max(axis=1)
    return [name for name in datasets if name not in set(second)]


@cache
def _judged(method: str, pairing: str) -> tuple[pd.DataFrame, np.ndarray]:
    return judge(*open_study().paired(method, pairing))


def correlations() -> pd.DataFrame:
    """Return the largest correlations of every method, by both pairings.

    Returns
    -------
    pandas.DataFrame
        `COLUMNS` and ``group``: the `KEPT_ROWS` of largest |rho| of each method and pairing.
    """
    tables = []
    for method, pairing in STUDIED:
        table = _judged(method, pairing)[0]
        table = table.loc[table["rho"].abs().sort_values(ascending=False, kind="stable").index]
        tables.append(table.head(KEPT_ROWS).rename_axis("meta_feature").reset_index().assign(
            method=method, pairing=pairing))
    table = pd.concat(tables, ignore_index=True)
    return table.assign(group=table["meta_feature"].map(open_study().group))[[*COLUMNS, "group"]]


def by_method() -> pd.DataFrame:
    """Return what each method's correlations come to.

    Returns
    -------
    pandas.DataFrame
        A row per method and pairing: ``n_datasets``, ``n_features`` (judged), ``leader`` (of the
        largest |rho|), ``rho``, ``p_largest`` (share of permutations whose largest is as large),
        ``chance_median, chance_95`` (of the largest |rho| under permutation), ``below_05`` (of the
        unadjusted p), ``holm_05, bh_05`` (of the adjusted).
    """
    rows = []
    for method, pairing in STUDIED:
        table, largest = _judged(method, pairing)
        leader = table["rho"].abs().idxmax()
        rows.append({
            "method": method, "pairing": pairing,
            "n_datasets": len(open_study().paired(method, pairing)[1]),
            "n_features": len(table), "leader": leader, "rho": table["rho"][leader],
            "p_largest": table["p_adjusted"].min(), "chance_median": np.median(largest),
            "chance_95": np.quantile(largest, 0.95), "below_05": int((table["p"] < 0.05).sum()),
            "holm_05": int((table["p_holm"] < 0.05).sum()),
            "bh_05": int((table["p_bh"] < 0.05).sum())})
    return pd.DataFrame(rows)


def leaders() -> pd.DataFrame:
    """Return the top meta-features of either pairing, and what the other pairing makes of them.

    Returns
    -------
    pandas.DataFrame
        A row per method, pairing and place (1 to `TOP`): ``meta_feature, group``; ``rho``, over all
        44 datasets with whatever values there are, as the paper's code has it; ``by_name`` (over
        distinct problems), ``low, high`` (its 95 % interval) and ``given_rows`` (partial, given the
        number of rows).
    """
    study, rows = open_study(), []
    size = study.features[ROWS]
    for method in OTHERS:
        features, gain = study.paired(method, "name")
        for pairing in PAIRINGS:
            everything = pair(study.features, study.gains[method], pairing, study.bands)
            rho = as_published(everything, study.gains[method])
            top = rho.loc[rho.abs().sort_values(ascending=False, kind="stable").index].head(TOP)
            for place, (name, value) in enumerate(top.items(), 1):
                column = features[name]
                low, high = correlation_interval(column, gain)
                rows.append({
                    "method": method, "pairing": pairing, "place": place, "meta_feature": name,
                    "group": study.group[name], "rho": value, "low": low, "high": high,
                    "by_name": rank_correlations(features[[name]], gain.to_numpy()[:, None])[0, 0],
                    "given_rows": partial_correlation(column, gain, size.loc[gain.index])})
    return pd.DataFrame(rows)


def size_effect() -> pd.DataFrame:
    """Return how the gain goes with the number of rows, and how many meta-features stand for it.

    Returns
    -------
    pandas.DataFrame
        A row per method: ``rho`` with the number of rows, ``low, high``; ``stand_for_rows``, the
        share of judged meta-features whose |rho| with the rows is above 0.5.
    """
    study, table = open_study(), []
    for method in OTHERS:
        features, gain = study.paired(method, "name")
        rows = features[ROWS]
        with_rows = np.abs(rank_correlations(features, rows.to_numpy()[:, None])[:, 0])
        low, high = correlation_interval(rows, gain)
        table.append({
            "method": method, "low": low, "high": high,
            "rho": rank_correlations(features[[ROWS]], gain.to_numpy()[:, None])[0, 0],
            "stand_for_rows": np.nanmean(with_rows[~np.isnan(with_rows)] > 0.5)})
    return pd.DataFrame(table)


def chance() -> pd.DataFrame:
    """Return the percentiles of the largest |rho| under permutation: ``method, pairing, …``."""
    levels = np.linspace(0, 1, 51)
    return pd.concat([
        pd.DataFrame({"method": method, "pairing": pairing, "level": levels,
                      "largest": np.quantile(_judged(method, pairing)[1], levels)})
        for method in OTHERS for pairing in PAIRINGS], ignore_index=True)


def positions() -> pd.DataFrame:
    """Return which meta-features' row the published pairing puts beside each dataset's gain.

    Returns
    -------
    pandas.DataFrame
        Columns ``place, gain_of, meta_features_of``.
    """
    study = open_study()
    gain = pd.Series(0, index=study.gains.index)
    names = pd.DataFrame({"name": study.features.index}, index=study.features.index)
    beside = pair(names, gain, "position", study.bands)["name"]
    return pd.DataFrame({"place": range(1, len(beside) + 1), "gain_of": beside.index,
                         "meta_features_of": beside.to_numpy()})


KEPT = {"meta_features_correlations": correlations, "meta_features_methods": by_method,
        "meta_features_leaders": leaders, "meta_features_size": size_effect,
        "meta_features_chance": chance, "meta_features_positions": positions}
