"""From how many rows on learners of LCDB 1.1 are ahead of logistic regression for good.

Kept as ``overtaking_lcdb11_common`` (seconds; it needs LCDB 1.1's means), for the page on how many
rows.
"""

import pandas as pd

from analysis.databases.chapter_curves import paper_curves
from analysis.selection.overtaking import GOOD, lead_over, shares_ahead

DATABASE, BASELINE = "lcdb11-summary", "LogisticRegression"
#: Ensembles of trees, kernels and networks.
LEARNERS = ("ens.GradientBoosting", "ens.RandomForest", "ens.ExtraTrees", "SVM_RBF", "MLP",
            "CatBoost", "RealMLP", "TabNet", "TabPFNv2")
SIZES = (50, 100, 200, 500, 1000, 5000)  # rows


def common_shares() -> pd.DataFrame:
    """Return the shares of problems that all `LEARNERS` have: ``database, learner, rows, share``.

    And ``low, high, n_datasets``, from `analysis.selection.shares_ahead`.
    """
    errors = paper_curves(DATABASE)["error_rate"].sel(
        learner=[BASELINE, *LEARNERS], scaling="none", split="test", drop=True).load()
    shares = shares_ahead(lead_over(errors, BASELINE), SIZES, together=True)
    table = shares.sel(who=GOOD, drop=True).to_dataframe(dim_order=["learner", "rows"])
    return table.reset_index().assign(database=DATABASE)[
        ["database", "learner", "rows", "share", "low", "high", "n_datasets"]]


KEPT = {"overtaking_lcdb11_common": common_shares}
