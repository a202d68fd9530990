"""What the explorer says of a dataset, marks on its curves, and offers as worth a look.

And what it does differently where classes and where numbers are to be predicted.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chapter_curves import log_errors
from analysis.databases.lcdb10 import meta_features_table
from analysis.databases.load import one_setting
from analysis.selection.crossing import PAIR, crossings, last_true, mean_curves
from analysis.shapes import detect_shapes
from analysis.shapes.verdicts import SHAPE_LABELS
from collection.containers.curves import main_metric


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
    found = {"verdicts": [label for name, label in SHAPE_LABELS.items() if curve.get(name)]}
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


def clearest_crossings(valid: xr.DataArray) -> pd.DataFrame:
    """List crossings from the clearest: a large lead at the start and a large deficit at the end.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Validation error rates, NaN where missing.

    Returns
    -------
    pandas.DataFrame
        A row per dataset and ordered pair that cross by the corrected rule: dataset, learner_a,
        learner_b, lead (of A at the first common anchor), deficit (of A at the last), in error
        rate. The smaller of the two sorts.
    """
    cases, mean = crossings(valid)["crosses"], mean_curves(valid)
    found = np.argwhere(cases.values)
    gap = mean.values[found[:, 0], found[:, 2]] - mean.values[found[:, 0], found[:, 1]]
    common = ~np.isnan(gap)
    first, last, rows = common.argmax(axis=1), last_true(common), np.arange(len(gap))
    table = pd.DataFrame({dim: cases[dim].values[found[:, k]]
                          for k, dim in enumerate(("dataset", *PAIR))})
    table = table.assign(lead=gap[rows, first], deficit=-gap[rows, last])
    order = np.argsort(-table[["lead", "deficit"]].min(axis=1).to_numpy(), kind="stable")
    return table.iloc[order].reset_index(drop=True)


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
    return [_facts(curves.isel(dataset=[k]), k, qualities) for k in range(curves.sizes["dataset"])]


def _facts(one: xr.Dataset, position: int, qualities) -> dict:
    label = _plain(one["dataset"].values[0])
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
    value = _plain(one[name].values[0])
    return None if isinstance(value, float) and np.isnan(value) else value
