"""The paper's search among meta-features done twice: rows paired as published, and by name.

``python -m lab.meta_features`` gathers those of PMLBmini's datasets once, in hours, into the cache.
Of them and the raw results the search takes minutes; *when_methods_differ* reads what is kept.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from analysis.leaderboards.properties import correlations, judge
from analysis.published.computed import NotAtHandError
from analysis.statistics.bootstrap import percentile_interval
from collection.project.paths import cache_dir
from collection.running import meta_features
from collection.suites.specs import find_suite
from collection.tasks import Task
from lab import pmlbmini

SUITE = "pmlbmini"


def meta_features_folder() -> Path:
    """Return where the files are: ``meta_features`` in the cache."""
    return cache_dir() / "meta_features"


def read_table(tasks: Sequence[Task], folder: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Return what was gathered, as `collection.running.meta_features.read_table` does.

    Raises
    ------
    NotAtHandError
        Where a dataset's are not there; the message says how to get them.
    """
    absent = [task.name for task in tasks if not meta_features.file_of(folder, task).exists()]
    if absent:
        raise NotAtHandError(f"The meta-features of {len(absent)} datasets ({', '.join(absent[:3])}"
                             f"{', …' if absent[3:] else ''}) are not in {folder}. Get them with "
                             "`python -m lab.meta_features`.")
    return meta_features.read_table(tasks, folder)


TOP = 10  # meta-features by which the paper counts groups
PAIRINGS = ("name", "position")
#: Methods run here, against logistic regression run here: by name only.
OWN = ("LightGBM (classifier)", "XGBoost", "CatBoost", "Random forest", "RealMLP")
#: Every method with the pairings it is looked at by.
STUDIED = (*((method, pairing) for method in pmlbmini.OTHERS for pairing in PAIRINGS),
           *((method, "name") for method in OWN))


@cache
def _opened() -> tuple[pd.DataFrame, pd.Series, pd.DataFrame, pd.Series]:
    """Return meta-features, their groups, gains in mean AUC, and bands of size; datasets by size.

    Raises `NotAtHandError` where the raw results or the meta-features are not here.
    """
    auc = pmlbmini.published_test_auc()
    bands = pmlbmini.published_results().drop_duplicates("dataset").set_index("dataset")["band"]
    features, group = read_table(find_suite(SUITE).tasks, meta_features_folder())
    own = pmlbmini.baseline_auc()
    gains = auc[list(pmlbmini.OTHERS)].sub(auc[pmlbmini.LOGISTIC], axis=0).join(
        own[list(OWN)].sub(own[pmlbmini.LOGISTIC], axis=0)).loc[features.index]
    return features, group, gains, bands.str.split("-").str[0].astype(int)


def pair(features: pd.DataFrame, gain: pd.Series, pairing: str, bands: pd.Series) -> pd.DataFrame:
    """Return the meta-features row by row beside the gain, by name or as published.

    Parameters
    ----------
    features : pandas.DataFrame
        A row per dataset.
    gain : pandas.Series
        Of each dataset, in order of size: as the paper's results stand.
    pairing : {"name", "position"}
        The second is the published one: the meta-features stand in alphabetical order within bands
        of size, the gains in order of size, and the k-th row of one is taken for the k-th of
        the other.
    bands : pandas.Series
        The band of each dataset's size, by name; bands sort in order of size.
    """
    order = list(gain.index)
    if pairing == "position":
        order = sorted(gain.index, key=lambda name: (bands[name], name))
    return features.loc[order].set_axis(gain.index)


def _paired(method: str, pairing: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return meta-features and gains, row by row: by position all rows, by name problems."""
    features, _, gains, bands = _opened()
    gain = gains[method]
    if pairing == "name":
        gain = gain.loc[pmlbmini.distinct_problems(list(gain.index))].dropna()
    return pair(features, gain, pairing, bands), gain


def as_published(features: pd.DataFrame, gain: pd.Series) -> pd.Series:
    """Return Spearman's correlation of every meta-feature with the gain, as published.

    Rows where a meta-feature has no value are left out for it, however few remain; NaN for one that
    is constant.
    """
    varied = features.loc[:, features.nunique() > 1]
    return varied.corrwith(gain, method="spearman").reindex(features.columns)


def correlation_interval(feature: pd.Series, gain: pd.Series) -> tuple[float, float]:
    """Return the 95 % percentile interval of Spearman's correlation, resampling problems."""
    there = feature.notna().to_numpy()
    x, y = feature.to_numpy(float)[there], gain.to_numpy(float)[there]
    drawn = np.random.default_rng(0).integers(len(x), size=(len(x), 2000))
    a, b = (rankdata(v[drawn], axis=0) for v in (x, y))
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    spread = np.sqrt((a**2).sum(axis=0) * (b**2).sum(axis=0))
    found = np.divide((a * b).sum(axis=0), spread, out=np.full(len(spread), np.nan),
                      where=spread > 0)
    low, high = percentile_interval(found)
    return float(low), float(high)


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
        features, gain = _paired(method, pairing)
        table, largest = judge(features, gain)
        leader = table["rho"].abs().idxmax()
        below = {f"{name}_05": int((table[p] < 0.05).sum())
                 for name, p in (("below", "p"), ("holm", "p_holm"), ("bh", "p_bh"))}
        rows.append({"method": method, "pairing": pairing, "n_datasets": len(gain),
                     "n_features": len(table), "leader": leader, "rho": table["rho"][leader],
                     "p_largest": table["p_adjusted"].min(), "chance_median": np.median(largest),
                     "chance_95": np.quantile(largest, 0.95), **below})
    return pd.DataFrame(rows)


def leaders() -> pd.DataFrame:
    """Return the top meta-features of either pairing, and what the other pairing makes of them.

    Returns
    -------
    pandas.DataFrame
        A row per method, pairing and place (1 to `TOP`): ``meta_feature, group``; ``rho``, over all
        44 datasets with whatever values there are, as the paper's code has it; ``by_name`` (over
        distinct problems), ``low, high`` (its 95 % interval).
    """
    everything, group, gains, bands = _opened()
    rows = []
    for method in pmlbmini.OTHERS:
        features, gain = _paired(method, "name")
        for pairing in PAIRINGS:
            rho = as_published(pair(everything, gains[method], pairing, bands), gains[method])
            top = rho.sort_values(key=abs, ascending=False, kind="stable").head(TOP)
            for place, (name, value) in enumerate(top.items(), 1):
                low, high = correlation_interval(features[name], gain)
                by_name = correlations(features[[name]], gain.to_numpy()[:, None])[0, 0]
                rows.append({"method": method, "pairing": pairing, "place": place,
                             "meta_feature": name, "group": group[name], "rho": value, "low": low,
                             "high": high, "by_name": by_name})
    return pd.DataFrame(rows)


def positions() -> pd.DataFrame:
    """Return which meta-features' row the published pairing puts beside each dataset's gain.

    Returns
    -------
    pandas.DataFrame
        Columns ``place, gain_of, meta_features_of``.
    """
    features, _, gains, bands = _opened()
    beside = pair(features.index.to_frame(name="name"), gains.iloc[:, 0], "position", bands)
    return pd.DataFrame({"place": range(1, len(beside) + 1), "gain_of": beside.index,
                         "meta_features_of": beside["name"].to_numpy()})


KEPT = {"meta_features_methods": by_method,
        "meta_features_leaders": leaders, "meta_features_positions": positions}


if __name__ == "__main__":
    meta_features.gather(find_suite(SUITE).tasks, meta_features_folder())
