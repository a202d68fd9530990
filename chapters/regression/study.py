"""Shapes of regression's curves beside those of classification, formulas, forecasts, races."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from analysis.calibration.lookalikes import scattered, well_behaved
from analysis.databases.load import load_curves
from analysis.fitting import fit_curves
from analysis.published.computed import recall
from analysis.selection.crossing import crossings
from analysis.selection.harness import compare_strategies
from analysis.selection.ladders import build_ladders
from analysis.shapes import detect_shapes
from analysis.statistics.bootstrap import exact_ends
from analysis.statistics.summary import interval_texts, summarise
from chapters.facts import Facts
from chapters.regression.cuts import (
    LEAST_SEEN,
    REPEATS,
    SCALING,
    median_curves,
    opened,
)
from chapters.regression.forecasts import (
    METHODS,
    SEEN,
    by_group,
    compare_kept,
    forecast_errors,
    p_text,
)
from chapters.regression.peaks import log_errors, synthetic, thresholds
from chapters.regression.retrained import LEARNT, MODELS
from collection.container import main_metric

DRAWS = 10  # look-alikes of each curve
LEVEL_DRAWS = {"corrected": DRAWS, "max_t": 2}  # the second takes long
PROPERTIES = ("non_monotone", "non_convex", "peaking", "dipping")
LOST = 0.1  # of the smallest test error
RACES = (("full", {}), ("early", {"doublings": 2}),
         ("halving", {"start": 16, "increase": 1.0, "dropout": 0.5}),
         ("lccv", {"start": 64, "z": 0.0, "seed": 0}))


@dataclass(frozen=True)
class Study:
    """The chapter's tables.

    Attributes
    ----------
    shapes : pandas.DataFrame
        ``database, learner, property, value, low, high, n, false``: percent of curves with a
        property, and of look-alikes, which do not have it.
    peaks, made : pandas.DataFrame
        See `chapters.regression.peaks`.
    fits : pandas.DataFrame
        ``database, model, value, low, high, n``: mean rank of each formula among all, 1 the best,
        by its error at anchors that were fitted.
    forecasts : pandas.DataFrame
        ``database, method, value, low, high, n``: median size of the binary logarithm of forecast
        over truth; ``covered``, percent of truths in the 90 % interval, NaN without one.
    retrained : pandas.DataFrame
        See `chapters.regression.forecasts.compare_kept`.
    crossing : pandas.DataFrame
        ``database, value, low, high, n``: percent of pairs of learners that cross.
    races : pandas.DataFrame
        ``database, strategy, value, low, high, n, rows``: percent of races whose winner has a test
        error more than `LOST` above the smallest, and rows trained on, in percent of those of
        full training.
    tables : pandas.DataFrame
        ``database, datasets, learners, curves``.
    levels : pandas.DataFrame
        See `levels`.
    """

    shapes: pd.DataFrame
    peaks: pd.DataFrame
    made: pd.DataFrame
    fits: pd.DataFrame
    forecasts: pd.DataFrame
    retrained: pd.DataFrame
    crossing: pd.DataFrame
    races: pd.DataFrame
    tables: pd.DataFrame
    levels: pd.DataFrame


def build() -> Study:
    """Compute the chapter's tables from the two shipped databases."""
    both = {name: opened(name) for name in ("regression", "mini")}
    parts = [{"shapes": shape_shares(curves, name), "fits": formula_ranks(curves, name),
              "forecasts": forecast_errors(curves, name),
              "crossing": crossing_share(curves.sel(learner=both["mini"]["learner"].values), name),
              "races": race(curves, name), "tables": counts(curves, name)}
             for name, curves in both.items()]
    tables = {key: pd.concat([part[key] for part in parts], ignore_index=True) for key in parts[0]}
    dense = load_curves("regression").sel(scaling=SCALING, leakage="no", drop=True)
    return Study(peaks=thresholds(dense), made=synthetic(), levels=levels(dense),
                 retrained=compare_kept(recall("regression_retrained")), **tables)


def levels(curves: xr.Dataset) -> pd.DataFrame:
    """Return how often procedures call what has no shape, on all anchors.

    Returns
    -------
    pandas.DataFrame
        ``scale`` (the error, or its logarithm), ``procedure``, ``least_squares``, percent of its
        look-alikes that are called non-monotone or non-convex, and ``mean``, percent of the real
        curves of predicting the mean.
    """
    errors = curves["relative_rmse"].sel(learner=["LeastSquares", "Dummy"])
    rows = []
    for scale, values in (("error", errors.sel(split="valid", drop=True)),
                          ("logarithm", log_errors(errors))):
        real = values.sel(learner=["Dummy"])
        own = values.sel(learner=["LeastSquares"])
        truth = well_behaved(own.mean(REPEATS))
        for procedure, draws in LEVEL_DRAWS.items():
            fakes = [detect_shapes(scattered(truth, own, seed, counts=False), procedure)
                     for seed in range(draws)]
            rows.append((scale, procedure,
                         100 * float(np.mean([f["ill_behaved"].mean() for f in fakes])),
                         100 * float(detect_shapes(real, procedure)["ill_behaved"].mean())))
    return pd.DataFrame(rows, columns=["scale", "procedure", "least_squares", "mean"])


