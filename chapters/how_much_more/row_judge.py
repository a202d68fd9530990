"""The report's backtest by rows, judged: how often ranges held what came, beside simpler ones."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import kurtosis

from analysis.extrapolation.compact import crps
from analysis.published.computed import NotAtHandError
from analysis.report.answers import answer
from analysis.report.measured import Measured, stretch_errors
from analysis.report.metrics import METRICS
from analysis.report.posterior import draw_ahead, forecast_ahead
from analysis.report.uncertainty import row_draws
from analysis.statistics.bootstrap import exact_ends
from analysis.statistics.families import count_families
from analysis.statistics.summary import summarise
from chapters.how_much_more.row_backtest import PARTS, TIMES
from chapters.how_much_more.row_tables import ROLES
from collection.project.paths import cache_dir

QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
LEVELS = {50: ("q25", "q75"), 80: ("q10", "q90"), 90: ("q05", "q95")}  # percent: a range's ends
COLUMNS = tuple(f"q{round(100 * q):02d}" for q in QUANTILES)
NORMAL = (-1.645, -1.2816, -0.6745, 0.0, 0.6745, 1.2816, 1.645)
RIVAL, BINOMIAL = "nothing changes", "forecast and binomial"
TREES = "HistGradientBoosting"
STEEP = 0.8  # of the error at the first size that is left at four times the rows, at most
RARE = 0.15  # share of the rarer class
HEAVY = 10.0  # excess kurtosis of the target
DIGITS = 3  # of an error, as the page prints it


def judge_parts(folder: Path | None = None) -> pd.DataFrame:
    """Answer for every part as the report does and as simpler methods do, beside the truth.

    Returns
    -------
    pandas.DataFrame
        A row per part, learner, multiple and method: ``table``, ``rows``, ``draw``, ``learner``,
        ``times``, ``size``, ``tested``, ``truth``, ``role`` (of `ROLES`), ``kind`` ("classes",
        "numbers"), ``steep``, ``rare``, ``heavy``, ``wide`` (what the table is like), ``method``
        and `COLUMNS`. Errors are shares of the worst: error rates, or root mean squared errors
        over the target's standard deviation.

    Raises
    ------
    NotAtHandError
        Where no part was measured; ``python -m chapters.how_much_more.row_backtest`` does that.
    """
    return _each_part(folder, judge_part)


def judge_headlines(folder: Path | None = None) -> pd.DataFrame:
    """Hold what the page's headline expects against what came of the learner that it names.

    Returns
    -------
    pandas.DataFrame
        A row per part and multiple: ``table, rows, draw, role, kind, times, learners`` (how many
        there were), ``error`` with ``low`` and ``high`` (as the page says them), ``truth`` of the
        learner named, ``best`` (the lowest), ``falls, falls_enough`` (chances of a fall) and the
        ``fall`` that came, ``leader`` (of whoever leads now), ``trees`` (of boosted trees; NaN where
        not measured).
    """
    return _each_part(folder, judge_headline)


def _each_part(folder: Path | None, judge: Callable) -> pd.DataFrame:
    folder = folder or cache_dir() / PARTS
    paths = sorted(folder.glob("*.npz"))
    if not paths:
        raise NotAtHandError("No part of a table was measured; python -m "
                             "chapters.how_much_more.row_backtest does that in an hour.")
    roles = {table.name: role for role, tables in ROLES.items() for table in tables}
    rows = []
    for path in paths:
        table, n_rows, draw = path.stem.rsplit("-", 2)
        if table in roles:
            with np.load(path) as stored:
                part = dict(stored)
            rows += [{"table": table, "rows": int(n_rows), "draw": int(draw), "role": roles[table],
                      **row} for row in judge(part, table)]
    return pd.DataFrame(rows)


def judge_part(part: Mapping[str, np.ndarray], table: str) -> Iterable[dict]:
    """Yield what each method says of one part, beside the truth.

    Parameters
    ----------
    part : mapping of str to ndarray
        From `chapters.how_much_more.row_backtest.measure_part`.
    table : str
        Its name: no forecast learnt from its curves is used.
    """
    measured, losses = _measured(part, table)
    sizes = np.rint(part["size"][-1] * np.array(TIMES[1:]))
    forecast = forecast_ahead(measured, sizes)
    ahead = draw_ahead(measured, forecast)
    beyond = forecast.sel(quantile=list(QUANTILES)).values
    like = _like(part, table)
    for k, learner in enumerate(measured.learners):
        now = measured.draws[:, k]
        error = _deviation(measured.now[k], losses[k]) * np.array(NORMAL)
        for at, times in enumerate(TIMES):
            truth = part["true"][k, at] / measured.worst * _unit(part)
            if not np.isfinite(truth):
                continue
            draws = ahead[learner][:, at]
            own = (np.full(len(QUANTILES), measured.now[k]) if times == 1
                   else beyond[k, at - 1])
            off = own - own[3]
            said = {"report": np.quantile(draws, QUANTILES), RIVAL: np.quantile(now, QUANTILES),
                    BINOMIAL: own[3] + np.sign(off + error) * np.hypot(off, error)}
            for method, values in said.items():
                yield {**like, "learner": learner, "times": times, "truth": truth,
                       "size": round(times * int(part["size"][-1])),
                       "tested": int(part["tested"][at]), "method": method,
                       **dict(zip(COLUMNS, np.clip(values, 0, None), strict=True))}


def _like(part: Mapping[str, np.ndarray], table: str) -> dict:
    """Return what a table is like; how steeply errors fall is known only afterwards."""
    numbers, target = part["said"].ndim == 2, part["target"]
    left = part["true"][:, TIMES.index(4)] / np.maximum(part["true"][:, 0], 1e-9)
    left = left[np.isfinite(left)]
    return {"kind": "numbers" if numbers else "classes",
            "steep": bool(len(left) and left.mean() <= STEEP),
            "rare": not numbers and bool(np.bincount(target).min() < RARE * len(target)),
            "heavy": numbers and bool(kurtosis(target) > HEAVY), "wide": table.startswith("wide")}


def judge_headline(part: Mapping[str, np.ndarray], table: str) -> Iterable[dict]:
    """Yield what the headline says of one part at each multiple; see `judge_headlines`."""
    measured, _ = _measured(part, table)
    found = answer(measured)
    leader = found.now["learner"].iloc[0]
    true = dict(zip(measured.learners, part["true"] * _unit(part), strict=True))
    for said in found.expected.itertuples():
        at = TIMES.index(said.times)
        came = {name: own[at] for name, own in true.items()}
        if np.isfinite(list(came.values())).all():
            yield {"kind": "numbers" if part["said"].ndim == 2 else "classes",
                   "times": said.times, "learners": len(came), "error": said.error,
                   "low": said.low, "high": said.high, "truth": came[said.learner],
                   "best": min(came.values()),
                   "falls": said.falls, "falls_enough": said.falls_enough,
                   "fall": true[leader][0] - came[said.learner], "leader": came[leader],
                   "trees": came.get(TREES, np.nan)}


def _unit(part: Mapping[str, np.ndarray]) -> float:
    """Return what a stored error is divided by."""
    return 1 / part["target"].std() if part["said"].ndim == 2 else 1.0


def _measured(part: Mapping[str, np.ndarray], table: str) -> tuple[Measured, np.ndarray]:
    """Return a part as the report measures a table, errors as shares, and its rows' losses."""
    regression = part["said"].ndim == 2
    metric = METRICS["rmse" if regression else "error_rate"]
    said, target = part["said"], part["target"]
    losses = np.stack([metric.losses(target, own) for own in said])
    if regression:
        losses = losses / target.std() ** 2
    losses[:, part["fold"] < 0] = np.nan  # in time, earlier rows are never held out
    draws = row_draws(losses, part["units"], metric.endless, np.random.default_rng(0))
    now = np.nanmean(losses, 1)
    if metric.root:
        now, draws = np.sqrt(now), np.sqrt(draws)
    errors = xr.DataArray(
        part["error"][:, :, None] * _unit(part), dims=("learner", "outer", "inner", "anchor"),
        coords={"learner": part["learner"].astype(str), "anchor": part["size"].astype(float),
                "dataset": table})
    size = np.full(len(losses), int(part["size"][-1]))
    return Measured(errors, size, now, stretch_errors(draws, now, 1.0, metric),
                    stretch=metric.stretch), losses


