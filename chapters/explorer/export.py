"""Write databases of curves as static files: an index, and a description and blocks per dataset.

A block holds the repeats of a dataset's curves, compressed, and is unpacked by a browser.
"""

import gzip
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases import chapter_data
from analysis.databases.lcdb10 import meta_features_table
from analysis.databases.load import load_curves, one_setting
from analysis.databases.naming import learner_title
from analysis.extrapolation import predict
from analysis.selection.crossing import clearest_crossings
from analysis.shapes import PROCEDURES, detect_shapes
from analysis.shapes.curves import log_errors
from analysis.shapes.verdicts import SHAPE_LABELS
from collection.containers.curves import METRICS, main_metric

# --- What the explorer says of a dataset, marks on its curves, and offers as worth a look.
# And what it does differently where classes and where numbers are to be predicted.


@dataclass(frozen=True)
class Kind:
    """How curves are drawn and judged.

    Attributes
    ----------
    first : tuple of str
        Learners of a first view, the foremost with a peak.
    least_drop : float
        From one anchor to the next, on the scale of `judged`, to be called sudden. No test, so no
        phase transition.
    largest : float
        Violation, on that scale, that is worth a look: beyond it, it is of arithmetic, as where
        least squares divides by what is zero but for rounding.
    procedures : tuple of str
        That judge shapes; names in `analysis.shapes.PROCEDURES`, the best first.
    logarithmic : bool
        Errors have no upper end and single repeats may explode: shapes are judged on the binary
        logarithm of errors; a line is the median over the repeats, not the mean; and nothing is
        called flat, which is told by the largest range of any learner.
    forecast : bool
        Whether the recommended forecast holds of these curves: it was learnt on error rates.
    """

    first: tuple[str, ...]
    least_drop: float
    largest: float = np.inf
    procedures: tuple[str, ...] = ("corrected",)
    logarithmic: bool = False
    forecast: bool = False

    def judged(self, errors: xr.DataArray) -> xr.DataArray:
        """Return what shapes are judged on: validation errors, or their binary logarithms."""
        return log_errors(errors) if self.logarithmic else errors.sel(split="valid", drop=True)

    def shapes(self, judged: xr.DataArray) -> dict[str, xr.Dataset]:
        """Return the verdicts of each procedure on what `judged` returned, of one leakage.

        Beside them ``repeats``, on how many they rest.
        """
        found = {name: detect_shapes(judged, name).load() for name in self.procedures}
        repeats = judged.notnull().any("anchor").sum(["outer", "inner"])
        return {name: (shapes.drop_vars("flat") if self.logarithmic else shapes).assign(
            repeats=repeats) for name, shapes in found.items()}


#: By the metric that curves are judged by.
KINDS = {
    "error_rate": Kind(("LDA", "ens.RandomForest", "KNN"), least_drop=0.2,
                       procedures=("corrected", "published"), forecast=True),
    "relative_rmse": Kind(("LeastSquares", "Ridge", "KNN"), least_drop=-np.log2(0.75),
                          largest=10.0, logarithmic=True),
}


def kind_of(curves: xr.Dataset) -> Kind:
    """Return the kind of a database's curves."""
    return KINDS[main_metric(curves)]


#: By a violation's name in the shapes: the verdict that it leads to, the anchors that mark it.
PLACES = {"mono": ("non_monotone", ("mono_i", "mono_j")),
          "conv": ("non_convex", ("conv_h", "conv_i", "conv_j")),
          "dip": ("dipping", ("dip_i",))}
LEAST_REPEATS = 10  # fewer cannot be told apart by a signed-rank test, corrected
PICKS = 60  # curves worth a look, of each kind


def dataset_findings(shapes: xr.Dataset) -> dict[str, dict]:
    """Return the verdicts on one dataset's curves and where their violations are.

    Parameters
    ----------
    shapes : xarray.Dataset, dims (learner,)
        Of what `analysis.detect_shapes` returns, one dataset and scaling; and ``repeats``, how
        many there are: with fewer than `LEAST_REPEATS` no verdict is given.

    Returns
    -------
    dict of str to dict
        By learner, without missing curves: ``verdicts`` (words), and for each violation that was
        found ``at`` (anchors, in rows), ``size`` (on the scale that was judged) and ``p`` (None
        where undefined).
    """
    columns = {name: shapes[name].values for name in shapes}
    return {str(learner): _found({name: values[k] for name, values in columns.items()})
            for k, learner in enumerate(shapes["learner"].values) if not columns["missing"][k]}


