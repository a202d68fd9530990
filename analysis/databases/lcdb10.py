"""LCDB 1.0: the per-seed curves in the PyPI package ``lcdb`` 0.1.0, as the common container.

The package holds four CSV files, one per metric, 480 MB in all. The first load converts them to
one compressed file in the cache, a row per fit; later loads open that and make an array only when
it is read.
"""

import importlib.metadata
import importlib.util
import json
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from pyarrow import csv

from analysis.databases.scattered import scattered
from collection.containers.curves import DIMS, FIT_DIMS, SPLITS, Status, build_container
from collection.containers.learner_names import FROM_LCDB10
from collection.project.paths import DATA, cache_dir, sha256_of, shipped, written_whole
from collection.project.requirements import install_line
from collection.protocol.splits import SEEDS

#: Our metric, its file in the package, and what turns the file's score into the metric.
FILES = {
    "error_rate": ("database-accuracy.csv", lambda score: 1 - score),
    "log_loss": ("database-logloss.csv", lambda score: score),
    "auc": ("database-auc.csv", lambda score: score),
    "f1": ("database-f1.csv", lambda score: score),
}
KEYS = ["openmlid", "learner", "outer_seed", "inner_seed", "size_train"]
NOT_IN_FILE = "not in LCDB 1.0's files, which give no reason"


def open_lcdb10() -> xr.Dataset:
    """Open LCDB 1.0, converting it first where the cache has no valid copy.

    Returns
    -------
    xarray.Dataset
        The container of `collection.containers.curves`: 248 datasets (OpenML ids, with a coordinate
        ``name``), 20 learners, no scaling, imputer fitted on all data (leakage "yes"), 5 × 5
        seeds, 201 anchors: the 35 of the grid and every dataset's whole training set. Metrics
        are read when used. NaN: the file has no such fit; its status is ``not_run``, but as every
        learner was tried on every dataset, so says the coordinate ``tried`` (learner, scaling).

    Raises
    ------
    FileNotFoundError
        If the package ``lcdb`` 0.1.0 is not installed.
    OSError
        If its files are not those that were published.

    Notes
    -----
    Ten datasets have 25 inner seeds; the container keeps seeds 0 to 4, as the paper does. AUC
    and F1 exist for 166 of the datasets.
    """
    source = _package_folder()
    cached, sidecar = cache_dir() / "lcdb10.nc", cache_dir() / "lcdb10.json"
    files = {name: f"{(source / name).stat().st_size} bytes" for name, _ in FILES.values()}
    origin = {**files, "converter": sha256_of(Path(__file__))}  # what the cached copy depends on
    if not _is_valid(cached, sidecar, origin):
        _convert(source, cached)
        sidecar.write_text(json.dumps({"origin": origin, "sha256": sha256_of(cached)}, indent=1))
    curves = _as_container(xr.open_dataset(cached, engine="h5netcdf"))
    names = meta_features_table()["Name"].reindex(curves["dataset"].values).fillna("")
    tried = np.ones((curves.sizes["learner"], curves.sizes["scaling"]), bool)
    return curves.assign_coords(name=("dataset", names.to_numpy(dtype=str)),
                                tried=(("learner", "scaling"), tried))


def paper_subset() -> list[int]:
    """Return the 196 OpenML ids that the paper's LCDB 1.0 column is computed on."""
    return pd.read_csv(shipped(DATA / "lcdb10_subset.csv"))["openml_id"].tolist()


def meta_features_table() -> pd.DataFrame:
    """Return the meta-features of LCDB 1.0's datasets: a row per OpenML id (the index).

    The package has them for 219 datasets, 197 of which have curves. Columns carry OpenML's
    names of qualities, and ``Name``. NaN where OpenML knows no value.
    """
    table = pd.read_csv(_package_folder() / "datasets.csv")
    return table.set_index("openmlid").rename_axis("openml_id")


def _package_folder() -> Path:
    # find_spec does not run the package, whose own imports we neither have nor want.
    spec = importlib.util.find_spec("lcdb")
    if spec is None or importlib.metadata.version("lcdb") != "0.1.0":
        raise FileNotFoundError(
            "LCDB 1.0's curves come with the Python package lcdb 0.1.0, which is not installed. "
            f"{install_line(['data'])}, or: pip install --no-deps lcdb==0.1.0"
        )
    return Path(spec.submodule_search_locations[0])


