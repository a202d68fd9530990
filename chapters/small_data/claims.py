"""What the paper PMLBmini says, number by number, beside what comes out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from analysis.published.printed import CLOSE, DIFFERENT, EQUAL, compare
from chapters.small_data.margins import PERCENTS, p_against
from lab.pmlbmini import LOGISTIC, OTHERS

COLUMNS = ["claim", "published", "computed", "rule", "verdict"]
ALPHA = 0.05
#: The verdict on a claim that comes out the way the paper went, and otherwise does not.
BY_ITS_OWN_WAY = "only by the paper's own way"
SHARES = {0: "16", 1: "34", 2: "48", 3: "55"}  # Section 4.2
#: Section 4.3: the meta-feature that goes most with a method's gain, by PyMFE's name.
LEADERS = {"AutoPrognosis": "n2", "AutoGluon": "cls_coef", "TabPFN": "h_mean", "HyperFast": "min"}
PAIRINGS = {"position": "rows of meta-features and results paired by position, as published",
            "name": "paired by the dataset's name, twins once"}
TABLE4 = {"LightGBM": "LightGBM", "XGBoost": "XGBoost (Table 4)", "CatBoost": "CatBoost (Table 4)"}
STATISTICS = {"mean": np.mean, "std": np.std, "min": np.min, "max": np.max,
              **{f"{q}%": partial(np.percentile, q=q) for q in (25, 50, 75)}}


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the claims are held against.

    Attributes
    ----------
    tables : mapping of str to pandas.DataFrame
        The paper's printed tables: ``table1``, ``table2``, ``table3``, ``medians``, ``table4``.
    means : pandas.DataFrame
        Our baselines, from `lab.pmlbmini.baseline_means`.
    facts, gaps : pandas.DataFrame
        From `chapters.small_data.datasets`: `dataset_facts`, `coded_gaps`.
    twins : int
        Pairs of datasets that hold the same rows.
    shares, tests : pandas.DataFrame
        From `chapters.small_data.margins`: `share_within`, `published_tests`.
    cc18_small : int
        Tasks of CC-18 with at most 500 rows.
    meta_features : pandas.DataFrame
        Per ``method`` and ``pairing`` the ``leader`` among the meta-features and ``p_largest``, the
        probability that chance has one that large
        (`chapters.when_methods_differ.search`).
    """

    tables: Mapping[str, pd.DataFrame]
    means: pd.DataFrame
    facts: pd.DataFrame
    gaps: pd.DataFrame
    twins: int
    shares: pd.DataFrame
    tests: pd.DataFrame
    cc18_small: int
    meta_features: pd.DataFrame


def check_claims(evidence: Evidence) -> pd.DataFrame:
    """Hold every claim against the evidence.

    Returns
    -------
    pandas.DataFrame
        Columns `COLUMNS`: ``published`` as printed, ``computed`` printed likewise, ``rule`` how it
        was computed, ``verdict`` (`EQUAL`, within tolerance: one unit of the last printed place,
        or `DIFFERENT`). Yes and no stand for a claim in words.
    """
    parts = (_suite, _summary, _shares, _significance, _performance, _meta_features, _medians,
             _table3, _table4)
    rows = [row for part in parts for row in part(evidence)]
    return pd.DataFrame(rows, columns=COLUMNS)


def one_per_claim(readings: pd.DataFrame) -> pd.DataFrame:
    """Put the readings of each claim together, so that none counts more than once.

    Parameters
    ----------
    readings : pandas.DataFrame
        From `check_claims`: of several readings of a claim the first is the paper's own way.

    Returns
    -------
    pandas.DataFrame
        `COLUMNS`, a row per claim as the paper's own way has it, with ``otherwise``, what comes
        out by other ways. Where those differ and the paper's own does not, the verdict is
        `BY_ITS_OWN_WAY`.
    """
    rows = []
    for _, group in readings.groupby("claim", sort=False):
        first, others = group.iloc[0], group.iloc[1:]
        only = first["verdict"] != DIFFERENT and (others["verdict"] == DIFFERENT).any()
        said = "; ".join(f"{r.computed}: {r.rule}" for r in others.itertuples())
        rows.append({**first, "verdict": BY_ITS_OWN_WAY if only else first["verdict"],
                     "otherwise": said})
    return pd.DataFrame(rows, columns=[*COLUMNS, "otherwise"])


def printed_auc(table3: pd.DataFrame, split: str) -> pd.DataFrame:
    """Return Table 3's AUC of a split, datasets × methods."""
    table = table3[table3["split"] == split]
    return table.pivot(index="dataset", columns="method", values="value").astype(np.float64)


