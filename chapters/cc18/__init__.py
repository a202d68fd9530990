"""Can a program choose a benchmark suite? OpenML-CC18's criteria, applied again."""

import pandas as pd

from analysis.databases.lcdb10 import meta_features_table
from analysis.databases.twins import quality_twins
from analysis.drawing.chart import Chart
from chapters.cc18.criteria import (
    EQUAL,
    KEPT,
    MANUAL,
    NOT_HERE,
    UNKNOWN,
    cc18_criteria,
    generator_against_suite,
    manual_verdicts,
    published_numbers,
)
from chapters.chapter import Chapter, Study
from chapters.facts import Facts

INSIDE, OUTSIDE, FAILS = "in CC-18", "passes, not in CC-18", "fails a criterion"


def compute() -> Study:
    """Return what the chapter shows.

    Returns
    -------
    Study
        ``cc18_criteria, datasets, published``: from `cc18_criteria`, `rows_and_features`,
        `published_numbers`. ``counted``: how many numbers have each verdict. ``manual, generator,
        twins``: from `manual_verdicts`, `generator_against_suite`, `quality_twins`.
    """
    table = meta_features_table()
    criteria = cc18_criteria(table)
    numbers = published_numbers(table)
    counted = numbers.groupby(["place", "verdict"], sort=False).size().reset_index(name="numbers")
    return Study({
        "cc18_criteria": criteria, "datasets": rows_and_features(criteria, table),
        "published": numbers, "counted": counted, "manual": manual_verdicts(criteria),
        "generator": generator_against_suite(), "twins": quality_twins(table)})


def rows_and_features(criteria: pd.DataFrame, qualities: pd.DataFrame) -> pd.DataFrame:
    """Return rows, features and what decided of each dataset, in the order of a legend."""
    known = qualities.reindex(criteria["dataset_id"]).reset_index(drop=True)
    decided = criteria["decided_by"].map({KEPT: INSIDE, MANUAL: OUTSIDE}).fillna(FAILS)
    table = criteria[["dataset_id", "name"]].assign(
        rows=known["NumberOfInstances"], features=known["NumberOfFeatures"] - 1,
        decided=decided.mask(criteria["decided_by"] == UNKNOWN))
    order = [FAILS, OUTSIDE, INSIDE]
    return table.dropna().sort_values("decided", key=lambda c: c.map(order.index), kind="stable",
                                      ignore_index=True)


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, made = Facts(), study.tables
    criteria = made["cc18_criteria"]
    counts = criteria["decided_by"].value_counts()
    rows.add("judged", int(len(criteria) - counts.get(UNKNOWN, 0)),
             note="datasets whose qualities are known")
    rows.add("pass", int(counts[KEPT] + counts[MANUAL]), note="pass (a) to (d)")
    rows.add("kept", int(counts[KEPT]), note="of these in CC-18")
    rows.add("manual", int(counts[MANUAL]), note="of these not in CC-18")
    inside = criteria[criteria["in_cc18"]]
    rows.add("members_failing", int((inside["decided_by"] != KEPT).sum()), n=len(inside))
    derived = made["manual"]["verdict"].str.contains("binarised|derived")
    rows.add("derived", int(made["manual"].loc[derived, "datasets"].sum()), n=int(counts[MANUAL]))
    unheard = made["manual"]["verdict"] == "not among its candidates"
    rows.add("not_candidates", int(made["manual"].loc[unheard, "datasets"].sum()))
    inside = made["generator"]["in_cc18"]
    rows.add("unselected", int(inside.sum()), note="in CC-18, not selected by the notebook")
    rows.add("left_out", int((~inside).sum()), note="selected by the notebook, not in CC-18")
    verdicts = made["counted"].query("place == 'Table 1'").set_index("verdict")["numbers"]
    for key, verdict in (("equal", EQUAL), ("not_here", NOT_HERE)):
        rows.add(key, int(verdicts.get(verdict, 0)), note=f"numbers of Table 1 {verdict}")
    rows.add("twins", len(made["twins"]), note="pairs of near-duplicates by qualities")
    return rows.table()


chapter = Chapter(
    "cc18", compute, facts,
    charts={"criteria": Chart(
        "datasets", "points", "rows", "features", "rows", "features", by="decided", log="xy",
        height=3.8, title="Rows and features do not tell CC-18's datasets from those left out")},
    shown={"manual": lambda study: study.tables["manual"].head(8)})