def _deviation(now: float, losses: np.ndarray) -> float:
    """Return the standard error of an error: √(p(1 − p)/n), or that of a root mean square."""
    losses = losses[np.isfinite(losses)]
    error = losses.std() / np.sqrt(len(losses))
    return float(error if set(np.unique(losses)) <= {0, 1} else error / (2 * max(now, 1e-9)))


def summarise_parts(cases: pd.DataFrame) -> pd.DataFrame:
    """Say how often ranges held, and how good they were, by role, kind, method and multiple.

    Parameters
    ----------
    cases : pandas.DataFrame
        From `judge_parts`.

    Returns
    -------
    pandas.DataFrame
        ``role, kind, method, times`` (0: all), ``n_tables, n_cases, coverage50, coverage80,
        coverage90``, its 95 % interval ``low, high`` (tables resampled; where all or none are
        held, the far end is from `exact_ends`), ``worst_table`` (the lowest coverage of the 90 %
        ranges on one table), ``width90``, ``interval_score`` (of the 90 % ranges), ``crps``, and
        by how much the score is above `RIVAL`'s on the same cases: ``worse, worse_low,
        worse_high``, likewise.
    """
    scored = with_scores(cases)
    every = _beside_rival(pd.concat([scored.assign(times=0.0), scored]))
    rows = []
    for keys, own in every.groupby(["role", "kind", "method", "times"], sort=False):
        worse = summarise(own["worse"], own["table"])
        rows.append({**dict(zip(("role", "kind", "method", "times"), keys, strict=True)),
                     "n_tables": own["table"].nunique(), "n_cases": len(own),
                     **{f"coverage{n}": own[f"covered{n}"].mean() for n in (50, 80)},
                     **_coverage(own),
                     "worst_table": own.groupby("table")["covered90"].mean().min(),
                     "width90": own["width90"].mean(),
                     "interval_score": own["score90"].mean(), "crps": own["crps"].mean(),
                     "worse": worse.value, "worse_low": worse.low, "worse_high": worse.high})
    return pd.DataFrame(rows)


