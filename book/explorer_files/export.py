"""Write databases of curves as static files: an index, and a description and blocks per dataset.

A block holds the repeats of a dataset's curves, compressed, and is unpacked by a browser.
"""

import gzip
import json
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path

import numpy as np
import xarray as xr

from analysis.databases import chapter_curves as chapter_data
from analysis.databases.load import load_curves
from analysis.databases.naming import learner_title
from analysis.shapes import PROCEDURES
from collection.containers.curves import METRICS, main_metric
from explorer_files import findings
from explorer_files.findings import kind_of
from explorer_files.forecasts import LEVELS, database_forecasts

#: The order of values in a block; the repeat is outer seed times inner seeds plus inner seed.
BLOCK_DIMS = ("learner", "split", "anchor", "outer", "inner")


def pack_block(values: xr.DataArray) -> tuple[dict, bytes] | None:
    """Pack the curves of one dataset and setting.

    Parameters
    ----------
    values : xarray.DataArray, dims (learner, outer, inner, anchor[, split])
        One metric; NaN where missing. A database of means only has no repeats.

    Returns
    -------
    described : dict
        What a page must know to read the block: ``learners, splits, anchors``, labels of the first
        three of `BLOCK_DIMS`, those with a value only (no splits of a metric without), and
        ``repeats``, values per anchor.
    content : bytes
        gzip of float32, little-endian, in the order of `BLOCK_DIMS`; NaN where missing.

    None instead of both where there is no value at all.
    """
    for dim in ("outer", "inner"):
        values = values if dim in values.dims else values.expand_dims(dim)
    has_splits = "split" in values.dims
    values = values if has_splits else values.expand_dims("split")
    values = values.transpose(*BLOCK_DIMS)
    there = values.notnull()
    for dim in ("learner", "split", "anchor"):
        values = values.isel({dim: there.any([d for d in BLOCK_DIMS if d != dim]).values})
    if not values.size:
        return None
    content = np.ascontiguousarray(values.values, dtype="<f4").tobytes()
    described = {"learners": [str(name) for name in values["learner"].values],
                 "splits": [str(name) for name in values["split"].values] if has_splits else [],
                 "anchors": [int(n) for n in values["anchor"].values],
                 "repeats": values.sizes["outer"] * values.sizes["inner"]}
    return described, gzip.compress(content, compresslevel=6, mtime=0)


def shown_metrics(curves: xr.Dataset) -> dict[str, dict]:
    """Return the metrics of a database, with what a page says of them, the main one first."""
    main = main_metric(curves)
    return {m.name: {"label": m.label, "unit": "" if m.unit == "1" else m.unit,
                     "axis": "log" if m.of == "numbers" and m.lower_is_better else "linear"}
            for m in sorted(METRICS.values(), key=lambda m: m.name != main) if m.name in curves}


#: Databases that come with the book; a link without one means the first.
SHOWN = ("lcdb10", "mini", "lcdb11-anew", "ensemble_curves", "regression", "large_numbers",
         "large_classes")
#: Of databases that would take as much as all others: what is shown of them.
PART = {"lcdb11-anew": {"scaling": ["none"], "leakage": ["no"]}}
#: Dims of the values of a curve.
VALUES = ("outer", "inner", "anchor", "split")
#: Datasets read at a time: a metric of all of them, dense, can take gigabytes.
AT_ONCE = 62


def shown_databases(database: str = "") -> list[str]:
    """Return the databases that the explorer shows: the book's, and one of a reader."""
    return list(dict.fromkeys([*SHOWN, database or SHOWN[0]]))


def export_databases(databases: Iterable[str], folder: Path) -> None:
    """Write several databases and the list of them.

    Parameters
    ----------
    databases : iterable of str
        Names or paths, for `analysis.load_curves`.
    folder : Path
        Receives ``databases.json`` and a folder for each database.
    """
    listed = []
    for database in databases:
        key = Path(database).name
        title = chapter_data.database_title(database)
        curves = load_curves(database)
        if database in PART:
            curves = curves[[main_metric(curves)]].sel(PART[database])
        index = export_database(curves, folder / key, title)
        listed.append({"key": key, "title": index["title"], "datasets": len(index["datasets"]),
                       "learners": len(index["learners"])})
    _write(folder / "databases.json", listed)


