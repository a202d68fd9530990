"""The paper's meta-feature study done twice, rows paired as published and by name; its facts."""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pandas as pd
from statsmodels.stats.multitest import multipletests

from analysis.comparison.baselines import baseline_auc
from analysis.published import pmlbmini
from analysis.published.computed import DATE, compute_or_recall
from analysis.published.printed import published_table
from analysis.statistics.families import count_families
from chapters.facts import Facts
from chapters.when_methods_differ import correlations as ranks
from chapters.when_methods_differ.extraction import SUITE, read_table
from chapters.when_methods_differ.power import (
    all_tests,
    detection,
    one_test,
    power_table,
    problems_needed,
)
from collection.suites.specs import find_suite

TOP = 10  # meta-features by which the paper counts groups
KEPT_ROWS = 100  # of the largest correlations per method and pairing: what is kept of all
COLUMNS = ["method", "meta_feature", "pairing", "rho", "p", "p_adjusted"]
ROWS = "nr_inst"
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
    own = baseline_auc()
    gains = auc[list(pmlbmini.OTHERS)].sub(auc[pmlbmini.LOGISTIC], axis=0).join(
        own[list(OWN)].sub(own[pmlbmini.LOGISTIC], axis=0)).loc[order]
    return MetaStudy(features, group, gains, bands.str.split("-").str[0].astype(int),
                     pmlbmini.distinct_problems(order))


@cache
def _judged(method: str, pairing: str) -> tuple[pd.DataFrame, np.ndarray]:
    return ranks.judge(*open_study().paired(method, pairing))


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
    for method in pmlbmini.OTHERS:
        features, gain = study.paired(method, "name")
        gains = gain.to_numpy()[:, None]
        for pairing in ranks.PAIRINGS:
            everything = ranks.pair(study.features, study.gains[method], pairing, study.bands)
            rho = ranks.as_published(everything, study.gains[method])
            top = rho.loc[rho.abs().sort_values(ascending=False, kind="stable").index].head(TOP)
            for place, (name, value) in enumerate(top.items(), 1):
                column = features[name]
                low, high = ranks.correlation_interval(column, gain)
                rows.append({
                    "method": method, "pairing": pairing, "place": place, "meta_feature": name,
                    "group": study.group[name], "rho": value, "low": low, "high": high,
                    "by_name": ranks.rank_correlations(features[[name]], gains)[0, 0],
                    "given_rows": ranks.partial_correlation(column, gain, size.loc[gain.index])})
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
    for method in pmlbmini.OTHERS:
        features, gain = study.paired(method, "name")
        rows = features[ROWS]
        with_rows = np.abs(ranks.rank_correlations(features, rows.to_numpy()[:, None])[:, 0])
        low, high = ranks.correlation_interval(rows, gain)
        table.append({
            "method": method, "low": low, "high": high,
            "rho": ranks.rank_correlations(features[[ROWS]], gain.to_numpy()[:, None])[0, 0],
            "stand_for_rows": np.nanmean(with_rows[~np.isnan(with_rows)] > 0.5)})
    return pd.DataFrame(table)


def chance() -> pd.DataFrame:
    """Return the percentiles of the largest |rho| under permutation: ``method, pairing, …``."""
    levels = np.linspace(0, 1, 51)
    return pd.concat([
        pd.DataFrame({"method": method, "pairing": pairing, "level": levels,
                      "largest": np.quantile(_judged(method, pairing)[1], levels)})
        for method in pmlbmini.OTHERS for pairing in ranks.PAIRINGS], ignore_index=True)


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


KEPT = {"meta_features_correlations": correlations, "meta_features_methods": by_method,
        "meta_features_leaders": leaders, "meta_features_size": size_effect,
        "meta_features_chance": chance, "meta_features_positions": positions}
AUTOML = ("AutoPrognosis", "AutoGluon")
SINGLE, SEARCH = "one meta-feature, named beforehand", "any of them, searched"


