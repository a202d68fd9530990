"""The chapter's figures."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from analysis.databases.load import load_curves
from analysis.databases.naming import learner_title
from analysis.drawing.charts import add_legend, draw_bands, draw_dots, figure
from chapters.regression.cuts import SCALING
from chapters.regression.forecasts import METHODS
from chapters.regression.peaks import LINEAR, quartiles
from chapters.regression.retrained import SHARES

DATABASES = {"regression": "regression", "mini": "classification (mini)"}
SHOWN = {"non_monotone": "rises somewhere", "peaking": "peaks", "dipping": "ends above its lowest",
         "non_convex": "not convex"}
PANELS = 6
HIGHEST = 30.0  # relative error that is still drawn


@figure
def draw_shares(shapes: pd.DataFrame) -> Figure:
    """Draw the percent of misshapen curves by learner, a panel per property."""
    chart, axes = plt.subplots(1, len(SHOWN), figsize=(11, 6.4), sharey=True)
    names = shapes["learner"].drop_duplicates()
    order = [learner_title(name) for name in names]
    for ax, (name, title) in zip(axes, SHOWN.items(), strict=True):
        part = shapes[shapes["property"] == name]
        table = part.assign(learner=part["learner"].map(learner_title),
                            database=part["database"].map(DATABASES))
        draw_dots(ax, table, "learner", by="database", order=order)
        own = table[table["database"] == DATABASES["regression"]]
        ax.plot(own["false"], [order.index(n) for n in own["learner"]], "|", color="black", ms=9,
                label="regression's look-alikes")
        ax.set(xlabel="curves [%]", title=title, xlim=(-3, 103))
    add_legend(chart, axes[0])
    return chart


@figure
def draw_peaks(peaks: pd.DataFrame) -> Figure:
    """Draw least squares and ridge on tables where rows come to equal columns."""
    curves = load_curves("regression").sel(scaling=SCALING, leakage="no", drop=True)
    own = peaks[peaks["learner"] == LINEAR[0]].sort_values("threshold", kind="stable")
    some = own.iloc[np.unique(np.linspace(0, len(own) - 1, PANELS).round().astype(int))]
    errors = curves["relative_rmse"].sel(split="valid", learner=list(LINEAR)).load()
    chart, axes = plt.subplots(2, 3, figsize=(10, 5.4))
    for ax in axes.flat[len(some):]:
        ax.axis("off")
    for ax, row in zip(axes.flat, some.itertuples(), strict=False):
        table = quartiles(errors.sel(dataset=row.dataset))
        table = table.assign(learner=table["learner"].map(learner_title))
        draw_bands(ax, table, "anchor", by="learner")
        ax.axvline(row.threshold, color="0.4", lw=0.8, ls="--")
        top = min(HIGHEST, 1.5 * table["high"].max())
        ax.set(yscale="log", ylim=(0.8 * table["low"].min(), top),
               title=f"{row.dataset}: {row.threshold:,.0f} rows")
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_minor_formatter(StrMethodFormatter(""))
    for ax in axes[:, 0]:
        ax.set_ylabel("relative error")
    for ax in axes[-1]:
        ax.set_xlabel("training rows")
    add_legend(chart, axes.flat[0])
    return chart


@figure
def draw_made(made: pd.DataFrame, features: int) -> Figure:
    """Draw the table made up: what was measured, and what theory says of least squares."""
    chart, ax = plt.subplots(figsize=(7, 3.8))
    table = made.assign(learner=made["learner"].map(learner_title))
    draw_bands(ax, table, "anchor", by="learner")
    theory = made.dropna(subset="theory").sort_values("anchor", kind="stable")
    ax.plot(theory["anchor"], theory["theory"].replace(np.inf, np.nan), "--", color="black", lw=1,
            label="least squares, in theory")
    ax.axvline(features + 1, color="0.4", lw=0.8, ls=":")
    ax.set(yscale="log", xlabel="training rows", ylabel="relative error", yticks=[0.5, 1, 2, 5])
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_minor_formatter(StrMethodFormatter(""))
    ax.legend()
    return chart


@figure
def draw_forecasts(forecasts: pd.DataFrame, retrained: pd.DataFrame) -> Figure:
    """Draw how far each forecast is off: regression cut at either share, and classification."""
    half, quarter, mini = (f"{DATABASES['regression']}, half seen",
                           f"{DATABASES['regression']}, a quarter seen", DATABASES["mini"])
    live = forecasts.assign(cut=forecasts["database"].map({"regression": half, "mini": mini}))
    known = live.loc[live["cut"] == half, "method"]
    more = retrained.assign(cut=retrained["share"].map(dict(zip(SHARES, (half, quarter),
                                                               strict=True))))
    more = more[(more["cut"] == quarter) | ~more["method"].isin(known)]
    table = pd.concat([live, more], ignore_index=True)
    order = table[table["cut"] == half].sort_values("value", kind="stable")["method"]
    names = {name: METHODS.get(name, name) for name in order}
    parts = [table[table["cut"] == cut] for cut in (half, quarter, mini)]
    table = pd.concat(parts).assign(method=lambda t: t["method"].map(names))
    chart, ax = plt.subplots(figsize=(7.5, 4.8))
    draw_dots(ax, table, "method", by="cut", order=list(names.values()))
    ax.set_xlabel("size of log₂(forecast / truth), median over curves")
    add_legend(chart, ax)
    return chart
