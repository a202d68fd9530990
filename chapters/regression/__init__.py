"""Whether curves misbehave where numbers are to be predicted: shapes by learner, peaks."""

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from analysis.databases.load import load_curves
from analysis.databases.paper_curves import log_errors
from analysis.drawing.chart import Chart
from analysis.shapes import detect_shapes
from analysis.statistics.bootstrap import exact_ends
from analysis.statistics.summary import REPEATS, summarise
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from chapters.regression.peaks import draw_made, draw_peaks, synthetic, thresholds
from lab.calibration.lookalikes import scattered, well_behaved

SCALING = "standard"  # the database has no other
EVERY = 4  # of the anchors: those that all learners were run at
LARGEST = 1024  # training rows: slow learners go no further
DRAWS = 10  # look-alikes of each curve
PROPERTIES = {"non_monotone": "rises somewhere", "peaking": "peaks",
              "dipping": "ends above\nits lowest", "non_convex": "not convex"}
HIGHER = 1.1  # times the ends of a curve: what counts as a peak of least squares
NEAR = 1.2  # times the place, or it divided by this


def compute() -> Study:
    """Judge the shapes, find the peaks of least squares, and gather one whose place is known.

    Returns
    -------
    Study
        ``curves`` (xarray.Dataset): the database ``regression``, features standardised, without
        leakage. Its tables: ``shapes`` from `shape_shares`; ``peaks, made``: see
        `chapters.regression.peaks`.
    """
    curves = load_curves("regression").sel(scaling=SCALING, leakage="no", drop=True)
    return Study({"shapes": shape_shares(curves), "peaks": thresholds(curves),
                  "made": synthetic()}, curves=curves)


def shape_shares(curves: xr.Dataset) -> pd.DataFrame:
    """Return what share of a learner's curves is misshapen, and how often that is said falsely.

    Shapes are judged on the logarithm of the error, at every fourth anchor.

    Parameters
    ----------
    curves : xarray.Dataset, dims (dataset, learner, outer, inner, anchor, split)
        With ``relative_rmse``.

    Returns
    -------
    pandas.DataFrame
        ``learner, property``; ``value, low, high`` (percent of curves, 95 % over families of
        tables), ``n`` (families); ``false``, the percent of look-alikes, which do not have the
        property, that are called so.
    """
    some = curves["anchor"].values[::EVERY]
    errors = log_errors(curves["relative_rmse"].sel(anchor=some[some <= LARGEST]).load())
    real = detect_shapes(errors)
    truth = well_behaved(errors.mean(REPEATS))
    fakes = [detect_shapes(scattered(truth, errors, seed, counts=False)) for seed in range(DRAWS)]
    rows = []
    for learner in errors["learner"].values:
        there = ~real["missing"].sel(learner=learner).values
        names = errors["dataset"].values[there]
        for name in PROPERTIES:
            share = summarise(100.0 * real[name].sel(learner=learner).values[there], names)
            low, high = exact_ends(share.value, share.low, share.high, share.n)
            fake = np.mean([f[name].sel(learner=learner).values[there] for f in fakes])
            rows.append((learner, name, share.value, float(low), float(high), share.n, 100 * fake))
    return pd.DataFrame(rows, columns=["learner", "property", "value", "low", "high", "n", "false"])


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, judged = Facts(), study.tables["shapes"].query("learner != 'Dummy'")
    rows.update({"n_tables": study.curves.sizes["dataset"], "draws": DRAWS,
                 "n_learners": judged["learner"].nunique()})
    for name in ("non_monotone", "dipping"):
        own = judged[judged["property"] == name]
        for key, column in ((name, "value"), (f"{name}_false", "false")):
            rows.add(key, np.average(own[column], weights=own["n"]), unit="%", digits=1)
    for name in ("LightGBM", "HistGradientBoosting"):
        one = judged[(judged["learner"] == name) & (judged["property"] == "non_convex")].iloc[0]
        rows.row(name, one, "value", n="n", unit="%")
    peaks = study.tables["peaks"]
    peaks = peaks.assign(near=peaks["ratio"].between(1 / NEAR, NEAR), higher=(
        peaks["at"] > HIGHER * peaks[["before", "after"]].max(axis=1)))
    rows.add("Ridge_peaks", int(peaks.query("learner == 'Ridge'")["higher"].sum()))
    own = peaks.query("learner == 'LeastSquares'")
    rows.update({"LeastSquares_tables": len(own), "LeastSquares_peaks": int(own["higher"].sum()),
                 "LeastSquares_there": int((own["higher"] & own["near"]).sum()),
                 "LeastSquares_called": int(own["called"].sum())})
    far = own[own["higher"] & (own["peak"] != own["largest"])]
    rows.add("far_table", ", ".join(far["dataset"]))
    rows.add("far_ratio", (far["largest"] / far["threshold"]).max(), digits=1)
    rows.add("stays", ", ".join(own.loc[own["near"] & ~own["higher"], "dataset"]))
    table = study.tables["made"].query("learner == 'LeastSquares'").set_index("anchor")
    rows.add("made_peak", table["value"].idxmax())
    rows.add("made_above", f"{(table['theory'] > table['high']).sum()} of {len(table)}")
    shapes = study.tables["shapes"].set_index(["learner", "property"])
    rows.row("dummy_rises", shapes.loc[("Dummy", "non_monotone")], "value", n="n", unit="%",
             digits=1)
    rest = judged.query("learner != 'LeastSquares' and property == 'non_monotone'")
    rows.add("others_rise", np.average(rest["value"], weights=rest["n"]), unit="%", digits=1,
             note="curves of all learners but least squares and predicting the mean")
    return rows.table()


def draw_shares(study: Study) -> Figure:
    """Draw the percent of misshapen curves by learner, a panel per property."""
    shapes = study.tables["shapes"]
    rows = shapes.assign(property=shapes["property"].map(PROPERTIES), of="real curves")
    fakes = rows[["learner", "property", "false"]].rename(columns={"false": "value"}).assign(
        of="look-alikes that are well-behaved")
    return Chart("rows", "dots", "value", "learner", "curves [%]", by="of", apart=False,
                 marks={"look-alikes that are well-behaved": "|"}, panel="property",
                 across=len(PROPERTIES), height=5.6).draw({"rows": pd.concat([rows, fakes])})


chapter = Chapter("regression", compute, facts, charts={
    "peaks": lambda study: draw_peaks(study.curves, study.tables["peaks"]), "shares": draw_shares,
    "made": lambda study: draw_made(study.tables["made"])})
