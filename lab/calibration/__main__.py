"""Run the calibration: ``make calibration``.

``NOISE=yes`` fits the simulation's noise to the databases anew first (``data/noise.csv``); with
other noise all simulations are others.
"""

import sys

import pandas as pd

from analysis.published.computed import keep
from collection.project.paths import state_shipped, written_whole
from lab.calibration import count
from lab.calibration.count import confirmation, design
from lab.shapes.noise import FILE, fitted_noise


def main(arguments: list[str]) -> int:
    """Compute all of it, and keep it with today's date."""
    if arguments == ["NOISE=yes"]:
        with written_whole(FILE) as part:
            noise = pd.concat(map(fitted_noise, ("lcdb10", "mini")))
            noise.to_csv(part, index=False, float_format="%.4g")
        state_shipped()
    elif arguments:
        print(f"error: {' '.join(arguments)}: only NOISE=yes is known", file=sys.stderr)
        return 2
    for name, cells in (("calibration", design()), ("calibration_confirmed", confirmation())):
        tables = []
        for cell in cells:
            print(cell.key, flush=True)
            tables.append(count.count_cell(cell))
        keep(name, count.pooled(pd.concat(tables, ignore_index=True)))
    for name, table in ({"calibration_drops": count.count_drops()} | count.on_lcdb10()).items():
        keep(name, table)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
