"""The means and standard errors of LCDB 1.1 that its authors' site serves, as a container.

None of the sources names the address that they are served from, so one gives a folder.
"""

import json
from pathlib import Path

import numpy as np
import xarray as xr

from analysis.databases.lcdb11.open import PAST_END
from analysis.published.computed import NotAtHandError
from collection.containers.curves import DIMS, LEAKAGES, SCALINGS, SPLITS, Status, build_container
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
STATUS_OF = np.array([Status.ok, Status.not_run, Status.error], np.int8)
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
    values = values[:, :, :, None, None, None, None]  # one scaling, leakage, outer and inner seed
    table = datasets_table().reindex(meta["dataset_ids"])
    past = np.array(meta["anchors"]) > table["max_anchor"].to_numpy()[:, None]
    missing = np.isnan(values[:, :, 0, ..., SPLITS.index("valid")])
    message = np.where(past[:, None, None, None, None, None], 1, np.where(missing, 2, 0))
    curves = build_container(
        {"dataset": meta["dataset_ids"], "learner": learners, "scaling": SCALINGS[:1],
         "leakage": LEAKAGES[:1], "outer": [0], "inner": [0], "anchor": meta["anchors"],
         "split": SPLITS},
        {"error_rate": values[:, :, 0]}, STATUS_OF[message], message.astype(np.int16), MESSAGES,
        database="lcdb11-summary", repeats=REPEATS)
    about = {"long_name": "standard error of the mean", "units": "1"}
    curves["error_rate_stderr"] = (DIMS, values[:, :, 1], about)
    return curves.squeeze(["outer", "inner"], drop=True).assign_coords(
        name=("dataset", table["name"].tolist()), cc18=("dataset", table["cc18"].to_numpy(bool)))


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
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is no JSON: {error}. Get it again.") from error
