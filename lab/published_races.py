"""Races on LCDB 1.1's published means, as Figure 20 has them: a minute; read by DA4's page."""

import pandas as pd

from analysis.databases.load import load_curves
from analysis.published.printed import published_table
from analysis.selection import PROCEDURES, build_ladders, halving_frame
from analysis.selection.races import JOIN, KINDS

SUMMARY = "lcdb11-summary"


def paper_groups() -> dict[str, list[str]]:
    """Return the five learners that cross least and most, as the published notebook has them."""
    table = published_table("notebooks").query(
        "property == 'crossing_probability' and scaling == 'minmax'")
    table = table.sort_values("value", kind="stable")
    return {name: learners.split(JOIN)
            for name, learners in zip(KINDS, table["learner"], strict=True)}


def halve_published_means() -> pd.DataFrame:
    """Run the grid of Figure 20 on mean curves of LCDB 1.1 CC-18 without scaling.

    Returns
    -------
    pandas.DataFrame
        As `analysis.selection.halving_frame`, both procedures. A dataset has a single race: the
        means are over all outer and inner seeds.

    Raises
    ------
    NotAtHandError
        If the means are not at hand.
    """
    curves = load_curves(SUMMARY)
    curves = curves[["error_rate"]].isel(dataset=curves["cc18"].values)
    curves = curves.sel(scaling="none", leakage="no", drop=True)
    curves = curves.expand_dims(outer=[0], inner=[0]).assign_attrs(database=SUMMARY)
    return pd.concat([halving_frame(build_ladders(curves, p), paper_groups()) for p in PROCEDURES],
                     ignore_index=True)


#: What is kept for those who lack the means.
KEPT = {"da4_halving_lcdb11": halve_published_means}