def _found(curve: dict) -> dict:
    if curve["repeats"] < LEAST_REPEATS:
        return {"verdicts": [f"not judged: {curve['repeats']} repeats are too few"]}
    found = {"verdicts": [label for name, label in SHAPE_LABELS.items()
                          if curve.get(name)]}
    for name, (verdict, places) in PLACES.items():
        at = [float(curve[place]) for place in places]
        if curve[verdict] and np.isfinite(at).all():
            found[name] = {"at": [round(a) for a in at],
                           "size": round(float(curve[f"violation_{name}"]), 5),
                           "p": _short(float(curve[f"p_{name}"]))}
    return found


def _short(p: float) -> float | None:
    return float(f"{p:.2g}") if np.isfinite(p) else None


def worth_a_look(valid: xr.DataArray, shapes: xr.Dataset, kind: Kind) -> dict[str, list]:
    """Return curves that show something, the clearest of each kind first.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        What was judged, of one leakage: validation error rates, or logarithms of errors.
    shapes : xarray.Dataset
        Their shapes by one procedure.
    kind : Kind
        Of these curves.

    Returns
    -------
    dict of str to list
        ``peak``, ``rise``, ``dip``, ``sudden drop``: dataset, learners and scaling, by label, and
        the size, the larger the likelier to be shown; ``crossing`` likewise with two
        learners and 1.
    """
    drops = -valid.mean(["outer", "inner"]).diff("anchor").min("anchor")
    sizes = {"peak": shapes["violation_conv"].where(shapes["peaking"]),
             "rise": shapes["violation_mono"].where(shapes["non_monotone"]),
             "dip": shapes["violation_dip"].where(shapes["dipping"]),
             "sudden drop": drops.where(drops >= kind.least_drop)}
    return {name: _largest(size.where(size <= kind.largest)) for name, size in sizes.items()} | {
        "crossing": _crossings(valid)}


def _largest(sizes: xr.DataArray) -> list:
    """Return (dataset, [learner], scaling, size) of each learner's largest, largest first."""
    table = sizes.rename("size").reset_coords(drop=True).to_dataframe()["size"].dropna()
    table = table.sort_values(ascending=False, kind="stable").reset_index()
    table = table[table.groupby("learner").cumcount() < PICKS // 6].head(4 * PICKS)
    return [[_plain(r.dataset), [r.learner], r.scaling, round(float(r.size), 4)]
            for r in table.itertuples()]


def _crossings(valid: xr.DataArray) -> list:
    scaling = valid["scaling"].values[0]
    errors = one_setting(valid.sel(scaling=[scaling]))
    if errors.sizes["learner"] < 2:
        return []
    table = clearest_crossings(errors)
    table = table[table.groupby("dataset").cumcount() < 2].head(PICKS)
    return [[_plain(r.dataset), [r.learner_a, r.learner_b], str(scaling), 1]
            for r in table.itertuples()]


def _plain(label: object) -> object:
    return label.item() if isinstance(label, np.generic) else label


#: Facts by their name in the explorer: OpenML's name for the quality.
QUALITIES = {"rows": "NumberOfInstances", "features": "NumberOfFeatures",
             "classes": "NumberOfClasses"}


def dataset_facts(curves: xr.Dataset) -> list[dict]:
    """Return what is known of each dataset of a database, in its order.

    Parameters
    ----------
    curves : xarray.Dataset
        A database, as `analysis.load_curves` opens it.

    Returns
    -------
    list of dict
        ``label`` (as in the database), ``key`` (its name in files), ``name`` (never empty), and,
        where known, ``openml`` (id), ``rows``, ``features`` and ``classes`` (left out where there
        are none to predict): from the database itself, else from OpenML's qualities.
    """
    qualities = meta_features_table()
    return [_facts(curves.isel(dataset=[k]), k, qualities)
            for k in range(curves.sizes["dataset"])]


def _facts(one: xr.Dataset, position: int, qualities) -> dict:
    label = one["dataset"].values[0]
    label = label.item() if isinstance(label, np.generic) else label
    number = label if isinstance(label, int) else _coord(one, "openml_id")
    name = _coord(one, "name") or (str(label) if not isinstance(label, int) else "")
    known = qualities.loc[int(number)] if number in qualities.index else {}
    facts = {"label": label, "key": f"{position:03d}",
             "name": str(name or known.get("Name") or f"OpenML {number}")}
    if number is not None and np.isfinite(float(number)):
        facts["openml"] = int(number)
    for fact, quality in QUALITIES.items():
        value = _coord(one, fact)
        value = known.get(quality) if value is None else value
        if value and np.isfinite(value):
            facts[fact] = int(value)
    return facts


def _coord(one: xr.Dataset, name: str) -> object | None:
    """Return the value of a coordinate along the dataset, None where there is none."""
    if name not in one.coords or one[name].dims != ("dataset",):
        return None
    value = one[name].values[0]
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and np.isnan(value) else value


# --- Forecasts that the explorer overlays: what the recommended extrapolator says at a few cuts.

#: Sizes at which curves are cut, in rows; each is shown until the reader's cut reaches the next.
CUTS = tuple(64 * 2**k for k in range(0, 12, 2))
AHEAD = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)  # doublings from the cut that are predicted
LEVELS = (0.05, 0.5, 0.95)
LEAST = 4  # anchors seen; from so many on the intervals are tested
DIGITS = 4