def _number(claim: str, published: str, computed: float, rule: str) -> tuple:
    found = compare(published, float(computed) + 1e-9)  # halves go up, as in the paper's tables
    return claim, published, found.printed, rule, found.verdict


def _stated(claim: str, holds: bool, rule: str) -> tuple:
    return claim, "yes", "yes" if holds else "no", rule, EQUAL if holds else DIFFERENT


def _suite(e: Evidence) -> Iterator[tuple]:
    """Sections 1, 3.1 and 4.2, Table 1: what the suite holds."""
    small = e.tables["table1"].set_index("benchmark")["small"]
    yield _number("datasets of the suite", "44", len(e.facts), "datasets of Table 3")
    yield _number("most rows of a dataset", "500", e.facts["rows"].max(), "rows in PMLB's files")
    yield _number("diverse problems: datasets that differ", "44", len(e.facts) - e.twins,
                  "pairs that hold the same rows up to coding count once")
    yield _number("Table 1: small datasets of CC-18", str(small["OpenML-CC18"]), e.cc18_small,
                  "tasks of CC-18's Table 1 with at most 500 rows")
    yield _stated("more than six times as many as three other suites together",
                  small["PMLBmini"] > 6 * small[["AMLB", "OpenML-CC18", "TabZilla"]].sum(),
                  "from Table 1")
    yield _number("cells with a missing value", "0", e.gaps["cells"].sum(),
                  "cells whose value stands for a gap by the datasets' descriptions")
    yield _number("share of datasets that TabPFN's prior was developed on (%)", "45",
                  100 * (~e.facts["reduced"]).mean(), "datasets left out of the reduced suite")


def _summary(e: Evidence) -> Iterator[tuple]:
    """Table 2, and the largest feature set (Section 3.1)."""
    for row in e.tables["table2"].astype(str).itertuples():
        value = STATISTICS[row.statistic](e.facts[row.quantity].to_numpy())
        yield _number(f"Table 2: {row.statistic} of {row.quantity.replace('_', ' ')}", row.value,
                      value, "from PMLB's files")


def _shares(e: Evidence) -> Iterator[tuple]:
    """Abstract and Section 4.2: how often logistic regression is near the best."""
    table = e.shares.set_index(["rule", "within"])["percent"]
    rules = {"rounded": "AUC rounded to two decimals first, difference in whole hundredths",
             "full": "at full precision, difference of AUC",
             "relative": "rounded values, percent of the best AUC"}
    for rule, words in rules.items():
        for limit in PERCENTS:
            what = f"within {limit} % of" if limit else "on par with or better than"
            yield _number(f"datasets on which logistic regression is {what} the best (%)",
                          SHARES[limit], table[rule, limit], words)


def _significance(e: Evidence) -> Iterator[tuple]:
    """Section 4.2, Figure 2b: which methods differ."""
    tests = dict(list(e.tests.groupby(["datasets", "precision"])))
    for precision in ("full", "rounded"):
        p = p_against(tests[44, precision])
        for method in OTHERS:
            differs, found = method in ("AutoPrognosis", "TabPFN"), p[method]
            yield _stated(f"{method} {'differs' if differs else 'does not differ'} from logistic "
                          "regression (p = 0.05)", (found < ALPHA) == differs,
                          f"Wilcoxon, Holm, {precision} values: p = {found:.4f}")
        least = tests[24, precision].sort_values("p_adjusted", kind="stable").iloc[0]
        yield _stated("no pair differs on the datasets outside TabPFN's prior",
                      bool(least["p_adjusted"] >= ALPHA),
                      f"Wilcoxon, Holm, {precision} values: p = {least['p_adjusted']:.4f}, "
                      f"{least['one']} and {least['other']}")


