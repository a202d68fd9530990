"""Open the seal of the trial's tasks whose curves are whole: ``python -m lab.trial.opened``.

What is asked of a sealed task had no error, as it was not computed. It is read off the curves in
``data/lcdb11-anew/opened`` and kept in ``data/trial/opened.csv``; what was forecast before is
scored by it. Tasks whose curves are not gathered stay sealed.
"""

import pandas as pd
import xarray as xr

from analysis.databases.load import load_curves
from analysis.trial.tasks import FOLDER, OPENED, open_trial
from collection.project.paths import state_shipped
from collection.shipped.anew import FOLDER as ANEW
from lab.shipped.anew import OPENED as GATHERED


def truths(curves: xr.Dataset) -> pd.DataFrame:
    """Return what came of the sealed tasks.

    Parameters
    ----------
    curves : xarray.Dataset
        From `analysis.load_curves`.

    Returns
    -------
    pandas.DataFrame
        ``task, times`` and ``error``, the mean over the repeats on validation rows at the size
        that is asked for.
    """
    mean = curves["error_rate"].sel(split="valid", scaling="none", leakage="no", drop=True).mean(
        ["outer", "inner"]).assign_coords(dataset=curves["name"].values).to_series().dropna()
    trial = open_trial(("3",), opened=False)
    asked = trial.asked.merge(trial.tasks[["task", "dataset", "learner"]], on="task")
    there = asked.join(mean.rename("error"), on=["dataset", "learner", "size"])
    return there.dropna(subset="error")[["task", "times", "error"]].round({"error": 6})


if __name__ == "__main__":
    found = truths(load_curves(ANEW / GATHERED))
    found.to_csv(FOLDER / OPENED, index=False)
    state_shipped()
    print(f"{FOLDER / OPENED} has {found['task'].nunique()} tasks.")
