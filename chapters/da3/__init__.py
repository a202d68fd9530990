"""How much worse are ill-behaved curves fitted and predicted? (DA3 of the paper)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure
from scipy.optimize import isotonic_regression

import analysis
from analysis.databases.chapter_data import database_title, validation_errors
from analysis.databases.naming import dataset_title, learner_title
from analysis.drawing.chart import Chart
from analysis.drawing.style import PALETTE
from analysis.fitting.batch import fit_batch
from analysis.fitting.curves import flatten_curves
from analysis.fitting.registry import MODELS, curve_models
from analysis.published.printed import published_table
from analysis.statistics.bootstrap import percentile_interval, ratio_of_sums, resample_datasets
from analysis.statistics.families import chosen_elsewhere
from analysis.statistics.summary import interval_texts
from chapters.chapter import Chapter
from chapters.facts import Facts
from chapters.sufficient import lacks_shapes, sufficient_database
from collection.containers.curves import only_dims

# --- Fits of whole curves: how much worse those to ill-behaved curves are, and what none avoids.

EXACT = 1e-20  # mean squared errors below are rounding: their logarithm says nothing
#: The verdicts that curves are compared by, and the violation that belongs to each.
COMPARED = {"non_monotone": "violation_mono", "non_convex": "violation_conv"}


def fit_ratios(mse: xr.DataArray, shapes: xr.Dataset) -> pd.DataFrame:
    """Compare fits to ill- and to well-behaved curves, for both verdicts (Section 5.4).

    Parameters
    ----------
    mse : DataArray, dims (dataset, learner, model)
        Mean squared errors; NaN, and what is below `EXACT`, is left out.
    shapes : Dataset, dims (dataset, learner)
        From `analysis.detect_shapes`. Flat curves are left out, as in the paper.

    Returns
    -------
    DataFrame
        A row per ``verdict`` and ``model``: ``n_well``, ``n_ill``; ``ratio`` of the geometric
        means (ill / well) with its 95 % interval over families of datasets, ``cluster_low`` to
        ``cluster_high``; ``own_ratio, own_low, own_high``, against the same learner's well-behaved
        curves.
    """
    usable = np.log10(mse.where((mse >= EXACT) & ~shapes["flat"])).rename("log")
    table = only_dims(usable.to_dataset()).to_dataframe().reset_index().dropna(subset="log")
    verdicts = only_dims(shapes[list(COMPARED)]).to_dataframe(dim_order=CURVE)
    table = table.join(verdicts, on=CURVE)
    frames = []
    for verdict in COMPARED:
        found = compare_kinds(table.assign(group=np.where(table[verdict], ILL, WELL)), "log")
        ends = {"ratio": "cost", "cluster_low": "cost_low", "cluster_high": "cost_high",
                "own_ratio": "same_learner", "own_low": "same_learner_low",
                "own_high": "same_learner_high"}
        frames.append(found[["model", "n_well", "n_ill"]].assign(
            verdict=verdict, **{name: 10 ** found[c] for name, c in ends.items()}))
    return pd.concat(frames, ignore_index=True)


def monotone_floor(curves: xr.DataArray) -> xr.DataArray:
    """Return the smallest mean squared error that any monotone function reaches on each curve.

    POW4, MMF4 and WBL4 are monotone for all parameters that have finite values on the anchors,
    rising or falling; none of them can get below.

    Parameters
    ----------
    curves : DataArray, dims (..., anchor)
        NaN where there is no anchor.

    Returns
    -------
    DataArray, dims (...)
        The smaller one of a falling and a rising isotonic regression's errors; NaN without
        anchors.
    """
    return xr.apply_ufunc(_floor, curves, input_core_dims=[["anchor"]], vectorize=True)


def _floor(curve: np.ndarray) -> float:
    seen = curve[np.isfinite(curve)]
    if not len(seen):
        return np.nan
    fitted = (isotonic_regression(seen, increasing=rising).x for rising in (False, True))
    return min(((seen - values) ** 2).mean() for values in fitted)


def draw_example_fits(means: xr.DataArray, fits: xr.Dataset, shapes: xr.Dataset) -> Figure:
    """Draw the largest peak and the largest dip, and every model's fit to them (Figure 18).

    Parameters
    ----------
    means : DataArray, dims (dataset, learner, anchor)
        Mean error rates.
    fits : Dataset, dims (dataset, learner, model, anchor)
        From `analysis.fit_curves` on them.
    shapes : Dataset, dims (dataset, learner)
        From `analysis.detect_shapes`.
    """
    rows, names = [], fits["model"].values.tolist()
    for shape, size in (("peaking", "violation_conv"), ("dipping", "violation_dip")):
        violation = shapes[size].where(shapes[shape]).to_series()
        if violation.notna().any():
            dataset, learner = violation.idxmax()
            curve = means.sel(dataset=dataset, learner=learner).dropna("anchor")
            fitted = fits["prediction"].sel(dataset=dataset, learner=learner,
                                            anchor=curve["anchor"])
            every = pd.DataFrame({"measured": curve, **{
                name: fitted.sel(model=name) for name in names}}, curve["anchor"])
            rows.append(every.rename_axis("anchor").reset_index().melt(
                "anchor", var_name="of", value_name="error").assign(
                    curve=f"{learner_title(learner)}\non {dataset_title(dataset)}"))
    return Chart("rows", "lines", "anchor", "error", "training-set size [rows]", "error rate",
                 by="of", panel="curve", own=True, log="x", height=3.2,
                 colours={"measured": "0.5", **dict(zip(names, PALETTE, strict=False))},
                 marks={"measured": "o", **dict(zip(names, ("-", "--", ":"), strict=False))}).draw(
                     {"rows": pd.concat(rows)})


# --- Fit formulas to the first half of each curve, predict its end, and compare kinds of curves.

LEAST_ANCHORS = 4  # as many as any model's parameters, so that all are compared on the same curves
CURVE = ["dataset", "learner"]
WELL, ILL = "well-behaved", "ill-behaved"
BEST = "best of its kind"
#: What a curve is counted as where each curve counts once; the first that holds decides.
SHAPE_CLASSES = ("missing", "flat", "dipping", "peaking", "other non-monotone",
                 "monotone, not convex", WELL)


def predict_ends(curves: xr.DataArray, models: Iterable[str] = tuple(MODELS),
                 share: float = 0.5) -> pd.DataFrame:
    """Fit models to the first anchors of every curve and predict its last one.

    Parameters
    ----------
    curves : DataArray, dims (..., anchor)
        Error rates, one curve per element of the other dims; NaN where there is no anchor.
    models : iterable of str
        Names from `analysis.fitting.registry.MODELS`; LAST1 predicts that nothing changes.
    share : float
        Which part of a curve to fit: the share of its anchors, rounded down; curves of which that
        is fewer than `LEAST_ANCHORS` are not listed.

    Returns
    -------
    DataFrame
        A row per curve and model: the labels of the other dims, ``fitted_up_to`` and
        ``last_anchor`` (rows), ``truth`` (error rate at the last anchor), ``model``,
        ``prediction`` (brought into [0, 1]), ``points`` (how far it is off, in points of error
        rate) and ``converged``.

    Raises
    ------
    UnknownNameError
        Where a model is not in the registry.
    ValueError
        Where `share` is not between 0 and 1, or `curves` is not as `fit_curves` wants it.

    Notes
    -----
    As in LCDB 1.0 (Mohr et al. 2022, Section 5); the paper's Section 5.4 leaves it out.
    """
    if not 0 < share < 1:
        raise ValueError(f"A share of {share} leaves nothing to fit or nothing to predict; "
                         "shares lie between 0 and 1.")
    chosen = curve_models(models)
    sizes, values, _ = flatten_curves(curves)
    others = {dim: curves[dim].values for dim in curves.dims if dim != "anchor"}
    labels = (pd.MultiIndex.from_product(others.values(), names=others).to_frame(index=False)
              if others else pd.DataFrame(index=[0]))
    seen = np.isfinite(values)
    fitted = np.floor(share * seen.sum(1) + 1e-9).astype(int)
    rows = np.flatnonzero(fitted >= LEAST_ANCHORS)
    values, seen, fitted = values[rows], seen[rows], fitted[rows]
    inside = seen & (seen.cumsum(1) <= fitted[:, None])
    end, last = (np.where(part, sizes, 0).max(1, initial=0) for part in (inside, seen))
    truth = values[np.arange(len(rows)), np.searchsorted(sizes, last)]
    cut = labels.iloc[rows].assign(fitted_up_to=end, last_anchor=last, truth=truth)
    told = []
    for model in chosen:
        fit = fit_batch(sizes, values, inside.astype(float), model)
        prediction = fit.predict(last[:, None])[:, 0].clip(0, 1)
        told.append(cut.assign(model=model.name, prediction=prediction,
                               points=100 * abs(prediction - truth), converged=fit.converged))
    return pd.concat(told, ignore_index=True)


def with_classes(table: pd.DataFrame, shapes: xr.Dataset) -> pd.DataFrame:
    """Add each curve's shape, each in one class, and leave missing and flat curves out.

    Parameters
    ----------
    table : DataFrame
        With columns ``dataset, learner``.
    shapes : Dataset, dims (dataset, learner)
        From `analysis.detect_shapes`.

    Returns
    -------
    DataFrame
        Also with ``shape``, the first of `SHAPE_CLASSES` that holds (a curve that dips and peaks
        is dipping), and ``group``, `WELL` or `ILL`.
    """
    conditions = [shapes[c].values for c in ("missing", "flat", "dipping", "peaking",
                                             "non_monotone", "non_convex")]
    classes = shapes["missing"].copy(
        data=np.select(conditions, SHAPE_CLASSES[:-1], SHAPE_CLASSES[-1])).rename("shape")
    table = table.join(only_dims(classes.to_dataset()).to_dataframe(dim_order=CURVE), on=CURVE)
    table = table[~table["shape"].isin(["missing", "flat"])]
    return table.assign(group=np.where(table["shape"] == WELL, WELL, ILL))


def best_of_each_kind(table: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Predict each kind of curve by the model that errs least on that kind, on other datasets.

    Parameters
    ----------
    table : DataFrame
        A row per curve and model: ``dataset, learner, group, model, points``.

    Returns
    -------
    rows : DataFrame
        A row per curve: ``dataset, learner, group``, ``model`` (`BEST`), and ``points``, how far
        the model chosen is off, on average over the halvings of the datasets
        (`analysis.statistics.families`).
    chosen : dict of str to str
        Group → the model chosen most often.
    """
    wide = table.pivot(index=[*CURVE, "group"], columns="model", values="points").dropna()
    datasets, group = (wide.index.get_level_values(k).to_numpy() for k in ("dataset", "group"))
    total, times, names = np.zeros(len(wide)), np.zeros(len(wide)), {}
    for kind in (WELL, ILL):
        own = group == kind
        picks = []
        for judged, model in chosen_elsewhere(
                datasets, lambda here, own=own: wide[here & own].mean().fillna(np.inf).idxmin()):
            total[judged & own] += wide.loc[judged & own, model]
            times[judged & own] += 1
            picks.append(model)
        names[kind] = str(pd.Series(picks).mode()[0])
    rows = wide.index.to_frame(index=False).assign(model=BEST, points=total / times)
    return rows, names


