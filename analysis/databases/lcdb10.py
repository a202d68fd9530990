"""LCDB 1.0: the per-seed curves in the PyPI package ``lcdb`` 0.1.0, as the common container.

The package holds four CSV files, one per metric, 480 MB in all. The first load converts them to
one file in the cache, a row per fit, as those of the shipped databases; later loads open that.
"""

import importlib.metadata
import importlib.util
import json
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from pyarrow import csv

from analysis.databases.shipped import container_of, read_fits
from collection.containers.curves import SPLITS
from collection.containers.learner_names import FROM_LCDB10
from collection.project.paths import DATA, cache_dir, sha256_of, shipped, written_whole
from collection.project.requirements import install_line
from collection.protocol.splits import SEEDS

#: Our metric, and its file in the package.
FILES = {"error_rate": "database-accuracy.csv", "log_loss": "database-logloss.csv",
         "auc": "database-auc.csv", "f1": "database-f1.csv"}
#: The package's names of what identifies a fit → ours.
KEYS = {"openmlid": "dataset", "learner": "learner", "outer_seed": "outer", "inner_seed": "inner",
        "size_train": "anchor"}
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
    cached, sidecar = cache_dir() / "lcdb10.parquet", cache_dir() / "lcdb10_fits.json"
    files = {name: f"{(source / name).stat().st_size} bytes" for name in FILES.values()}
    origin = {**files, "converter": sha256_of(Path(__file__))}  # what the cached copy depends on
    if not _is_valid(cached, sidecar, origin):
        _convert(source, cached)
        sidecar.write_text(json.dumps({"origin": origin, "sha256": sha256_of(cached)}, indent=1))
    fits = read_fits([cached])
    curves = container_of([cached], fits, {"learner": list(FROM_LCDB10.values())}, NOT_IN_FILE,
                          "lcdb10")
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
    table = _read(source / FILES["error_rate"]).assign(scaling="none", leakage="yes", status="ok",
                                                       message="")
    for metric, name in FILES.items():
        rows = _read(source / name)
        for split in SPLITS:
            score = rows[f"score_{split}"]
            table[f"{metric}_{split}"] = 1 - score if metric == "error_rate" else score
    table = table.assign(train_time=table["traintime"].astype(np.float32)).reset_index()
    words = table.select_dtypes("object").columns
    with written_whole(cached) as part:
        table.astype(dict.fromkeys(words, "category")).to_parquet(part, index=False)


def _verify(source: Path) -> None:
    registry = pd.read_csv(shipped(DATA / "lcdb10_files.csv")).set_index("file")["sha256"]
    for name in FILES.values():
        if sha256_of(source / name) != registry[name]:
            raise OSError(
                f"{source / name} is damaged: its sha256 is not the registered one. "
                "Reinstall it with `pip install --no-deps --force-reinstall lcdb==0.1.0`."
            )


def _read(path: Path) -> pd.DataFrame:
    """Return the file's rows, by what identifies a fit, in the order of the container's dims."""
    rows = csv.read_csv(path, convert_options=csv.ConvertOptions(auto_dict_encode=True))
    rows = rows.to_pandas(self_destruct=True).rename(columns=KEYS)
    rows = rows[rows["inner"].isin(SEEDS)]
    learner = rows["learner"].cat.rename_categories(FROM_LCDB10)
    return rows.assign(learner=learner).set_index(list(KEYS.values())).sort_index()
