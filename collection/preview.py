"""The curves that a collection has gathered, drawn for its notebook."""

from pathlib import Path

import seaborn as sns

from collection.container import only_dims
from collection.store import NoStoreError, open_store

MOST = 12  # datasets


def draw_collected(folder: Path) -> sns.FacetGrid | str:
    """Draw the mean validation error rate of the first datasets of a store.

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
    first = curves["error_rate"].isel(scaling=0, leakage=0, dataset=slice(MOST))
    mean = first.sel(split="valid").mean(["outer", "inner"])
    mean = only_dims(mean)
    table = mean.to_dataframe(name="error rate").dropna().reset_index()
    if table.empty:
        return "There is nothing to draw: no fit succeeded. The table above has the reasons."
    for column in ("dataset", "learner"):  # a dollar sign would begin a formula
        table[column] = table[column].str.replace("$", r"\$")
    grid = sns.relplot(
        table, x="anchor", y="error rate", hue="learner", col="dataset",
        col_wrap=min(3, table["dataset"].nunique()), kind="line", errorbar=None, height=4,
        aspect=1.3, palette="husl", facet_kws={"sharex": False})
    grid.set(xscale="log", xlabel="training-set size (rows)")
    return grid.set_titles("{col_name}")
