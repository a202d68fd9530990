"""Who will be ahead with more rows, foretold from curves so far: the plan, and how it is judged.

**Plan**, set down before anything below was computed on curves gathered anew.

*Question.* Learners of one dataset were measured up to n rows (32, 64, …, 1,024) on validation
rows; which of two errs less on test rows at 2, 4 and 16 times n (means of all repeats), who will be
lowest, and what does it cost to stay with who is lowest now?

*Forecaster* (`analysis.selection.forecast_order`). On the scale of the root, a learner is where it
is now, plus the mean change that the extrapolator *boosted* expects, and a share of its own beyond.
Its doubt is what repeats on the same splits say, drawn jointly (what learners share cancels from
differences), and the extrapolator's own spread, whose correlation between learners is measured on
other datasets. Five numbers for each of 2, 4 and 16 times are fitted on LCDB 1.0 alone, with the
forecasts of the fold that a dataset was left out of (the fifth: how much of the regret that draws
expect came); nothing else is chosen.

*Rivals*: a constant, the chance that nothing changes; nothing changes, a logistic curve of the gap
now over its noise; the board of other datasets at the target size; these two mixed by one weight;
POW4 and MMF4, each learner alone; rows, features and classes, a ridge regression for each learner;
the report's posterior as it is; the forecaster mixed with the board. What a rival has to fit is
fitted on LCDB 1.0. Boards and regressions learn from all other families of the same database.

*Judged* on families of ``lcdb11-anew`` that took no part: in no fold of LCDB 1.0, not among the
sixteen small tables by which ranges were widened (``mini``), no table for tuning of
``data/row_tables.csv``. Each family counts alike at each multiple, families are resampled. Scores:
Brier and log score of pairs, whether a chance came in each tenth, regret of who is picked.

*Seen before*: on LCDB 1.0 in five folds the forecaster's Brier score is .072, .094, .132 at 2, 4,
16 times; nothing changes .079, .108, .158; board .20, .19, .18; their mix .077, .102, .136.

*Predictions.* (1) The forecaster's Brier score is below that of nothing changes at 4 and 16 times,
its interval without 0 at 4; at 2 times they cannot be told apart. (2) It is below the board's at 2
and 4 times. (3) The mix is as good at 16 times. (4) POW4 and MMF4 are worse than nothing changes.
(5) At 2 and 4 times each tenth came within 5 points of what was said; at 16 times not every one.
(6) Picking by forecast costs 0 to 0.3 points less at 16 times than staying; the interval holds 0.

*Came* (``next_order_scores``, ``next_order_tenths``): (1) so at 4 times, at 2 as well, at 16 its
interval holds 0; (2) so; (3) at 16 times the mix is better; (4) so; (5) every tenth came within 5
points, at 16 times too; (6) wrong: picking by forecast costs 0.9 points more there. On six families
that were sealed until then (``next_order_opened``) (1) to (4) came as here, at 16 times on three
of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd
import xarray as xr
from scipy.optimize import minimize
from scipy.special import expit, logit, stdtr

from analysis.databases.chapter_curves import contenders
from analysis.databases.load import load_curves
from analysis.extrapolation.features import fitted
from analysis.extrapolation.predict import predict_seen
from analysis.extrapolation.seen import UNSEEN, fold_of, see_curves
from analysis.report.measured import measured_points
from analysis.report.posterior import forecast_ahead, simulate_errors
from analysis.selection import next_order as order
from analysis.statistics.bootstrap import percentile_interval, resample_units
from analysis.statistics.families import families, family_of
from analysis.statistics.summary import REPEATS, TIE
from collection.official.lcdb11 import DATASETS_TABLE
from collection.shipped.anew import FOLDER
from lab.report.parts import tuned_families
from lab.shipped.anew import OPENED

CUTS = (32, 64, 128, 256, 512, 1024)  # rows now
LEAST_SIZES = 3
EACH = 20  # pairs of a scene that are fitted to
CURVES = ("POW4", "MMF4")
NOW, BOARD, MIX, META, REPORT, CHOICE, BOTH = (
    "nothing changes", "board of others", "the two mixed", "meta-features", "report", "forecast",
    "forecast and board")
TENTHS = np.arange(0.1, 1.0, 0.1).round(1)
SURE = 1e-3  # the least chance that a log score knows
DRAWS = 500
WEAK = 1e-3  # penalty on what is fitted, about 0


@dataclass(frozen=True, eq=False)
class Scene:
    """The learners of a dataset as far as they were measured, and what came.

    Errors (learner, repeat, anchor) are of validation rows; level, quantiles and what formulas
    expect are of learners and multiples, as is the truth on test rows (NaN where there is none).
    """

    dataset: str
    family: str
    size: int
    fold: int
    learners: np.ndarray
    errors: xr.DataArray
    level: np.ndarray
    quantiles: np.ndarray
    curves: dict[str, np.ndarray]
    truth: np.ndarray


def scenes(errors: xr.DataArray) -> Iterator[Scene]:
    """Cut curves at every size of `CUTS` that goes on to twice the rows.

    Parameters
    ----------
    errors : DataArray, dims (dataset, learner, outer, inner, anchor, split)
        From `contenders`.
    """
    errors = errors.transpose("dataset", "learner", ...)
    valid = errors.sel(split="valid", drop=True)
    truth = errors.sel(split="test", drop=True).mean(["outer", "inner"])
    for size in CUTS:
        came = truth.reindex(anchor=size * np.array(order.TIMES, float))
        seen = valid.sel(anchor=slice(None, size))
        there = seen.notnull().any(["outer", "inner"])
        kept = (there.reindex(anchor=[size], fill_value=False)[..., 0]
                & (there.sum("anchor") >= LEAST_SIZES) & came.notnull().any("anchor"))
        where = np.flatnonzero(kept.sum("learner").values >= 2)
        if not len(where):
            continue
        flat, _ = see_curves(seen.where(kept).isel(dataset=where))
        rows = np.flatnonzero(flat.exists.any(1))
        flat, (at, who) = flat.take(rows), np.divmod(rows, kept.sizes["learner"])
        targets = np.tile(size * np.array(order.TIMES, float), (len(rows), 1))
        ahead = predict_seen(flat, targets)
        curves = {model: fitted(model, flat, targets) for model in CURVES}
        for number, d in enumerate(where):
            own = np.flatnonzero(at == number)
            one = seen.isel(dataset=d, learner=who[own])
            name = one["dataset"].item()
            yield Scene(
                str(name), family_of(name), size, fold_of(name), one["learner"].values.astype(str),
                one.stack(repeat=REPEATS).drop_vars(["repeat", *REPEATS]), flat.level[own],
                ahead[own], {model: found[own] for model, found in curves.items()},
                came.isel(dataset=d, learner=who[own]).values)


class Others:
    """What other families' results at a size say of two learners.

    Parameters
    ----------
    errors : DataArray
        As `scenes` takes it.
    facts : DataFrame
        Rows, features and classes, by dataset.
    """

    def __init__(self, errors: xr.DataArray, facts: pd.DataFrame) -> None:
        self.truth = np.sqrt(errors.sel(split="test", drop=True).mean(["outer", "inner"]))
        self.names = errors["dataset"].values.astype(str)
        self.family = families(self.names).astype(str)
        facts = np.log2(facts.reindex(self.names).astype(float))
        self.facts = np.nan_to_num(((facts - facts.mean()) / facts.std()).to_numpy())

    def board(self, scene: Scene, size: float) -> np.ndarray:
        """Return the share of other families that each learner errs less on than each other."""
        value = self._known(scene, size)
        apart = value[:, None] - value[:, :, None]  # above 0: the first errs less
        ahead = np.where(np.isfinite(apart), (np.sign(apart) + 1) / 2, np.nan)
        kind = np.unique(self.family[self.family != scene.family], return_inverse=True)[1]
        sums, counts = (np.zeros((kind.max() + 1, *ahead.shape[1:])) for _ in range(2))
        np.add.at(sums, kind, np.nan_to_num(ahead))
        np.add.at(counts, kind, np.isfinite(ahead))
        shares = np.divide(sums, counts, out=np.zeros(sums.shape), where=counts > 0)
        return (shares.sum(0) + 1) / ((counts > 0).sum(0) + 2)

    def regressed(self, scene: Scene, size: float, own: np.ndarray) -> np.ndarray:
        """Return roots that a ridge regression on rows, features and classes expects."""
        value, x = self._known(scene, size), self.facts[self.family != scene.family]
        count = np.isfinite(value).sum(1, keepdims=True).clip(1)
        value = value - np.nansum(value, 1, keepdims=True) / count
        found = np.zeros(value.shape[1])
        for k, column in enumerate(value.T):
            kept = np.isfinite(column)
            if kept.any():
                inputs = np.c_[np.ones(kept.sum()), x[kept]]
                found[k] = np.r_[1, own] @ np.linalg.solve(
                    inputs.T @ inputs + np.eye(inputs.shape[1]), inputs.T @ column[kept])
        return found

    def _known(self, scene: Scene, size: float) -> np.ndarray:
        """Return roots of errors at a size, shape (dataset of other families, learner)."""
        value = self.truth.reindex(anchor=[size], learner=scene.learners).transpose(
            "dataset", "learner", "anchor").values[..., 0]
        return value[self.family != scene.family]


def tell(scene: Scene, others: Others, by_report: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return what is known of each pair at each multiple, and what each pick came to."""
    root, doublings = np.sqrt(scene.level), np.log2(order.TIMES)
    repeats = scene.errors.isel(anchor=-1).values
    noise = order.joint_moments(scene.level, repeats, scene.quantiles, doublings,
                                {1: (0, 1, 0, 0)})[1]
    moved, spread = order.joint_moments(scene.level, repeats, scene.quantiles, doublings,
                                        {1: (1, 0, 1, 0)})
    centre, covariance = order.joint_moments(scene.level, repeats, scene.quantiles, doublings)
    draws = order.draw_errors(centre, covariance, DRAWS, 0)
    known = others.facts[np.flatnonzero(others.names == scene.dataset)]
    own = known[0] if len(known) else np.zeros(others.facts.shape[1])
    report = _report_draws(scene) if by_report else None
    pairs, picks = [], []
    for t, times in enumerate(order.TIMES):
        kept = np.flatnonzero(np.isfinite(scene.truth[:, t]))
        if len(kept) < 2:
            continue
        one, other = (kept[k] for k in np.triu_indices(len(kept), 1))
        board = others.board(scene, times * scene.size)
        points = {name: np.sqrt(found[:, t]) for name, found in scene.curves.items()} | {
            META: others.regressed(scene, times * scene.size, own)}
        both = noise[t].diagonal()
        apart = scene.truth[one, t] - scene.truth[other, t]
        case = {"dataset": scene.dataset, "family": scene.family, "fold": scene.fold,
                "size": scene.size, "times": times}
        pairs.append(pd.DataFrame({
            **case, "one": scene.learners[one], "other": scene.learners[other],
            "came": np.where(np.abs(apart) < TIE, 0.5, apart < 0),
            "now": root[one] - root[other], "board": logit(board[one, other]),
            "noise": both[one] + both[other] - 2 * noise[t][one, other],
            "moved": (moved[t] - root)[one] - (moved[t] - root)[other],
            **{f"spread{k}": np.sqrt(spread[t].diagonal()[at]) for k, at in enumerate(
                (one, other))},
            **{f"off{k}": ((np.sqrt(scene.truth[:, t]) - centre[t]) / np.sqrt(
                spread[t].diagonal()))[at] for k, at in enumerate((one, other))},
            **{name: value[one] - value[other] for name, value in points.items()},
            REPORT: np.nan if report is None else ((report[:, t, one] < report[:, t, other]) + (
                report[:, t, one] <= report[:, t, other])).mean(0) / 2}))
        valued = {NOW: scene.level, BOARD: -board[:, kept].sum(1), CHOICE: draws[:, t].mean(0),
                  **points, **({} if report is None else {REPORT: report[:, t].mean(0)})}
        came = {name: scene.truth[kept[value[kept].argmin()], t] for name, value in valued.items()}
        regret = order.expected_regrets(draws[:, [t]][..., kept], doublings[[t]])[0]
        picks.append({**case, **came, "best": scene.truth[kept, t].min(),
                      "expected": regret[scene.level[kept].argmin()]})
    return pd.concat(pairs), pd.DataFrame(picks)


