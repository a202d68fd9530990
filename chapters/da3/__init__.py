"""How much worse are ill-behaved curves fitted and predicted? (DA3 of the paper)."""

import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

import analysis
from analysis.databases.paper_curves import validation_errors
from analysis.drawing.chart import Chart
from analysis.drawing.tables import interval_texts
from analysis.fitting.registry import MODELS
from analysis.published.printed import published_table
from chapters.chapter import Chapter
from chapters.da3.fits import draw_example_fits, fit_ratios, monotone_floor
from chapters.da3.predictions import (
    BEST,
    CURVE,
    ILL,
    SHAPE_CLASSES,
    WELL,
    best_of_each_kind,
    compare_kinds,
    predict_ends,
    with_classes,
)
from chapters.sufficient import DatabaseStudy, lacks_shapes, sufficient_database
from collection.containers.learner_names import NOT_COUNTED

PAPER_MODELS = ("POW4", "MMF4", "WBL4")
OFF = "mean error (points)"
RATIO = ("ratio", "cluster_low", "cluster_high")
DRAWN = ("LAST1", "POW2", "ILOG2", "POW3", *PAPER_MODELS)


def compute() -> DatabaseStudy:
    """Fit all curves, and predict their ends from the first half.

    Returns
    -------
    DatabaseStudy
        Its tables are the formulas; ``summary`` from `fit_ratios`; ``floor``, what no monotone
        model avoids; ``cost`` and ``foresight``, from `compare_kinds` of all models and of the
        best, judged on the whole curve and on the first half; and what figures show of them.
        ``means`` (DataArray, dims (dataset, learner, anchor)): mean validation error rates without
        scaling. ``shapes`` (Dataset, dims (dataset, learner)): by the corrected procedure. ``fits``
        (Dataset): from `analysis.fit_curves`, the paper's three models. ``best``: kind of curve →
        the model most often the best on half of the datasets.
    """
    database, note = sufficient_database("lcdb10", lacks_shapes)
    errors = validation_errors(database).sel(scaling="none", drop=True)
    errors = errors.drop_sel(learner=list(NOT_COUNTED), errors="ignore").load()
    means = errors.mean(["outer", "inner"])
    shapes = analysis.detect_shapes(errors)
    told = predict_ends(means)
    seen = told.drop_duplicates(CURVE).set_index(CURVE)["fitted_up_to"].to_xarray()
    early = analysis.detect_shapes(errors.where(errors["anchor"] <= seen))
    whole, half = (with_classes(told, judged) for judged in (shapes, early))
    (chosen, best), (chosen_early, _) = map(best_of_each_kind, (whole, half))
    cost, foresight = (compare_kinds(pd.concat(rows))
                       for rows in ([whole, chosen], [half, chosen_early]))
    fits, cost = analysis.fit_curves(means, PAPER_MODELS), cost.assign(database=database)
    models = pd.DataFrame([
        {"formula": m.name, "error rate after n rows": rf"\({m.formula}\)", "source": m.source}
        for m in MODELS.values()])
    return DatabaseStudy(database, note, {
        "models": models, "summary": fit_ratios(fits["mse"], shapes).assign(database=database),
        "floor": _floors(fits["mse"], means, shapes), "cost": cost, "foresight": foresight,
        "kinds": _by_kind(cost), "by_shape": _by_shape(whole)},
        means=means, shapes=shapes, fits=fits, best=best)


def _by_shape(predictions: pd.DataFrame) -> pd.DataFrame:
    """Return the mean error of each model's predictions by the curves' shape."""
    shape = predictions.groupby(["shape", "model"], sort=False)["points"].agg(
        ["mean", "size"]).rename(columns={"mean": OFF}).reset_index()
    shape = shape.sort_values("shape", key=lambda s: s.map(SHAPE_CLASSES.index), kind="stable")
    return shape.assign(curves=shape["shape"] + " (" + shape["size"].map("{:,}".format) + ")")


def _floors(mse: xr.DataArray, means: xr.DataArray, shapes: xr.Dataset) -> pd.DataFrame:
    """Return the share of fits' errors that no monotone model avoids, and the ratio above it."""
    risen, floor = shapes["non_monotone"] & ~shapes["flat"], monotone_floor(means)
    share = 100 * (floor / mse).where(risen).median(CURVE)
    left = fit_ratios(mse - floor, shapes).query("verdict == 'non_monotone'")
    return left[["model", *RATIO]].assign(share=share.sel(model=left["model"].to_numpy()).values)


