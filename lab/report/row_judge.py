"""The report held against what came: how often ranges held, and whether a chance is one."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

import numpy as np
import pandas as pd

from analysis.extrapolation.compact import crps
from analysis.extrapolation.seen import UNSEEN, fold_of
from analysis.report.answers import answer
from analysis.report.metrics import HEAVY_TAILED
from analysis.report.posterior import forecast_ahead, simulate_errors
from analysis.report.sentences import SURELY
from analysis.statistics.bootstrap import FEW, exact_if_few
from analysis.statistics.families import count_families, family_of
from analysis.statistics.summary import summarise
from analysis.trial.tasks import open_forecasts, open_trial, score
from lab.report.parts import LEARNERS, TIMES, Part, curve_parts, row_parts, tuned_families

QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
COLUMNS = tuple(f"q{round(100 * q):02d}" for q in QUANTILES)
REPORT, RIVAL = "report", "nothing changes"
LESS = 0.01  # share of the worst error: a fall that is judged
TINY = 1e-9  # fall of an error: less is none
NEW = "new"  # the role of the tables named when nearly all was set
LATEST = "latest"  # of those named since, which are among the new ones as well
TREES = ("HistGradientBoosting", "ens.GradientBoosting")
STEEP = 0.8  # of the error at the first size that is left at four times the rows, at most
RARE = 0.15  # share of the rarer class
DIGITS = 3  # of an error, as the page prints it
TENTHS = np.arange(0.1, 1.0, 0.1).round(1)
#: The trial's sources that took no part in training or widening the page's forecaster.
OUTSIDE = {"neural_scaling": "neural scaling", "medical_images": "medical images",
           "language_models": "language models", "boosting_by_size": "boosting by size",
           "large_classes": "large tables, classes", "large_numbers": "large tables, numbers",
           "lcdb11-anew": "gathered anew"}


def judge_part(part: Part) -> Iterator[dict]:
    """Yield what the report says of each learner at each multiple, and who stays, and what came.

    Yields
    ------
    dict
        ``table, part, role, kind, rows`` (trained on), ``steep, rare, heavy, wide`` (what the table
        is like), ``learner, times, truth, method`` and `COLUMNS`; errors are shares of the worst:
        error rates, or root mean squared errors over the target's standard deviation. Of the
        report also ``falls, falls_enough``, the chances that the error is below that of now, and
        by `LESS` or more, and the ``fall`` that came, of the mean of models; ``each,
        each_enough``, the share of single models that fell so, each held against itself with
        fewer rows; of equals half fell.
    """
    measured, like = part.measured, _like(part)
    forecast = forecast_ahead(measured, np.rint(part.size * np.array(TIMES[1:])))
    ahead = simulate_errors(measured, forecast)
    for k, learner in enumerate(measured.learners):
        draws = ahead[learner]
        for at in np.flatnonzero(np.isfinite(part.true[k])):
            fall = draws[:, 0] - draws[:, at]
            own = part.each[k, :, 0] - part.each[k, :, at]
            own = own[np.isfinite(own)]
            case = {**like, "learner": learner, "times": TIMES[at], "truth": part.true[k, at]}
            for method, said in ((REPORT, draws[:, at]), (RIVAL, measured.sure[:, k])):
                yield {**case, "method": method, "falls": (fall > 0).mean(),
                       "falls_enough": (fall >= LESS).mean(),
                       "fall": part.true[k, 0] - part.true[k, at],
                       "each": ((own > TINY).mean() + (own >= -TINY).mean()) / 2,
                       "each_enough": (own >= LESS).mean(),
                       **dict(zip(COLUMNS, np.quantile(said, QUANTILES).clip(0), strict=True))}


def _like(part: Part) -> dict:
    """Return what a table is like; how steeply errors fall is known only afterwards."""
    left = part.true[:, TIMES.index(4)] / np.maximum(part.true[:, 0], 1e-9)
    left, target, numbers = left[np.isfinite(left)], part.target, part.kind == "numbers"
    return {"table": part.table, "part": part.number, "role": part.role,
            "kind": part.kind, "rows": part.size, "steep": bool(len(left) and left.mean() <= STEEP),
            "rare": target is not None and not numbers
            and bool(np.bincount(target).min() < RARE * len(target)),
            "heavy": part.measured.stretch == HEAVY_TAILED,
            "wide": part.role == "wide"}


def judge_choice(part: Part) -> Iterator[dict]:
    """Yield the errors that came of the learner that the headline names at each multiple.

    Yields
    ------
    dict
        ``table, role, kind, times``; ``named``, its error, ``best`` (the lowest), ``leader`` (of
        whoever leads now), ``trees`` (of boosted trees). Nothing where one is not known.
    """
    found, names = answer(part.measured), part.measured.learners
    trees = next((name for name in TREES if name in names), None)
    for said in found.expected.itertuples():
        came = dict(zip(names, part.true[:, TIMES.index(said.times)], strict=True))
        if trees and said.times > 1 and np.isfinite(list(came.values())).all():
            yield {"table": part.table, "role": part.role, "kind": part.kind, "times": said.times,
                   "named": came[said.learner], "best": min(came.values()),
                   "leader": came[found.now["learner"].iloc[0]], "trees": came[trees]}


def judge_helps(part: Part) -> Iterator[dict]:
    """Yield whether rows or another learner was said to help more, and which did.

    Yields
    ------
    dict
        ``table, role, kind``; ``rows``, the chance that twice the rows of the learner named help
        more than the best of the others; ``gain_rows, gain_learner``, what came of both. Nothing
        where one is not known.
    """
    found, names = answer(part.measured), part.measured.learners
    true = part.true[:, [TIMES.index(1), TIMES.index(2)]]
    if len(found.helps) and np.isfinite(true).all():
        best = names.index(found.now["learner"].iloc[0])
        now, then = true[best]
        yield {"table": part.table, "role": part.role, "kind": part.kind,
               "rows": found.helps.set_index("way").loc["rows", "more"], "gain_rows": now - then,
               "gain_learner": now - np.delete(true[:, 0], best).min()}


def helps(found: pd.DataFrame) -> pd.DataFrame:
    """Say how often rows were worth more, or another learner, where the report said so.

    Returns
    -------
    pandas.DataFrame
        By ``role, kind, said`` ("rows", "learner": with `SURELY` or more; "open"): ``n_tables, n``,
        ``chance`` (mean, of rows), ``came`` (how often they helped more) with its 95 % interval
        ``low, high`` over tables, mean ``gain_rows, gain_learner``.
    """
    said = np.where(found["rows"] >= SURELY, "rows",
                    np.where(found["rows"] <= 1 - SURELY, "learner", "open"))
    rows = []
    for (role, kind, what), own in found.assign(said=said).groupby(["role", "kind", "said"]):
        came = summarise((own["gain_rows"] > own["gain_learner"]).astype(float), own["table"])
        rows.append({"role": role, "kind": kind, "said": what, "n_tables": came.n, "n": len(own),
                     "chance": own["rows"].mean(), "came": came.value, "low": came.low,
                     "high": came.high, "gain_rows": own["gain_rows"].mean(),
                     "gain_learner": own["gain_learner"].mean()})
    return pd.DataFrame(rows)


def _untuned(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield the parts of curves whose family took no part in anything."""
    tuned = tuned_families()
    yield from (part for part in parts
                if fold_of(part.table) == UNSEEN and family_of(part.table) not in tuned)


