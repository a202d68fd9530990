"""Run the calibration: ``make calibration``. Stop it when you like; run again, it goes on."""

import sys
import time
from pathlib import Path

import pandas as pd

from analysis.calibration.cells import Cell, design
from analysis.calibration.count import count_cell, pooled
from analysis.calibration.on_databases import kept_tables
from analysis.calibration.pool import POOL_FILES, count_pool
from analysis.records.computed import keep
from collection.paths import ROOT

CACHE = ROOT / "data" / "cache" / "calibration"


def main() -> int:
    """Compute what is not there yet, then keep all of it with today's date."""
    cells = list(design())
    for k, cell in enumerate(cells, 1):
        _cached(CACHE / f"{cell.key}.csv", lambda c=cell: count_cell(c), f"{k} of {len(cells)}")
    keep("calibration", read_cells(cells, CACHE))
    pools = {name: _cached(CACHE / f"{name}.csv", lambda p=pool: count_pool(p), "pool")
             for name, pool in POOL_FILES.items()}
    for name, table in (pools | kept_tables(pools)).items():
        keep(name, table)
    return 0


def _cached(path: Path, compute, progress: str) -> pd.DataFrame:
    """Return what a file holds, computed and written whole where it is not there."""
    if not path.exists():
        start = time.perf_counter()
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        compute().to_csv(part, index=False)
        part.replace(path)
        print(f"{progress}: {path.stem}, {time.perf_counter() - start:.0f} s", flush=True)
    return pd.read_csv(path)


def read_cells(cells: list[Cell], folder: Path) -> pd.DataFrame:
    """Return the rows of all cells that are in a folder, in the order of the design, pooled."""
    parts = [pd.read_csv(folder / f"{cell.key}.csv") for cell in cells
             if (folder / f"{cell.key}.csv").exists()]
    return pooled(pd.concat(parts, ignore_index=True))


if __name__ == "__main__":
    sys.exit(main())