def database_forecasts(valid: xr.DataArray) -> list[list[dict]]:
    """Forecast the curves of a database from every cut.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, [outer, inner,] anchor)
        Validation error rates of one scaling and leakage; NaN where missing.

    Returns
    -------
    list of list of dict
        For each dataset, a dict per cut that leaves something to predict: ``cut`` (rows), ``sizes``
        (rows, the last one at or beyond the largest anchor, or `AHEAD`'s last), and ``learners``,
        by name a list per size of the quantiles `LEVELS`. A curve is there if it has `LEAST`
        anchors up to the cut, and one beyond it.
    """
    found = [[] for _ in range(valid.sizes["dataset"])]
    for cut in CUTS:
        for at, forecast in _from_cut(valid, cut):
            found[at].append(forecast)
    return found


def _from_cut(valid: xr.DataArray, cut: int):
    """Yield the position of each dataset that can be forecast from a cut, and its forecast."""
    there = valid.notnull()
    there = there.any([d for d in there.dims if d in ("outer", "inner")])
    before, after = (there.where(there["anchor"] <= cut, False).sum("anchor") >= LEAST,
                     there.where(there["anchor"] > cut, False).any("anchor"))
    shown = before & after
    some = np.flatnonzero(shown.any("learner"))
    if not len(some):
        return
    seen = valid.isel(dataset=some).where(valid["anchor"] <= cut)
    count = there.isel(dataset=some).where(there["anchor"] <= cut, False).sum("anchor")
    sizes = np.round(cut * 2.0 ** np.array(AHEAD))
    values = predict(seen.where(count >= 2), sizes, levels=LEVELS)
    values = values.transpose("dataset", "learner", "size", "quantile").values
    for position, one, own, kept in zip(some, values, there.values[some], shown.values[some],
                                        strict=True):
        end = valid["anchor"].values[own.any(0)].max()
        upto = min(int(np.searchsorted(sizes, end)) + 1, len(sizes))
        yield position, {
            "cut": cut, "sizes": sizes[:upto].astype(int).tolist(),
            "learners": {str(name): np.round(one[k, :upto], DIGITS).tolist()
                         for k, name in enumerate(valid["learner"].values) if kept[k]}}

#: The order of values in a block; the repeat is outer seed times inner seeds plus inner seed.
BLOCK_DIMS = ("learner", "split", "anchor", "outer", "inner")


@dataclass(frozen=True)
class Block:
    """Curves of one dataset, metric, scaling and leakage.

    Attributes
    ----------
    learners, splits, anchors : list
        Labels of the first three of `BLOCK_DIMS`, those with a value only; ``splits`` is empty
        for a metric without splits.
    repeats : int
        Values per anchor.
    content : bytes
        gzip of float32, little-endian, in the order of `BLOCK_DIMS`; NaN where missing.
    """

    learners: list[str]
    splits: list[str]
    anchors: list[int]
    repeats: int
    content: bytes

    def describe(self, file: str) -> dict:
        """Return what a page must know to read the block from `file`."""
        return {"file": file, "learners": self.learners, "splits": self.splits,
                "anchors": self.anchors, "repeats": self.repeats}


