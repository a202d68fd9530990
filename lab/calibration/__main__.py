"""Run the calibration: ``make calibration``. Stop it when you like; run again, it goes on.

``NOISE=yes`` fits the simulation's noise to the databases anew first (``data/noise.csv``); with
other noise all simulations are others.
"""

import hashlib
import sys
import time
from dataclasses import replace
from pathlib import Path

import pandas as pd

from analysis.published.computed import keep
from collection.project.paths import cache_dir, state_shipped, written_whole
from lab.calibration import count
from lab.calibration.cells import Cell, confirmation, design
from lab.shapes.noise import FILE, fitted_noise


def main(arguments: list[str]) -> int:
    """Compute what is not there yet, then keep all of it with today's date."""
    if arguments == ["NOISE=yes"]:
        _write(FILE, pd.concat(map(fitted_noise, ("lcdb10", "mini"))), "%.4g")
        state_shipped()
    elif arguments:
        print(f"error: {' '.join(arguments)}: only NOISE=yes is known", file=sys.stderr)
        return 2
    folder = cache_dir() / "calibration" / hashlib.sha256(FILE.read_bytes()).hexdigest()[:8]
    for name, cells in (("calibration", list(design())),
                        ("calibration_confirmed", list(confirmation()))):
        for k, cell in enumerate(cells, 1):
            complete_cell(cell, folder, f"{k} of {len(cells)}")
        keep(name, read_cells(cells, folder))
    drops = folder / "drops.csv"
    if not drops.exists():
        _write(drops, count.count_drops())
    for name, table in ({"calibration_drops": pd.read_csv(drops)} | count.on_lcdb10()).items():
        keep(name, table)
    return 0


def complete_cell(cell: Cell, folder: Path, progress: str = "") -> None:
    """Have a cell's curves judged by those procedures that its file lacks."""
    path = folder / f"{cell.key}.csv"
    there = [pd.read_csv(path)] if path.exists() else []
    judged = set(there[0]["procedure"]) if there else set()
    lacking = tuple(name for name in cell.procedures if name not in judged)
    if lacking:
        start = time.perf_counter()
        _write(path, pd.concat([*there, count.count_cell(replace(cell, procedures=lacking))]))
        print(f"{progress}: {path.stem}, {time.perf_counter() - start:.0f} s", flush=True)


def _write(path: Path, table: pd.DataFrame, numbers: str | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as part:
        table.to_csv(part, index=False, float_format=numbers)


def read_cells(cells: list[Cell], folder: Path) -> pd.DataFrame:
    """Return what the cells ask for of what is in a folder, in the design's order, pooled."""
    parts = [pd.read_csv(folder / f"{cell.key}.csv") for cell in cells]
    return count.pooled(pd.concat(parts, ignore_index=True))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
