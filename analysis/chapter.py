"""What the chapters of the book share: the database they run on, and the curves they look at."""

import os

import xarray as xr

from analysis.load import DATABASES, load_curves


def chapter_database(default: str) -> str:
    """Return the database a chapter uses: that of ``make book DATABASE=…``, or its own.

    Parameters
    ----------
    default : str
        What the chapter uses unless the reader asked for another.
    """
    return os.environ.get("DATABASE") or default


def database_title(database: str) -> str:
    """Return the name of a database in words; a folder's is its path."""
    return DATABASES[database].title if database in DATABASES else database


def validation_errors(database: str) -> xr.DataArray:
    """Return the validation error rates on which the paper's analyses run.

    Parameters
    ----------
    database : str
        Name or path, for `analysis.load_curves`.

    Returns
    -------
    xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        The datasets that the paper uses; without leakage where the database has both.
    """
    curves = load_curves(database, selection="paper")
    leakage = "no" if "no" in curves["leakage"].values else curves["leakage"].values[0]
    errors = curves["error_rate"].sel(split="valid", leakage=leakage, drop=True)
    errors.attrs["database"] = database
    return errors


def main_scaling(errors: xr.DataArray) -> str:
    """Return the scaling that a chapter looks at most closely: none, or the first there is."""
    scalings = errors["scaling"].values.tolist()
    return "none" if "none" in scalings else scalings[0]