def _errors(curves: xr.Dataset) -> xr.DataArray:
    """Return validation errors as shapes are judged on them: of numbers, their logarithm."""
    errors = curves[main_metric(curves)]
    return log_errors(errors) if errors.name == "relative_rmse" else errors.sel(
        split="valid", drop=True)


def shape_shares(curves: xr.Dataset, database: str) -> pd.DataFrame:
    """Return what share of a learner's curves is misshapen, and how often that is said falsely."""
    errors = _errors(curves)
    counts = errors.name == "error_rate"
    real = detect_shapes(errors)
    truth = well_behaved(errors.mean(REPEATS))
    fakes = [detect_shapes(scattered(truth, errors, seed, counts=counts)) for seed in range(DRAWS)]
    rows = []
    for learner in errors["learner"].values:
        there = ~real["missing"].sel(learner=learner).values
        names = errors["dataset"].values[there]
        for name in PROPERTIES:
            share = summarise(100.0 * real[name].sel(learner=learner).values[there], names)
            low, high = exact_ends(share.value, share.low, share.high, share.n)
            fake = np.mean([f[name].sel(learner=learner).values[there] for f in fakes])
            rows.append((database, learner, name, share.value, float(low), float(high), share.n,
                         100 * fake))
    return pd.DataFrame(rows, columns=["database", "learner", "property", "value", "low", "high",
                                       "n", "false"])


def overall(shapes: pd.DataFrame, database: str, name: str) -> tuple[float, float]:
    """Return the percent of all curves but the dummy's with a property, and of look-alikes."""
    part = shapes.query("database == @database and property == @name and learner != 'Dummy'")
    return (float(np.average(part["value"], weights=part["n"])),
            float(np.average(part["false"], weights=part["n"])))


def formula_ranks(curves: xr.Dataset, database: str) -> pd.DataFrame:
    """Rank formulas by their error at the anchors fitted, given their number of parameters.

    By Akaike's criterion, as formulas with more parameters fit closer whatever the truth.
    """
    median = median_curves(curves)
    fits = fit_curves(median, MODELS)
    size = fits["n_anchors"].where(fits["n_anchors"] >= LEAST_SEEN + 2)
    parameters = fits["parameters"].notnull().sum("parameter")
    score = size * np.log(fits["mse"].where(fits["mse"] > 0)) + 2 * parameters
    wide = score.rename("value").to_dataframe()["value"].unstack("model").dropna()
    ranks = wide.rank(axis=1).stack().rename("value")
    return by_group(database, "model", ranks.reset_index())


def crossing_share(curves: xr.Dataset, database: str) -> pd.DataFrame:
    """Return the percent of pairs of learners, the dummy aside, whose median curves cross."""
    median = median_curves(curves)
    cases = crossings(median.expand_dims(outer=[0]))
    either = cases["crosses"] | cases["crosses"].rename(
        learner_a="learner_b", learner_b="learner_a").transpose(*cases["crosses"].dims)
    upper = np.triu(np.ones(either.shape[1:], bool), 1)
    defined = cases["defined"].values & upper
    share = 100 * (either.values & defined).sum((1, 2)) / np.maximum(defined.sum((1, 2)), 1)
    table = pd.DataFrame({"dataset": cases["dataset"].values, "value": share, "what": "pairs"})
    return by_group(database, "what", table).drop(columns="what")


def race(curves: xr.Dataset, database: str) -> pd.DataFrame:
    """Let strategies choose a learner; return how often they choose one that is clearly worse.

    Not the mean of what is lost: one choice of a learner whose error explodes would decide it.
    """
    names = [name for name in curves["learner"].values if name != "Dummy"]
    ladders = build_ladders(curves.assign_attrs(database=database))
    results = compare_strategies(ladders, {"all": names}, RACES)
    best = results["test_error"] - results["regret"]
    results = results.assign(value=100.0 * (results["regret"] > LOST * best))
    rows = by_group(database, "strategy", results)
    spent = results.groupby("strategy")["rows"].sum()
    return rows.assign(rows=rows["strategy"].map(100 * spent / spent["full"]))