def compare_kinds(table: pd.DataFrame, value: str = "points") -> pd.DataFrame:
    """Compare each model's mean over ill-behaved curves with that over well-behaved ones.

    Parameters
    ----------
    table : DataFrame
        Columns ``dataset``, ``learner``, ``group`` (`WELL` or `ILL`), ``model`` and `value`; a row
        per curve and model.
    value : str
        The column that is averaged.

    Returns
    -------
    DataFrame
        ``model``, ``n_well``, ``n_ill``; for each of ``well``, ``ill``, ``cost`` (ill minus well)
        and ``same_learner`` (ill minus the mean over the well-behaved curves of the same learner;
        curves of learners without any are left out) the value and its 95 % interval, ``…_low``
        and ``…_high``, from resampling families of datasets. NaN where a group is empty.
    """
    datasets, learners = (np.sort(table[c].unique()) for c in CURVE)
    rows = []
    for model, rest in table.groupby("model", sort=False):
        cells = {kind: _cells(rest[rest["group"] == kind], value, datasets, learners)
                 for kind in (WELL, ILL)}
        row = {"model": model, "n_well": int(cells[WELL][1].sum()),
               "n_ill": int(cells[ILL][1].sum())}
        estimate = _compare(cells, np.ones((1, len(datasets))))
        for name, drawn in _compare(cells, resample_datasets(datasets)).items():
            low, high = percentile_interval(drawn)
            row |= {name: estimate[name][0], f"{name}_low": float(low), f"{name}_high": float(high)}
        rows.append(row)
    return pd.DataFrame(rows)


