"""What the chapter on extrapolation shows: the contest held now, what is kept of it, its facts."""

import time
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chosen import database_title
from analysis.extrapolation import EXTRAPOLATORS, RECOMMENDED
from analysis.extrapolation.artefacts import shipped_gaussian
from analysis.extrapolation.folds import training_datasets
from analysis.extrapolation.gaussian import fit_gaussian
from analysis.extrapolation.training.examples import open_source
from analysis.extrapolation.training.windows import make_windows
from analysis.published.computed import recall
from analysis.statistics.families import count_families, families
from analysis.statistics.summary import Summary
from chapters.extrapolation.contest import (
    CHOSEN,
    CONTESTS,
    NEW,
    NOW,
    UNKNOWN,
    best_formula,
    contest_curves,
    contest_table,
    hold_contest,
    shapes_table,
)
from chapters.extrapolation.critical_difference import rank_models
from chapters.extrapolation.cuts import Challenge, cut_at_share
from chapters.extrapolation.needed import ALWAYS
from chapters.facts import Facts

WORST_LEARNER = "TabNet"  # of those that LCDB 1.1 has and no extrapolator has met
ELSEWHERE = ("LAST1", "POW4", "gaussian", RECOMMENDED)


@dataclass(frozen=True)
class ContestStudy:
    """The contest, half of the anchors seen.

    Attributes
    ----------
    curves : DataArray
        From `contest_curves`, of LCDB 1.0.
    challenge : Challenge
        Half of each of them.
    shapes : DataFrame
        From `shapes_table`.
    live : DataFrame
        Scores of the extrapolators `CHOSEN`, computed just now.
    half : DataFrame
        From `contest_table`, of `live`.
    kept : DataFrame
        The contests of all extrapolators on three databases, with the date.
    rivals, needed : DataFrame
        Kept: against fair rivals, and 'how many rows?' against what came.
    """

    curves: xr.DataArray
    challenge: Challenge
    shapes: pd.DataFrame
    live: pd.DataFrame
    half: pd.DataFrame
    kept: pd.DataFrame
    rivals: pd.DataFrame
    needed: pd.DataFrame

    @property
    def everyone(self) -> pd.DataFrame:
        """The kept rows over all curves of a database."""
        return self.kept.query("group == 'all' and horizon == 'all'")

    @property
    def board(self) -> pd.DataFrame:
        """The kept rows of LCDB 1.0, half of the anchors seen, the closest first."""
        return self.everyone.query("database == 'lcdb10' and seen == 0.5").sort_values(
            "mean_points", kind="stable").assign(kind=lambda t: t["extrapolator"].map(kinds()))

    @property
    def formula(self) -> str:
        """The formula with the smallest error, known only afterwards."""
        return best_formula(self.kept[self.kept["database"] == "lcdb10"])


def study() -> ContestStudy:
    """Hold the contest of `CHOSEN`, and recall that of all."""
    curves = contest_curves("lcdb10")
    challenge, shapes = cut_at_share(curves, 0.5, "lcdb10"), shapes_table(curves)
    live = hold_contest(challenge, CHOSEN)
    kept = pd.concat([recall(name) for name in CONTESTS], ignore_index=True)
    return ContestStudy(curves, challenge, shapes, live, contest_table(live, shapes), kept,
                        recall("extrapolation_rivals"), recall("extrapolation_needed"))


def kinds() -> dict[str, str]:
    """Return every extrapolator's kind: "formula" or "learned"."""
    return {name: one.kind for name, one in EXTRAPOLATORS.items()}


def ranking(found: ContestStudy) -> pd.DataFrame:
    """Return the table of all extrapolators: errors in points, coverage in percent."""
    columns = ["extrapolator", "mean_points", "mean_low", "mean_high", "median_points", "crps",
               "coverage50", "coverage90", "width90", "regret", "kind"]
    return _plain(_percent(found.board[columns]))


def ranks(found: ContestStudy) -> tuple:
    """Rank the extrapolators `CHOSEN` over families of datasets."""
    named = found.live[found.live["group"] == ""]
    return rank_models(named.assign(family=families(named["dataset"])), ["family"],
                       model="extrapolator", score="points")