def _report_draws(scene: Scene) -> np.ndarray:
    """Return the report's draws of errors, shape (n_draws, n_times, n_learners)."""
    measured = replace(measured_points(scene.errors.transpose("learner", "repeat", "anchor")),
                       tested=None)
    sizes = scene.size * np.array(order.TIMES, float)
    draws = simulate_errors(measured, forecast_ahead(measured, sizes))
    return np.stack([draws[name][:, 1:] for name in measured.learners], axis=2)


def _now(pairs: pd.DataFrame, by: np.ndarray, of: str = "now") -> pd.Series:
    return -np.exp(by[0]) * pairs[of] / np.sqrt(pairs["noise"] + np.exp(by[1]))


def _mixed(one: pd.Series, pairs: pd.DataFrame, by: float) -> pd.Series:
    return expit(by) * one + expit(-by) * pairs["board"]


def _forecast(pairs: pd.DataFrame, by: np.ndarray) -> np.ndarray:
    """Return chances as `pair_chances` does, of (share, log noise, log doubt, correlation)."""
    alike = 2 * by[3] * pairs["spread0"] * pairs["spread1"]
    variance = np.exp(by[1]) * pairs["noise"] + np.exp(by[2]) * (
        pairs["spread0"] ** 2 + pairs["spread1"] ** 2 - alike)
    return stdtr(order.FREEDOM, -(pairs["now"] + by[0] * pairs["moved"]) / np.sqrt(
        np.maximum(variance, 1e-12)))


