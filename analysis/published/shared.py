"""What several chapters compute: by the first that needs it, while the book is built."""

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path

import joblib
import xarray as xr

from collection.project.paths import SHARED_TABLES
from collection.store.base import held

#: Seconds that a chapter waits for another to compute.
PATIENCE = 1800


def shared(compute: Callable) -> Callable:
    """Have a function computed once for all chapters of a build.

    Parameters
    ----------
    compute : callable
        Its result depends on its arguments alone, which are hashed with what is in them, and on
        the project's code and data, for which the build names a folder (`SHARED_TABLES`; without
        one nothing is kept). What it returns is in memory, not still to be read from a file.
    """
    @wraps(compute)
    def computed(*args, **kwargs):
        folder = os.environ.get(SHARED_TABLES)
        if not folder:
            return compute(*args, **kwargs)
        given = [_content(value) for value in (*args, *kwargs.items())]
        path = Path(folder) / f"{compute.__module__}.{compute.__name__}.{joblib.hash(given)}"
        with held(path.with_name(f"{path.name}.lock"), PATIENCE):
            if not path.exists():
                part = path.with_name(f"{path.name}.part")
                joblib.dump(compute(*args, **kwargs), part)
                part.replace(path)
            return joblib.load(path)
    return computed


def _content(value: object) -> object:
    """Return what is in an array, which may be laid out in several ways; others as they are."""
    if not isinstance(value, xr.DataArray):
        return value
    coords = {str(name): coord.to_numpy() for name, coord in value.coords.items()}
    return value.dims, value.to_numpy(), sorted(coords.items()), value.name, value.attrs
