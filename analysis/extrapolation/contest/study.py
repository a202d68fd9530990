"""The contest on a database: which curves, which cuts, which groups; and what is kept of it."""

from functools import partial

import pandas as pd
import xarray as xr

from analysis.databases.chosen import validation_errors
from analysis.databases.counted import NOT_COUNTED
from analysis.extrapolation.contest.cuts import Challenge, cut_at_share, without_names
from analysis.extrapolation.contest.judge import judge, summarise_contest, with_groups
from analysis.extrapolation.extrapolators import EXTRAPOLATORS
from analysis.shapes import detect_shapes

TRAINED_ON = "lcdb10"
SHARES = (0.25, 0.5, 0.75)
SHAPES = ("flat", "non_monotone", "non_convex", "ill_behaved", "peaking", "dipping")
#: Extrapolators that the chapter runs itself, of each kind; the kept results have all of them.
CHOSEN = ("LAST1", "POW2", "POW4", "ILOG2", "gaussian", "combined")
UNKNOWN = "learner not known, curve alone"
STRANGERS = ("nearest", "gaussian", "combined")  # that are asked for curves without a name too


def contest_curves(database: str) -> xr.DataArray:
    """Return the validation error rates that are cut, dims (dataset, learner, …, anchor).

    Without scaling, or the first scaling there is; without the learners that Table 4 does not
    count. Means only where the database has no repeats.
    """
    errors = validation_errors(database)
    scalings = errors["scaling"].values.tolist()
    scaling = "none" if "none" in scalings else scalings[0]
    learners = [n for n in errors["learner"].values if n not in NOT_COUNTED]
    return errors.sel(scaling=scaling, learner=learners, drop=True).load()


def shapes_table(curves: xr.DataArray) -> pd.DataFrame | None:
    """Return which shape each whole curve has: known only afterwards, so never by a predictor.

    None where there are no repeats to tell shapes from.
    """
    if not {"outer", "inner"} & set(curves.dims):
        return None
    shapes = detect_shapes(curves, "corrected")
    table = shapes[list(SHAPES)].to_dataframe()[list(SHAPES)].reset_index()
    missing = shapes["missing"].to_series().reset_index(drop=True)
    well = ~missing & ~table["ill_behaved"] & ~table["peaking"] & ~table["dipping"]
    return table.assign(well_behaved=well)


def hold_contest(challenge: Challenge, extrapolators: tuple[str, ...] = tuple(EXTRAPOLATORS)
                 ) -> pd.DataFrame:
    """Return the scores of every curve; `STRANGERS` predict it without its name too.

    Returns
    -------
    DataFrame
        As `analysis.extrapolation.contest.judge.judge`, with ``group``: empty, or `UNKNOWN`.
    """
    named = judge(challenge, extrapolators).assign(group="")
    strangers = [n for n in extrapolators if n in STRANGERS]
    if not strangers:
        return named
    alone = judge(without_names(challenge), strangers).assign(group=UNKNOWN)
    return pd.concat([named, alone], ignore_index=True)


def contest_table(scores: pd.DataFrame, shapes: pd.DataFrame | None = None) -> pd.DataFrame:
    """Summarise the scores of `hold_contest`: ``results/extrapolation/contest.csv``."""
    named = scores[scores["group"] == ""].drop(columns="group")
    alone = scores[scores["group"] == UNKNOWN].assign(horizon="all")
    return summarise_contest(
        pd.concat([with_groups(named, shapes), alone], ignore_index=True), TRAINED_ON)


def run_study(database: str, shares: tuple[float, ...] = SHARES) -> pd.DataFrame:
    """Hold the contest on a database, with every extrapolator.

    Parameters
    ----------
    database : str
        Name or path, for `analysis.load_curves`.
    shares : tuple of float
        Parts of the anchors that are seen.

    Returns
    -------
    DataFrame
        As `summarise_contest`. A curve whose dataset trained an extrapolator is predicted by
        what was learnt without that dataset's family.

    Raises
    ------
    NotAtHandError
        If the curves are not at hand.
    """
    curves = contest_curves(database)
    shapes = shapes_table(curves)
    return pd.concat([contest_table(hold_contest(cut_at_share(curves, share, database)), shapes)
                      for share in shares], ignore_index=True)


KEPT = {
    "extrapolation_lcdb10": partial(run_study, "lcdb10"),
    "extrapolation_mini": partial(run_study, "mini", (0.5,)),
    "extrapolation_lcdb11": partial(run_study, "lcdb11-summary", (0.5,)),
}