#: Chances of pairs by what was fitted to them, and where that begins.
CHANCES = {
    "constant": (lambda p, by: expit(-by[0] * np.sign(p["now"])), (1.0,)),
    NOW: (lambda p, by: expit(_now(p, by)), (0.0, -8.0)),
    BOARD: (lambda p, by: expit(np.exp(by[0]) * p["board"]), (0.0,)),
    MIX: (lambda p, by: expit(_mixed(_now(p, by), p, by[2])), (0.0, -8.0, 0.0)),
    **{name: (lambda p, by, of=name: expit(_now(p, by, of)), (0.0, -3.0))
       for name in (*CURVES, META)},
    BOTH: (lambda p, by: expit(_mixed(logit(p[CHOICE].clip(SURE, 1 - SURE)), p, by[0])), (2.0,)),
}


def fit(pairs: pd.DataFrame, chance, start: tuple[float, ...]) -> np.ndarray:
    """Return what makes chances of pairs likeliest, each family counting alike."""
    known, weight = {name: pairs[name].to_numpy() for name in pairs}, _weights(pairs)

    def loss(by: np.ndarray) -> float:
        said, came = np.clip(chance(known, by), SURE, 1 - SURE), known["came"]
        return (-np.nansum(weight * (came * np.log(said) + (1 - came) * np.log(1 - said)))
                + WEAK * ((by - start) ** 2).sum())

    return minimize(loss, start, method="BFGS", options={"maxiter": 60}).x