def by_horizon(found: ContestStudy) -> pd.DataFrame:
    """Return mean errors by how many doublings lie ahead, averaged over the shares seen."""
    part = found.kept.query("database == 'lcdb10' and group == 'all' and horizon != 'all'")
    return part.groupby(["extrapolator", "horizon"], as_index=False)[["mean_points"]].mean()


def by_share(found: ContestStudy) -> pd.DataFrame:
    """Return the ten best at half of the anchors, by the share of the anchors that is seen."""
    wide = found.everyone.query("database == 'lcdb10'").pivot(
        index="extrapolator", columns="seen", values="mean_points")
    wide.columns = [f"{100 * share:.0f} % seen" for share in wide.columns]
    return wide.sort_values("50 % seen", kind="stable").head(10).reset_index()


def coverage(found: ContestStudy) -> pd.DataFrame:
    """Return how often the recommended intervals held, by group; learners truly new come last."""
    mine = found.half[(found.half["extrapolator"] == RECOMMENDED)
                      & (found.half["horizon"] == "all")]
    known = mine["group"].str.startswith(("all", "shape", "seen")) | (mine["group"] == UNKNOWN)
    new = found.kept[(found.kept["extrapolator"] == RECOMMENDED) & found.kept["group"].isin(
        [NEW, f"learner: {WORST_LEARNER}"]) & (found.kept["database"] == "lcdb11-summary")]
    new = new.assign(group=new["group"] + " (LCDB 1.1)")
    return pd.concat([mine[known], new[mine.columns]], ignore_index=True)


def elsewhere(found: ContestStudy) -> pd.DataFrame:
    """Return what some extrapolators reach on three databases, half of the anchors seen."""
    table = found.everyone[found.everyone["seen"].eq(0.5) & found.everyone["extrapolator"].isin(
        [*ELSEWHERE, found.formula])]
    return _percent(table.assign(database=table["database"].map(database_title)))


def rival_table(found: ContestStudy) -> pd.DataFrame:
    """Return the comparison with fair rivals, in words and on all three databases."""
    table = found.rivals.assign(database=found.rivals["database"].map(database_title),
                                scope=found.rivals["scope"].replace("all", "all curves"))
    table["value"] = [Summary(r.value, r.low, r.high).text(2) for r in table.itertuples()]
    what = {"error": "error, times that of ", "regret": "regret, minus that of "}
    rival = table["rival"].where(table["measure"] == "error", "whoever leads now")
    return table.assign(measure=table["measure"].map(what) + rival).pivot(
        index=["database", "scope", "n_curves", "n_datasets"], columns="measure",
        values="value").reset_index().rename(columns=lambda c: c.replace("n_", ""))


def costs(found: ContestStudy) -> pd.DataFrame:
    """Measure how long forecasts take: CPU seconds for 10,000 curves."""
    rows = []
    for name in ("POW2", "POW4", "gaussian", RECOMMENDED):
        started = time.process_time()
        EXTRAPOLATORS[name].forecast(found.challenge.seen, found.challenge.targets)
        seconds = time.process_time() - started
        rows.append((name, 10_000 * seconds / len(found.challenge.seen.values)))
    return pd.DataFrame(rows, columns=["extrapolator", "CPU seconds for 10,000 curves"])


def compare_gaussian(fold: int = 0) -> pd.DataFrame:
    """Fit one fold's Gaussian again, and compare it with what is shipped.

    Parameters
    ----------
    fold : int
        Whose datasets are left out, by the folds that the shipped one was trained with.

    Returns
    -------
    DataFrame
        ``part`` (mean, standard deviations), ``shipped`` and ``refitted`` (their average) and
        ``largest_difference``, all of logarithmic errors.
    """
    source = open_source()
    folds = training_datasets()["fold"].reindex(source.datasets).to_numpy()
    windows, folds = make_windows(replace(source, fold=folds))
    again, kept = fit_gaussian(windows[folds != fold], source.learners), shipped_gaussian(fold)
    parts = {"mean": (kept.mean, again.mean),
             "standard deviation": tuple(np.sqrt(np.diag(m.covariance)) for m in (kept, again))}
    return pd.DataFrame([(name, a.mean(), b.mean(), np.abs(a - b).max())
                         for name, (a, b) in parts.items()],
                        columns=["part", "shipped", "refitted", "largest_difference"])


