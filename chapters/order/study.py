"""The chapter's tables and facts: the atlas, the ways compared, the simulation."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.published.computed import NotAtHandError, recall
from analysis.statistics.summary import as_number
from chapters.facts import Facts
from chapters.order import atlas
from chapters.order.coverage import OURS, coverage
from chapters.order.sources import SHIPPED
from chapters.order.ways import WAYS

TABLE = "talent"  # on which all ways are tried
DRAWS = 2000
KEPT_STUDIES = tuple(n for n in atlas.STUDIES if n not in SHIPPED and not n.startswith("own"))
PARTS: dict[str, Callable[[str], pd.DataFrame]] = {
    "order_studies": atlas.summary_of, "order_ranks": atlas.ranks_of,
    "order_claims": atlas.claims_of, "order_datasets": atlas.datasets_of,
    "order_runs": atlas.runs_of, "order_separation": atlas.separation_of}


def ways_on_a_table() -> pd.DataFrame:
    """Return what each way claims of one published table, and in what time.

    Returns
    -------
    pandas.DataFrame
        ``way``; ``told_apart``, pairs whose rank intervals do not overlap, as a share;
        ``may_be_first``; ``median_width`` of the intervals; ``seconds``.
    """
    known, rows = atlas.cells(TABLE), []
    for way, limits in WAYS.items():
        start = time.perf_counter()
        low, high = limits(known, DRAWS, 0)
        seconds = time.perf_counter() - start
        apart = (high[:, None] < low[None, :]).sum() * 2 / (len(low) * (len(low) - 1))
        rows.append((way, apart, int((low == 1).sum()), float(np.median(high - low)), seconds))
    return pd.DataFrame(rows, columns=["way", "told_apart", "may_be_first", "median_width",
                                       "seconds"])


def _kept(compute: Callable[[str], pd.DataFrame]) -> Callable[[], pd.DataFrame]:
    def table() -> pd.DataFrame:
        return pd.concat([rows.assign(study=name) for name in KEPT_STUDIES
                          if len(rows := compute(name))], ignore_index=True)
    return table


#: What a fresh clone cannot compute, or not in the time of a build.
KEPT: dict[str, Callable[[], pd.DataFrame]] = {
    **{name: _kept(compute) for name, compute in PARTS.items()},
    "order_banknote": atlas.banknote, "order_ways": ways_on_a_table, "order_coverage": coverage}


@dataclass(frozen=True)
class Atlas:
    """The chapter's tables; see the functions of `chapters.order.atlas`."""

    studies: pd.DataFrame
    ranks: pd.DataFrame
    claims: pd.DataFrame
    datasets: pd.DataFrame
    contradictions: pd.DataFrame
    separation: pd.DataFrame
    banknote: pd.DataFrame
    ways: pd.DataFrame
    coverage: pd.DataFrame


def build() -> Atlas:
    """Return all tables: what is at hand computed, the rest as kept."""
    parts = {name: atlas.for_all(compute, name) for name, compute in PARTS.items()}
    datasets = atlas.matched(parts["order_datasets"])
    return Atlas(parts["order_studies"], parts["order_ranks"],
                 atlas.claims_in_two(parts["order_claims"]), datasets,
                 atlas.contradictions(parts["order_runs"], datasets), parts["order_separation"],
                 _banknote(), recall("order_ways"), recall("order_coverage"))


def _banknote() -> pd.DataFrame:
    try:
        return atlas.banknote()
    except NotAtHandError:
        return recall("order_banknote")


def facts(found: Atlas) -> pd.DataFrame:
    """Return the numbers of the chapter; see `chapters.facts.Facts`."""
    rows, studies = Facts(), found.studies.set_index("study")
    rows.add("n_studies", len(studies))
    rows.add("neighbours", int(studies["neighbours"].sum()), note="over all studies")
    rows.add("neighbours_apart", int(studies["neighbours_apart"].sum()))
    rows.add("median_width", float(studies["median_width"].median()), unit="places")
    rows.add("n_cells_date", str(recall("order_studies")["computed_on"].iloc[0]))
    for name in (TABLE, "tabarena_lite", "lightgbm_configs", "amlb_2019", "rtdl_2021"):
        row = studies.loc[name]
        rows.update({f"{name}_methods": row["methods"], f"{name}_tasks": row["tasks"],
                     f"{name}_families": row["families"], f"{name}_first": row["may_be_first"],
                     f"{name}_apart": row["neighbours_apart"],
                     f"{name}_neighbours": row["neighbours"],
                     f"{name}_width": row["median_width"]})
        rows.add(f"{name}_seeds", 100 * row["seeds_share"], unit="%")
        rows.add(f"{name}_needed", float(row["tasks_needed"]), note="median over neighbours")
        rows.add(f"{name}_leader", row["first"])
    _claims(rows, found)
    _separation(rows, found)
    _coverage(rows, found.coverage)
    _ways(rows, found.ways)
    return rows.table()