def fit_forecast(pairs: pd.DataFrame, picks: pd.DataFrame) -> dict[float, tuple[float, ...]]:
    """Return `FITTED` anew, from `told` of LCDB 1.0."""
    found = {}
    for times, own in pairs.groupby("times"):
        weight, picked = _weights(own), picks[picks["times"] == times]
        alike = (weight * (own["off0"] * own["off1"])).sum() / (
            weight * (own["off0"] ** 2 + own["off1"] ** 2) / 2).sum()
        share, *logs = fit(own, lambda p, by, r=alike: _forecast(p, np.r_[by, r]),
                           (0.7, -0.5, -0.5))
        came, said = (_over_families(value, picked)[0] for value in (
            picked[NOW] - picked["best"], picked["expected"]))
        doublings = float(np.log2(times))
        found[doublings] = (share, *np.exp(logs), alike, came / said * order.FITTED[doublings][-1])
    return found


def _weights(pairs: pd.DataFrame) -> np.ndarray:
    """Return weights that let every family count alike, and sum to 1."""
    each = 1 / pairs.groupby("family")["came"].transform("size")
    return (each / each.sum()).to_numpy()


def by_rival(pairs: pd.DataFrame, learnt: pd.DataFrame) -> pd.DataFrame:
    """Return pairs with the chance that each rival says, fitted to other pairs."""
    parts = []
    for times, own in pairs.groupby("times"):
        own, known = own.copy(), learnt[learnt["times"] == times].copy()
        share, noise, doubt, alike = order.FITTED[float(np.log2(times))][:4]
        for table in (own, known):
            table[CHOICE] = _forecast(table, np.array(
                [share, np.log(noise), np.log(doubt), alike]))
        said = {name: chance(own, fit(known, chance, start))
                for name, (chance, start) in CHANCES.items()}
        parts.append(own.assign(**said))
    return pd.concat(parts, ignore_index=True)


def scores(pairs: pd.DataFrame, picks: pd.DataFrame) -> pd.DataFrame:
    """Score every rival at each multiple, families alike.

    Returns
    -------
    DataFrame
        ``times, rival, families, pairs, brier, log``, by how much the Brier score is above the
        forecast's ``worse, worse_low, worse_high`` (95 %, families resampled); in points of error
        ``regret`` of its pick, how much more that is than the forecast's ``costs, costs_low,
        costs_high``, and what the forecast ``expected`` that staying costs.
    """
    rows = []
    for times, own in pairs.groupby("times"):
        picked, said = picks[picks["times"] == times], {}
        for rival in (*CHANCES, REPORT, CHOICE):
            if own[rival].notnull().all():
                chance = own[rival].clip(SURE, 1 - SURE)
                said[rival] = ((chance - own["came"]) ** 2, -(
                    own["came"] * np.log(chance) + (1 - own["came"]) * np.log(1 - chance)))
        for rival, (brier, log) in said.items():
            row = {"times": times, "rival": rival, "families": own["family"].nunique(),
                   "pairs": len(own), "brier": _over_families(brier, own)[0],
                   "log": _over_families(log, own)[0]}
            row |= dict(zip(("worse", "worse_low", "worse_high"), _over_families(
                brier - said[CHOICE][0], own), strict=True))
            if rival in picked:
                cost = 100 * (picked[rival] - picked["best"])
                row["regret"] = _over_families(cost, picked)[0]
                row |= dict(zip(("costs", "costs_low", "costs_high"), _over_families(
                    cost - 100 * (picked[CHOICE] - picked["best"]), picked), strict=True))
                if rival == NOW:
                    row["expected"] = _over_families(100 * picked["expected"], picked)[0]
            rows.append(row)
    return pd.DataFrame(rows)


