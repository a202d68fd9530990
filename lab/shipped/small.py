"""PMLBmini's baselines, really run. The same fits give the same bytes of the shipped file."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from collection.containers.curves import Status
from collection.project.naming import check_known
from collection.project.parameters import items
from collection.project.paths import written_whole
from collection.project.requirements import MissingRequirementError
from collection.running.pmlbmini import COLUMNS, read_study, run_study
from collection.shipped.small import BASELINES, METHODS, SUITE
from collection.suites.specs import find_suite

LIMITS = {"TIME_LIMIT": "1h", "MEMORY_LIMIT": "4GB"}
SHIPPED = ["dataset", "method", *COLUMNS[3:]]
NOT_IN_STORES = "not in the stores"


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


def _told(file: Path) -> dict[str, str]:
    """Return what the file that is there says of methods that were not run."""
    if not file.exists():
        return {}
    table = pd.read_csv(file).query("status == 'not_run'").drop_duplicates("method")
    return dict(zip(table["method"], table["message"], strict=True))


def gather(stores: Path, more: Mapping[str, str]) -> dict[str, str]:
    """Evaluate every baseline; return why those are missing that could not be run.

    Parameters
    ----------
    stores : Path
        Goes on with what is there.
    more : mapping of str to str
        Parameters of ``make evaluate`` for every evaluation, and METHODS for some of them.
    """
    tasks, reasons = find_suite(SUITE).tasks, {}
    more = dict(more)
    methods = items(more.pop("METHODS", "")) or METHODS
    check_known("method", methods, METHODS)
    for baseline in (METHODS[name] for name in methods if METHODS[name].learner):
        print(f"small: {baseline.method}", file=sys.stderr)
        try:  # one dataset first: where weights are absent, they are on all
            lost = run_study(tasks[:1], [baseline.learner], stores, **LIMITS | more)
            lost = lost or run_study(tasks, [baseline.learner], stores, **LIMITS | more)
        except MissingRequirementError as error:
            reasons[baseline.method] = str(error)
            continue
        if lost:
            reasons[baseline.method] = lost.most_common(1)[0][0].partition(": ")[2]
    return reasons


def write(stores: Path, to: Path, missing: Mapping[str, str]) -> int:
    """Write the fits of all baselines, and a row with the reason for those not run; say which.

    The reasons of what was not run before stay.

    Parameters
    ----------
    stores : Path
        From `collection.running.pmlbmini.run_study`.
    to : Path
        A file with the columns `SHIPPED`; AUC and seconds are rounded to 10 and 3 digits.
    missing : mapping of str to str
        Why a method could not be run.

    Raises
    ------
    NoStoreError
        Where nothing was evaluated.
    """
    found, reasons = read_study(stores), _told(to) | missing
    parts = [_of(found, baseline, reasons) for baseline in BASELINES]
    table = pd.concat([part for part in parts if len(part)], ignore_index=True)
    table["auc"] = table["auc"].round(10)
    table["seconds"] = [float(f"{value:.3g}") for value in table["seconds"]]
    to.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(to) as part:
        table.to_csv(part, index=False)
    absent = table.loc[table["status"] == "not_run", ["method", "message"]].drop_duplicates()
    for row in absent.itertuples():
        print(f"small: {row.method} was not run: {row.message}")
    print(f"{to} holds {len(table):,d} fits.")
    return 0