def export_database(curves: xr.Dataset, folder: Path, title: str) -> dict:
    """Write one database.

    Parameters
    ----------
    curves : xarray.Dataset
        As `analysis.load_curves` opens it.
    folder : Path
        Receives ``index.json``, for each dataset ``<key>.json``, its blocks of values
        (`explorer_files.export`) and its forecasts (`explorer_files.forecasts`), and for
        each learner ``thumbnails.<its place in the index>.json``.
    title : str
        The database in words.

    Returns
    -------
    dict
        What ``index.json`` holds: learners and their titles, metrics, the first of them the one
        that curves are judged by; how they are drawn and judged (`explorer_files.findings`);
        datasets with their facts, and curves worth a look
        (`explorer_files.findings.worth_a_look`).
    """
    folder.mkdir(parents=True, exist_ok=True)
    facts, kind = findings.dataset_facts(curves), kind_of(curves)
    judged, looks = _findings(curves)
    described = [_describe(curves, at, fact, judged) for at, fact in enumerate(facts)]
    for metric in shown_metrics(curves):
        for first in range(0, len(facts), AT_ONCE):
            some = curves[metric].isel(dataset=slice(first, first + AT_ONCE)).load()
            for at, fact in enumerate(facts[first:first + AT_ONCE]):
                blocks = _write_blocks(some.isel(dataset=at), folder, fact["key"])
                described[first + at]["blocks"] |= blocks
    _write_thumbnails(curves, folder)
    if kind.forecast:
        _add_forecasts(curves, described, folder)
    for fact, description in zip(facts, described, strict=True):
        _write(folder / f"{fact['key']}.json", description)
    learners = [str(name) for name in curves["learner"].values]
    index = {"title": title, "learners": learners,
             "titles": {name: learner_title(name) for name in learners},
             "metrics": shown_metrics(curves),
             "procedures": {name: PROCEDURES[name].title for name in kind.procedures},
             "first": kind.first, "logarithmic": kind.logarithmic, "forecast": kind.forecast,
             "datasets": facts, "worth_a_look": looks}
    _write(folder / "index.json", index)
    return index


def _findings(curves: xr.Dataset) -> tuple[dict[str, Mapping[str, xr.Dataset]], dict]:
    """Return the shapes by leakage and procedure, and the curves worth a look."""
    kind, errors = kind_of(curves), curves[main_metric(curves)]
    if not {"outer", "inner"} <= set(errors.dims):
        return {}, {}  # means alone cannot be judged
    judged, looks = {}, {}
    for leakage in curves["leakage"].values.tolist():
        valid = kind.judged(errors.sel(leakage=leakage, drop=True)).load()
        judged[leakage] = kind.shapes(valid)
        looks = looks or findings.worth_a_look(valid, judged[leakage][kind.procedures[0]], kind)
    return judged, looks


def _describe(curves: xr.Dataset, at: int, fact: dict, judged: Mapping) -> dict:
    """Return a dataset's facts and the verdicts on its curves, by setting and learner."""
    verdicts = {}
    for leakage, by_procedure in judged.items():
        for scaling in curves["scaling"].values.tolist():
            by_learner = {}
            for name, shapes in by_procedure.items():
                here = shapes.isel(dataset=at).sel(scaling=scaling)
                for learner, found in findings.dataset_findings(here).items():
                    by_learner.setdefault(learner, {})[name] = found
            if by_learner:
                verdicts[f"{scaling}.{leakage}"] = by_learner
    return {**fact, "blocks": {}, "verdicts": verdicts}


def _add_forecasts(curves: xr.Dataset, described: list[dict], folder: Path) -> None:
    """Write each dataset's forecasts to a file of its own, read only when they are asked for."""
    setting = {"scaling": chapter_data.main_scaling(curves),
               "leakage": chapter_data.least_leakage(curves)}
    valid = curves["error_rate"].sel(split="valid", **setting, drop=True).load()
    for description, forecasts in zip(described, database_forecasts(valid), strict=True):
        if forecasts:
            file = f"forecasts.{description['key']}.json"
            _write(folder / file, {"levels": LEVELS, "cuts": forecasts})
            description["forecasts"] = {"file": file, **setting}


def _write_blocks(values: xr.DataArray, folder: Path, key: str) -> dict[str, dict]:
    """Write a block per setting of one dataset and metric; return what describes each."""
    described = {}
    for scaling, leakage in product(*(values[d].values.tolist() for d in ("scaling", "leakage"))):
        packed = pack_block(values.sel(scaling=scaling, leakage=leakage, drop=True))
        if packed is not None:
            file = f"{key}.{values.name}.{scaling}.{leakage}.bin"
            (folder / file).write_bytes(packed[1])
            described[f"{values.name}.{scaling}.{leakage}"] = {"file": file} | packed[0]
    return described


def _write_thumbnails(curves: xr.Dataset, folder: Path) -> None:
    """Write a learner's curve on every dataset as the points of a line in a box of 100 by 40.

    Across the box a curve's sizes, on a logarithmic scale; upwards its errors, from 0 to its
    largest. An empty line where a dataset has fewer than two values of the learner.
    """
    errors = curves[main_metric(curves)].sel(
        split="valid", scaling=chapter_data.main_scaling(curves),
        leakage=chapter_data.least_leakage(curves))
    means = errors.mean([d for d in ("outer", "inner") if d in errors.dims]).transpose(
        "learner", "dataset", "anchor").load()
    sizes = np.log(means["anchor"].values)
    for number, of_learner in enumerate(means.values):
        lines = []
        for values in of_learner:
            there = np.isfinite(values)
            x, y = sizes[there], values[there]
            x = 100 * (x - x[:1]) / max(np.ptp(x), 1e-9) if there.sum() > 1 else x[:0]
            y = 38 - 36 * y / max(y.max(initial=0), 1e-9)
            lines.append(" ".join(f"{a:.0f},{b:.0f}" for a, b in zip(x, y, strict=False)))
        _write(folder / f"thumbnails.{number:03d}.json", lines)


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, separators=(",", ":"), allow_nan=False))
