"""Hold the curves gathered here against the published means of LCDB 1.1 on the same data.

``python -m analysis.reproduction`` makes the shipped comparison anew, from the published means.
"""

import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from analysis.browse import REPEATS, standard_error
from analysis.lcdb11.summary import open_lcdb11_summary
from analysis.load import load_curves
from collection.mini import FOLDER

SHIPPED = FOLDER / "published_comparison.csv"
HALF = 0.5e-4 * (1 + 1e-6)  # the published means are rounded to 4 decimals
COLUMNS = ["dataset", "learner", "anchors", "equal_4_decimals", "max_abs_diff", "max_abs_z"]


def compare_with_published(curves: xr.Dataset, published: xr.Dataset) -> pd.DataFrame:
    """Compare mean validation errors without scaling and leakage, learner by learner.

    Parameters
    ----------
    curves : xarray.Dataset
        A database with coordinate ``openml_id`` along ``dataset``.
    published : xarray.Dataset
        From `analysis.lcdb11.summary.open_lcdb11_summary`.

    Returns
    -------
    pandas.DataFrame
        A row per dataset and learner that both have. ``anchors`` at which both have a mean,
        ``equal_4_decimals`` how many of the means are equal as far as the published are given;
        ``max_abs_diff`` the largest difference (in error rate); ``max_abs_z`` the largest
        difference in standard errors (the larger of theirs and ours; the 25 repeats taken as
        independent, as the paper does), infinite where that is 0; ``one_sided`` the anchors at
        which only one of the two has a mean; ``openml_id``.
    """
    ids = curves["openml_id"]
    errors = curves["error_rate"].sel(
        dataset=ids.isin(published["dataset"]).values, scaling="none", leakage="no", split="valid")
    theirs = published[["error_rate", "error_rate_stderr"]].sel(
        scaling="none", leakage="no", split="valid")
    rows = []
    for ours in errors.load():
        name, openml_id = ours["dataset"].item(), int(ours["openml_id"])
        table = _compare(ours, theirs.sel(dataset=openml_id))
        rows.append(table.assign(dataset=name, openml_id=openml_id))
    columns = [*COLUMNS, "one_sided", "openml_id"]
    return pd.concat(rows, ignore_index=True)[columns] if rows else pd.DataFrame(columns=columns)


def _compare(ours: xr.DataArray, theirs: xr.Dataset) -> pd.DataFrame:
    """Return a row per learner that both have, of one dataset."""
    ours = ours.dropna("learner", how="all").dropna("anchor", how="all")
    mean, own, theirs = xr.align(ours.mean(REPEATS), standard_error(ours), theirs, join="inner")
    difference = abs(mean - theirs["error_rate"])
    spread = np.fmax(own, theirs["error_rate_stderr"])
    equal, both = difference <= HALF, difference.notnull()
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (difference / spread).where(~equal, 0.0).where(both)
    table = pd.DataFrame({
        "learner": mean["learner"], "anchors": both.sum("anchor"),
        "equal_4_decimals": equal.sum("anchor"), "max_abs_diff": difference.max("anchor"),
        "max_abs_z": z.max("anchor"),
        "one_sided": (mean.notnull() ^ theirs["error_rate"].notnull()).sum("anchor")})
    return table[table["anchors"] + table["one_sided"] > 0]


def comparison(curves: xr.Dataset) -> tuple[pd.DataFrame, str]:
    """Return the comparison and when it was made: now, or the shipped one without the means.

    Parameters
    ----------
    curves : xarray.Dataset
        See `compare_with_published`.

    Returns
    -------
    table : pandas.DataFrame
    date : str
        Empty where it was computed now.
    """
    try:
        published = open_lcdb11_summary()
    except FileNotFoundError:
        shipped = pd.read_csv(SHIPPED)
        return shipped.drop(columns="date"), str(shipped["date"].iloc[0])
    return compare_with_published(curves, published), ""


def equal_learners(table: pd.DataFrame) -> pd.DataFrame:
    """Count, per dataset, the learners whose means are all equal to 4 decimals.

    Parameters
    ----------
    table : pandas.DataFrame
        From `compare_with_published`.

    Returns
    -------
    pandas.DataFrame
        ``dataset, openml_id, learners, equal`` (at every anchor), ``means``, ``equal_means``, and
        ``max_abs_diff`` and ``max_abs_z`` over the learners.
    """
    equal = table["equal_4_decimals"] == table["anchors"]
    groups = table.assign(equal=equal).groupby(["dataset", "openml_id"], sort=False)
    return groups.agg(
        learners=("learner", "size"), equal=("equal", "sum"), means=("anchors", "sum"),
        equal_means=("equal_4_decimals", "sum"), max_abs_diff=("max_abs_diff", "max"),
        max_abs_z=("max_abs_z", "max")).reset_index()


def main(path: Path = SHIPPED) -> int:
    """Write the shipped comparison anew where the published means are at hand; say so if not."""
    table, date = comparison(load_curves("mini"))
    if date:
        print(f"The published means are not at hand: {path.name} of {date} stays as it is.")
        return 0
    table = table.assign(date=datetime.now(UTC).date().isoformat())
    table.to_csv(path, index=False, float_format="%.6g")
    for row in equal_learners(table).itertuples():
        print(f"{row.dataset} (OpenML {row.openml_id}): {row.equal} of {row.learners} learners "
              f"equal the published means to 4 decimals at every anchor.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