@dataclass(frozen=True, eq=False)
class Tables:
    """What the chapter shows.

    Attributes
    ----------
    correlations, methods, leaders, size, chance, positions : pandas.DataFrame
        From the functions of `KEPT`.
    computed_on : str
        When what is kept was computed.
    """

    correlations: pd.DataFrame
    methods: pd.DataFrame
    leaders: pd.DataFrame
    size: pd.DataFrame
    chance: pd.DataFrame
    positions: pd.DataFrame
    computed_on: str

    @property
    def published(self) -> pd.DataFrame:
        """Return the rows of `methods` of the paper's own."""
        return self.methods[~self.methods["method"].isin(OWN)]

    @property
    def own(self) -> pd.DataFrame:
        """Return the rows of `methods` of those run here."""
        return self.methods[self.methods["method"].isin(OWN)]

    @property
    def least(self) -> dict[str, float]:
        """Return the distances that count; see `distances`."""
        return distances(self.published)

    @property
    def problems(self) -> int:
        """Return how many distinct problems there are."""
        return int(self.published.query("pairing == 'name'")["n_datasets"].iloc[0])

    @cached_property
    def power(self) -> pd.DataFrame:
        """Return what `power_table` says of these distances and problems."""
        return power_table(self.least, self.problems)


def study() -> Tables:
    """Return what the chapter shows; computed where the data are at hand, else as kept."""
    found = {name.removeprefix("meta_features_"): compute_or_recall(name, compute)
             for name, compute in KEPT.items()}
    date = str(found["methods"][DATE].iloc[0])
    return Tables(**{name: table.drop(columns=DATE) for name, table in found.items()},
                  computed_on=date)


def distances(methods: pd.DataFrame) -> dict[str, float]:
    """Return the distance that counts (see `detection`) for a single test and for the search.

    Parameters
    ----------
    methods : pandas.DataFrame
        From `by_method`; the search by name counts, the mean over the methods.
    """
    by_name = methods[methods["pairing"] == "name"]
    n = int(by_name["n_datasets"].iloc[0])
    return {SINGLE: one_test(), SEARCH: all_tests(by_name["chance_95"].mean(), n)}


def top_three(leaders: pd.DataFrame) -> pd.DataFrame:
    """Return the first three of either pairing; no interval where there is no correlation."""
    top = leaders[leaders["place"] <= 3]
    unknown = top["by_name"].isna()
    return top.assign(low=top["low"].mask(unknown), high=top["high"].mask(unknown))[[
        "method", "pairing", "place", "meta_feature", "group", "rho", "by_name", "low", "high",
        "given_rows"]]


def facts(tables: Tables) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows = Facts()
    same = tables.positions["gain_of"] == tables.positions["meta_features_of"]
    rows.update({"date": tables.computed_on, "kept_rows": KEPT_ROWS, "problems": tables.problems})
    rows.add("families", count_families(f"pmlb:{name}" for name in tables.positions["gain_of"]),
             note="of near-duplicates, of one study or source among them")
    rows.add("same_rows", int(same.sum()), n=len(same))
    rows.add("rows", len(same), note="rows of the published analysis")
    name, position = (tables.published[tables.published["pairing"] == p] for p in ranks.PAIRINGS)
    rows.add("features", int(name["n_features"].min()), note="meta-features that can be judged")
    _add_range(rows, "p_name", name["p_largest"])
    _add_range(rows, "p_position", position["p_largest"])
    _add_range(rows, "rho_name", name["rho"].abs())
    for column in ("chance_median", "chance_95"):
        _add_range(rows, column, name[column])
    rows.update({"holm": int(name["holm_05"].sum()), "bh": int(name["bh_05"].sum())},
                note="meta-features below .05 after correction, all methods together")
    _add_range(rows, "below", 100 * name["below_05"] / name["n_features"], unit="%", digits=1)
    _add_power(rows, tables)
    clear = tables.size["low"] * tables.size["high"] > 0
    rows.add("rows_clear", int(clear.sum()), n=len(clear))
    rows.add("methods", len(clear), note="methods of the paper besides logistic regression")
    _add_range(rows, "rows_rho", tables.size["rho"])
    rows.add("stand_for_rows", 100 * tables.size["stand_for_rows"].mean(), unit="%")
    _add_own(rows, tables.own["p_largest"])
    _add_leaders(rows, tables.leaders)
    return rows.table()


