"""The paper's search among meta-features done twice: rows paired as published, and by name."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from analysis.leaderboards.properties import judge, rank_correlations
from chapters.when_methods_differ import correlations as ranks
from chapters.when_methods_differ.extraction import SUITE, read_table
from collection.suites.specs import find_suite
from lab import pmlbmini

TOP = 10  # meta-features by which the paper counts groups
#: Methods run here, against logistic regression run here: by name only.
OWN = ("LightGBM (classifier)", "XGBoost", "CatBoost", "Random forest", "RealMLP")
#: Every method with the pairings it is looked at by.
STUDIED = (*((method, pairing) for method in pmlbmini.OTHERS for pairing in ranks.PAIRINGS),
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
        features = ranks.pair(self.features, gain, pairing, self.bands)
        rows = gain.index if pairing == "position" else gain.loc[self.problems].dropna().index
        return features.loc[rows], gain.loc[rows]


@cache
def open_study() -> MetaStudy:
    """Open the suite's meta-features and the paper's results.

    Raises `NotAtHandError` where either is not here.
    """
    auc = pmlbmini.published_test_auc()
    bands = pmlbmini.published_results().drop_duplicates("dataset").set_index("dataset")["band"]
    tasks = list(find_suite(SUITE).tasks)
    features, group = read_table(tasks)
    order = [task.name for task in tasks]
    own = pmlbmini.baseline_auc()
    gains = auc[list(pmlbmini.OTHERS)].sub(auc[pmlbmini.LOGISTIC], axis=0).join(
        own[list(OWN)].sub(own[pmlbmini.LOGISTIC], axis=0)).loc[order]
    return MetaStudy(features, group, gains, bands.str.split("-").str[0].astype(int),
                     pmlbmini.distinct_problems(order))


@cache
def _judged(method: str, pairing: str) -> tuple[pd.DataFrame, np.ndarray]:
    return judge(*open_study().paired(method, pairing))


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
        distinct problems), ``low, high`` (its 95 % interval).
    """
    study, rows = open_study(), []
    for method in pmlbmini.OTHERS:
        features, gain = study.paired(method, "name")
        gains = gain.to_numpy()[:, None]
        for pairing in ranks.PAIRINGS:
            everything = ranks.pair(study.features, study.gains[method], pairing, study.bands)
            rho = ranks.as_published(everything, study.gains[method])
            top = rho.sort_values(key=abs, ascending=False, kind="stable").head(TOP)
            for place, (name, value) in enumerate(top.items(), 1):
                low, high = ranks.correlation_interval(features[name], gain)
                rows.append({
                    "method": method, "pairing": pairing, "place": place, "meta_feature": name,
                    "group": study.group[name], "rho": value, "low": low, "high": high,
                    "by_name": rank_correlations(features[[name]], gains)[0, 0]})
    return pd.DataFrame(rows)


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
    beside = ranks.pair(names, gain, "position", study.bands)["name"]
    return pd.DataFrame({"place": range(1, len(beside) + 1), "gain_of": beside.index,
                         "meta_features_of": beside.to_numpy()})


KEPT = {"meta_features_methods": by_method,
        "meta_features_leaders": leaders, "meta_features_positions": positions}