def _is_valid(cached: Path, sidecar: Path, origin: dict[str, str]) -> bool:
    try:
        recorded = json.loads(sidecar.read_text(encoding="utf-8"))
        return recorded == {"origin": origin, "sha256": sha256_of(cached)}
    except (FileNotFoundError, ValueError):  # not there; no JSON, or no text
        return False


def _convert(source: Path, cached: Path) -> None:
    """Write a row per fit; the file appears only when complete."""
    _verify(source)
    fits = _read(source / FILES["error_rate"][0])
    table = xr.Dataset(coords=_coords(fits))
    position = _position(fits, table)
    table["position"] = ("fit", position)
    table["train_time"] = ("fit", fits["traintime"].to_numpy(np.float32))
    for metric, (name, convert) in FILES.items():
        rows = fits if metric == "error_rate" else _read(source / name)
        at = np.searchsorted(position, _position(rows, table))
        scores = np.full((len(SPLITS), len(position)), np.nan)
        for k, split in enumerate(SPLITS):
            scores[k, at] = convert(rows[f"score_{split}"].to_numpy())
        table[metric] = (("split", "fit"), scores)
    compressed = {name: {"zlib": True, "complevel": 1, "shuffle": True} for name in table.data_vars}
    with written_whole(cached) as part:
        table.to_netcdf(part, engine="h5netcdf", encoding=compressed)


def _verify(source: Path) -> None:
    registry = pd.read_csv(shipped(DATA / "lcdb10_files.csv")).set_index("file")["sha256"]
    for name, _ in FILES.values():
        if sha256_of(source / name) != registry[name]:
            raise OSError(
                f"{source / name} is damaged: its sha256 is not the registered one. "
                "Reinstall it with `pip install --no-deps --force-reinstall lcdb==0.1.0`."
            )


def _read(path: Path) -> pd.DataFrame:
    """Return the file's rows, in the order of the container's dims."""
    rows = csv.read_csv(path, convert_options=csv.ConvertOptions(auto_dict_encode=True))
    rows = rows.to_pandas(self_destruct=True)
    rows = rows[rows["inner_seed"].isin(SEEDS)]
    learner = rows["learner"].cat.rename_categories(FROM_LCDB10).cat.set_categories(
        list(FROM_LCDB10.values()))
    return rows.assign(learner=learner).sort_values(KEYS, ignore_index=True, kind="stable")


def _coords(fits: pd.DataFrame) -> dict[str, np.ndarray]:
    return {
        "dataset": np.sort(fits["openmlid"].unique()), "learner": list(FROM_LCDB10.values()),
        "scaling": ["none"], "leakage": ["yes"], "outer": list(SEEDS), "inner": list(SEEDS),
        "anchor": np.sort(fits["size_train"].unique()), "split": list(SPLITS)}


def _position(rows: pd.DataFrame, table: xr.Dataset) -> np.ndarray:
    """Return each row's flat position in the container without split, ascending."""
    dataset, anchor = (np.searchsorted(table[dim], rows[name])
                       for dim, name in (("dataset", "openmlid"), ("anchor", "size_train")))
    along = (dataset, rows["learner"].cat.codes, 0, 0, rows["outer_seed"], rows["inner_seed"],
             anchor)
    return np.ravel_multi_index(along, [table.sizes[d] for d in FIT_DIMS]).astype(np.int32)


def _as_container(table: xr.Dataset) -> xr.Dataset:
    """Return the container whose arrays are made from the row-per-fit `table` when read."""
    scatter = partial(scattered, tuple(table.sizes[d] for d in FIT_DIMS),
                      lambda: table["position"].values)
    metrics = {name: scatter(lambda k, of=table[name]: of[k].values, np.float64("nan"), len(SPLITS))
               for name in FILES}
    metrics["train_time"] = scatter(lambda _: table["train_time"].values, np.float32("nan"))
    return build_container(
        {d: table[d].values for d in DIMS}, metrics,
        status=scatter(lambda _: np.int8(Status.ok), np.int8(Status.not_run)),
        message=scatter(lambda _: np.int8(0), np.int8(1)),
        messages=["", NOT_IN_FILE], database="lcdb10")
