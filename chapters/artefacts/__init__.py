"""When ill-behaviour is made by software: batches, rounding, stray rows, versions of libraries."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from analysis.databases.naming import learner_title
from analysis.databases.paper_curves import published_means
from analysis.drawing.chart import Chart
from analysis.published.computed import DATE, compute_or_recall, recall
from analysis.published.printed import printed_shares
from chapters.artefacts import means
from chapters.artefacts.versions import NAME as VERSIONS
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from lab.shapes.causes import TABNET_BATCH

COMPARED = ["TabNet", "CatBoost", "RealMLP"]
UP_TO = 4096  # rows: two batches of TabNet's and two more
DATASETS = 265  # of LCDB 1.1 FULL
LARGE_SHIFT = 0.01  # error rate
NAMED = 4  # bumps

#: Tables that need the published means of LCDB 1.1.
FROM_MEANS: dict[str, Callable[[xr.Dataset], pd.DataFrame]] = {
    "tabnet_medians": lambda m: means.median_curves(m["error_rate"], COMPARED, UP_TO),
    "largest_drops": lambda m: means.largest_drops(m["error_rate"]),
    "tabnet_curves": lambda m: means.tabnet_curves(m["error_rate"]),
    "mlp_bumps": lambda m: means.bumps(m["error_rate"]),
    "mlp_bend_places": lambda m: means.bend_places(m["error_rate"]),
    "stray_curves": lambda m: means.stray_by_curve(m["error_rate"], m["error_rate_stderr"]),
}
KEPT = {f"artefacts_{name}": lambda table=table: table(published_means())
        for name, table in FROM_MEANS.items()}


def compute() -> Study:
    """Recall or compute what means show, what versions change, and what each does to the share."""
    kept = {name: compute_or_recall(f"artefacts_{name}", KEPT[f"artefacts_{name}"])
            for name in FROM_MEANS}
    tables = {name: table.drop(columns=DATE) for name, table in kept.items()}
    tables["versions"] = recall(VERSIONS).drop(columns=DATE)
    tables["causes"] = causes(tables)
    return Study(tables, date=max(table[DATE].max() for table in kept.values()))


def causes(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return what software does to shapes: cause, which curves, points of the share, remark.

    Points are of LCDB 1.1's printed share where the cause concerns that, else of LCDB 1.0's by the
    published procedure; NaN where it concerns neither.
    """
    shares = printed_shares()
    tabnet, stray = tables["tabnet_curves"].iloc[0], tables["stray_curves"]
    versions = tables["versions"]
    changed = int((versions["changed"] > 0).sum())
    parts = recall("da1_decomposition").query("price == \"the dense grid's\"").set_index("step")
    old = parts["change"]
    rows = [
        ("TabNet drops a batch that is not full: no step below 1,024 rows", "LCDB 1.1",
         f"{tabnet['curves']}", shares.drop("TabNet").mean() - shares.mean(),
         "without TabNet"),
        ("last batch of the multilayer perceptron", "LCDB 1.1",
         f"{tables['mlp_bend_places']['curves'].iloc[0]} at one size",
         -shares["MLP"] / len(shares), "at most: all its curves"),
        ("values past the end of a dataset", "LCDB 1.1", f"{len(stray)}",
         -100 * len(stray) / DATASETS / len(shares), "at most, either way"),
        ("rounding counted as a violation", "LCDB 1.0", "–",
         old["rounding no longer counts (LCDB 1.0)"], "exact"),
        ("sizes looked up rounded the wrong way", "LCDB 1.0", "–",
         old["every anchor in its place (LCDB 1.0)"], "exact"),
        ("newer versions of libraries", "own fits", f"{changed} of {len(versions)}",
         np.nan, "not judged")]
    return pd.DataFrame(rows, columns=["cause", "database", "curves", "points", "which is"])


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers, by the keys that its sentences cite."""
    rows, shares = Facts(), printed_shares()
    rows.add("date", study.date)
    rows.add("printed", shares.mean(), unit="%", digits=1, note="LCDB 1.1 FULL, as printed")
    rows.add("no_tabnet", shares.drop("TabNet").mean(), unit="%", digits=1, n=len(shares) - 1)
    tabnet, drops = study.tables["tabnet_curves"].iloc[0], study.tables["largest_drops"]
    rows.row("tabnet_at", tabnet, "share", n="reach", unit="%",
             note="of TabNet's curves that reach 1,024 rows, those that fall most there")
    rows.add("tabnet_all", int(tabnet["curves"]))
    rows.add("tabnet_stepless", int(tabnet["curves"] - tabnet["reach"]))
    rows.add("tabnet_constant", int(tabnet["constant"]), note="mean curves of these, exactly")
    at_batch = drops[drops["anchor"] == TABNET_BATCH].set_index("learner")
    others = (100 * at_batch["curves"] / at_batch["of"]).drop("TabNet")
    rows.add("others_at", others.max(), unit="%", digits=1, note="the null: any other learner")
    bumps, places = study.tables["mlp_bumps"], study.tables["mlp_bend_places"]
    clear = bumps[bumps["low"] > 0].nlargest(1, "excess").iloc[0]
    rows.add("bump", int(clear["anchor"]))
    rows.add("bump_rest", int(clear["last_batch"]))
    rows.row("bump_excess", clear, "excess", n="datasets", scale=100, unit="points", digits=1)
    at_bump = places.set_index("anchor")["curves"]
    rows.add("bump_curves", int(at_bump[clear["anchor"]]))
    _add_versions(rows, study.tables["versions"])
    return rows.table()


def _add_versions(rows: Facts, versions: pd.DataFrame) -> None:
    rows.add("version_pairs", len(versions))
    for verdict in ("equal", "different"):
        rows.add(f"version_{verdict}", int((versions["verdict"] == verdict).sum()))
    unsure = versions[versions["verdict"] == "not significant"]
    unsure = unsure[unsure["shift"].abs() >= LARGE_SHIFT].sort_values("shift")
    rows.add("version_unsure", "; ".join(
        f"{learner_title(r.learner)} on {r.dataset}, {100 * r.shift:+.1f} points "
        f"({r.changed} of {r.fits} fits)" for r in unsure.itertuples()) or "none")


def draw_tabnet(study: Study) -> Figure:
    """Draw median curves, and where each learner's curves drop most."""
    medians, drops = study.tables["tabnet_medians"], study.tables["largest_drops"]
    drops = drops[drops["learner"].isin(COMPARED)]
    rows = pd.concat([
        medians.rename(columns={"median": "value"}).assign(panel="error rate"),
        drops.assign(value=100 * drops["curves"] / drops["of"], panel="% that drop most there")])
    return Chart("rows", "lines", "anchor", "value", "training-set size [rows]", by="learner",
                 panel="panel", own=True, at=TABNET_BATCH, log="x", height=3.4,
                 title="TabNet does not learn below 1,024 rows").draw({"rows": rows})


def draw_bumps(study: Study) -> Figure:
    """Draw how far the perceptron's error lies above the line between its neighbours, by anchor."""
    table = study.tables["mlp_bumps"]
    named = table[table["low"] > 0].nlargest(NAMED, "excess")["anchor"]
    table = table.assign(named=named.map("{:,}".format), learner="MLP")
    return Chart("rows", "points", "anchor", "excess", "training-set size [rows]",
                 "points of error above\nthe neighbours' line", reference=0, log="x", percent=True,
                 by="learner", text="named").draw({"rows": table})


chapter = Chapter("artefacts", compute, facts, charts={"tabnet": draw_tabnet, "bumps": draw_bumps})