def tenths(pairs: pd.DataFrame) -> pd.DataFrame:
    """Hold the forecast's chances against what came, tenth by tenth of what was said.

    Returns
    -------
    DataFrame
        ``times, tenth`` (from 0), ``families, pairs, said, came, low, high``; a pair counts both
        ways, so that the tenths above a half mirror those below.
    """
    turned = pairs.assign(**{CHOICE: 1 - pairs[CHOICE], "came": 1 - pairs["came"]})
    both = pd.concat([pairs, turned])
    both["tenth"] = np.searchsorted(TENTHS, both[CHOICE], side="right")
    rows = []
    for (times, tenth), own in both[both["tenth"] >= 5].groupby(["times", "tenth"]):
        came, low, high = _over_families(own["came"], own, alike=False)
        rows.append({"times": times, "tenth": tenth, "families": own["family"].nunique(),
                     "pairs": len(own), "said": own[CHOICE].mean(), "came": came, "low": low,
                     "high": high})
    return pd.DataFrame(rows)


def _over_families(values: pd.Series, table: pd.DataFrame,
                   alike: bool = True) -> tuple[float, float, float]:
    """Return a mean with its 95 % interval over families, which count alike or by their rows."""
    found = values.groupby(table["family"].to_numpy()).agg(["sum", "size"]).to_numpy(float)
    if alike:
        found = np.c_[found[:, 0] / found[:, 1], np.ones(len(found))]
    drawn = resample_units(len(found), 0, 2000) @ found
    low, high = percentile_interval(drawn[:, 0] / drawn[:, 1])
    return found[:, 0].sum() / found[:, 1].sum(), float(low), float(high)


def facts_of(database: str) -> pd.DataFrame:
    """Return rows, features and classes by dataset; empty where curves do not say."""
    if database == "lcdb10":
        table = pd.read_csv(DATASETS_TABLE, index_col="openml_id")
        table = table[["samples", "features", "classes"]]
    else:
        there = load_curves(database).coords
        table = pd.DataFrame({name: there[name].to_series() for name in (
            "rows", "features", "classes") if name in there})
    return table.set_axis(table.index.astype(str))


def told(database: str, others: str | None = None,
         by_report: bool = True) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return `tell` of every scene of a database, or folder; boards are of `others`, or of it."""
    own = contenders(database)["error_rate"]
    near = Others(contenders(others)["error_rate"] if others else own, facts_of(others or database))
    found = [tell(scene, near, by_report) for scene in scenes(own)]
    return tuple(pd.concat(parts, ignore_index=True) for parts in zip(*found, strict=True))


@cache
def learnt() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return `told` of LCDB 1.0, with pairs to fit to: `EACH` of a scene and multiple."""
    pairs, picks = told("lcdb10", by_report=False)
    drawn = pairs.sample(frac=1, random_state=0).groupby(["dataset", "size", "times"]).head(EACH)
    return drawn.sort_index(), picks


def judged(database: str, others: str | None = None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge everybody on families of a database, or folder, that took no part.

    Parameters
    ----------
    database : str
        As `contenders` takes it.
    others : str, optional
        Whose families boards and regressions learn from; by default the database's own.

    Returns
    -------
    scores, tenths : DataFrame
        From the functions of these names.
    """
    pairs, picks = told(database, others)
    tuned = tuned_families()
    pairs, picks = (own[(own["fold"] == UNSEEN) & ~own["family"].isin(tuned)]
                    for own in (pairs, picks))
    said = by_rival(pairs, learnt()[0])
    return scores(said, picks), tenths(said)


@cache
def _anew() -> tuple[pd.DataFrame, pd.DataFrame]:
    return judged("lcdb11-anew")


KEPT = {"next_order_scores": lambda: _anew()[0], "next_order_tenths": lambda: _anew()[1],
        "next_order_opened": lambda: judged(str(FOLDER / OPENED), "lcdb11-anew")[0]}
