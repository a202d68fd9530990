"""The contest on a database: which curves, which cuts, which groups; and what is kept of it."""

from functools import cache, partial

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chosen import validation_errors
from analysis.databases.lcdb11.files import NOT_COUNTED
from analysis.extrapolation import EXTRAPOLATORS, RECOMMENDED
from analysis.extrapolation.artefacts import read
from analysis.extrapolation.folds import UNSEEN, fold_of, torn_datasets
from analysis.fitting.registry import MODELS
from analysis.shapes import detect_shapes
from analysis.statistics.families import count_families, families
from analysis.statistics.summary import summarise
from chapters.extrapolation.cuts import Challenge, cut_at_share, without_names
from chapters.extrapolation.judge import ALL, error_ratio, judge, summarise_contest, with_groups

TRAINED_ON = "lcdb10"
SHARES = (0.25, 0.5, 0.75)
SHAPES = ("flat", "non_monotone", "non_convex", "ill_behaved", "peaking", "dipping")
#: Extrapolators that the chapter runs itself, of each kind; the kept results have all of them.
CHOSEN = ("LAST1", "POW2", "POW4", "ILOG2", "gaussian", "combined")
UNKNOWN = "learner not told, curve alone"
NEW = "learner new to the extrapolators"
NOW = "LAST1"  # by which a choice between two learners is whoever leads now
STRANGERS = ("nearest", "gaussian", "combined")  # that are asked for curves without a name too


def contest_curves(database: str) -> xr.DataArray:
    """Return the validation error rates that are cut, dims (dataset, learner, …, anchor).

    Without scaling, or the first scaling there is; without the learners that Table 4 does not
    count, and without datasets whose near-duplicates trained every model that is shipped
    (`analysis.extrapolation.folds.torn_datasets`). Means only where the database has no repeats.
    """
    errors = validation_errors(database)
    scalings = errors["scaling"].values.tolist()
    scaling = "none" if "none" in scalings else scalings[0]
    learners = [n for n in errors["learner"].values if n not in NOT_COUNTED]
    torn = families(torn_datasets())
    fair = ~np.isin(families(errors["dataset"].values).astype(str), torn.astype(str))
    return errors.sel(scaling=scaling, learner=learners, drop=True).isel(dataset=fair).load()


def known_learners() -> list[str]:
    """Return the learners that the extrapolators were trained on."""
    return read("gaussians")["learners"].tolist()


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
        As `chapters.extrapolation.judge.judge`, with ``group``: empty, or `UNKNOWN`.
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
    alone = scores[scores["group"] == UNKNOWN].assign(horizon=ALL)
    new = named[~named["learner"].isin(known_learners())].assign(horizon=ALL, group=NEW)
    return summarise_contest(pd.concat([with_groups(named, shapes), alone, new],
                                       ignore_index=True), TRAINED_ON)


@cache
def _held(database: str, share: float) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Return the scores of all extrapolators, and the shapes of the curves."""
    curves = contest_curves(database)
    return hold_contest(cut_at_share(curves, share, database)), shapes_table(curves)


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
    return pd.concat([contest_table(*_held(database, share)) for share in shares],
                     ignore_index=True)


def against_rivals(database: str) -> pd.DataFrame:
    """Compare the recommended extrapolator with its fair rivals, half of the anchors seen.

    Parameters
    ----------
    database : str

    Returns
    -------
    DataFrame
        ``database``; ``scope``, which curves: all, or those that no choice made here has seen (of
        datasets that are no near-duplicates of any that trained, of learners that are new, of
        both); ``measure``: "error", the mean absolute error as a multiple of the ``rival``'s, or
        "regret", that of choosing between two learners minus that of choosing whoever leads now, in
        points; ``value, low, high`` with a 95 % interval over families; ``n_curves, n_datasets,
        n_families``. Rivals in errors are "nothing changes" and the single formula that errs least
        on these very curves, which favours it. Scopes without curves are left out.
    """
    scores = _held(database, 0.5)[0]
    named = scores[scores["group"] == ""]
    new = {d: fold_of(d) == UNSEEN for d in named["dataset"].unique()}
    stranger, apart = ~named["learner"].isin(known_learners()), named["dataset"].map(new)
    rows = []
    for scope, kept in {ALL: True, "new datasets": apart, "new learners": stranger,
                        "new learners on new datasets": apart & stranger}.items():
        part = named[kept] if kept is not True else named
        mine = part[part["extrapolator"] == RECOMMENDED]
        if count_families(mine["dataset"]) < 2:
            continue
        count = {"n_curves": len(mine), "n_datasets": mine["dataset"].nunique(),
                 "n_families": count_families(mine["dataset"])}
        means = part.groupby("extrapolator")["points"].mean()
        for rival in (means.reindex(list(MODELS)).idxmin(), NOW):
            rows.append((database, scope, "error", rival, *error_ratio(part, RECOMMENDED, rival),
                         *count.values()))
        regret = part.pivot_table(index=["dataset", "learner"], columns="extrapolator",
                                  values="regret", dropna=False)
        less = (regret[RECOMMENDED] - regret[NOW]).dropna()
        found = summarise(less, less.index.get_level_values("dataset"))
        rows.append((database, scope, "regret", NOW, found.value, found.low, found.high,
                     *count.values()))
    return pd.DataFrame(rows, columns=["database", "scope", "measure", "rival", "value", "low",
                                       "high", "n_curves", "n_datasets", "n_families"])


def all_rivals() -> pd.DataFrame:
    """Return `against_rivals` of the three databases."""
    return pd.concat([against_rivals(name) for name in STUDIED], ignore_index=True)


STUDIED = {"lcdb10": SHARES, "mini": (0.5,), "lcdb11-summary": (0.5,)}
CONTESTS = {f"extrapolation_{name.removesuffix('-summary')}": partial(run_study, name, shares)
            for name, shares in STUDIED.items()}
KEPT = CONTESTS | {"extrapolation_rivals": all_rivals}
