"""Three forecasts, chosen by a rule, and what came."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.naming import learner_title
from analysis.drawing.charts import figure
from analysis.drawing.curve import draw_forecast
from analysis.extrapolation import RECOMMENDED, predict

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
BAD = 0.93  # of the errors, smaller than the bad example's


@figure
def draw_examples(curves: xr.DataArray, scores: pd.DataFrame, shapes: pd.DataFrame) -> plt.Figure:
    """Draw three forecasts of the recommended extrapolator.

    Parameters
    ----------
    curves : DataArray, dims (dataset, learner, outer, inner, anchor)
    scores : DataFrame
        From `chapters.extrapolation.contest.hold_contest` on them.
    shapes : DataFrame
        From `chapters.extrapolation.contest.shapes_table`.
    """
    fig, axes = plt.subplots(1, 3, figsize=(9, 3.3))
    for ax, row in zip(axes, choose_examples(scores, shapes).itertuples(), strict=True):
        own = curves.sel(dataset=row.dataset)
        whole = own.sel(learner=row.learner).mean(["outer", "inner"]).dropna("anchor")
        seen = own.where(own["anchor"] <= row.rows_seen)
        later = np.geomspace(row.rows_seen * 1.05, whole["anchor"].values.max(), 24)
        forecast = predict(_seen_at_all(seen), later, levels=LEVELS).sel(learner=row.learner)
        draw_forecast(whole.where(whole["anchor"] <= row.rows_seen), forecast, ax, whole)
        ax.set_title(f"{learner_title(row.learner)}\non {own['name'].item()}", fontsize="small")
    return fig


def choose_examples(scores: pd.DataFrame, shapes: pd.DataFrame) -> pd.DataFrame:
    """Return three rows of the scores: the median error, one in the worst tenth, the worst peak."""
    mine = scores[(scores["extrapolator"] == RECOMMENDED) & (scores["group"] == "")]
    mine = mine.merge(shapes, on=["dataset", "learner"]).sort_values("points", ignore_index=True,
                                                                     kind="stable")
    peaks = mine[mine["peaking"]]
    chosen = [mine.iloc[len(mine) // 2], mine.iloc[int(BAD * len(mine))],
              (peaks if len(peaks) else mine).iloc[-1]]
    return pd.DataFrame(chosen)


def _seen_at_all(seen: xr.DataArray) -> xr.DataArray:
    """Return the curves of learners that are seen at two sizes or more."""
    count = seen.notnull().any(["outer", "inner"]).sum("anchor")
    return seen.isel(learner=(count >= 2).values)
