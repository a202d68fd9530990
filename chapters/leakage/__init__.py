"""Whether a preprocessor that has seen all rows changes learning curves (Appendix B)."""

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from analysis.databases.paper_curves import compared_errors
from analysis.drawing.chart import Chart
from analysis.drawing.tables import interval_texts
from analysis.published.printed import published_table
from analysis.shapes.leakage import leakage_differences, swap_leakage
from analysis.statistics.bootstrap import FEW, mean_interval
from analysis.statistics.families import count_families
from analysis.statistics.shares import share_interval
from analysis.statistics.summary import summarise
from chapters.chapter import Chapter
from chapters.sufficient import DatabaseStudy, lacks_both, sufficient_database
from collection.containers.curves import LEAKAGES, SCALINGS, only_dims
from collection.containers.learner_names import CLASSIC
from collection.shipped.anew import NAME

SWAPS = 20  # random swaps that say what chance alone gives
FIRST = 16  # rows, at which nearly all curves have a value
REAL, CHANCE = "with and without leakage", "swapped at random: chance alone"


def compute() -> DatabaseStudy:
    """Compare the curves of the chapter's database with and without leakage.

    At all anchors, as the paper; at those with all repeats; and the latter after `swap_leakage`,
    which says what chance alone gives.
    """
    database, note = sufficient_database(NAME, lambda name: lacks_both(name, "leakage"))
    valid = compared_errors(database, "leakage")
    valid = valid.sel(learner=[name for name in CLASSIC if name in valid["learner"]])
    valid = valid.reindex(leakage=list(LEAKAGES))
    complete = leakage_differences(valid, True)
    swapped = [leakage_differences(swap_leakage(valid, seed), True) for seed in range(SWAPS)]
    curves = difference_table(complete)
    published = different_share(difference_table(leakage_differences(valid)))
    sizes = _in_order(pd.concat([differences_by_size(d).assign(which=which)
                                 for d, which in ((complete, REAL), (swapped[0], CHANCE))]))
    return DatabaseStudy(database, note, {
        "curves": curves.assign(database=database),
        "different": different_share(curves).assign(database=database),
        "different_published": published.assign(database=database),
        "by_chance": different_share(pd.concat(map(difference_table, swapped))),
        "by_size": sizes.assign(panel="scaling: " + sizes["scaling"])})


def difference_table(differences: xr.Dataset) -> pd.DataFrame:
    """Return a row per compared curve: whether leakage changes it, and by how much.

    Parameters
    ----------
    differences : xarray.Dataset, dims (dataset, learner, scaling[, anchor])
        From `leakage_differences`.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset, learner, scaling, different`` (0 or 1), ``p``, ``identical`` (1 where no
        anchor differs at all) and ``change`` (mean of the difference, in points of error rate,
        below 0 where leakage makes the curve look better).
    """
    points = 100 * differences["difference"]
    wide = differences[["compared", "different", "p"]].assign(
        identical=abs(points).max("anchor") == 0, change=points.mean("anchor"))
    table = only_dims(wide).to_dataframe(dim_order=["dataset", "learner", "scaling"]).reset_index()
    table = table[table.pop("compared").astype(bool)].astype({"different": int, "identical": int})
    return _in_order(table)


def different_share(table: pd.DataFrame) -> pd.DataFrame:
    """Return the share of curves that leakage changes, per scaling (Table 5).

    Returns
    -------
    pandas.DataFrame
        Columns ``scaling, percent``, ``low`` and ``high`` (95 % interval over families of
        datasets; NaN of fewer than `FEW`), ``different`` and ``n_curves``, ``n_datasets``,
        ``identical`` (percent).
    """
    rows = []
    for scaling, group in table.groupby("scaling", sort=False):
        share, few = 100 * group["different"], count_families(group["dataset"]) < FEW
        ends = (np.nan, np.nan) if few else share_interval(share, group["dataset"])
        rows.append((scaling, share.mean(), *ends,
                     group["different"].sum(), len(group), group["dataset"].nunique(),
                     100 * group["identical"].mean()))
    return pd.DataFrame(rows, columns=["scaling", "percent", "low", "high", "different",
                                       "n_curves", "n_datasets", "identical"])