def facts(found: ContestStudy) -> pd.DataFrame:
    """Return the chapter's numbers (`chapters.facts`)."""
    rows = Facts()
    now = found.half.query("group == 'all' and horizon == 'all'").set_index("extrapolator")
    best = now.loc[RECOMMENDED]
    rows.add("formula", found.formula)
    for key, name in (("formula_points", found.formula), ("learned_points", RECOMMENDED)):
        rows.add(key, *now.loc[name, ["mean_points", "mean_low", "mean_high"]], digits=2,
                 unit="points", note="mean absolute error on LCDB 1.0, half of the anchors seen")
    for key, name in (("formula", found.formula), ("learned", RECOMMENDED), ("now", NOW)):
        rows.add(f"{key}_regret", now.loc[name, "regret"], digits=2, unit="points",
                 note="mean cost of choosing between two learners of a dataset")
    _rival_facts(rows, found)
    _coverage_facts(rows, found, best)
    rows.add("n_curves", best["n_curves"])
    rows.add("n_datasets", best["n_datasets"])
    rows.add("n_families", count_families(found.challenge.labels["dataset"]))
    near = found.kept.query("database == 'lcdb10' and group == 'all' "
                            "and extrapolator == @RECOMMENDED")
    rows.add("n_near", near[near["horizon"].str.startswith("up to 1 ")]["n_curves"].sum())
    needed = found.needed.set_index("extrapolator")
    for key, name in (("learned", RECOMMENDED), ("always", ALWAYS), ("pow2", "POW2"),
                      ("pow4", "POW4")):
        rows.add(f"right_{key}", 100 * needed.loc[name, "right"], digits=1, unit="%",
                 note="answers to 'will the error be a tenth lower?' that came true")
    return rows.table()


def _rival_facts(rows: Facts, found: ContestStudy) -> None:
    short = {"lcdb10": "here", "mini": "mini", "lcdb11-summary": "lcdb11"}
    for row in found.rivals.itertuples():
        key = "ratio" if row.measure == "error" else "regret_gain"
        told = row.scope == "all" or (row.scope, row.database, key) == (
            "new datasets", "lcdb11-summary", "ratio")
        if not told or (key == "ratio" and row.rival == NOW):
            continue
        where = short[row.database] + ("_new" if row.scope != "all" else "")
        rows.add(f"{key}_{where}", row.value, row.low, row.high, digits=2, n=row.n_families,
                 unit="" if key == "ratio" else "points", note=f"{row.scope}, against {row.rival}")
    far = found.rivals.query("scope == 'all' and measure == 'error' and rival != @NOW "
                             "and database != 'lcdb10'")["value"]
    rows.add("ratio_elsewhere", f"{far.min():.2f} to {far.max():.2f}")


def _coverage_facts(rows: Facts, found: ContestStudy, best: pd.Series) -> None:
    mine = coverage(found).set_index("group")
    shapes = mine[mine.index.str.startswith("shape")]
    worst = shapes["coverage90"].idxmin()
    rows.add("worst_shape", worst.removeprefix("shape: ").replace("_", "-"))
    for key, row in (("coverage", best), ("worst_coverage", shapes.loc[worst]),
                     ("unknown_coverage", mine.loc[UNKNOWN]),
                     ("new_coverage", mine.loc[f"{NEW} (LCDB 1.1)"]),
                     ("tabnet_coverage", mine.loc[f"learner: {WORST_LEARNER} (LCDB 1.1)"])):
        rows.add(key, 100 * row["coverage90"], digits=0, unit="%", n=int(row["n_curves"]),
                 note="curves whose truth lies in the 90 % interval")


def _percent(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(**{c: 100 * table[c] for c in table if c.startswith("coverage")})


def _plain(table: pd.DataFrame) -> pd.DataFrame:
    return table.rename(columns=lambda c: c.replace("_", " "))
