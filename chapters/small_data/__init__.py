"""Is logistic regression enough on small tables? PMLBmini's 44, the paper's results and ours."""

from collections.abc import Mapping

import pandas as pd

from analysis.drawing.chart import Chart
from analysis.published.computed import DATE, compute_or_recall, recall
from analysis.published.printed import CLOSE, DIFFERENT, EQUAL, published_table
from analysis.statistics.families import families
from analysis.statistics.summary import summarise
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from chapters.small_data.claims import (
    BY_ITS_OWN_WAY,
    TABLE4,
    Evidence,
    check_claims,
    count_claims,
    one_per_claim,
)
from chapters.small_data.datasets import coded_gaps, dataset_facts
from chapters.small_data.margins import (
    PERCENTS,
    p_against,
    published_auc,
    published_margins,
    published_tests,
    share_within,
)
from collection.suites.specs import find_suite
from lab.pmlbmini import (
    LOGISTIC,
    RESULT,
    baseline_auc,
    baseline_means,
    compare_pairs,
    distinct_problems,
)

KEPT = {"small_data_datasets": dataset_facts, "small_data_gaps": coded_gaps,
        "small_data_margins": published_margins, "small_data_tests": published_tests,
        "small_data_auc": published_auc}
GLUON = "AutoGluon"
HERE, PAPER = "run here", "the paper's results"
#: Rules by which shares are counted, as the figure names them.
COUNTED = {"full": "exact", "rounded": "rounded first"}


def compute() -> Study:
    """Return the chapter's tables; what needs PMLBmini's files is kept.

    Returns
    -------
    Study
        ``baselines``: `RESULT` of `baseline_means`. ``claims, claims_counted``: from
        `one_per_claim` and `count_claims`. ``datasets, gaps, margins, tests``: what is kept:
        `dataset_facts`, `coded_gaps`, `published_margins`, `published_tests`. ``shares``: from
        `share_within`, with what a figure calls the rules. ``differences``: from `differences`.
        ``auc`` (mapping): test AUC, datasets × methods, by its source: `PAPER` (not rounded) and
        `HERE`.
    """
    tables = {name: published_table(f"pmlbmini_{name}")
              for name in ("table1", "table2", "table3", "medians", "table4")}
    kept = {name.removeprefix("small_data_"): compute_or_recall(name, compute).drop(columns=DATE)
            for name, compute in KEPT.items()}
    means = baseline_means()
    cc18_small = int((published_table("cc18_table1")["observations"] <= 500).sum())
    evidence = Evidence(tables=tables, means=means, facts=kept["datasets"], gaps=kept["gaps"],
                        twins=len(find_suite("pmlbmini").duplicates),
                        shares=share_within(kept["margins"].set_index("dataset")),
                        tests=kept["tests"], cc18_small=cc18_small,
                        meta_features=recall("meta_features_methods"))
    auc = {PAPER: kept.pop("auc").set_index("dataset"), HERE: baseline_auc()}
    claims = one_per_claim(check_claims(evidence))
    shares = share_within(kept["margins"].set_index("dataset"), tuple(range(11)))
    return Study({
        "baselines": means[RESULT], "claims": claims, "claims_counted": count_claims(claims),
        **{name: kept[name] for name in ("datasets", "gaps", "margins")},
        "shares": shares.assign(counted=shares["rule"].map(COUNTED)), "tests": kept["tests"],
        "differences": differences(auc)}, auc=auc)


