"""What moves with versions: the same curves gathered on the lock file and on today's versions.

``python -m lab.versions LOCK TODAY`` compares two collections and keeps the table (``versions``),
for *When is a strange curve the software's fault?* They are made in two environments, by the same
command::

    python -m analysis collect DATASETS="sklearn:iris sklearn:wine sklearn:breast_cancer
        keel:vehicle" LEARNERS="…" INNER=0 SEEDS=paper SCALINGS=none OUT=…
"""

import sys
from itertools import product

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import ttest_1samp

from analysis.databases.load import load_curves
from analysis.published.computed import keep
from analysis.statistics.bootstrap import holm

NAME = "versions"
SAME = 1e-12  # error rates that are nearer are equal


def compare_versions(before: xr.DataArray, after: xr.DataArray) -> pd.DataFrame:
    """Compare validation errors of the same fits under two sets of versions.

    Parameters
    ----------
    before, after : xarray.DataArray, dims (dataset, learner, outer, anchor)
        Error rates; NaN where there is no fit.

    Returns
    -------
    pandas.DataFrame
        A row per learner and dataset: ``fits`` that both have, ``changed`` of them, ``largest``
        change, ``shift`` (mean change over anchors, then over outer seeds), its Holm-adjusted
        ``p`` over all rows that changed (one-sample t-test over outer seeds; NaN where none
        changed), ``verdict`` ("equal", "not significant": five
        seeds miss all but large shifts, or "different").
    """
    change = after - before
    rows = []
    for dataset, learner in product(*(change[d].values.tolist() for d in ("dataset", "learner"))):
        one = change.sel(dataset=dataset, learner=learner).dropna("anchor", how="all")
        if not one.size:
            continue
        by_seed = one.mean("anchor").dropna("outer").values
        changed = int((abs(one) > SAME).sum())
        p = ttest_1samp(by_seed, 0).pvalue if changed and by_seed.std() > 0 else float("nan")
        rows.append({"dataset": dataset, "learner": learner, "fits": int(one.notnull().sum()),
                     "changed": changed, "largest": float(abs(one).max()),
                     "shift": float(by_seed.mean()), "p": p})
    table = pd.DataFrame(rows)
    tested = table["p"].notna()
    if tested.any():
        table.loc[tested, "p"] = holm(table.loc[tested, "p"])
    table["verdict"] = np.select([table["changed"] == 0, table["p"] < 0.05],
                                 ["equal", "different"], "not significant")
    return table


def main(lock: str, today: str) -> None:
    """Compare two collections and keep the table."""
    chosen = {"split": "valid", "scaling": "none", "leakage": "no", "inner": 0}
    before, after = (load_curves(folder)["error_rate"].sel(chosen, drop=True)
                     for folder in (lock, today))
    print("written" if keep(NAME, compare_versions(before, after)) else "unchanged")


if __name__ == "__main__":
    main(*sys.argv[1:])
