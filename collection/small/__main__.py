"""``make small``: evaluate PMLBmini's baselines, then write ``data/small/baselines.csv``.

``python -m collection.small [--export] [--stores FOLDER] [KEY=VALUE …]``. Stopped, it goes on
where it was when run again. ``--export`` writes from what is there; further parameters, such as
``WORKERS=8``, go to every evaluation.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from collection.datasets import DatasetError
from collection.learners.requirements import MissingRequirementError
from collection.paths import cache_dir
from collection.small import BASELINES as FILE
from collection.small import SUITE
from collection.small.export import export
from collection.small.recipe import BASELINES
from collection.small.study import run_study
from collection.suites.shelf import find_suite
from collection.tasks import TaskError

LIMITS = {"TIME_LIMIT": "1h", "MEMORY_LIMIT": "4GB"}


def main(arguments: Sequence[str]) -> int:
    """Evaluate and export; return the exit status: 1 where nothing could be done."""
    parser = argparse.ArgumentParser("python -m collection.small", description=__doc__)
    parser.add_argument("--export", action="store_true", help="write the file, evaluate nothing")
    parser.add_argument("--stores", type=Path, default=cache_dir() / "small",
                        help="folder of the stores")
    parser.add_argument("--to", type=Path, default=FILE, help="file to write")
    parser.add_argument("--methods", nargs="*", help="some of the methods")
    parser.add_argument("parameters", nargs="*", help="KEY=VALUE, for every evaluation")
    given = parser.parse_args(arguments)
    more = dict(text.split("=", 1) for text in given.parameters)
    try:
        reasons = _told(given.to)
        reasons |= {} if given.export else _evaluate(given.stores, given.methods, more)
        table = export(given.stores, given.to, reasons)
    except (DatasetError, TaskError, OSError, ValueError) as error:
        print(f"small: {error}", file=sys.stderr)
        return 1
    absent = table.loc[table["status"] == "not_run", ["method", "message"]].drop_duplicates()
    for row in absent.itertuples():
        print(f"small: {row.method} was not run: {row.message}")
    print(f"{given.to} holds {len(table):,d} fits.")
    return 0


def _told(file: Path) -> dict[str, str]:
    """Return what the file that is there says of methods that were not run."""
    if not file.exists():
        return {}
    table = pd.read_csv(file).query("status == 'not_run'").drop_duplicates("method")
    return dict(zip(table["method"], table["message"], strict=True))


def _evaluate(stores: Path, methods: Sequence[str] | None,
              more: Mapping[str, str]) -> dict[str, str]:
    """Run every baseline, and say of those that could not be run why not."""
    tasks, reasons = find_suite(SUITE).tasks, {}
    for baseline in BASELINES:
        if not baseline.learner or (methods and baseline.method not in methods):
            continue
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
