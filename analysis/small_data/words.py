"""What the chapter *Small data* says in words, from its tables."""

import pandas as pd

from analysis.leaderboards.wilcoxon import compare_pairs
from analysis.records.printed import DIFFERENT, EQUAL
from analysis.small_data.meta_features_study import distinct_problems
from analysis.small_data.published import LOGISTIC


def small_data_words(claims: pd.DataFrame, shares: pd.DataFrame, tests: pd.DataFrame,
                     facts: pd.DataFrame, gaps: pd.DataFrame, grid: pd.DataFrame,
                     auc: pd.DataFrame, printed: pd.DataFrame) -> dict[str, str]:
    """Return the chapter's numbers as text, by the names under which it glues them.

    Parameters
    ----------
    claims : pandas.DataFrame
        From `analysis.small_data.claims.check_claims`.
    shares, tests : pandas.DataFrame
        From `share_within` and `published_tests`.
    facts, gaps, grid : pandas.DataFrame
        From `dataset_facts`, `coded_gaps` and `wider_grid`.
    auc : pandas.DataFrame
        Our test AUC, datasets × methods.
    printed : pandas.DataFrame
        Table 3 as printed, test AUC of the same form.
    """
    verdicts = claims["verdict"].value_counts()
    words = {"claims": str(len(claims)), "equal": str(verdicts[EQUAL]),
             "different": str(verdicts[DIFFERENT]),
             "near": str(len(claims) - verdicts[EQUAL] - verdicts[DIFFERENT])}
    percent = shares.set_index(["rule", "within"])["percent"]
    words |= {f"{rule}_{limit}": f"{value:.0f} %" for (rule, limit), value in percent.items()}
    return words | _tests(tests) | _data(facts, gaps) | _penalties(claims, grid) | _scores(
        auc, printed)


def _tests(tests: pd.DataFrame) -> dict[str, str]:
    words = {}
    for precision in ("full", "rounded"):
        some = tests[tests["precision"] == precision]
        pair = some[(some["one"] == "AutoGluon") & (some["other"] == LOGISTIC)]
        p = pair.loc[pair["datasets"] == pair["datasets"].max(), "p_adjusted"].item()
        words[f"autogluon_{precision}"] = f"{p:.3f}"
        few = some[some["datasets"] == 24]
        words[f"reduced_{precision}"] = f"{few['p_adjusted'].min():.3f}"
    return words


def _data(facts: pd.DataFrame, gaps: pd.DataFrame) -> dict[str, str]:
    facts = facts.set_index("dataset")
    cells = gaps.groupby("dataset")["cells"].sum()
    rows = gaps.groupby("dataset")["rows"].sum()
    repeated = facts["repeated_rows"]
    ca = gaps[(gaps["dataset"] == "heart_h") & (gaps["column"] == "ca")]
    return {"n_gaps": f"{cells.sum():,}", "n_gap_datasets": str(len(cells)),
            "vote_gaps": str(cells["vote"]), "cancer_gaps": str(rows["breast_cancer"]),
            "ca_gaps": f"{ca['rows'].item()} of {ca['of_rows'].item()}",
            **{f"{name}_repeated": f"{repeated[name]} of {facts.loc[name, 'rows']}"
               for name in ("corral", "mux6", "spectf", "vote")},
            "n_reduced": str(int(facts["reduced"].sum())),
            "n_repeated": str(int((repeated >= 0.2 * facts["rows"]).sum()))}


def _penalties(claims: pd.DataFrame, grid: pd.DataFrame) -> dict[str, str]:
    of_lambda = claims[claims["claim"].str.startswith("Table 3: λ*")]
    training = claims[claims["claim"].str.startswith("Table 3: train AUC")]
    testing = claims[claims["claim"].str.startswith("Table 3: test AUC")]
    edge = grid["published"] == grid["published"].max()
    gain = (grid["auc_wider"] - grid["auc"])[edge]
    return {"lambda_equal": f"{(of_lambda['verdict'] == EQUAL).sum()} of {len(of_lambda)}",
            "train_equal": f"{(training['verdict'] == EQUAL).sum()} of {len(training)}",
            "test_equal": f"{(testing['verdict'] == EQUAL).sum()} of {len(testing)}",
            "at_edge": f"{edge.sum()} of {len(grid)}",
            "beyond_edge": str(int((grid.loc[edge, "chosen"] > grid["published"].max()).sum())),
            "edge_gain": f"{gain.median():+.3f}", "edge_worse": str(int((gain < 0).sum()))}


def _scores(auc: pd.DataFrame, printed: pd.DataFrame) -> dict[str, str]:
    medians = auc.median()
    p = _against_logistic(auc)
    once = _against_logistic(auc.loc[distinct_problems(list(auc.index))])
    gap = (auc[LOGISTIC].round(2) - printed[LOGISTIC]).abs()
    names = {"LightGBM": "lightgbm", "LightGBM (classifier)": "lightgbm_classifier",
             "XGBoost": "xgboost", "CatBoost": "catboost", "XGBoost (Table 4)": "xgboost_table4",
             "CatBoost (Table 4)": "catboost_table4", LOGISTIC: "logistic",
             "Random forest": "forest", "RealMLP": "realmlp", "AutoGluon": "autogluon"}
    return {f"median_{short}": f"{medians[name]:.3f}" for name, short in names.items()
            if name in medians} | {
                "test_gap": f"{gap.mean():.3f}", "n_methods": str(auc.shape[1]),
                "xgboost_ahead": str(int((auc["XGBoost"] > auc[LOGISTIC]).sum())),
                "xgboost_behind": str(int((auc["XGBoost"] < auc[LOGISTIC]).sum())),
                "autogluon_ahead": str(int((auc["AutoGluon"] > auc[LOGISTIC]).sum())),
                "autogluon_gain": f"{(auc['AutoGluon'] - auc[LOGISTIC]).median():.3f}",
                "p_autogluon_once": f"{once['AutoGluon']:.2g}",
                **{f"p_{names[name]}": f"{p[name]:.2g}"
                   for name in ("AutoGluon", "CatBoost", "Random forest")}}


def _against_logistic(auc: pd.DataFrame) -> dict[str, float]:
    """Return p of each method against logistic regression, adjusted over all pairs (Holm)."""
    pairs = compare_pairs(auc.dropna(axis=1))
    return {row.one if row.other == LOGISTIC else row.other: row.p_adjusted
            for row in pairs.itertuples() if LOGISTIC in (row.one, row.other)}