def summarise_parts(cases: pd.DataFrame) -> pd.DataFrame:
    """Say how often ranges held, and how good they were, by role, kind, method and multiple.

    Parameters
    ----------
    cases : pandas.DataFrame
        From `judge_part`.

    Returns
    -------
    pandas.DataFrame
        ``role, kind, method, times`` (0: all), ``n_tables, n_cases, coverage90``, its 95 %
        interval ``low, high`` (tables resampled; where all or none are held, the far end is from
        `exact_if_few`), ``width90``, ``interval_score`` (of the 90 % ranges), ``crps``, and by how
        much the score is above `RIVAL`'s on the same cases: ``worse, worse_low, worse_high``,
        likewise.
    """
    scored = with_scores(cases)
    case = ["role", "table", "part", "rows", "learner", "times"]
    rival = scored[scored["method"] == RIVAL].set_index(case)["score90"]
    scored["worse"] = scored["score90"].to_numpy() - rival.reindex(
        pd.MultiIndex.from_frame(scored[case])).to_numpy()
    rows = []
    for keys, own in pd.concat([scored.assign(times=0.0), scored]).groupby(
            ["role", "kind", "method", "times"], sort=False):
        worse = summarise(own["worse"], own["table"])
        rows.append({**dict(zip(("role", "kind", "method", "times"), keys, strict=True)),
                     "n_tables": own["table"].nunique(), "n_cases": len(own),
                     **_coverage(own), "width90": own["width90"].mean(),
                     "interval_score": own["score90"].mean(), "crps": own["crps"].mean(),
                     "worse": worse.value, "worse_low": worse.low, "worse_high": worse.high})
    return pd.DataFrame(rows)


