"""What large tables of people's own take: a report, and curves from a tidy table.

A report's budget and the processor time of its own process, which other work on the machine does
not lengthen, are held against what it may take; peak of memory and the seconds on the clock, to its
first line and in all, are told beside. Reading a table of curves is held against a plain loop in
pandas, which is scaled from few rows.
"""

import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.databases.own_curves import from_table
from benchmarks.timing import Timing, run_command, timed

ROWS, FEATURES, BUDGET = 10**6, 30, 20  # rows and columns of a report, seconds that it is given
CURVES = {"dataset": 100, "learner": 20, "outer": 25, "inner": 5, "size": 20, "split": 2}
SOME = 2000  # rows of the loop
SPLITS = np.array(["valid", "test"], object)


def report_table() -> pd.DataFrame:
    """Return numbers, and classes that hang on three of them, with noise."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, FEATURES)).round(4)
    label = np.where(x[:, :3].sum(axis=1) + rng.normal(size=ROWS) > 0, "yes", "no")
    return pd.DataFrame(x).rename(columns="x{}".format).assign(label=label)


def curves_table() -> pd.DataFrame:
    """Return a row per measurement, of whole curves."""
    places = np.unravel_index(np.arange(np.prod(list(CURVES.values()))), list(CURVES.values()))
    of = dict(zip(CURVES, (place.astype(np.int32) for place in places), strict=True))
    names = {key: np.array([f"{key} {k}" for k in range(CURVES[key])], object)[of[key]]
             for key in ("dataset", "learner")}
    return pd.DataFrame(of | names | {
        "size": 16 * (1 + of["size"]), "split": SPLITS[of["split"]],
        "error": np.random.default_rng(0).random(len(of["size"]))})


def with_pandas(table: pd.DataFrame) -> np.ndarray:
    """Return the values of a table in an array, row by row."""
    keys = list(CURVES)
    labels = [sorted(table[key].unique()) for key in keys]
    found = np.full([len(known) for known in labels], np.nan)
    for _, row in table.iterrows():
        place = tuple(known.index(row[key]) for key, known in zip(keys, labels, strict=True))
        if not np.isnan(found[place]):
            raise ValueError("a measurement stands there twice")
        found[place] = row["error"]
    return found


def main() -> Iterator[Timing]:
    with tempfile.TemporaryDirectory() as folder:
        report_table().to_csv(f"{folder}/table.csv", index=False)
        ran = run_command(Path(folder), "report", "--csv", "table.csv", "--target", "label",
                          "--budget", f"{BUDGET}s")
    yield Timing(f"make report: {ROWS:,} × {FEATURES}, {ran.peak:.2f} GB at most, first line after "
                 f"{ran.first:.1f} s, {ran.wall:.0f} s on the clock; BUDGET={BUDGET}s and its own "
                 "processor time", BUDGET + ran.own, "what it may take", 2.0 * BUDGET)
    table = curves_table()
    with timed(time.process_time) as ours:
        from_table(table)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    with timed(time.process_time) as loop:
        with_pandas(table[::len(table) // SOME])
    yield Timing(f"from_table of {len(table):,} rows, {peak:.2f} GB at most, processor time",
                 ours.seconds, f"a loop in pandas, scaled from {SOME:,} rows",
                 loop.seconds * len(table) / SOME)