def _add_range(rows: Facts, key: str, values: pd.Series, unit: str = "", digits: int = 2) -> None:
    """Add the least and the most of some values over the methods."""
    rows.add(f"{key}_least", values.min(), digits=digits)
    rows.add(f"{key}_most", values.max(), unit=unit, digits=digits)


def _add_power(rows: Facts, tables: Tables) -> None:
    n, least = tables.problems, tables.least
    for key, question in (("power_half", SEARCH), ("power_half_single", SINGLE)):
        rows.add(key, float(100 * detection(0.5, n, least[question])), unit="%",
                 note=f"of studies find a true correlation of 0.5: {question}")
    for key, rho in (("needed_half", 0.5), ("needed_third", 0.3)):
        rows.add(key, problems_needed(rho, least[SEARCH]), note=f"problems for 80 %, rho {rho}")


def _add_own(rows: Facts, p: pd.Series) -> None:
    """Add what came of the methods that were run here."""
    _add_range(rows, "own_p", p)
    rows.add("own", len(p), note="methods run here")
    rows.add("own_told", int((p < 0.05).sum()), n=len(p))
    rows.add("own_holm", int(multipletests(p, method="holm")[0].sum()), n=len(p))


def _add_leaders(rows: Facts, leaders: pd.DataFrame) -> None:
    """Add whether the paper's leading meta-features come out, and what is left of them by name."""
    position = leaders[leaders["pairing"] == "position"]
    first = position[position["place"] == 1].set_index("method")
    stem = first["meta_feature"].str.split(".").str[0]
    said = published_table("pmlbmini_leaders").set_index("method")["meta_feature"]
    comes_out = stem == said.reindex(stem.index)
    rows.add("leaders_come_out", int(comes_out.sum()), n=len(stem))
    rows.add("leaders", ", ".join(f"{f} for {m}" for m, f in stem[comes_out].items()))
    rows.add("leaders_other", "; ".join(_place_of(position, m, said[m])
                                        for m in stem.index[~comes_out]) or "none")
    _add_range(rows, "leaders_by_name", first["by_name"].abs())
    rows.add("leaders_span", int((first["low"] * first["high"] <= 0).sum()), n=len(first))
    by_name = leaders[(leaders["pairing"] == "name") & (leaders["place"] == 1)]
    left = 100 * by_name["given_rows"].abs() / by_name["by_name"].abs()
    _add_range(rows, "left_given_rows", left, unit="%", digits=0)
    rows.add("left_known", int(left.notna().sum()), n=len(left))
    automl = leaders[leaders["method"].isin(AUTOML)]
    counts = (automl["group"] == "complexity").groupby(automl["pairing"]).sum()
    rows.update({f"complexity_{p}": int(counts[p]) for p in ranks.PAIRINGS}, n=len(AUTOML) * TOP)
    rows.add("top", len(AUTOML) * TOP, note="of the two AutoML methods' top tens")
    both = leaders.groupby(["method", "pairing"])["meta_feature"].agg(set).unstack()
    rows.add("shared_top", sum(len(r["name"] & r["position"]) for _, r in both.iterrows()),
             n=len(both) * TOP)


def _place_of(position: pd.DataFrame, method: str, feature: str) -> str:
    """Say at which place a meta-feature comes, of the paper's leaders that do not come first."""
    here = position[(position["method"] == method)
                    & (position["meta_feature"].str.split(".").str[0] == feature)]
    if here.empty:
        return f"{feature} of {method}, not among the first ten"
    best = here.sort_values("place", kind="stable").iloc[0]
    lead = position[(position["method"] == method) & (position["place"] == 1)].iloc[0]
    return (f"{feature} of {method}, number {best['place']} with {best['rho']:.3f} against "
            f"{abs(lead['rho']):.3f}")
