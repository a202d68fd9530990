"""How far forecasts are off, by method, and whether what was retrained is closer."""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.extrapolation import predict
from analysis.statistics.families import families
from analysis.statistics.sign_flips import adjusted_p
from analysis.statistics.summary import Summary, interval_texts, summarise
from chapters.regression.cuts import cut_curves, median_curves
from chapters.regression.retrained import (
    CONTROL,
    FORMULA,
    LEARNT,
    LEVELS,
    NOTHING,
    RETRAINED,
    SHARES,
    STAYS,
    USUAL,
)

#: How to forecast: names of extrapolators, after what stays as it is.
FORECASTS = ("POW4", "MMF4", LEARNT)
METHODS = {RETRAINED: "learnt on regression", LEARNT: "learnt on error rates",
           CONTROL: "same trees, on mini", FORMULA: "formula best elsewhere",
           USUAL: "falls as it usually does", STAYS: "stays as it is"}
SEEN = {0.5: "half", 0.25: "quarter"}
CHARGE = 2 / (1 - (LEVELS[-1] - LEVELS[0]))  # of the interval score, per octave outside


def weighted_median(values: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the medians (n_resamples,) of values (n,) that count `times` (n_resamples, n)."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(times[:, order], axis=1)
    return values[order][(below >= below[:, -1:] / 2).argmax(axis=1)]


def as_tuple(summary: Summary) -> tuple[float, float, float, int]:
    """Return value, ends and number of families."""
    return summary.value, summary.low, summary.high, summary.n


def by_group(database: str, column: str, values: pd.DataFrame, statistic=None) -> pd.DataFrame:
    """Summarise ``value`` by `column` over families of ``dataset``; by its mean unless told."""
    rows = [(database, name, *as_tuple(summarise(part["value"], part["dataset"], statistic)))
            for name, part in values.groupby(column, sort=False)]
    return pd.DataFrame(rows, columns=["database", column, "value", "low", "high", "n"])


def forecast_errors(curves: xr.Dataset, database: str) -> pd.DataFrame:
    """Forecast each curve's last anchor from those up to half of its rows."""
    found = []
    for cut in cut_curves(median_curves(curves), SHARES[0]):
        known = {"learner": cut.seen["learner"].values, "dataset": cut.dataset}
        said = {STAYS: (cut.last, None)}
        for method in FORECASTS:
            ahead = predict(cut.seen, [cut.end], extrapolator=method, levels=LEVELS)
            low, middle, high = ahead.isel(size=0).values.T / cut.scale
            said[method] = middle, (low <= cut.truth) & (cut.truth <= high)
        for method, (middle, inside) in said.items():
            off = np.abs(np.log2(np.maximum(middle, NOTHING) / cut.truth))
            covered = np.nan if inside is None else 100.0 * inside
            found.append(pd.DataFrame({"method": method, "value": off, "covered": covered} | known))
    table = pd.concat(found, ignore_index=True)
    rows = by_group(database, "method", table, weighted_median)
    return rows.merge(table.groupby("method")["covered"].mean().reset_index())


def compare_kept(kept: pd.DataFrame) -> pd.DataFrame:
    """Summarise the forecasts of `chapters.regression.retrained.compare`.

    Returns
    -------
    pandas.DataFrame
        A row per share and method, those of `METHODS`: ``share, method, n`` (families), ``curves``;
        ``value``, the median over curves of the size of the logarithm [octaves]; ``covered``, the
        percent of truths in the 90 % interval; ``width``, its median [octaves]; ``score``, the
        interval score: width, and `CHARGE` per octave outside, mean over a table's curves, median
        over tables, as errors that explode on one table would make up any mean. These but the
        width with their 95 % intervals over families (``_low, _high``; of the value ``low,
        high``); NaN for a method without interval. ``closer``, by how much less the retrained
        forecast is off on a table (each table's median over learners, mean over tables), with
        ``closer_low, closer_high``; ``better``, on how many of ``n_tables`` it is; ``sharper``, on
        how many its interval score is lower; ``p`` of `adjusted_p`, for all rivals of a share at
        once. These are NaN for the retrained one.
    """
    kept = kept.assign(
        value=kept["off"].abs(), width=kept["high"] - kept["low"],
        inside=100.0 * ((kept["low"] <= 0) & (kept["high"] >= 0)).where(kept["low"].notna()))
    outside = kept["low"].clip(lower=0) - kept["high"].clip(upper=0)
    kept["score"] = kept["width"] + CHARGE * outside
    parts = [_compare_share(part, share) for share, part in kept.groupby("share", sort=False)]
    return pd.concat(parts, ignore_index=True).sort_values(
        "share", ascending=False, kind="stable", ignore_index=True)


def _compare_share(part: pd.DataFrame, share: float) -> pd.DataFrame:
    rows = [{"share": share, "method": method, **_of_method(part[part["method"] == method])}
            for method in METHODS]
    return pd.DataFrame(rows).merge(_paired(part), "left", on="method")


def _of_method(own: pd.DataFrame) -> dict[str, float]:
    scores = own.groupby("dataset", sort=False)["score"].mean()
    found = {"value": summarise(own["value"], own["dataset"], weighted_median),
             "covered": summarise(own["inside"].astype(float), own["dataset"]),
             "score": summarise(scores, scores.index, weighted_median)}
    ends = {f"{name}_{end}" if name != "value" else end: getattr(one, end)
            for name, one in found.items() for end in ("low", "high")}
    return {"n": found["value"].n, "curves": len(own), "width": own["width"].quantile(0.5),
            **{name: one.value for name, one in found.items()}, **ends}


def _paired(part: pd.DataFrame) -> pd.DataFrame:
    off, score = (getattr(part.groupby(["dataset", "method"])[column], how)().unstack()
                  for column, how in (("value", "median"), ("score", "mean")))
    rivals = [name for name in METHODS if name != RETRAINED]
    less = off[rivals].sub(off[RETRAINED], axis=0)
    by_family = less.groupby(families(less.index)).sum()
    p = adjusted_p(by_family.to_numpy())
    rows = []
    for name, p_value in zip(rivals, p, strict=True):
        closer = summarise(less[name], less.index)
        rows.append({
            "method": name, "closer": closer.value, "closer_low": closer.low,
            "closer_high": closer.high, "better": int((less[name] > 0).sum()),
            "n_tables": len(less), "p": p_value,
            "sharper": (np.nan if score[name].isna().all()
                        else int((score[RETRAINED] < score[name]).sum()))})
    return pd.DataFrame(rows)


def p_text(p: float) -> str:
    """Return a p-value as text; "–" for NaN."""
    return "–" if np.isnan(p) else "< 0.001" if p < 0.0005 else f"{p:.3f}"


def shown_errors(table: pd.DataFrame) -> pd.DataFrame:
    """Return how far off forecasts are of `compare_kept`, and the retrained one beside each."""
    won = [f"{better:.0f} of {n:.0f}" if p == p else "–"
           for better, n, p in table[["better", "n_tables", "p"]].to_numpy()]
    return _named(table).assign(**{
        "off": interval_texts(table, "value", digits=3),
        "retrained closer by": interval_texts(table, "closer", "closer_low", "closer_high", 3),
        "on tables": won, "p": table["p"].map(p_text)})


def shown_ranges(table: pd.DataFrame) -> pd.DataFrame:
    """Return what the 90 % ranges of `compare_kept` hold, of methods that have one."""
    table = table[table["covered"].notna()]
    return _named(table).assign(**{
        "holds [%]": interval_texts(table, "covered", "covered_low", "covered_high"),
        "width": table["width"].map("{:.2f}".format),
        "interval score": interval_texts(table, "score", "score_low", "score_high", digits=2)})


def _named(table: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({"forecast": table["method"].map(METHODS),
                         "seen": table["share"].map({0.5: "1/2", 0.25: "1/4"})})