def _coverage(scored: pd.DataFrame) -> dict[str, float]:
    """Return how often 90 % ranges held; where all or none did, the far end is exact."""
    held = summarise(scored["covered90"], scored["table"])
    low, high = exact_if_few(100 * held.value, 100 * held.low, 100 * held.high, held.n)
    return {"coverage90": held.value, "low": float(low) / 100, "high": float(high) / 100}


def with_scores(cases: pd.DataFrame) -> pd.DataFrame:
    """Add ``covered90, width90, score90, crps`` (of the quantiles) to cases.

    Covered is what is inside as the page prints it: no range begins at an error of exactly 0.
    """
    truth, low, high = (cases[name] for name in ("truth", COLUMNS[0], COLUMNS[-1]))
    covered = truth.round(DIGITS).between(low.round(DIGITS), high.round(DIGITS))
    outside = (low - truth).clip(lower=0) + (truth - high).clip(lower=0)
    return cases.assign(covered90=covered.astype(float), width90=high - low,
                        score90=high - low + 2 / (1 - 0.9) * outside,
                        crps=crps(cases[list(COLUMNS)].to_numpy(), truth.to_numpy()))


def strata(cases: pd.DataFrame) -> pd.DataFrame:
    """Say how often the report's ranges held on tables of each kind, all multiples together.

    Returns
    -------
    pandas.DataFrame
        ``role, tables`` (what they are like), ``n_tables, n_cases, coverage90, low, high`` (95 %,
        tables resampled; NaN of fewer than `FEW`), ``width90``.
    """
    scored = with_scores(cases[(cases["method"] == REPORT) & (cases["times"] > 1)])
    rows = []
    for role, own in scored.groupby("role", sort=False):
        kinds = {"errors fall steeply": own["steep"], "errors fall little": ~own["steep"],
                 "more columns than rows": own["wide"], "heavy tails": own["heavy"],
                 "a rare class": own["rare"]}
        rows += [{"role": role, "tables": name, "n_tables": count_families(own["table"][kept]),
                  "n_cases": int(kept.sum()), **_coverage(own[kept]),
                  "width90": own["width90"][kept].mean()}
                 for name, kept in kinds.items() if kept.any()]
    found = pd.DataFrame(rows)
    found.loc[found["n_tables"] < FEW, ["low", "high"]] = np.nan
    return found


