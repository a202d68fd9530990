"""Everything that the chapter *Small data* shows of PMLBmini, and its facts."""

from dataclasses import dataclass

import pandas as pd

from analysis.comparison.baselines import baseline_auc, baseline_means
from analysis.comparison.judge import by_size
from analysis.leaderboards.wilcoxon import practical_differences
from analysis.published.computed import DATE, compute_or_recall, recall
from analysis.published.printed import CLOSE, DIFFERENT, EQUAL, published_table
from analysis.statistics.families import families
from chapters.facts import Facts
from chapters.small_data.claims import (
    BY_ITS_OWN_WAY,
    Evidence,
    check_claims,
    one_per_claim,
    printed_auc,
)
from chapters.small_data.datasets import (
    coded_gaps,
    dataset_facts,
    repeated_rows_effect,
    wider_grid,
)
from chapters.small_data.margins import (
    p_against,
    p_without_some,
    published_margins,
    published_tests,
    share_within,
)
from chapters.small_data.pmlbmini import LOGISTIC, distinct_problems
from collection.suites.specs import find_suite

KEPT = {"small_data_datasets": dataset_facts, "small_data_gaps": coded_gaps,
        "small_data_repeats": repeated_rows_effect, "small_data_grid": wider_grid,
        "small_data_margins": published_margins, "small_data_tests": published_tests}
GLUON, ALPHA = "AutoGluon", 0.05
PANEL = (LOGISTIC, "XGBoost", "CatBoost", "LightGBM (classifier)", "Random forest", "RealMLP",
         GLUON)  # of the methods run here, those whose medians are drawn
#: Names of methods in the keys of facts.
SHORT = {"LightGBM": "lightgbm", "LightGBM (classifier)": "lightgbm_classifier",
         "XGBoost": "xgboost", "CatBoost": "catboost", "XGBoost (Table 4)": "xgboost_table4",
         "CatBoost (Table 4)": "catboost_table4", LOGISTIC: "logistic", "Random forest": "forest",
         GLUON: "autogluon"}


@dataclass(frozen=True, eq=False)
class Study:
    """The chapter's tables.

    Attributes
    ----------
    tables : dict of str to pandas.DataFrame
        The paper's printed tables.
    datasets, gaps, repeats, grid, margins, tests : pandas.DataFrame
        What is kept: `dataset_facts`, `coded_gaps`, `repeated_rows_effect`, `wider_grid`,
        `published_margins`, `published_tests`.
    means : pandas.DataFrame
        From `baseline_means`.
    auc, printed : pandas.DataFrame
        Test AUC, datasets × methods: run here, and the paper's Table 3.
    claims : pandas.DataFrame
        From `one_per_claim`.
    practical : pandas.DataFrame
        From `practical_differences`, against logistic regression.
    """

    tables: dict[str, pd.DataFrame]
    datasets: pd.DataFrame
    gaps: pd.DataFrame
    repeats: pd.DataFrame
    grid: pd.DataFrame
    margins: pd.DataFrame
    tests: pd.DataFrame
    means: pd.DataFrame
    auc: pd.DataFrame
    printed: pd.DataFrame
    claims: pd.DataFrame
    practical: pd.DataFrame

    @property
    def complete(self) -> pd.DataFrame:
        """Return the AUC of methods that have one on every dataset."""
        return self.auc.dropna(axis=1)

    @property
    def methods(self) -> list[str]:
        """Return the methods that were run, in the order of the recipe."""
        return [m for m in self.means["method"].unique() if m in self.auc]

    @property
    def shares(self) -> pd.DataFrame:
        """Return how often logistic regression is near the best; see `share_within`."""
        return share_within(self.margins.set_index("dataset"))


def study() -> Study:
    """Return the chapter's tables; what needs PMLBmini's files is kept."""
    tables = {name: published_table(f"pmlbmini_{name}")
              for name in ("table1", "table2", "table3", "medians", "table4")}
    kept = {name.removeprefix("small_data_"): compute_or_recall(name, compute).drop(columns=DATE)
            for name, compute in KEPT.items()}
    means, auc = baseline_means(), baseline_auc()
    evidence = Evidence(tables, means, kept["datasets"], kept["gaps"],
                        len(find_suite("pmlbmini").duplicates),
                        share_within(kept["margins"].set_index("dataset")), kept["tests"],
                        cc18_small(), recall("meta_features_methods"))
    return Study(tables, **kept, means=means, auc=auc,
                 printed=printed_auc(tables["table3"], "test"),
                 claims=one_per_claim(check_claims(evidence)),
                 practical=practical_differences(auc.dropna(axis=1), LOGISTIC))


