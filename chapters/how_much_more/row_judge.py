"""The report's backtest by rows, judged: how often ranges held what came, beside simpler ones."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from analysis.extrapolation import RECOMMENDED
from analysis.published.computed import NotAtHandError
from analysis.report.answers import draw_ahead, forecast_ahead
from analysis.report.measured import Measured, stretch_errors
from analysis.report.metrics import METRICS
from analysis.report.uncertainty import UNSEEN, row_draws
from analysis.statistics.bootstrap import exact_ends
from analysis.statistics.summary import summarise
from chapters.how_much_more.row_backtest import PARTS, TIMES
from chapters.how_much_more.row_tables import ROLES
from collection.paths import cache_dir

QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
LEVELS = {0.5: (0.25, 0.75), 0.8: (0.1, 0.9), 0.9: (0.05, 0.95)}
COLUMNS = tuple(f"q{round(100 * q):02d}" for q in QUANTILES)
NORMAL = (-1.645, -1.2816, -0.6745, 0.0, 0.6745, 1.2816, 1.645)
RIVAL = "forecast and binomial"
BEYOND = {"forecast alone": RECOMMENDED, RIVAL: RECOMMENDED, "POW4 and binomial": "POW4"}
CHARGE = 20  # for each unit that a truth lies outside a range of 90 %: 2/(1 − 0.9)


def judge_parts(folder: Path | None = None) -> pd.DataFrame:
    """Answer for every part as the report does and as simpler methods do, beside the truth.

    Returns
    -------
    pandas.DataFrame
        A row per part, learner, multiple and method: ``table``, ``rows``, ``draw``, ``learner``,
        ``times``, ``size``, ``tested``, ``truth``, ``role`` (of `ROLES`), ``kind`` ("classes",
        "numbers"), ``method`` and `COLUMNS`. Errors are shares of the worst:
        error rates, or root mean squared errors over the target's standard deviation.

    Raises
    ------
    NotAtHandError
        Where no part was measured; ``python -m chapters.how_much_more.row_backtest`` does that.
    """
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
                      **row} for row in judge_part(part, table)]
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
    forecasts = {name: forecast_ahead(measured, sizes, name) for name in (RECOMMENDED, "POW4")}
    ahead = draw_ahead(measured, forecasts[RECOMMENDED])
    beyond = {method: forecasts[name].sel(quantile=list(QUANTILES)).values
              for method, name in BEYOND.items()}
    kind = "numbers" if part["said"].ndim == 2 else "classes"
    for k, learner in enumerate(measured.learners):
        now = measured.draws[:, k]
        error = _deviation(measured.now[k], losses[k]) * np.array(NORMAL)
        for at, times in enumerate(TIMES):
            truth = part["true"][k, at] / measured.worst * _unit(part)
            if not np.isfinite(truth):
                continue
            draws = now if times == 1 else ahead[learner][:, at - 1]
            said = {"report": np.quantile(draws, QUANTILES),
                    "nothing changes": np.quantile(now, QUANTILES)}
            for method, quantiles in beyond.items():
                if times == 1 and method == "forecast alone":
                    continue  # it says nothing of how sure the error now is
                own = (np.full(len(QUANTILES), measured.now[k]) if times == 1
                       else quantiles[k, at - 1])
                off = own - own[3]
                said[method] = own[3] + (off if method == "forecast alone" else np.sign(off + error)
                                         * np.hypot(off, error))
            for method, values in said.items():
                yield {"kind": kind, "learner": learner, "times": times, "truth": truth,
                       "size": round(times * int(part["size"][-1])),
                       "tested": int(part["tested"][at]), "method": method,
                       **dict(zip(COLUMNS, np.clip(values, 0, None), strict=True))}


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
    worst = UNSEEN * np.nanmax(losses, 1) if metric.endless else np.ones(len(losses))
    draws = row_draws(losses, part["units"], worst, np.random.default_rng(0))
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
        held, worse = (summarise(own[c], own["table"]) for c in ("covered90", "worse"))
        low, high = exact_ends(100 * held.value, 100 * held.low, 100 * held.high, held.n)
        rows.append({**dict(zip(("role", "kind", "method", "times"), keys, strict=True)),
                     "n_tables": own["table"].nunique(), "n_cases": len(own),
                     **{f"coverage{n}": own[f"covered{n}"].mean() for n in (50, 80, 90)},
                     "low": float(low) / 100, "high": float(high) / 100,
                     "worst_table": own.groupby("table")["covered90"].mean().min(),
                     "width90": own["width90"].mean(),
                     "interval_score": own["score90"].mean(), "crps": own["crps"].mean(),
                     "worse": worse.value, "worse_low": worse.low, "worse_high": worse.high})
    return pd.DataFrame(rows)


def _beside_rival(scored: pd.DataFrame) -> pd.DataFrame:
    """Add ``worse``: the score less that of `RIVAL` on the same case."""
    case = ["table", "rows", "draw", "learner", "size", "times"]
    rival = scored[scored["method"] == RIVAL].set_index(case)["score90"]
    return scored.assign(worse=scored["score90"].to_numpy()
                         - rival.reindex(pd.MultiIndex.from_frame(scored[case])).to_numpy())


def by_table(cases: pd.DataFrame) -> pd.DataFrame:
    """Say of each table how wide ranges were and what they missed, the report's beside `RIVAL`'s.

    Parameters
    ----------
    cases : pandas.DataFrame
        From `judge_parts`.

    Returns
    -------
    pandas.DataFrame
        ``role, kind, table, method, n_parts, n_cases, coverage90, width90``, what is charged for
        truths ``below`` and ``above`` the range, and ``interval_score``, the sum of these three.
    """
    scored = with_scores(cases[cases["method"].isin(("report", RIVAL))])
    scored["below"] = CHARGE * (scored["q05"] - scored["truth"]).clip(lower=0)
    scored["above"] = CHARGE * (scored["truth"] - scored["q95"]).clip(lower=0)
    scored["part"] = scored["rows"].astype(str) + "-" + scored["draw"].astype(str)
    found = scored.groupby(["role", "kind", "table", "method"], sort=False).agg(
        n_parts=("part", "nunique"), n_cases=("truth", "size"), coverage90=("covered90", "mean"),
        width90=("width90", "mean"), below=("below", "mean"), above=("above", "mean"),
        interval_score=("score90", "mean"))
    return found.reset_index()


def with_scores(cases: pd.DataFrame) -> pd.DataFrame:
    """Add ``covered50, …, width90, score90`` and ``crps`` (from the quantiles) to the cases."""
    truth, found = cases["truth"], {}
    for level, ends in LEVELS.items():
        low, high = (cases[f"q{round(100 * q):02d}"] for q in ends)
        name = round(100 * level)
        found[f"covered{name}"] = truth.between(low, high).astype(float)
        found[f"width{name}"] = high - low
        found[f"score{name}"] = high - low + 2 / (1 - level) * (
            (low - truth).clip(lower=0) + (truth - high).clip(lower=0))
    off = truth.to_numpy()[:, None] - cases[list(COLUMNS)].to_numpy()
    level = np.array(QUANTILES)
    found["crps"] = 2 * np.maximum(level * off, (level - 1) * off).mean(1)
    return cases.assign(**found)


def as_levels(cases: pd.DataFrame) -> pd.DataFrame:
    """Return the report's ranges, a row per level.

    Returns
    -------
    pandas.DataFrame
        ``table, role, rows, draw, learner, times, level, covered, width, truth``.
    """
    scored = with_scores(cases)
    parts = [scored.assign(level=level, covered=scored[f"covered{name}"].astype(int),
                           width=scored[f"width{name}"])
             for level, name in ((level, round(100 * level)) for level in LEVELS)]
    return pd.concat(parts)[["table", "role", "rows", "draw", "learner", "times", "level",
                             "covered", "width", "truth"]].reset_index(drop=True)


@lru_cache(maxsize=1)
def _judged() -> pd.DataFrame:
    """Return what `judge_parts` finds, but for the tables that ranges were made on."""
    cases = judge_parts()
    return cases[cases["role"] != "tuning"]


def kept_cases() -> pd.DataFrame:
    """Return the report's own ranges, as they are kept."""
    cases = _judged()
    return cases[cases["method"] == "report"].drop(columns="method").round(4)


def kept_summary() -> pd.DataFrame:
    """Return the summary over all methods, as it is kept."""
    return summarise_parts(_judged())


def kept_tables() -> pd.DataFrame:
    """Return the summary by table, as it is kept."""
    return by_table(_judged())


KEPT = {"row_backtest": kept_cases, "row_backtest_summary": kept_summary,
        "row_backtest_tables": kept_tables}
