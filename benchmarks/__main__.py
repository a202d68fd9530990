"""Time the fast code against the straightforward version: ``make bench ONLY="fitting order"``.

Prints a table at its end, and keeps it in ``book/computed/benchmarks.csv``, which the book's
*Status* shows; where only some are run, in place of their rows there.
"""

import datetime
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pandas as pd

from analysis.published.computed import DATE, DIGITS
from benchmarks.timing import timings
from collection.project.naming import UnknownNameError, check_known
from collection.project.paths import COMPUTED, written_whole

NAMES = sorted(p.stem.removeprefix("bench_") for p in Path(__file__).parent.glob("bench_*.py"))


def main(names: list[str]) -> int:
    """Run benchmarks, each in a process of its own so that its peak of memory is its own."""
    try:
        check_known("benchmark", names, NAMES)
    except UnknownNameError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    rows = []
    for name in names or NAMES:
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            rows += [{"benchmark": name, **row._asdict()}
                     for row in process.submit(timings, name).result()]
    table = pd.DataFrame(rows)
    table["ratio"] = table["rival_seconds"] / table["seconds"]
    print(table.to_string(index=False, float_format="{:.3g}".format))
    keep(table, COMPUTED / "benchmarks.csv")
    return 0


def keep(table: pd.DataFrame, path: Path) -> None:
    """Write rows with today's date in place of kept ones of the same benchmarks.

    The others stay as they are, with their dates.
    """
    new = table.assign(**{DATE: datetime.date.today().isoformat()})
    if path.exists():
        kept = pd.read_csv(path)
        new = pd.concat([kept[~kept["benchmark"].isin(new["benchmark"])], new])
    with written_whole(path) as part:
        new.sort_values("benchmark", kind="stable").to_csv(part, index=False, float_format=DIGITS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