def _coverage(scored: pd.DataFrame) -> dict[str, float]:
    """Return how often 90 % ranges held; where all or none did, the far end is exact."""
    held = summarise(scored["covered90"], scored["table"])
    low, high = exact_ends(100 * held.value, 100 * held.low, 100 * held.high, held.n)
    return {"coverage90": held.value, "low": float(low) / 100, "high": float(high) / 100}


def _beside_rival(scored: pd.DataFrame) -> pd.DataFrame:
    """Add ``worse``: the score less that of `RIVAL` on the same case."""
    case = ["table", "rows", "draw", "learner", "size", "times"]
    rival = scored[scored["method"] == RIVAL].set_index(case)["score90"]
    return scored.assign(worse=scored["score90"].to_numpy()
                         - rival.reindex(pd.MultiIndex.from_frame(scored[case])).to_numpy())


def with_scores(cases: pd.DataFrame) -> pd.DataFrame:
    """Add ``covered50, covered80, covered90, width90, score90, crps`` (of the quantiles) to cases.

    Covered is what is inside as the page prints it: no range begins at an error of exactly 0.
    """
    truth, low, high = cases["truth"], *(cases[end] for end in LEVELS[90])
    printed = cases[["truth", *COLUMNS]].round(DIGITS)
    covered = {f"covered{level}": printed["truth"].between(*(printed[end] for end in ends)).astype(
        float) for level, ends in LEVELS.items()}
    outside = (low - truth).clip(lower=0) + (truth - high).clip(lower=0)
    return cases.assign(**covered, width90=high - low,
                        score90=high - low + 2 / (1 - 0.9) * outside,
                        crps=crps(cases[list(COLUMNS)].to_numpy(), truth.to_numpy()))


