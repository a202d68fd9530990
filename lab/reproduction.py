"""Hold the curves gathered here against the published means of LCDB 1.1 on the same data."""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.lcdb11.summary import open_lcdb11_summary
from analysis.databases.load import load_curves
from analysis.statistics.summary import REPEATS, standard_error
from collection.containers.curves import Status
from collection.project.paths import DATA, shipped

HALF = 0.5e-4 * (1 + 1e-6)  # the published means are rounded to 4 decimals
COLUMNS = ["dataset", "learner", "anchors", "equal_4", "max_abs_diff", "max_abs_z"]
AGAINST_PAPER = "anew_against_paper"
#: OpenML's number of the paper's dataset, and how its rows stand to those that were gathered on.
PAPER = DATA / "lcdb11-anew" / "paper.csv"


def compare_with_published(curves: xr.Dataset, published: xr.Dataset) -> pd.DataFrame:
    """Compare mean validation errors without scaling and leakage, learner by learner.

    Parameters
    ----------
    curves : xarray.Dataset
        A database with coordinate ``openml_id`` along ``dataset``.
    published : xarray.Dataset
        From `analysis.databases.lcdb11.summary.open_lcdb11_summary`.

    Returns
    -------
    pandas.DataFrame
        A row per dataset and learner that both have; curves with some of the repeats alone are
        left out. ``anchors`` at which both have a mean, ``equal_4`` how many of the
        means are equal as far as the published are given; ``max_abs_diff`` the largest difference
        (in error rate); ``max_abs_z`` the largest difference in standard errors (the larger of
        theirs and ours; the 25 repeats taken as independent, as the paper does), infinite where
        that is 0; ``within_3se`` how many differ by at most three standard errors of the
        difference (of two draws of the same protocol); ``one_sided`` the anchors at which only one
        of the two has a mean; ``openml_id``.
    """
    ids = curves["openml_id"]
    own = curves.sel(dataset=ids.isin(published["dataset"]).values, scaling="none", leakage="no")
    whole = (own["status"] != Status.not_run).all(REPEATS)
    errors = own["error_rate"].sel(split="valid").where(whole)
    theirs = published[["error_rate", "error_rate_stderr"]].sel(
        scaling="none", leakage="no", split="valid")
    rows = []
    for ours in errors.load().dropna("dataset", how="all"):
        name, openml_id = ours["dataset"].item(), int(ours["openml_id"])
        table = _compare(ours, theirs.sel(dataset=openml_id))
        rows.append(table.assign(dataset=name, openml_id=openml_id))
    columns = [*COLUMNS, "within_3se", "one_sided", "openml_id"]
    return pd.concat(rows, ignore_index=True)[columns] if rows else pd.DataFrame(columns=columns)


def _compare(ours: xr.DataArray, theirs: xr.Dataset) -> pd.DataFrame:
    """Return a row per learner that both have, of one dataset."""
    ours = ours.dropna("learner", how="all").dropna("anchor", how="all")
    mean, own, theirs = xr.align(ours.mean(REPEATS), standard_error(ours), theirs, join="inner")
    difference = abs(mean - theirs["error_rate"])
    near = difference <= 3 * np.hypot(own, theirs["error_rate_stderr"]) + HALF
    spread = np.fmax(own, theirs["error_rate_stderr"])
    equal, both = difference <= HALF, difference.notnull()
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (difference / spread).where(~equal, 0.0).where(both)
    table = pd.DataFrame({
        "learner": mean["learner"], "anchors": both.sum("anchor"),
        "equal_4": equal.sum("anchor"), "max_abs_diff": difference.max("anchor"),
        "max_abs_z": z.max("anchor"), "within_3se": near.sum("anchor"),
        "one_sided": (mean.notnull() ^ theirs["error_rate"].notnull()).sum("anchor")})
    return table[table["anchors"] + table["one_sided"] > 0]


def against_paper(curves: xr.Dataset, published: xr.Dataset) -> pd.DataFrame:
    """Compare curves gathered anew with the paper's of the same dataset, whatever its rows' order.

    Rows in another order, or some of them, are another draw of the same protocol.

    Parameters
    ----------
    curves : xarray.Dataset
        With coordinate ``source`` along ``dataset``.
    published : xarray.Dataset
        From `analysis.databases.lcdb11.summary.open_lcdb11_summary`.

    Returns
    -------
    pandas.DataFrame
        As `compare_with_published`, of the datasets in `PAPER`, with ``rows``, how the rows stand
        to each other.
    """
    paper = pd.read_csv(shipped(PAPER)).set_index("dataset")
    ids = paper["openml_id"].reindex(curves["source"].values).to_numpy(float)
    table = compare_with_published(curves.assign_coords(openml_id=("dataset", ids)), published)
    table.insert(2, "rows", table["openml_id"].map(paper.set_index("openml_id")["rows"]))
    return table


#: What is kept for those who lack the means.
KEPT = {AGAINST_PAPER: lambda: against_paper(load_curves("lcdb11-anew"), open_lcdb11_summary())}