def reliability(cases: pd.DataFrame) -> pd.DataFrame:
    """Hold the chances of a fall against what came, tenth by tenth of what was said.

    Returns
    -------
    pandas.DataFrame
        ``role, kind, times, event`` ("any", "enough": by `LESS` or more),
        ``tenth`` (from 0; -1 for all), ``n_families, n_cases, said`` (mean chance), ``came``
        (share of single models, as one's own rows make one) with its 95 % interval ``low, high``,
        families resampled; likewise ``mean, mean_low, mean_high``, of the mean of models.
    """
    own = cases[(cases["method"] == REPORT) & cases["times"].isin((2, 4))]
    every = pd.concat([
        own.assign(event=event, said=own[f"falls{end}"], came=own[f"each{end}"],
                   came_mean=own["fall"] >= least)
        for event, end, least in (("any", "", TINY), ("enough", "_enough", LESS))])
    every["tenth"] = np.searchsorted(TENTHS, every["said"], side="right")
    rows = []
    keys = ["role", "kind", "times", "event", "tenth"]
    for values, part in pd.concat([every.assign(tenth=-1), every]).groupby(keys, sort=True):
        came, mean = (summarise(part[name].astype(float), part["table"])
                      for name in ("came", "came_mean"))
        rows.append({**dict(zip(keys, values, strict=True)), "n_families": came.n,
                     "n_cases": len(part), "said": part["said"].mean(), "came": came.value,
                     "low": came.low, "high": came.high, "mean": mean.value,
                     "mean_low": mean.low, "mean_high": mean.high})
    return pd.DataFrame(rows)


def choices(found: pd.DataFrame) -> pd.DataFrame:
    """Say what naming a learner cost on new tables, all multiples together.

    Parameters
    ----------
    found : pandas.DataFrame
        From `judge_choice`.

    Returns
    -------
    pandas.DataFrame
        By ``kind``: ``n_tables, n``; ``regret``, ``regret_leader``, ``regret_trees``: errors of
        the learner named, of whoever leads now, of boosted trees, less the best's;
        ``trees_worse`` with its 95 % interval, tables resampled: the last less the first.
    """
    rows = []
    for kind, own in found[found["role"].isin((NEW, LATEST))].groupby("kind"):
        worse = summarise(own["trees"] - own["named"], own["table"])
        rows.append({"kind": kind, "n_tables": own["table"].nunique(), "n": len(own),
                     **{f"regret{end}": (own[column] - own["best"]).mean() for end, column in (
                         ("", "named"), ("_leader", "leader"), ("_trees", "trees"))},
                     "trees_worse": worse.value, "trees_worse_low": worse.low,
                     "trees_worse_high": worse.high})
    return pd.DataFrame(rows)


def judged(parts: Iterable[Part]) -> pd.DataFrame:
    """Return the cases of `judge_part` of all parts."""
    return pd.DataFrame([case for part in parts for case in judge_part(part)])


@lru_cache(maxsize=1)
def _judged() -> pd.DataFrame:
    """Return the cases of all parts of tables and of all curves; of the latest tables twice."""
    cases = judged(chain(row_parts(), *map(curve_parts, LEARNERS)))
    return pd.concat([cases.replace({"role": {LATEST: NEW}}), cases[cases["role"] == LATEST]])


def judge_panel() -> pd.DataFrame:
    """Return how the page's forecasts did on `OUTSIDE`, at all multiples that were asked for.

    Returns
    -------
    pandas.DataFrame
        By ``collection``: ``n_families, n``; ``covered90`` with its 95 % interval over families
        (``low, high``; NaN of one).
    """
    forecasts = open_forecasts()
    found = score(forecasts[forecasts["rival"] == "small networks"], open_trial())
    rows = []
    for source, words in OUTSIDE.items():
        held = found[found["source"] == source]
        covered = summarise(held["inside"].astype(float), held["family"])
        rows.append({"collection": words, "n_families": covered.n, "n": len(held),
                     "covered90": covered.value, "low": covered.low, "high": covered.high})
    return pd.DataFrame(rows)


KEPT = {"panel_backtest": judge_panel,
        "row_backtest_summary": lambda: summarise_parts(_judged()),
        "row_backtest_strata": lambda: strata(_judged()),
        "row_backtest_chances": lambda: reliability(_judged()),
        "row_backtest_choices": lambda: choices(pd.DataFrame([
            case for part in row_parts() for case in judge_choice(part)])),
        "row_backtest_helps": lambda: helps(pd.DataFrame([
            case for part in _untuned(curve_parts("lcdb11-anew")) for case in judge_helps(part)]))}