def differences_by_size(differences: xr.Dataset) -> pd.DataFrame:
    """Return how the difference depends on the training-set size, per scaling.

    Returns
    -------
    pandas.DataFrame
        A row per ``scaling`` and ``anchor`` (rows): ``n_curves`` with a value there, ``typical``
        (mean over curves of the absolute difference) with ``low`` to ``high``, and ``change``
        (mean of the difference) with ``change_low`` to ``change_high``: intervals over families,
        NaN of fewer than `FEW`; in points of error rate.
    """
    points = only_dims(100 * differences["difference"])
    table = points.rename("points").to_dataframe().reset_index().dropna(subset="points")
    rows = []
    for (scaling, anchor), group in table.groupby(["scaling", "anchor"]):
        row, few = [scaling, int(anchor), len(group)], count_families(group["dataset"]) < FEW
        for value in (group["points"].abs(), group["points"]):
            ends = (np.nan, np.nan) if few else mean_interval(value, group["dataset"])
            row += [value.mean(), *ends]
        rows.append(row)
    return _in_order(pd.DataFrame(rows, columns=[
        "scaling", "anchor", "n_curves", "typical", "low", "high", "change", "change_low",
        "change_high"]))


def _in_order(table: pd.DataFrame) -> pd.DataFrame:
    return table.sort_values("scaling", key=lambda s: s.map(SCALINGS.index), kind="stable",
                             ignore_index=True)


def facts(study: DatabaseStudy) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, made = study.facts(), study.tables
    curves, chance = made["curves"], made["by_chance"]
    rows.update({"n_curves": len(curves), "n_datasets": curves["dataset"].nunique(),
                 "n_learners": curves["learner"].nunique()})
    rows.add("null_share", 100 * (chance["different"].sum() / chance["n_curves"].sum()), digits=1,
             unit="%", n=len(curves),
             note=f"called different after random swaps, mean of {SWAPS}")
    share = made["different"].set_index("scaling").reindex(list(SCALINGS))
    paper = published_table("table5").query("database == 'LCDB 1.1 FULL'").set_index("scaling")
    for scaling in SCALINGS[1:]:
        rows.row(f"share_{scaling}", share.loc[scaling], "percent", digits=1, unit="%")
        rows.add(f"paper_{scaling}", paper.loc[scaling, "value"], digits=1, unit="%")
        own = curves[curves["scaling"] == scaling]
        rows.add(f"along_{scaling}", summarise(own["change"], own["dataset"]), digits=2,
                 unit="points", note="mean along the curve: error with leakage less that without")
    told = curves.query("scaling == 'minmax' and different == 1")["change"]
    rows.add("worse_of", f"{(told > 0).sum()} of {len(told)}")
    rows.add("identical_none", share.loc["none", "identical"], unit="%")
    sizes = made["by_size"].query("which == @REAL").set_index(["scaling", "anchor"])
    rows.row("worse", sizes.reindex([("minmax", FIRST)]).iloc[0], "change", "change_low",
             "change_high", digits=1, unit="points", note=f"the same, at {FIRST} rows")
    return rows.table()


def _beside(study: DatabaseStudy) -> pd.DataFrame:
    """Return the shares as the page shows them, beside the paper's Table 5."""
    made = study.tables
    share = made["different"].set_index("scaling")
    paper = published_table("table5").pivot(index="scaling", columns="database", values="value")
    return pd.DataFrame({
        "curves": share["n_curves"], "datasets": share["n_datasets"],
        "different, %": interval_texts(share, "percent"),
        "all anchors, as published, %": made["different_published"].set_index("scaling")["percent"],
        "by chance, %": made["by_chance"].set_index("scaling")["percent"]}).join(
            paper.add_prefix("paper: ")).reset_index()


def draw_by_size(study: DatabaseStudy) -> Figure:
    """Draw the difference that leakage makes by size; the title is how it goes."""
    rows = study.tables["by_size"].query("scaling == 'minmax'")
    typical = rows.groupby("which")["typical"].first()
    title = (f"Min-max, {FIRST} rows: leakage moves errors by {typical[REAL]:.1f} points, "
             f"chance by {typical[CHANCE]:.1f}" if len(typical) else "")
    return Chart("by_size", "lines", "anchor", "typical", by="which", panel="panel", log="x",
                 across=3, height=2.6, xlabel="training-set size (rows)", title=title,
                 ylabel="mean difference (points)").draw(study.tables)


chapter = Chapter(
    "leakage", compute, facts, charts={"by_size": draw_by_size},
    shown={"different": _beside})
