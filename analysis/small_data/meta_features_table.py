"""The meta-features of PMLBmini's datasets: gathered once, kept in the cache, resumed."""

import csv
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from analysis.records.at_hand import NotAtHandError
from analysis.small_data.meta_features_job import MetaFeatureJob, Values
from collection.container import Status
from collection.paths import cache_dir
from collection.running.supervisor import Supervisor
from collection.suites.shelf import find_suite
from collection.tasks import Task

SUITE = "pmlbmini"
COLUMNS = ("group", "meta_feature", "value", "status", "message")
EPV = "EPV"  # rows of the smaller class per feature: the authors' own, PyMFE has it not
RECIPE = "python -m analysis.small_data.meta_features_table"


def gather(tasks: list[Task], folder: Path | None = None,
           say: Callable[[str], None] = print) -> int:
    """Extract what the folder lacks, a file per dataset; return how many were made.

    Parameters
    ----------
    tasks : list of Task
    folder : Path, optional
        By default `meta_features_folder`.
    say : callable
        Told of every dataset done.
    """
    folder = folder or meta_features_folder()
    folder.mkdir(parents=True, exist_ok=True)
    lacking = [task for task in tasks if not _file(folder, task).exists()]
    worker = Supervisor()
    try:
        for number, task in enumerate(lacking, 1):
            found = worker.gather(MetaFeatureJob(task))
            _write(_file(folder, task), found)
            failed = [f"{v.unit} ({v.message})" for v in found if v.status != Status.ok]
            say(f"{number} of {len(lacking)}: {task.name}"
                + (f"; without {', '.join(failed)}" if failed else ""))
    finally:
        worker.close()
    return len(lacking)


def meta_features_folder() -> Path:
    """Return where the files are: ``meta_features`` in the cache."""
    return cache_dir() / "meta_features"


def read_table(tasks: list[Task], folder: Path | None = None) -> tuple[pd.DataFrame, pd.Series]:
    """Return the meta-features that were gathered.

    Parameters
    ----------
    tasks : list of Task
    folder : Path, optional
        As in `gather`.

    Returns
    -------
    values : pandas.DataFrame
        A row per dataset (index, in the order of `tasks`), a column per summarised meta-feature, in
        alphabetical order, and `EPV`. NaN where there is none.
    group : pandas.Series
        PyMFE's group of each column.

    Raises
    ------
    NotAtHandError
        Where a dataset's are not there; the message says how to get them.
    """
    folder = folder or meta_features_folder()
    absent = [task.name for task in tasks if not _file(folder, task).exists()]
    if absent:
        raise NotAtHandError(f"The meta-features of {len(absent)} datasets ({', '.join(absent[:3])}"
                             f"{', …' if absent[3:] else ''}) are not in {folder}. Get them with "
                             f"`{RECIPE}`.")
    long = pd.concat({t.name: pd.read_csv(_file(folder, t)) for t in tasks}, names=["dataset"])
    long = long[long["status"] == Status.ok.name].reset_index()
    values = long.pivot(index="dataset", columns="meta_feature", values="value")
    values = values.loc[[t.name for t in tasks]].astype(float)
    group = long.drop_duplicates("meta_feature").set_index("meta_feature")["group"]
    smaller = values["freq_class.min"] * values["nr_inst"]
    values[EPV] = smaller / values["nr_attr"]
    return values, pd.concat([group.loc[values.columns[:-1]], pd.Series({EPV: "general"})])


def _file(folder: Path, task: Task) -> Path:
    return folder / f"{task.name}-{task.fingerprint.split(':')[-1][:12] or 'any'}.csv"


def _write(file: Path, found: tuple[Values, ...]) -> None:
    part = file.with_suffix(".part")
    with part.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for values in found:
            group = values.unit.groups[0]
            rows = values.found or ((str(values.unit), float("nan")),)
            writer.writerows((_group(name, group), name, repr(value), values.status.name,
                              values.message) for name, value in rows)
    part.replace(file)


def _group(name: str, group: str) -> str:
    return "relative" if ".relative" in name else group


def main() -> int:
    """Gather the meta-features of the suite."""
    made = gather(list(find_suite(SUITE).tasks), say=lambda text: print(text, flush=True))
    print(f"{made} datasets done; they are in {meta_features_folder()}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
