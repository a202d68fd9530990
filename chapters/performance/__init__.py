"""Which learner has the lowest error, on small and on large datasets (Appendix C)."""

import numpy as np
import pandas as pd

from analysis.databases.load import load_curves
from analysis.databases.naming import learner_title
from analysis.databases.paper_curves import database_title
from analysis.databases.strays import counted_once
from analysis.drawing.chart import Chart
from analysis.drawing.tables import interval_texts
from analysis.published.computed import compute_or_recall
from analysis.statistics.bootstrap import mean_interval
from analysis.statistics.headlines import excluded, leader_if_fair, left_out
from analysis.statistics.summary import with_interval
from chapters.chapter import Chapter
from chapters.performance.performance import (
    KEPT,
    best_errors,
    mean_errors,
    paired_by_size,
    picking_optimism,
    size_groups,
)
from chapters.sufficient import DatabaseStudy, lacks_ranking, sufficient_database
from collection.shipped.anew import EXTRA

#: What was picked, in words.
PICKS = {"nothing": "nothing: each curve's last size", "anchor": "the lowest size of each curve",
         "curve": "the lowest curve of each dataset"}
TRIMMED = 3  # datasets without which a difference is told, too
SHOWN = 12  # learners in the figure, those closest to the reference


def compute() -> DatabaseStudy:
    """Compute the lowest errors of the chapter's database and of LCDB 1.0.

    Of the tables, ``by_size`` is what the figure shows of ``sizes``.
    """
    database, note = sufficient_database("lcdb11-anew", lacks_ranking)
    best, old = (best_errors(mean_errors(counted_once(load_curves(name, selection="paper").drop_sel(
        learner=list(EXTRA), errors="ignore"))), name) for name in (database, "lcdb10"))
    new_sizes = compute_or_recall("lcdb11_sizes", KEPT["lcdb11_sizes"]).drop(columns="computed_on")
    both = (best,) if database == "lcdb10" else (best, old)
    old_sizes = paired_by_size(old)
    return DatabaseStudy(database, note, {
        "best": best, "leaders": leaders(best, old),
        "optimism": pd.concat([picking_optimism(rows) for rows in both], ignore_index=True),
        "sizes": pd.concat([old_sizes, new_sizes], ignore_index=True),
        "by_size": closest(old_sizes)})


def closest(sizes: pd.DataFrame) -> pd.DataFrame:
    """Return the differences of the learners closest to the reference, in points and words."""
    points = sizes.assign(**{c: 100 * sizes[c] for c in ("difference", "low", "high")},
                          learner=sizes["learner"].map(learner_title),
                          size=sizes["size"] + " datasets")
    order = points.groupby("learner")["difference"].mean().sort_values(kind="stable").index
    return points[points["learner"].isin(order[:SHOWN])].sort_values(
        "learner", key=lambda s: s.map(list(order).index), kind="stable")


def leaders(best: pd.DataFrame, old: pd.DataFrame) -> pd.DataFrame:
    """Return who has the lowest mean test error, and who was left out of that comparison.

    Parameters
    ----------
    best, old : pandas.DataFrame
        `best_errors` of the chapter's database (without scaling, it counts) and of LCDB 1.0.

    Returns
    -------
    pandas.DataFrame
        ``of`` ("own", "small", "large"), ``learner``, ``error`` with ``low`` to ``high`` in
        percent, ``datasets`` and ``contenders``, ``doubt`` (against how many it is not clearly
        ahead) and ``left_out``, in words; of those left out the ``rival`` who is most ``ahead`` of
        the learner, in points with ``ahead_low`` to ``ahead_high`` on ``common`` datasets, with
        the ``median`` and the mean ``trimmed`` of the `TRIMMED` datasets on which it is most, with
        ``trimmed_low`` to ``trimmed_high``. "–" where the comparison would be unfair.
    """
    size = size_groups(old)
    parts = {"own": best[best["scaling"] == "none"], "small": old[size == "small"],
             "large": old[size == "large"]}
    rows = []
    for of, part in parts.items():
        percent = part.assign(test=100 * part["test"])
        first = leader_if_fair(percent, "test", "learner")
        if first is None:
            rows.append((of, "–", *[np.nan] * 5, "too few datasets", "", "–", *[np.nan] * 8))
            continue
        out = excluded(percent, "test", "learner", first)
        rival = (learner_title(out[0].name), -out[0].gap, -out[0].high, -out[0].low, out[0].n
                 ) if out and out[0].beats else ("nobody", *[np.nan] * 4)
        rest = [np.nan] * 4
        if out and out[0].beats:
            wide = percent.pivot(index="dataset", columns="learner", values="test")
            gaps = (wide[first.name] - wide[out[0].name]).dropna().sort_values()
            few = gaps.iloc[:-TRIMMED]
            rest = [gaps.median(), few.mean(), *mean_interval(few, few.index)]
        rows.append((of, learner_title(first.name), first.mean, first.low, first.high, first.n,
                     first.contenders, first.doubt, left_out(out, learner_title), *rival, *rest))
    return pd.DataFrame(rows, columns=[
        "of", "learner", "error", "low", "high", "datasets", "contenders", "doubt", "left_out",
        "rival", "ahead", "ahead_low", "ahead_high", "common",
        "median", "trimmed", "trimmed_low", "trimmed_high"])