def _cells(rows: pd.DataFrame, value: str, datasets: np.ndarray, learners: np.ndarray):
    """Return sums and counts by dataset and learner, both of shape (n_datasets, n_learners)."""
    at = (np.searchsorted(datasets, rows["dataset"]), np.searchsorted(learners, rows["learner"]))
    total, count = np.zeros((2, len(datasets), len(learners)))
    np.add.at(total, at, rows[value].to_numpy())
    np.add.at(count, at, 1)
    return total, count


def _compare(cells: dict, times: np.ndarray) -> dict[str, np.ndarray]:
    """Return the comparison for every row of `times`: how often each dataset counts."""
    (well, n_well), (ill, n_ill) = ((times @ t, times @ c) for t, c in cells.values())
    expected = _ratio(well, n_well)
    known = n_ill * np.isfinite(expected)
    own = np.where(known > 0, ill - n_ill * np.nan_to_num(expected), 0).sum(1)
    means = {short: ratio_of_sums(*(part.sum(1) for part in cells[kind]), times)
             for short, kind in (("well", WELL), ("ill", ILL))}
    return means | {"cost": means["ill"] - means["well"],
                    "same_learner": _ratio(own, known.sum(1))}


def _ratio(total: np.ndarray, count: np.ndarray) -> np.ndarray:
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)