def _performance(e: Evidence) -> Iterator[tuple]:
    """Section 4.2 and Table 4's caption in words."""
    auc = printed_auc(e.tables["table3"], "test")
    best, worst = auc.eq(auc.max(axis=1), axis=0), auc.eq(auc.min(axis=1), axis=0)
    yield _stated("each approach wins on a dataset and loses on another",
                  bool(best.any().all() and worst.any().all()), "from Table 3, ties included")
    yield _stated("logistic regression beats AutoPrognosis on backache",
                  bool(auc.loc["backache", LOGISTIC] > auc.loc["backache", "AutoPrognosis"]),
                  "from Table 3")
    rows = e.facts.set_index("dataset")["rows"].reindex(auc.index)
    slopes = auc.corrwith(rows, method="spearman")
    yield _stated("a trend for all methods to do better with more rows", bool((slopes > 0).all()),
                  f"Spearman's correlation of test AUC and rows: {slopes.min():.2f} to "
                  f"{slopes.max():.2f}")
    test = e.means[e.means["split"] == "test"].pivot(index="dataset", columns="method",
                                                     values="auc")
    medians = test.median()
    for method in ("XGBoost", "CatBoost"):
        yield _stated(f"{method} by its defaults has a lower median than logistic regression",
                      bool(medians[method] < medians[LOGISTIC]),
                      f"its real defaults: {medians[method]:.3f} against "
                      f"{medians[LOGISTIC]:.3f}")
    gap = medians["LightGBM"] - medians[LOGISTIC]
    yield _stated("LightGBM reaches a similar median to logistic regression",
                  bool(abs(gap) <= 0.02), f"medians differ by {gap:+.3f}")


def _meta_features(e: Evidence) -> Iterator[tuple]:
    """Section 4.3, Figure 5: which meta-feature goes most with a method's gain."""
    of_the_paper = e.meta_features[e.meta_features["method"].isin(LEADERS)]
    for row in of_the_paper.sort_values("pairing", ascending=False, kind="stable").itertuples():
        published, found = LEADERS[row.method], row.leader.partition(".")[0]
        rule = f"{PAIRINGS[row.pairing]}; p = {row.p_largest:.2f} for the largest of all"
        yield (f"meta-feature that goes most with the gain of {row.method}", published, found, rule,
               EQUAL if found == published else DIFFERENT)


def _medians(e: Evidence) -> Iterator[tuple]:
    """Table 3's medians by band: of the rounded values, halves up."""
    printed = e.tables["table3"].query("split != 'lambda'").astype({"value": float})
    found = printed.groupby(["band", "method", "split"])["value"].median()
    for row in e.tables["medians"].itertuples():
        yield _number(f"Table 3: median {row.split} AUC of {row.method}, {row.band} rows",
                      f"{row.value:.2f}", found[row.band, row.method, row.split],
                      "median of the rounded values")


def _table3(e: Evidence) -> Iterator[tuple]:
    """Table 3's column of logistic regression, run here."""
    ours = e.means[e.means["method"] == LOGISTIC].set_index(["split", "dataset"])
    table = e.tables["table3"].query("method == @LOGISTIC")
    chosen = ours["hyperparameters"].str.extract(r'"lambda": ([\d.]+)')[0].astype(float)
    rules = {"train": "fitted and scored on all rows", "lambda": "chosen on all rows",
             "test": "three folds in the order of the rows; the authors' folds are not known"}
    for split, rule in rules.items():
        for row in table[table["split"] == split].itertuples():
            if split == "lambda":
                same = chosen["train", row.dataset] == row.value
                yield (f"Table 3: λ* on {row.dataset}", f"{row.value:g}",
                       f"{chosen['train', row.dataset]:g}", rule, EQUAL if same else DIFFERENT)
            else:
                yield _number(f"Table 3: {split} AUC of logistic regression on {row.dataset}",
                              f"{row.value:.2f}", ours.loc[(split, row.dataset), "auc"], rule)


def _table4(e: Evidence) -> Iterator[tuple]:
    """Table 4, run as its code does."""
    ours = e.means[e.means["split"] == "test"].set_index(["method", "dataset"])["auc"]
    rules = {"LightGBM": "lightgbm.train without parameters: squared error",
             "XGBoost": "2 trees of depth 2, learning rate 1, AUC of hard labels",
             "CatBoost": "2 trees of depth 2, learning rate 1, AUC of hard labels"}
    for row in e.tables["table4"].itertuples():
        yield _number(f"Table 4: test AUC of {row.method} on {row.dataset}", f"{row.value:.2f}",
                      ours[TABLE4[row.method], row.dataset], rules[row.method])


def count_claims(claims: pd.DataFrame) -> pd.DataFrame:
    """Count verdicts by topic: a claim's words up to a colon, or the text.

    Returns
    -------
    pandas.DataFrame
        ``topic``, a column per verdict, ``claims``.
    """
    where = claims["claim"].str.extract(r"^(Table \d)")[0].fillna("text")
    counts = pd.crosstab(where, claims["verdict"])
    order = [v for v in (EQUAL, CLOSE, BY_ITS_OWN_WAY, DIFFERENT) if v in counts]
    counts = counts[order].rename_axis("topic", axis=0).rename_axis(columns=None)
    return counts.assign(claims=counts.sum(axis=1)).reset_index()
