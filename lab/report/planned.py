"""Before any data: whether the rows that look-alikes name suffice on families set aside."""

from itertools import product

import numpy as np
import pandas as pd

from analysis.databases.lcdb10 import meta_features_table, paper_subset
from analysis.databases.load import load_curves
from analysis.statistics.summary import summarise
from collection.own_table.learners import LEARNERS, default_learners
from collection.protocol.anchors import lcdb10_grid
from commands.report.assurance import ALL, CURVES, JUDGED, LookAlikes, look_alikes

ASSURED = 0.8
LEVELS = np.arange(0.6, 0.96, 0.01)  # of look-alikes that have reached the error
SHARES, FIXED = (0.75, 0.5, 0.25), (0.05, 0.1, 0.2)  # of the error of guessing, and as they are
HALVINGS = 20


def planned_curves() -> pd.DataFrame:
    """Return mean errors on LCDB 1.0's test rows, as `commands.report.assurance.look_alikes` takes.

    Of the paper's 196 datasets and the learners that a report measures unless told otherwise; one
    minus AUC where there are two classes.
    """
    names = [LEARNERS[name].like for name in default_learners(regression=False)]
    curves = load_curves("lcdb10")[["error_rate", "auc"]].sel(
        dataset=paper_subset(), learner=names, anchor=lcdb10_grid(), split="test",
        scaling="none", leakage="yes").mean(["outer", "inner"])
    errors = curves.assign(auc=1 - curves["auc"]).to_array("metric").to_series().unstack("anchor")
    table = errors.rename(columns=str).round(4).reset_index()
    known = meta_features_table().loc[table["dataset"]].reset_index()
    about = {"features": known["NumberOfFeatures"], "classes": known["NumberOfClasses"],
             "guess": (1 - known["MajorityClassSize"] / known["NumberOfInstances"]).round(4)}
    table = table.assign(**about).query("metric == 'error_rate' or classes == 2")
    return table[["metric", "dataset", *about, "learner", *map(str, lcdb10_grid())]]


def ask(curves: LookAlikes) -> pd.DataFrame:
    """Ask of every dataset, its family left out, with how many rows it reaches an error.

    Returns
    -------
    pandas.DataFrame
        By ``family``, ``wanted`` (a share of the error of guessing), ``level``:
        ``answered`` (a size was named), ``held`` (the error is reached there; NaN where the
        dataset's own curve ends before, or nothing was named).
    """
    rows = []
    for k, (family, traits) in enumerate(zip(curves.family, curves.traits, strict=True)):
        guess = curves.always[k]
        for share in (*SHARES, *(fixed / guess for fixed in FIXED if fixed < guess)):
            reached = curves.chances(traits, share, family) >= LEVELS[:, None] - 1e-9
            own = np.where(np.isfinite(curves.lasting[k]), curves.lasting[k] <= share, np.nan)
            held = np.where(reached.any(1), own[reached.argmax(1)], np.nan)
            rows.append(pd.DataFrame({"family": family, "wanted": share, "level": LEVELS,
                                      "answered": reached.any(1), "held": held}))
    return pd.concat(rows, ignore_index=True)


def level_of(held: pd.DataFrame) -> float:
    """Return the least level whose rows suffice in `ASSURED` of families, one more failing.

    Parameters
    ----------
    held : pandas.DataFrame, index family, columns levels
        The share of a family's questions on which they did; NaN where there was none.
    """
    safe = held.sum() / (held.notna().sum() + 1) >= ASSURED
    return float(safe.idxmax()) if safe.any() else float(LEVELS[-1])


def judge_planned(curves: pd.DataFrame | None = None) -> pd.DataFrame:
    """Judge answers on the families that took no part in choosing their level.

    In each of `HALVINGS` the families are halved at random; the level chosen on either half is
    judged on the other, so that every family is judged each time.

    Returns
    -------
    pandas.DataFrame
        By ``metric`` and ``learner`` (or `ALL`): ``level`` chosen on all families, ``share`` of
        families' questions on which the rows named sufficed, with its 95 % interval over families
        (``low, high``), ``n`` families, and ``answered``: the share of all questions.
    """
    curves = planned_curves() if curves is None else curves
    rows = []
    for metric, learner in product(curves["metric"].unique(), (ALL, *curves["learner"].unique())):
        asked = ask(look_alikes(curves, [] if learner == ALL else [learner], metric))
        held = asked.groupby(["family", "level"])["held"].mean().unstack("level")
        rng, each = np.random.default_rng(0), []
        for _ in range(HALVINGS):
            half = rng.permutation(len(held)) < len(held) // 2
            each += [held.loc[~one, level_of(held[one])] for one in (half, ~half)]
        found = pd.concat(each).groupby(level=0).mean().dropna()
        level, came = level_of(held), summarise(found, found.index)
        rows.append((metric, learner, level, came.value, came.low, came.high, came.n,
                     asked[asked["level"] == level]["answered"].mean()))
    return pd.DataFrame(rows, columns=["metric", "learner", "level", "share", "low", "high", "n",
                                       "answered"])


KEPT = {CURVES: planned_curves, JUDGED: judge_planned}