def pack_block(values: xr.DataArray) -> Block | None:
    """Pack the curves of one dataset and setting.

    Parameters
    ----------
    values : xarray.DataArray, dims (learner, outer, inner, anchor[, split])
        One metric; NaN where missing. A database of means only has no repeats.

    Returns
    -------
    Block or None
        None where there is no value at all.
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
    return Block(learners=[str(name) for name in values["learner"].values],
                 splits=[str(name) for name in values["split"].values] if has_splits else [],
                 anchors=[int(n) for n in values["anchor"].values],
                 repeats=values.sizes["outer"] * values.sizes["inner"],
                 content=gzip.compress(content, compresslevel=6, mtime=0))


def shown_metrics(curves: xr.Dataset) -> dict[str, dict]:
    """Return the metrics of a database, with what a page says of them, the main one first."""
    main = main_metric(curves)
    return {m.name: {"label": m.label, "unit": "" if m.unit == "1" else m.unit,
                     "axis": "log" if m.of == "numbers" and m.lower_is_better else "linear"}
            for m in sorted(METRICS.values(), key=lambda m: m.name != main) if m.name in curves}


#: Databases that come with the book; a link without one means the first.
SHOWN = (
    "lcdb10",
    "mini",
    "ensemble_curves",
    "regression",
    "large_numbers",
    "large_classes",
)
#: Dims of the values of a curve.
VALUES = ("outer", "inner", "anchor", "split")
#: Datasets read at a time: a metric of all of them, dense, can take gigabytes.
AT_ONCE = 62


def shown_databases() -> list[str]:
    """Return the databases that the explorer shows: the book's, and the reader's own if asked for.

    See `analysis.databases.chapter_data.chapter_database` for how a reader asks.
    """
    return list(dict.fromkeys([*SHOWN, chapter_data.chapter_database(SHOWN[0])]))


def describe_databases(databases: Iterable[str]) -> pd.DataFrame:
    """Return a row per database: its name, what is judged, and how much there is.

    Columns ``database``, ``judged by`` (a metric in words), ``datasets``, ``learners`` and
    ``curves``. A curve is a combination of dataset, learner, scaling and leakage with at least
    one value.
    """
    rows = []
    for database in databases:
        curves = load_curves(database)
        errors = curves[main_metric(curves)]
        there = errors.notnull().any([d for d in errors.dims if d in VALUES])
        rows.append({"database": chapter_data.database_title(database),
                     "judged by": METRICS[errors.name].label, "datasets": curves.sizes["dataset"],
                     "learners": curves.sizes["learner"], "curves": int(there.sum())})
    return pd.DataFrame(rows)


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
        index = export_database(load_curves(database), folder / key, title)
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
        Receives ``index.json``, and for each dataset ``<key>.json``, its blocks of values
        (`export_database`) and its forecasts (`database_forecasts`).
    title : str
        The database in words.

    Returns
    -------
    dict
        What ``index.json`` holds: learners and their titles, metrics, the first of them the one
        that curves are judged by; how they are drawn and judged (`worth_a_look`);
        datasets with their facts, and curves worth a look
        (`chapters.explorer.worth_a_look`).
    """
    folder.mkdir(parents=True, exist_ok=True)
    facts, kind = dataset_facts(curves), kind_of(curves)
    judged, looks = _findings(curves)
    described = [_describe(curves, at, fact, judged) for at, fact in enumerate(facts)]
    for metric in shown_metrics(curves):
        for first in range(0, len(facts), AT_ONCE):
            some = curves[metric].isel(dataset=slice(first, first + AT_ONCE)).load()
            for at, fact in enumerate(facts[first:first + AT_ONCE]):
                blocks = _write_blocks(some.isel(dataset=at), folder, f"{fact['key']}.{metric}")
                described[first + at]["blocks"] |= blocks
    if kind.forecast:
        _add_forecasts(curves, described, folder)
    for fact, description in zip(facts, described, strict=True):
        _write(folder / f"{fact['key']}.json", description)
    index = {"title": title, "learners": [str(n) for n in curves["learner"].values],
             "titles": {str(n): learner_title(str(n))
                        for n in curves["learner"].values},
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
        looks = looks or worth_a_look(
            valid, judged[leakage][kind.procedures[0]], kind)
    return judged, looks


def _describe(curves: xr.Dataset, at: int, fact: dict, judged: Mapping) -> dict:
    """Return a dataset's facts and the verdicts on its curves, by setting and learner."""
    verdicts = {}
    for leakage, by_procedure in judged.items():
        for scaling in curves["scaling"].values.tolist():
            by_learner = {}
            for name, shapes in by_procedure.items():
                here = shapes.isel(dataset=at).sel(scaling=scaling)
                for learner, found in dataset_findings(here).items():
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


def _write_blocks(values: xr.DataArray, folder: Path, stem: str) -> dict[str, dict]:
    """Write a block per setting of one dataset and metric; return what describes each."""
    described = {}
    for scaling in values["scaling"].values.tolist():
        for leakage in values["leakage"].values.tolist():
            block = pack_block(values.sel(scaling=scaling, leakage=leakage, drop=True))
            if block is not None:
                file = f"{stem}.{scaling}.{leakage}.bin"
                (folder / file).write_bytes(block.content)
                described[file.split(".", 1)[1].removesuffix(".bin")] = block.describe(file)
    return described


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, separators=(",", ":"), allow_nan=False))
