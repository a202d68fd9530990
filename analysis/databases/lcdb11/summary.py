"""The means and standard errors of LCDB 1.1 that its authors' site serves, as a container.

None of the sources names the address that they are served from, so one gives a folder.
"""

import json
from pathlib import Path

import numpy as np
import xarray as xr

from analysis.databases.lcdb11.open import PAST_END
from analysis.published.computed import NotAtHandError
from collection.containers.curves import LEAKAGES, METRICS, SCALINGS, SPLITS, Status
from collection.containers.learner_names import learner_name
from collection.official.lcdb11 import datasets_table
from collection.project.paths import cache_dir, published_dir

META = "meta.json"


def summary_folder() -> Path:
    """Return the folder that has the summary: in the cache, or ``lcdb11`` among published data.

    Raises
    ------
    NotAtHandError
        Where neither has ``meta.json``.
    """
    published = published_dir()
    places = [cache_dir() / "lcdb11-summary", *([published / "lcdb11"] if published else [])]
    for place in places:
        if (place / META).is_file():
            return place
    raise NotAtHandError(
        f"No {META} of the LCDB 1.1 summary in {' or '.join(map(str, places))}. Put it and er/ "
        "there, or into a folder lcdb11/ in the one that LEARNING_CURVES_PUBLISHED names.")


STATISTICS = ("error_rate", "error_rate_stderr")
REPEATS = "absent: means over 25 repeats (5 outer, 5 inner seeds), rounded to 4 decimals"
MESSAGES = ("", PAST_END, "no mean; the summary does not say why")


def open_lcdb11_summary(folder: str | Path | None = None) -> xr.Dataset:
    """Open the published means: error rate, no scaling, no leakage, 28 learners, 265 datasets.

    Parameters
    ----------
    folder : path, optional
        Where ``meta.json`` and ``er/<OpenML id>.json`` are; see `summary_folder` for where it
        looks by default.

    Returns
    -------
    Dataset
        ``error_rate`` (the mean) and ``error_rate_stderr`` (its standard error) over dataset,
        learner, scaling, leakage (one label each), anchor and split; NaN where there is no mean,
        and ``status`` with its ``message`` says what is known of it. There are no dims ``outer``
        and ``inner``, and attribute ``repeats`` says so: what needs repeats cannot be computed.
        ``dataset`` holds OpenML ids, with coordinates ``name`` and ``cc18``.

    Raises
    ------
    NotAtHandError
        Where there is no summary.
    FileNotFoundError
        Where `folder` has no ``meta.json``, or a dataset that it lists has no file.
    ValueError
        For a file that is no JSON or has another shape than `META` says.
    UnknownNameError
        For a learner that is not one of the 32.
    """
    folder = summary_folder() if folder is None else Path(folder)
    meta = _read(folder / META)
    learners = [learner_name(name) for name in meta["learners"]]
    shape = (len(learners), len(STATISTICS), len(meta["anchors"]), len(SPLITS))
    values = np.stack([_curves(folder / "er" / f"{i}.json", shape) for i in meta["dataset_ids"]])
    return _container(values, learners, meta)


def _container(values: np.ndarray, learners: list[str], meta: dict) -> xr.Dataset:
    table = datasets_table().reindex(meta["dataset_ids"])
    dims = ("dataset", "learner", "scaling", "leakage", "anchor", "split")
    curves = xr.Dataset(
        {name: (dims, values[:, :, None, None, i]) for i, name in enumerate(STATISTICS)},
        coords={
            "dataset": meta["dataset_ids"], "learner": learners, "scaling": [SCALINGS[0]],
            "leakage": [LEAKAGES[0]], "anchor": meta["anchors"], "split": list(SPLITS),
            "name": ("dataset", table["name"].tolist()),
            "cc18": ("dataset", table["cc18"].to_numpy(bool)),
        },
        attrs={"database": "lcdb11-summary", "repeats": REPEATS},
    )
    curves["error_rate"].attrs.update(long_name=METRICS["error_rate"].label, units="1")
    curves["error_rate_stderr"].attrs.update(long_name="standard error of the mean", units="1")
    curves["anchor"].attrs.update(long_name="training-set size", units="rows")
    return _with_status(curves, xr.DataArray(table["max_anchor"], dims="dataset"))


def _with_status(curves: xr.Dataset, max_anchor: xr.DataArray) -> xr.Dataset:
    """Add what is known of each mean: there, past the training set, or missing."""
    missing = curves["error_rate"].sel(split="valid", drop=True).isnull()
    past = curves["anchor"] > max_anchor
    message = xr.where(past, 1, xr.where(missing, 2, 0)).transpose(*missing.dims)
    known = np.array([Status.ok, Status.not_run, Status.error], np.int8)
    curves["status"] = message.copy(data=known[message])
    curves["message"] = message.astype(np.int16)
    curves["message_text"] = ("message_id", np.array(MESSAGES, dtype=object))
    return curves


def _curves(path: Path, shape: tuple[int, ...]) -> np.ndarray:
    """Return one dataset's curves, null as NaN."""
    try:
        values = np.array(_read(path), dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path} does not hold an array of numbers: {error}") from error
    if values.shape != shape:
        raise ValueError(f"{path} has shape {values.shape} instead of {shape} (learner, "
                         f"statistic, anchor, split, as {META} says).")
    return values


def _read(path: Path) -> list | dict:
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing; get the whole summary.")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is no JSON: {error}. Get it again.") from error
