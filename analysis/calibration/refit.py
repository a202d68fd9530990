"""Fit the simulation's noise to the databases anew: ``python -m analysis.calibration.refit``."""

import pandas as pd

from analysis.databases.chosen import validation_errors
from analysis.databases.counted import NOT_COUNTED
from analysis.shapes.noise import FILE, fit_noise

LEAST = 10  # curves behind a learner's noise


def fitted_noise(database: str, learners: list[str] | None = None) -> pd.DataFrame:
    """Fit the noise of a database's learners, without scaling.

    Parameters
    ----------
    database : str
        Name or path.
    learners : list of str, optional
        Only these; by default all that Table 4 counts.

    Returns
    -------
    pandas.DataFrame
        As `fit_noise`, with a column ``database``; learners with fewer than ten curves are absent.
    """
    errors = validation_errors(database).sel(scaling="none").load()
    names = [name for name in errors["learner"].values if name not in NOT_COUNTED]
    table = fit_noise(errors.sel(learner=learners or names))
    table.insert(0, "database", database)
    return table[table["curves"] >= LEAST]


def main() -> None:
    """Write ``data/noise.csv`` from LCDB 1.0 and mini."""
    table = pd.concat([fitted_noise(name) for name in ("lcdb10", "mini")], ignore_index=True)
    part = FILE.with_suffix(".part")
    table.to_csv(part, index=False, float_format="%.4g")
    part.replace(FILE)


if __name__ == "__main__":
    main()