PAPER_MODELS = ("POW4", "MMF4", "WBL4")
OFF = "mean error (points)"
DRAWN = ("LAST1", "POW2", "ILOG2", "POW3", *PAPER_MODELS)


@dataclass(frozen=True)
class Study:
    """Curves, their shapes, fits and predictions.

    Attributes
    ----------
    database, note : str
        The database that the text is about, and why not the one asked for, if so.
    means : DataArray, dims (dataset, learner, anchor)
        Mean validation error rates without scaling.
    shapes : Dataset, dims (dataset, learner)
        By the corrected procedure.
    fits : Dataset
        From `analysis.fit_curves`, the paper's three models.
    ratios : DataFrame
        From `fit_ratios`.
    predictions : DataFrame
        From `predict_ends`, by the shape of the whole curve.
    costs : dict of str to DataFrame
        Judged on ("whole curve", "first half") → `compare_kinds` of all models and of the best.
    best : dict of str to str
        Kind of curve → the model most often the best on half of the datasets.
    """

    database: str
    note: str
    means: xr.DataArray
    shapes: xr.Dataset
    fits: xr.Dataset
    ratios: pd.DataFrame
    predictions: pd.DataFrame
    costs: dict[str, pd.DataFrame]
    best: dict[str, str]


def compute() -> Study:
    """Fit all curves, and predict their ends from the first half."""
    database, note = sufficient_database("lcdb10", lacks_shapes)
    errors = validation_errors(database).sel(scaling="none", drop=True).load()
    means = errors.mean(["outer", "inner"])
    shapes = analysis.detect_shapes(errors)
    told = predict_ends(means)
    seen = told.drop_duplicates(CURVE).set_index(CURVE)["fitted_up_to"].to_xarray()
    early = analysis.detect_shapes(errors.where(errors["anchor"] <= seen))
    predictions = with_classes(told, shapes)
    costs, best = {}, {}
    for judged, rows in (("whole curve", predictions), ("first half", with_classes(told, early))):
        chosen, names = best_of_each_kind(rows)
        costs[judged] = compare_kinds(pd.concat([rows, chosen]))
        best = best or names
    fits = analysis.fit_curves(means, PAPER_MODELS)
    return Study(database, note, means, shapes, fits, fit_ratios(fits["mse"], shapes), predictions,
                 costs, best)


def tables(study: Study) -> Mapping[str, pd.DataFrame]:
    """Return fits by verdict, what no monotone model avoids, and the errors of predictions."""
    cost = study.costs["whole curve"].assign(database=study.database)
    shape = study.predictions.groupby(["shape", "model"], sort=False)["points"].agg(
        ["mean", "size"]).rename(columns={"mean": OFF}).reset_index()
    shape = shape.sort_values("shape", key=lambda s: s.map(SHAPE_CLASSES.index), kind="stable")
    names = shape["shape"] + " (" + shape["size"].map("{:,}".format) + ")"
    models = pd.DataFrame([
        {"formula": m.name, "error rate after n rows": rf"\({m.formula}\)", "source": m.source}
        for m in MODELS.values()])
    return {"models": models, "summary": study.ratios.assign(database=study.database),
            "floor": _floors(study), "cost": cost, "foresight": study.costs["first half"],
            "kinds": _by_kind(cost), "by_shape": shape.assign(curves=names)}