def differences(auc: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return each method's mean AUC minus logistic regression's, in points.

    Parameters
    ----------
    auc : mapping
        As `Study` has it.

    Returns
    -------
    pandas.DataFrame
        ``method, source``, ``difference, low, high``, the interval over families of datasets,
        ``ahead`` and ``behind``, datasets; the largest first.
    """
    rows = []
    for source, own in auc.items():
        for method, gap in own.sub(own[LOGISTIC], axis=0).drop(columns=LOGISTIC).items():
            found = summarise(100 * gap, _labels(own.index))
            rows.append((method, source, found.value, found.low, found.high, int((gap > 0).sum()),
                         int((gap < 0).sum())))
    table = pd.DataFrame(rows, columns=["method", "source", "difference", "low", "high", "ahead",
                                        "behind"])
    return table.sort_values("difference", ascending=False, ignore_index=True)


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, made = Facts(), study.tables
    verdicts = made["claims"]["verdict"].value_counts()
    rows.add("claims", len(made["claims"]), note="numbers and claims of the paper, each once")
    for key, verdict in (("equal", EQUAL), ("near", CLOSE), ("own_way", BY_ITS_OWN_WAY),
                         ("different", DIFFERENT)):
        rows.add(key, int(verdicts.get(verdict, 0)), note=verdict)
    labels = _labels(made["margins"]["dataset"])
    for rule in COUNTED:
        for limit in (PERCENTS[0], PERCENTS[-1]):
            rows.add(f"{rule}_{limit}", summarise(
                100 * (made["margins"][rule] <= limit + 1e-9), labels), unit="%",
                note=f"within {limit} points of the best, {COUNTED[rule]}")
    _add_tests(rows, study)
    rows.update({"gaps": made["gaps"]["cells"].sum(),
                 "gap_datasets": made["gaps"]["dataset"].nunique(),
                 "problems": len(distinct_problems(list(made["datasets"]["dataset"])))})
    for name in ("lambda", "train", "test"):
        some = made["claims"]["claim"].str.startswith(
            f"Table 3: {'λ*' if name == 'lambda' else f'{name} AUC'}")
        rows.add(f"{name}_equal", int((made["claims"].loc[some, "verdict"] == EQUAL).sum()),
                 n=int(some.sum()))
    return rows.table()


def _add_tests(rows: Facts, study: Study) -> None:
    """Add who differs from logistic regression: in the paper's raw results, and run here."""
    made = study.tables
    p = {n: p_against(pairs) for n, pairs in made["tests"].query(
        "precision == 'full'").groupby("datasets")}
    once = study.auc[PAPER].groupby(families(_labels(study.auc[PAPER].index))).mean()
    for key, name in (("tabpfn", "TabPFN"), ("autoprognosis", "AutoPrognosis")):
        rows.add(f"p_{key}", p[44][name], digits=4)
        rows.add(f"p_{key}_once", p_against(compare_pairs(once))[name], digits=3, n=len(once))
    rows.add("p_tabpfn_outside", p[24]["TabPFN"], digits=2)
    rows.add("p_gluon_paper", p[44][GLUON], digits=2)
    outside = made["datasets"].loc[made["datasets"]["reduced"], "dataset"]
    gap = (study.auc[PAPER]["TabPFN"] - study.auc[PAPER][LOGISTIC])[outside]
    rows.add("gain_tabpfn_outside", summarise(100 * gap, _labels(outside)), unit="points", digits=1,
             note="tables that TabPFN's prior was not developed on")
    most = study.auc[PAPER][GLUON] - study.auc[PAPER][LOGISTIC]
    rows.add("gluon_table", str(most.idxmax()))
    rows.add("gluon_there", 100 * most.max(), unit="points")
    rest = study.auc[PAPER].drop(most.idxmax())
    for key, method in (("gluon", GLUON), ("tabpfn", "TabPFN")):
        rows.add(f"rest_{key}", summarise(100 * (rest[method] - rest[LOGISTIC]),
                                          _labels(rest.index)), unit="points", digits=1)
    complete = study.auc[HERE].dropna(axis=1)
    by_family = complete.groupby(families(_labels(complete.index))).mean()
    for suffix, auc in (("", complete), ("_families", by_family)):
        rows.add(f"p_autogluon{suffix}", p_against(compare_pairs(auc))[GLUON], digits=2, n=len(auc))
    rows.add("defaults", len([m for m in complete if m not in (LOGISTIC, *TABLE4.values())]),
             note="methods run here by their packages' defaults")
    by = made["differences"].set_index(["method", "source"])
    for key, method, source in (("tabpfn", "TabPFN", PAPER), ("gluon_paper", GLUON, PAPER),
                                ("autoprognosis", "AutoPrognosis", PAPER), ("gluon", GLUON, HERE),
                                ("xgboost", "XGBoost", HERE),
                                ("xgboost_table4", "XGBoost (Table 4)", HERE)):
        row = by.loc[(method, source)]
        rows.add(f"gain_{key}", row["difference"], row["low"], row["high"], unit="points",
                 digits=1, n=len(by_family))


def _labels(datasets: pd.Index | pd.Series) -> list[str]:
    return [f"pmlb:{name}" for name in datasets]


chapter = Chapter(
    "small_data", compute, facts,
    charts={
        "shares": Chart(
            "shares", "lines", "within", "percent",
            "points of AUC by which the best of four methods is ahead, at most",
            "tables, of 44 [%]", by="counted", keep="rule in ['full', 'rounded']", height=3.6,
            title="On half of the tables logistic regression is close to the best"),
        "differences": Chart(
            "differences", "dots", "difference", "method",
            "mean AUC minus that of logistic regression [points]", by="source", reference=0,
            title="What each gains over logistic regression, on average")},
    shown={"shares": lambda study: share_within(study.tables["margins"].set_index("dataset")).pivot(
        index="rule", columns="within", values="percent").rename(
            columns=lambda limit: f"within {limit}").reset_index()})