def cc18_small() -> int:
    """Return how many tasks of CC-18 have at most 500 rows, by its Table 1."""
    return int((published_table("cc18_table1")["observations"] <= 500).sum())


def suites_table(study: Study) -> pd.DataFrame:
    """Return the paper's Table 1 with what can be counted here: ``counted_here``, else "–"."""
    counted = {"OpenML-CC18": str(cc18_small()), "PMLBmini": str(len(study.datasets))}
    table = study.tables["table1"]
    return table.assign(counted_here=table["benchmark"].map(counted).fillna("–"))


def twins_table(study: Study) -> pd.DataFrame:
    """Return the datasets that are there twice: ``one, other, rows``, and who is in the prior."""
    table = study.datasets.set_index("dataset")
    inside = table["reduced"].map({True: "yes", False: "no"})
    pairs = ([name.removeprefix("pmlb:") for name in pair]
             for pair in find_suite("pmlbmini").duplicates)
    return pd.DataFrame([(a, b, table.loc[a, "rows"], f"{inside[a]}, {inside[b]}")
                         for a, b in pairs],
                        columns=["one", "other", "rows", "outside TabPFN's prior"])


def band_tables(study: Study) -> dict[str, pd.DataFrame]:
    """Return medians and quartiles by bands of rows: the paper's methods, and those run here."""
    rows = study.datasets.set_index("dataset")["rows"].sort_values(kind="stable")
    ours = [m for m in PANEL if m in study.auc]
    return {"published": by_size(study.printed.reindex(rows.index), rows),
            "run here": by_size(study.auc.reindex(rows.index)[ours], rows)}


def methods_table(means: pd.DataFrame) -> pd.DataFrame:
    """Return a row per method and split: datasets, quartiles of AUC, seconds, what went wrong."""
    table = means.groupby(["method", "split"], sort=False).agg(
        datasets=("auc", "count"), median=("auc", "median"),
        lower_quartile=("auc", lambda v: v.quantile(0.25)),
        upper_quartile=("auc", lambda v: v.quantile(0.75)), median_seconds=("seconds", "median"),
        status=("status", lambda s: ", ".join(s.unique())), message=("message", "first"))
    return table.reset_index().fillna({"message": ""})


def tests_table(tests: pd.DataFrame) -> pd.DataFrame:
    """Return the adjusted p-values, a column per number of datasets and precision."""
    which = tests["datasets"].astype(str) + ", " + tests["precision"]
    return tests.assign(which=which).pivot(index=["one", "other"], columns="which",
                                           values="p_adjusted").reset_index()


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows = Facts()
    verdicts = study.claims["verdict"].value_counts()
    rows.add("claims", len(study.claims), note="numbers and claims of the paper, each once")
    for key, verdict in (("equal", EQUAL), ("near", CLOSE), ("own_way", BY_ITS_OWN_WAY),
                         ("different", DIFFERENT)):
        rows.add(key, int(verdicts.get(verdict, 0)), note=verdict)
    for row in study.shares.itertuples():
        rows.add(f"{row.rule}_{row.within}", row.percent, unit="%", n=row.of,
                 note=f"within {row.within} of the best, {row.rule}")
    _add_tests(rows, study.tests)
    _add_data(rows, study)
    _add_penalties(rows, study)
    _add_scores(rows, study)
    return rows.table()


def _add_tests(rows: Facts, tests: pd.DataFrame) -> None:
    """Add p-values of the paper's raw results."""
    every = tests[tests["datasets"] == tests["datasets"].max()]
    by = every.set_index(["precision", "one", "other"])["p_adjusted"]
    for precision in ("full", "rounded"):
        rows.add(f"autogluon_{precision}", by[precision, GLUON, LOGISTIC], digits=3)
        few = tests[(tests["datasets"] == 24) & (tests["precision"] == precision)]
        rows.add(f"reduced_{precision}", few["p_adjusted"].min(), digits=3)
    rows.add("p_tabpfn", by["full", LOGISTIC, "TabPFN"], digits=4)
    rows.add("p_autoprognosis", by["full", "AutoPrognosis", LOGISTIC], digits=2)


