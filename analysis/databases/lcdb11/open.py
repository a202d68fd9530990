"""Open the official HDF5 files of LCDB 1.1, whichever are there, as one lazy container."""

from pathlib import Path

import numpy as np
import xarray as xr

from analysis.databases.lcdb11.files import MESSAGE, datasets_table, default_folder
from analysis.databases.lcdb11.layout import KEYS, MESSAGE_KEY
from analysis.databases.lcdb11.reasons import MESSAGES, STATUS_OF, cut_at_end
from analysis.databases.lcdb11.shelf import Shelf
from collection.anchors import anchor_grid
from collection.container import FIT_DIMS, LEAKAGES, SCALINGS, SEEDS, SPLITS, build_container

_NO_TEXT = np.array("", dtype=object)


def open_lcdb11(folder: str | Path | None = None, datasets: str = "FULL") -> xr.Dataset:
    """Open the official files of LCDB 1.1 lazily.

    Parameters
    ----------
    folder : path, optional
        Where the HDF5 files lie under their published names, any subset of them; by default
        where ``make lcdb11`` puts them.
    datasets : {"FULL", "CC18"}
        The 265 datasets or the 72 of OpenML-CC18. Those come from the CC-18 file of a metric
        where it is there, and else from the rows of the file with all datasets.

    Returns
    -------
    Dataset
        The container (`collection.container`), its variables dask arrays in chunks of a few
        datasets: opening reads no curve, and a selection reads what it needs. One variable per
        metric with a file; NaN past the training set, where a fit failed, and for scalings,
        leakages or learners that were not published. ``dataset`` holds OpenML ids, with
        coordinate ``name``; coordinate ``tried`` (learner, scaling) tells what was published for
        which scaling. Where the file of messages is there, ``error_message`` has the
        recorded text of each fit.

    Raises
    ------
    NotAtHandError
        Where the folder has no file of a metric.
    LayoutError
        For a file that is truncated, not in the official layout, or damaged: its checksum is
        looked at once. Damage that comes later may show when curves are read.
    UnknownNameError
        For an unknown `datasets`, or a file ``LCDB11_*.hdf5`` that was not published.
    """
    shelf = Shelf(default_folder() if folder is None else Path(folder), datasets)
    coords = _coords(shelf)
    container = build_container(
        coords, {m: shelf.read(m, KEYS[m][0], np.nan) for m in shelf.metrics},
        status=_zeros(coords), message=_zeros(coords), messages=MESSAGES,
        database="lcdb11", datasets=datasets, source=str(shelf.folder),
    )
    reasons = cut_at_end(shelf.reasons(), anchor_grid(), _max_anchor(shelf.datasets))
    lazy = {"status": reasons.map_blocks(_lookup, dtype=np.int8), "message": reasons}
    for name, values in lazy.items():
        container[name] = container[name].copy(data=values)
    if shelf.has_messages:
        container["error_message"] = (FIT_DIMS, shelf.read(MESSAGE, MESSAGE_KEY, _NO_TEXT),
                                      {"long_name": "recorded message of the fit"})
    return container.assign_coords(name=("dataset", _names(shelf.datasets)),
                                   tried=(("learner", "scaling"), shelf.published()))


def _coords(shelf: Shelf) -> dict[str, list]:
    return {
        "dataset": shelf.datasets, "learner": shelf.learners, "scaling": list(SCALINGS),
        "leakage": list(LEAKAGES), "outer": list(SEEDS), "inner": list(SEEDS),
        "anchor": anchor_grid(), "split": list(SPLITS),
    }


def _zeros(coords: dict[str, list]) -> np.ndarray:
    """Return zeros of one byte in all: what the lazy arrays take the place of."""
    return np.broadcast_to(np.int8(0), [len(coords[d]) for d in FIT_DIMS])


def _max_anchor(datasets: list[int]) -> np.ndarray:
    return datasets_table().loc[datasets, "max_anchor"].to_numpy()


def _names(datasets: list[int]) -> list[str]:
    return datasets_table().loc[datasets, "name"].tolist()


def _lookup(reasons: np.ndarray) -> np.ndarray:
    return STATUS_OF[reasons]