def _claims(rows: Facts, found: Atlas) -> None:
    verdicts = found.claims["verdict"].value_counts()
    rows.add("n_claims", len(found.claims), note="pairs that two independent studies have")
    for key, verdict in (("stand", "stands"), ("reverse", "reverses"),
                         ("one_study", "one study only"), ("nobody", "nobody tells")):
        rows.add(f"claims_{key}", int(verdicts.get(verdict, 0)) or "none")
    rows.add("claims_either_way", int(found.claims["either_way"].sum()))
    matched = found.datasets[found.datasets["match"] == "matched"]
    rows.add("matched", matched["key"].nunique(), note="datasets in two or more studies")
    rows.add("unmatched", found.datasets.loc[found.datasets["match"] != "matched",
                                             "key"].nunique())
    rows.add("contradictions", len(found.contradictions))
    rows.add("contradicted", found.contradictions["dataset"].nunique())
    rows.add("compared", found.contradictions.attrs["compared"])
    helena = atlas.cells("talent"), atlas.cells("rtdl_2021")
    for key, known in zip(("talent", "rtdl"), helena, strict=True):
        task = known.tasks.index("helena")
        for method in ("catboost", "xgboost"):
            rows.add(f"helena_{key}_{method}", 100 * known.value[task, known.methods.index(method)],
                     digits=1, unit="%")


def _separation(rows: Facts, found: Atlas) -> None:
    talent = found.separation[found.separation["study"] == "talent"].set_index("task")
    within = talent["gap_in_sd"].fillna(0) < 1
    rows.add("close_datasets", int(within.sum()), n=len(talent))
    rows.add("constant_datasets", int((talent["over_constant"] < 0.01).sum()), n=len(talent))
    rows.add("datasets", len(talent))
    known = atlas.cells("talent")
    notes = known.value[known.tasks.index("banknote_authentication")]
    rows.add("banknote_best", 100 * np.nanmax(notes), digits=1, unit="%")
    rows.add("banknote_least", 100 * np.nanmin(notes), digits=1, unit="%")
    rows.add("banknote_constant", 100 * notes[known.methods.index("dummy")], digits=1, unit="%")
    rows.add("banknote_lcdb", 100 * found.banknote["accuracy"].median(), digits=1, unit="%")
    rows.add("banknote_learners", len(found.banknote))


def _coverage(rows: Facts, table: pd.DataFrame) -> None:
    ours = table[table["way"] == OURS]
    least = ours.loc[ours["coverage"].idxmin()]
    rows.add("coverage_least", 100 * least["coverage"],
             100 * (least["coverage"] - 1.96 * least["standard_error"]),
             100 * min(1, least["coverage"] + 1.96 * least["standard_error"]), unit="%", digits=1,
             n=int(least["tables"]), note=f"{least['kind']}, {least['tasks']} × {least['methods']}")
    rows.add("coverage_kinds", ours["kind"].nunique())
    rows.add("coverage_tables", int(ours["tables"].sum()))
    rows.add("coverage_wrong", round((ours["wrong_way"] * ours["tables"]).sum()))
    for key, way in (("naive", "bootstrap of ranks"), ("bonferroni", "bootstrap of ranks, "
                     "Bonferroni"), ("normal", "simultaneous, normal draws"),
                     ("cd_any", "critical difference (autorank)"), ("rows", "seeds as rows"),
                     ("families", "families ignored"), ("worst", "missing as worst")):
        rows.add(f"coverage_{key}", 100 * table.loc[table["way"] == way, "coverage"].min(),
                 unit="%", note="the least over kinds and sizes")
    whole = (table["way"] == "critical difference (autorank)") & ~table["kind"].str.contains(
        "families|missing")
    rows.add("coverage_cd", 100 * table.loc[whole, "coverage"].min(), unit="%",
             note="the least of tables without missing cells and near-duplicates")
    rows.add("coverage_date", str(table["computed_on"].iloc[0]))


def _ways(rows: Facts, table: pd.DataFrame) -> None:
    by_way = table.set_index("way")
    for key, way in (("ours", OURS), ("naive", "bootstrap of ranks"),
                     ("baycomp", "signed ranks (baycomp)")):
        rows.add(f"ways_{key}", 100 * by_way.loc[way, "told_apart"], unit="%")
        rows.add(f"ways_{key}_seconds", by_way.loc[way, "seconds"], unit="s", digits=1)


def shown_studies(found: Atlas) -> pd.DataFrame:
    """Return the table of studies as the chapter shows it."""
    table = found.studies.sort_values("year", kind="stable")
    return pd.DataFrame({
        "study": table["title"], "year": table["year"].astype(str), "methods": table["methods"],
        "tasks": table["tasks"], "families": table["families"],
        "neighbours told apart": [f"{a} of {n}" for a, n in zip(
            table["neighbours_apart"], table["neighbours"], strict=True)],
        "median interval": table["median_width"], "may be first": table["may_be_first"],
        "families needed": [as_number(x, 0) for x in table["tasks_needed"]],
        "due to seeds": [as_number(100 * x, 0, "%") for x in table["seeds_share"]]})


def shown_ways(found: Atlas) -> pd.DataFrame:
    """Return the table of ways on a published table as the chapter shows it."""
    table = found.ways
    return pd.DataFrame({
        "way": table["way"], "pairs apart": [as_number(100 * x, 0, "%") for x in
                                             table["told_apart"]],
        "may be first": table["may_be_first"], "median width": table["median_width"],
        "seconds": [as_number(x, 1) for x in table["seconds"]]})


def shown_contradictions(found: Atlas) -> pd.DataFrame:
    """Return the table of contradictions as the chapter shows it."""
    table = found.contradictions
    titles = {name: one.title for name, one in atlas.STUDIES.items()}
    return pd.DataFrame({
        "dataset": table["dataset"], "one": table["one"], "other": table["other"],
        "ahead in": table["study"].map(titles), "behind in": table["against"].map(titles),
        "effect": table["effect"], "effect there": table["effect_against"],
        "p": table["p_adjusted"]})