def counts(curves: xr.Dataset, database: str) -> pd.DataFrame:
    """Return how much there is of a database."""
    valid = _errors(curves)
    return pd.DataFrame({
        "database": [database], "datasets": valid.sizes["dataset"],
        "learners": valid.sizes["learner"],
        "curves": int(valid.notnull().any([*REPEATS, "anchor"]).sum())})


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows = Facts()
    ours = study.tables.set_index("database").loc["regression"]
    judged = study.shapes.query("database == 'regression' and learner != 'Dummy'")
    judged = judged[judged["property"] == PROPERTIES[0]]
    rows.update({"n_tables": ours["datasets"], "n_learners": len(judged),
                 "n_curves": judged["n"].sum(), "draws": DRAWS})
    for database in ("regression", "mini"):
        for name in PROPERTIES:
            share, false = overall(study.shapes, database, name)
            rows.add(f"{database}_{name}", share, unit="%", digits=1)
            rows.add(f"{database}_{name}_false", false, unit="%", digits=1)
        crossing = study.crossing.query("database == @database").iloc[0]
        rows.add(f"{database}_crossing", crossing["value"], crossing["low"], crossing["high"],
                 unit="%", n=crossing["n"])
        for part, column in (("fits", "model"), ("forecasts", "method")):
            table = getattr(study, part).query("database == @database")
            best = table.sort_values("value", kind="stable").iloc[0]
            rows.add(f"{database}_{part}_best", METHODS.get(best[column], best[column]))
        forecasts = study.forecasts.query("database == @database").set_index("method")
        for row in forecasts.itertuples():
            rows.add(f"{database}_{row.Index}", row.value, row.low, row.high, digits=2, n=row.n)
        rows.add(f"{database}_covered", forecasts.loc[LEARNT, "covered"], unit="%")
        for race_ in study.races.query("database == @database").itertuples():
            rows.add(f"{database}_{race_.strategy}", race_.value, race_.low, race_.high, unit="%",
                     digits=1, n=race_.n)
            rows.add(f"{database}_{race_.strategy}_rows", race_.rows, unit="%")
    _add_retrained(rows, study.retrained)
    for row in study.levels.itertuples():
        for name in ("least_squares", "mean"):
            rows.add(f"level_{row.scale}_{row.procedure}_{name}", getattr(row, name), unit="%")
    ours = study.shapes.query("database == 'regression'").set_index(["learner", "property"])
    rows.add("dummy_misshapen", ours.loc["Dummy", "value"].max(), unit="%")
    for name, key in (("LightGBM", "lightgbm"), ("HistGradientBoosting", "histogram")):
        boosted = ours.loc[(name, "non_convex")]
        rows.add(f"{key}_non_convex", boosted["value"], boosted["low"], boosted["high"], unit="%",
                 n=boosted["n"])
    for learner, part in study.peaks.groupby("learner", sort=False):
        key = learner.lower()
        at = part["ratio"].between(1 / 1.2, 1.2)
        higher = (part["at"] > 1.1 * part["before"]) & (part["at"] > 1.1 * part["after"])
        rows.add(f"{key}_tables", len(part))
        rows.add(f"{key}_peaks", int(higher.sum()))
        rows.add(f"{key}_peaks_there", int((higher & at).sum()))
        rows.add(f"{key}_called", int(part["called"].sum()))
        rows.add(f"{key}_rises", int(part["rises"].sum()))
        middle = part.loc[higher, "ratio"] if higher.any() else pd.Series([np.nan])
        rows.add(f"{key}_ratio", float(middle.median()), digits=2)
    made = study.made.set_index(["learner", "anchor"])["value"]
    rows.add("made_peak", made.loc["LeastSquares"].idxmax())
    rows.add("made_height", made.loc["LeastSquares"].max(), digits=1)
    rows.add("made_ridge_height", made.loc["Ridge"].max(), digits=2)
    return rows.table()


def _add_retrained(rows: Facts, table: pd.DataFrame) -> None:
    for row in table.itertuples():
        key = f"{SEEN[row.share]}_{row.method}"
        rows.add(f"{key}_off", row.value, row.low, row.high, digits=3, n=row.n)
        if not np.isnan(row.covered):
            rows.add(f"{key}_holds", row.covered, row.covered_low, row.covered_high, unit="%",
                     n=row.n)
            rows.add(f"{key}_width", row.width, digits=2)
            rows.add(f"{key}_score", row.score, row.score_low, row.score_high, digits=2, n=row.n)
        if not np.isnan(row.closer):
            rows.add(f"{key}_less", row.closer, row.closer_low, row.closer_high, digits=3, n=row.n)
            rows.add(f"{key}_better", row.better)
            rows.add(f"{key}_p", p_text(row.p))
            if not np.isnan(row.sharper):
                rows.add(f"{key}_sharper", row.sharper)
    for share, part in table.groupby("share"):
        rows.add(f"{SEEN[share]}_tables", part["n_tables"].max())
        rows.add(f"{SEEN[share]}_curves", part["curves"].max())
        rows.add(f"{SEEN[share]}_largest_p", p_text(part["p"].max()))
    rows.add("n_formulas", len(MODELS))


def shown_races(study: Study) -> pd.DataFrame:
    """Return what strategies lose as the page shows it, a column per database."""
    words = {"full": "full", "early": "early", "halving": "halving", "lccv": "LCCV"}
    table = pd.DataFrame({"strategy": [words[name] for name in words]})
    for database, title in (("regression", "regression"), ("mini", "classification (mini)")):
        own = study.races[study.races["database"] == database]
        own = own.set_index("strategy").loc[list(words)]
        table[f"{title}: clearly worse, %"] = interval_texts(own, "value")
        table[f"{title}: rows, %"] = own["rows"].round().astype(int).to_numpy()
    return table