def _by_kind(cost: pd.DataFrame) -> pd.DataFrame:
    """Return the mean errors with a row per model and kind of curve, for the figure."""
    drawn = pd.concat([
        cost[["model"]].assign(kind=kind, points=cost[c], low=cost[f"{c}_low"],
                               high=cost[f"{c}_high"])
        for kind, c in ((WELL, "well"), (ILL, "ill"))])
    return drawn[drawn["model"].isin([BEST, *DRAWN])].sort_values(
        "model", key=lambda s: s.map([BEST, *DRAWN].index), kind="stable")


def facts(study: DatabaseStudy) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, tables = study.facts(), study.tables
    rows.update({"n_models": str(len(MODELS)), "best_model_well": study.best[WELL],
                 "best_model_ill": study.best[ILL]})
    whole, half = (tables[k].set_index("model") for k in ("cost", "foresight"))
    for key, of, model, column in (
            ("gap", whole, BEST, "cost"), ("gap_same", whole, BEST, "same_learner"),
            ("gap_seen", half, BEST, "cost"), ("gap_seen_same", half, BEST, "same_learner"),
            ("last1_gap", whole, "LAST1", "cost"), ("last1_ill", whole, "LAST1", "ill"),
            ("most_gap", whole, whole["cost"].idxmax(), "cost")):
        rows.row(key, of.loc[model], column, f"{column}_low", f"{column}_high", "n_ill", digits=1,
                 unit="points")
    rows.add("most_gap_model", whole["cost"].idxmax())
    rows.update({name: int(whole.loc[BEST, name]) for name in ("n_ill", "n_well")})
    ratios = tables["summary"].set_index(["verdict", "model"])
    for key, verdict in (("mono", "non_monotone"), ("conv", "non_convex")):
        rows.row(f"ratio_{key}", ratios.loc[(verdict, "POW4")], *RATIO, digits=1)
    floor = tables["floor"].set_index("model")
    rows.add("floor_share", f"{floor['share'].min():.0f} to {floor['share'].max():.0f} %")
    for key, model in (("excess", "POW4"), ("excess_MMF4", "MMF4"), ("excess_WBL4", "WBL4")):
        rows.row(key, floor.loc[model], *RATIO, digits=2)
    said = published_table("text").set_index("property")["value"]
    rows.add("paper_ratio", float(said["mse_ratio_monotone"]))
    rows.anew("da3", ("gap", "n_ill"))
    return rows.table()


def _shown_ratios(study: DatabaseStudy) -> pd.DataFrame:
    shown = study.tables["summary"]
    return pd.DataFrame({
        "compared": shown["verdict"].str.replace("_", "-"), "formula": shown["model"],
        "curves": shown["n_ill"], "others": shown["n_well"],
        "ratio of errors": interval_texts(shown, *RATIO),
        "same learner": interval_texts(shown, "own_ratio", "own_low", "own_high")})


def _shown_costs(study: DatabaseStudy) -> pd.DataFrame:
    whole, half = (study.tables[k].set_index("model") for k in ("cost", "foresight"))
    models = [BEST, *DRAWN]
    columns = {"well": WELL, "ill": ILL, "cost": "gap", "same_learner": "gap, same learner"}
    return pd.DataFrame({"formula": models} | {
        title: interval_texts(whole.loc[models], c, f"{c}_low", f"{c}_high")
        for c, title in columns.items()} | {
            "gap, by the half seen": interval_texts(half.loc[models], "cost", "cost_low",
                                                    "cost_high")})


def draw_kinds(study: DatabaseStudy) -> Figure:
    """Draw the errors at the end by formula and kind; the title is how they compare."""
    worse = study.tables["cost"].set_index("model").loc[BEST, "cost_low"] > 0
    return Chart("kinds", "dots", "points", "model", height=3.6, by="kind",
                 xlabel="mean error of the predicted end (points of error rate)",
                 title=f"The end of ill-behaved curves is {'' if worse else 'not clearly '}harder "
                       "to predict").draw(study.tables)


chapter = Chapter(
    "da3", compute, facts,
    charts={
        "kinds": draw_kinds,
        "shapes": Chart("by_shape", "heat", "model", "curves", value=OFF, digits=1,
                        keep=f"model in {list(DRAWN)}", xlabel="formula"),
        "fits": lambda study: draw_example_fits(study.means, study.fits, study.shapes)},
    shown={"summary": _shown_ratios, "cost": _shown_costs})
