"""What has been gathered, drawn for the notebooks: curves, and errors of evaluations."""

from pathlib import Path

import pandas as pd
import seaborn as sns

from collection.containers.curves import MAIN, METRICS, only_dims
from collection.store import NoStoreError, open_store

MOST = 12  # datasets, or tasks


def draw_collected(folder: Path) -> sns.FacetGrid | str:
    """Draw the mean validation error of the first datasets of a store, by their main metric.

    Parameters
    ----------
    folder : Path
        Of a collection.

    Returns
    -------
    seaborn.FacetGrid or str
        A panel per dataset, of at most `MOST`, for the first scaling and leakage; or, where
        no fit gave a value, a sentence that says so.
    """
    try:
        curves = open_store(folder)
    except NoStoreError:
        return "There is nothing to draw: no curve is finished."
    first = curves.isel(scaling=0, leakage=0, dataset=slice(MOST)).sel(split="valid")
    metrics = [name for name in MAIN.values() if name in first]
    error = METRICS[metrics[0]].label if len(metrics) == 1 else "error"
    means = (only_dims(first[name].mean(["outer", "inner"])) for name in metrics)
    table = pd.concat([mean.to_dataframe(name=error).dropna().reset_index() for mean in means])
    if table.empty:
        return "There is nothing to draw: no fit succeeded. The table above has the reasons."
    for column in ("dataset", "learner"):  # a dollar sign would begin a formula
        table[column] = table[column].str.replace("$", r"\$")
    grid = sns.relplot(
        table, x="anchor", y=error, hue="learner", col="dataset",
        col_wrap=min(3, table["dataset"].nunique()), kind="line", errorbar=None, height=4,
        aspect=1.3, palette="husl", facet_kws={"sharex": False})
    grid.set(xscale="log", xlabel="training-set size [rows]")
    return grid.set_titles("{col_name}")


def draw_evaluated(errors: pd.DataFrame) -> sns.FacetGrid | str:
    """Draw test errors of a tidy table of evaluations, a dot per fold, a panel per task."""
    if errors.empty:
        return "There is nothing to draw: no evaluation succeeded. The table above has the reasons."
    some = errors[errors["task"].isin(errors["task"].unique()[:MOST])]
    panels = some.assign(panel=some["task"] + " (" + some["metric"] + ")")
    panels = panels.replace({"panel": {r"\$": r"\\$"}, "learner": {r"\$": r"\\$"}}, regex=True)
    grid = sns.catplot(
        panels, x="error", y="learner", col="panel", col_wrap=min(3, panels["panel"].nunique()),
        sharex=False, height=4, aspect=1.2, color="#0072B2", alpha=0.6)
    grid.set(xlabel="test error", ylabel="")
    return grid.set_titles("{col_name}")
