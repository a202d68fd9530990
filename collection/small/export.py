"""Turn the stores of the baselines into the file that ships; the same fits give the same bytes."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from collection.container import Status
from collection.small.recipe import BASELINES
from collection.small.study import COLUMNS, read_study

SHIPPED = ["dataset", "method", *COLUMNS[3:]]
NOT_IN_STORES = "not in the stores"


def export(stores: Path, file: Path, reasons: Mapping[str, str]) -> pd.DataFrame:
    """Write the fits of all baselines, and a row with the reason for those not run.

    Parameters
    ----------
    stores : Path
        From `collection.small.study.run_study`.
    file : Path
    reasons : mapping of str to str
        Why a method could not be run.

    Returns
    -------
    pandas.DataFrame
        What was written: columns `SHIPPED`; AUC and seconds rounded to 10 and 3 digits.

    Raises
    ------
    NoStoreError
        Where nothing was evaluated.
    """
    found = read_study(stores)
    parts = [_of(found, baseline, reasons) for baseline in BASELINES]
    table = pd.concat([part for part in parts if len(part)], ignore_index=True)
    table["auc"] = table["auc"].round(10)
    table["seconds"] = [float(f"{value:.3g}") for value in table["seconds"]]
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    table.to_csv(part, index=False)
    part.replace(file)
    return table


def _of(found: pd.DataFrame, baseline, reasons: Mapping[str, str]) -> pd.DataFrame:
    """Return the fits of one method on all datasets, those without one marked."""
    mine = found[found["learner"] == baseline.learner].assign(method=baseline.method)
    mine = mine.sort_values(["dataset", "split", "fold"])[SHIPPED]
    reason = reasons.get(baseline.method, NOT_IN_STORES if baseline.learner else baseline.about)
    absent = [name for name in sorted(set(found["dataset"])) if name not in set(mine["dataset"])]
    rows = [{"dataset": name, "method": baseline.method, "fold": 0, "split": split,
             "status": Status.not_run.name, "message": reason, "hyperparameters": ""}
            for name in absent for split in ("test", "train")]
    return pd.concat([part for part in (mine, pd.DataFrame(rows, columns=SHIPPED)) if len(part)],
                     ignore_index=True)