def strata(cases: pd.DataFrame) -> pd.DataFrame:
    """Say how often the report's ranges held on tables of each kind, all multiples together.

    Returns
    -------
    pandas.DataFrame
        ``tables`` (what they are like), ``n_tables, n_cases, coverage90, low, high`` (95 %, tables
        resampled), ``width90``.
    """
    own = with_scores(cases[(cases["method"] == "report") & (cases["times"] > 1)
                            & (cases["role"] == "held out")])
    trees = own["learner"].isin((TREES, "ens.RandomForest"))
    kinds = {"errors fall steeply": own["steep"], "errors fall little": ~own["steep"],
             "more columns than rows": own["wide"], "heavy tails": own["heavy"],
             "a rare class": own["rare"], "trees": trees, "other learners": ~trees}
    rows = []
    for name, kept in kinds.items():
        part = own[kept]
        if len(part):
            rows.append({"tables": name, "n_tables": count_families(part["table"]),
                         "n_cases": len(part), **_coverage(part),
                         "width90": part["width90"].mean()})
    return pd.DataFrame(rows)


def headlines(found: pd.DataFrame) -> pd.DataFrame:
    """Say how far headlines were off, and what naming their learner cost, where nobody tuned.

    Parameters
    ----------
    found : pandas.DataFrame
        From `judge_headlines`.

    Returns
    -------
    pandas.DataFrame
        By ``kind`` and ``times`` (0: all above 1): ``n_tables, n``; ``bias`` (mean said less mean
        truth, as a share of the truth) with ``bias_low, bias_high`` (95 %, tables resampled),
        ``below`` (share of headlines below the truth), ``coverage90``; ``regret``,
        ``regret_leader``, ``regret_trees``: errors of the learner named, of whoever leads now, of
        boosted trees, less the best's, on parts on which all were measured; ``trees_worse`` with
        its interval: the last less the first.
    """
    own = found[(found["role"] == "held out") & (found["times"] > 1) & (found["learners"] > 2)]
    rows = []
    for (kind, times), part in pd.concat([own.assign(times=0.0), own]).groupby(["kind", "times"]):
        off = summarise((part["error"] - part["truth"]) / part["truth"].mean(), part["table"])
        full = part[part["trees"].notna()]
        worse = summarise(full["trees"] - full["truth"], full["table"])
        rows.append({
            "kind": kind, "times": times, "n_tables": part["table"].nunique(), "n": len(part),
            "bias": off.value, "bias_low": off.low, "bias_high": off.high,
            "below": (part["error"] < part["truth"]).mean(),
            "coverage90": part["truth"].round(DIGITS).between(
                *(part[end].round(DIGITS) for end in ("low", "high"))).mean(),
            **{f"regret{end}": (full[column] - full["best"]).mean() for end, column in (
                ("", "truth"), ("_leader", "leader"), ("_trees", "trees"))},
            "trees_worse": worse.value, "trees_worse_low": worse.low,
            "trees_worse_high": worse.high})
    return pd.DataFrame(rows)



@lru_cache(maxsize=1)
def _judged() -> pd.DataFrame:
    """Return what `judge_parts` finds, but for the tables that ranges were made on."""
    cases = judge_parts()
    return cases[cases["role"] != "tuning"]


def kept_cases() -> pd.DataFrame:
    """Return the report's own ranges, as they are kept."""
    cases = _judged()
    return cases[cases["method"] == "report"].drop(columns="method").round(4)


KEPT = {"row_backtest": kept_cases,
        "row_backtest_summary": lambda: summarise_parts(_judged()),
        "row_backtest_strata": lambda: strata(_judged()),
        "row_backtest_headlines": lambda: headlines(judge_headlines())}