def facts(study: DatabaseStudy) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, made = study.facts(), study.tables
    by = made["leaders"].set_index("of")
    rows.add("own_leader", by.loc["own", "learner"])
    rows.row("own_error", by.loc["own"], "error", digits=1, unit="%")
    rows.add("own_datasets", by.loc["own", "datasets"])
    for of in ("small", "large"):
        rows.add(f"{of}_rival", by.loc[of, "rival"])
        rows.row(f"{of}_ahead", by.loc[of], "ahead", "ahead_low", "ahead_high", digits=1,
                 unit="points")
    rows.update({"large_leader": by.loc["large", "learner"],
                 "large_doubt": by.loc["large", "doubt"],
                 "large_common": by.loc["large", "common"]})
    rows.add("large_median", by.loc["large", "median"], digits=1, unit="points")
    rows.row("large_trimmed", by.loc["large"], "trimmed", "trimmed_low", "trimmed_high", digits=1,
             unit="points")
    means = made["sizes"].query("database == 'lcdb11-summary'").set_index(["size", "learner"])
    for key, at in {"forest_catboost": ("large", "ens.RandomForest"),
                    "net_catboost": ("large", "RealMLP"),
                    "forest_catboost_small": ("small", "ens.RandomForest")}.items():
        rows.row(key, means.loc[at], "difference", n="n_datasets", scale=100, digits=1,
                 unit="points", note="above CatBoost's error, LCDB 1.1's published means")
    optimism = made["optimism"].set_index(["database", "pick"])
    for key, database in (("own", study.database), ("old", "lcdb10")):
        rows.row(f"optimism_{key}", optimism.loc[(database, "anchor")], "optimism", n="datasets",
                 digits=2, unit="points")
    return rows.table()


def _leaders(study: DatabaseStudy) -> pd.DataFrame:
    names = {"own": f"{database_title(study.database).split(',')[0]}, no scaling",
             "small": "LCDB 1.0, up to 10,000 rows", "large": "LCDB 1.0, more rows"}
    table = study.tables["leaders"]
    return pd.DataFrame({
        "datasets of": table["of"].map(names), "lowest mean error": table["learner"],
        "test error": [with_interval(r.error, r.low, r.high, 1, "%") for r in table.itertuples()],
        "datasets": table["datasets"].map("{:.0f}".format), "it is": table["doubt"],
        "left out for want of datasets": table["left_out"]})


def _optimism(study: DatabaseStudy) -> pd.DataFrame:
    table = study.tables["optimism"]
    return pd.DataFrame({
        "database": table["database"].map(lambda name: database_title(name).split(",")[0]),
        "picked": table["pick"].map(PICKS), "validation error, %": 100 * table["valid"],
        "test error, %": 100 * table["test"],
        "optimism (points)": interval_texts(table, "optimism", digits=2)})


chapter = Chapter(
    "performance", compute, facts,
    charts={"sizes": Chart(
        "by_size", "dots", "difference", "learner", panel="size", reference=0, height=3.8,
        xlabel="difference (points)",
        title="Both forests are ahead on large datasets, mostly on three of these")},
    shown={"leaders": _leaders, "optimism": _optimism})