def _floors(study: Study) -> pd.DataFrame:
    """Return the share of fits' errors that no monotone model avoids, and the ratio above it."""
    mse, risen = study.fits["mse"], study.shapes["non_monotone"] & ~study.shapes["flat"]
    floor = monotone_floor(study.means)
    share = 100 * (floor / mse).where(risen).median(CURVE)
    left = fit_ratios(mse - floor, study.shapes).query("verdict == 'non_monotone'")
    return left[["model", "ratio", "cluster_low", "cluster_high"]].assign(
        share=share.sel(model=left["model"].to_numpy()).values)


def _by_kind(cost: pd.DataFrame) -> pd.DataFrame:
    """Return the mean errors with a row per model and kind of curve, for the figure."""
    rows = [cost[["model"]].assign(kind=kind, points=cost[c], low=cost[f"{c}_low"],
                                   high=cost[f"{c}_high"])
            for kind, c in ((WELL, "well"), (ILL, "ill"))]
    drawn = pd.concat(rows)
    return drawn[drawn["model"].isin([BEST, *DRAWN])].sort_values(
        "model", key=lambda s: s.map([BEST, *DRAWN].index), kind="stable")


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows = Facts()
    rows.update({"title": database_title(study.database), "note": study.note,
                 "n_models": str(len(MODELS)), "best_model_well": study.best[WELL],
                 "best_model_ill": study.best[ILL]})
    whole, half = (study.costs[k].set_index("model") for k in ("whole curve", "first half"))
    for key, of, model, column in (
            ("gap", whole, BEST, "cost"), ("gap_same", whole, BEST, "same_learner"),
            ("gap_seen", half, BEST, "cost"), ("last1_gap", whole, "LAST1", "cost"),
            ("last1_ill", whole, "LAST1", "ill")):
        rows.add(key, *of.loc[model, [column, f"{column}_low", f"{column}_high"]], digits=1,
                 unit="points", n=int(of.loc[model, "n_ill"]))
    rows.update({"n_ill": int(whole.loc[BEST, "n_ill"])})
    ratios = study.ratios.set_index(["verdict", "model"])
    for key, verdict in (("mono", "non_monotone"), ("conv", "non_convex")):
        rows.add(f"ratio_{key}", *ratios.loc[(verdict, "POW4"), [
            "ratio", "cluster_low", "cluster_high"]], digits=1)
    floor = _floors(study).set_index("model")
    rows.add("floor_share", f"{floor['share'].min():.0f} to {floor['share'].max():.0f} %")
    rows.add("excess", *floor.loc["POW4", ["ratio", "cluster_low", "cluster_high"]], digits=1)
    said = published_table("text").set_index("property")["value"]
    rows.add("paper_ratio", float(said["mse_ratio_monotone"]))
    return rows.table()


def _shown_ratios(study: Study) -> pd.DataFrame:
    shown = study.ratios
    return pd.DataFrame({
        "compared": shown["verdict"].str.replace("_", "-"), "formula": shown["model"],
        "curves": shown["n_ill"], "others": shown["n_well"],
        "ratio of errors": interval_texts(shown, "ratio", "cluster_low", "cluster_high"),
        "same learner": interval_texts(shown, "own_ratio", "own_low", "own_high")})


def _shown_costs(study: Study) -> pd.DataFrame:
    whole, half = (study.costs[k].set_index("model") for k in ("whole curve", "first half"))
    models = [BEST, *DRAWN]
    columns = {"well": WELL, "ill": ILL, "cost": "gap", "same_learner": "gap, same learner"}
    return pd.DataFrame({"formula": models} | {
        title: interval_texts(whole.loc[models], c, f"{c}_low", f"{c}_high")
        for c, title in columns.items()} | {
            "gap, by the half seen": interval_texts(half.loc[models], "cost", "cost_low",
                                                    "cost_high")})


chapter = Chapter(
    "da3", compute, tables, facts,
    charts={
        "kinds": Chart("kinds", "dots", "points", "model", height=3.6, by="kind",
                       xlabel="mean error of the predicted end (points of error rate)"),
        "shapes": Chart("by_shape", "heat", "model", "curves", value=OFF, digits=1,
                        keep=f"model in {list(DRAWN)}", xlabel="formula"),
        "fits": lambda study: draw_example_fits(study.means, study.fits, study.shapes)},
    shown={"summary": _shown_ratios, "cost": _shown_costs})