def _add_data(rows: Facts, study: Study) -> None:
    """Add what the datasets hold twice, or as a code."""
    table = study.datasets.set_index("dataset")
    cells = study.gaps.groupby("dataset")["cells"].sum()
    rows.update({"gaps": cells.sum(), "gap_datasets": len(cells), "vote_gaps": cells["vote"],
                 "cancer_gaps": study.gaps.groupby("dataset")["rows"].sum()["breast_cancer"]})
    ca = study.gaps.query("dataset == 'heart_h' and column == 'ca'").iloc[0]
    rows.update({"ca_gaps": ca["rows"], "ca_rows": ca["of_rows"]})
    for name in ("corral", "mux6", "spectf", "vote"):
        rows.update({f"{name}_repeated": table.loc[name, "repeated_rows"],
                     f"{name}_rows": table.loc[name, "rows"]})
    rows.update({"datasets": len(table), "problems": len(distinct_problems(list(table.index))),
                 "reduced": int(table["reduced"].sum())})


def _add_penalties(rows: Facts, study: Study) -> None:
    """Add how far Table 3's logistic regression comes out, and where its grid ends."""
    for key, start in (("lambda", "Table 3: λ*"), ("train", "Table 3: train AUC"),
                       ("test", "Table 3: test AUC")):
        some = study.claims.loc[study.claims["claim"].str.startswith(start), "verdict"]
        rows.add(f"{key}_equal", int((some == EQUAL).sum()), n=len(some))
    grid = study.grid
    edge = grid["published"] == grid["published"].max()
    gain = (grid["auc_wider"] - grid["auc"])[edge]
    rows.add("at_edge", int(edge.sum()), n=len(grid))
    rows.add("beyond_edge", int((grid.loc[edge, "chosen"] > grid["published"].max()).sum()))
    rows.add("edge_gain", gain.median(), digits=3)
    rows.add("edge_worse", int((gain < 0).sum()))


def _add_scores(rows: Facts, study: Study) -> None:
    """Add medians and p-values of the methods run here."""
    auc, complete = study.auc, study.complete
    rows.add("methods", auc.shape[1])
    for name, short in SHORT.items():
        if name in auc:
            rows.add(f"median_{short}", auc[name].median(), digits=3)
    rows.add("test_gap", (auc[LOGISTIC].round(2) - study.printed[LOGISTIC]).abs().mean(), digits=3)
    gap = auc.sub(auc[LOGISTIC], axis=0)
    rows.update({"xgboost_ahead": (gap["XGBoost"] > 0).sum(),
                 "xgboost_behind": (gap["XGBoost"] < 0).sum(),
                 "autogluon_ahead": (gap[GLUON] > 0).sum()})
    rows.add("autogluon_gain", gap[GLUON].median(), digits=3)
    p = p_against(complete)
    for name, digits in ((GLUON, 3), ("CatBoost", 2), ("Random forest", 0)):
        rows.add(f"p_{SHORT[name]}", p[name], digits=digits)
    problems = distinct_problems(list(auc.index))
    rows.add("p_autogluon_once", p_against(complete.loc[problems])[GLUON], digits=3)
    of = families([f"pmlb:{name}" for name in auc.index])
    by_family = complete.groupby(of).mean()
    rows.add("families", len(by_family))
    rows.add("p_autogluon_families", p_against(by_family)[GLUON], digits=3)
    rows.add("twins", leave_out := len(auc) - len(problems), note="datasets that are there twice")
    without = p_without_some(complete, GLUON, leave_out)
    rows.add("autogluon_lost", 100 * (without >= ALPHA).mean(), unit="%",
             note="draws without as many datasets in which it is not told apart either")
    better = study.practical.set_index("method").loc["CatBoost", "p_better"]
    rows.add("catboost_better", 100 * better, unit="%")
