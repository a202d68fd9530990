"""Can a program choose a benchmark suite? OpenML-CC18's criteria, applied again."""

from dataclasses import dataclass

import pandas as pd

from analysis.databases.lcdb10 import meta_features_table
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
from chapters.cc18.twins import quality_twins
from chapters.chapter import Chapter, frames
from chapters.facts import Facts

INSIDE, OUTSIDE, FAILS = "in CC-18", "passes, not in CC-18", "fails a criterion"


@dataclass(frozen=True, eq=False)
class Study:
    """What the chapter shows.

    Attributes
    ----------
    cc18_criteria, datasets, published : pandas.DataFrame
        From `cc18_criteria`, `rows_and_features`, `published_numbers`.
    counted : pandas.DataFrame
        How many numbers have each verdict.
    manual, generator, twins : pandas.DataFrame
        From `manual_verdicts`, `generator_against_suite`, `quality_twins`.
    """

    cc18_criteria: pd.DataFrame
    datasets: pd.DataFrame
    published: pd.DataFrame
    counted: pd.DataFrame
    manual: pd.DataFrame
    generator: pd.DataFrame
    twins: pd.DataFrame


def compute() -> Study:
    """Return what the chapter shows."""
    table = meta_features_table()
    criteria = cc18_criteria(table)
    numbers = published_numbers(table)
    counted = numbers.groupby(["place", "verdict"], sort=False).size().reset_index(name="numbers")
    return Study(criteria, rows_and_features(criteria, table), numbers, counted,
                 manual_verdicts(criteria), generator_against_suite(), quality_twins(table))


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
    rows, criteria = Facts(), study.cc18_criteria
    counts = criteria["decided_by"].value_counts()
    rows.add("judged", int(len(criteria) - counts.get(UNKNOWN, 0)),
             note="datasets whose qualities are known")
    rows.add("pass", int(counts[KEPT] + counts[MANUAL]), note="pass (a) to (d)")
    rows.add("kept", int(counts[KEPT]), note="of these in CC-18")
    rows.add("manual", int(counts[MANUAL]), note="of these not in CC-18")
    inside = criteria[criteria["in_cc18"]]
    rows.add("members_failing", int((inside["decided_by"] != KEPT).sum()), n=len(inside))
    derived = study.manual["verdict"].str.contains("binarised|derived")
    rows.add("derived", int(study.manual.loc[derived, "datasets"].sum()), n=int(counts[MANUAL]))
    unheard = study.manual["verdict"] == "not among its candidates"
    rows.add("not_candidates", int(study.manual.loc[unheard, "datasets"].sum()))
    inside = study.generator["in_cc18"]
    rows.add("unselected", int(inside.sum()), note="in CC-18, not selected by the notebook")
    rows.add("left_out", int((~inside).sum()), note="selected by the notebook, not in CC-18")
    verdicts = study.counted.query("place == 'Table 1'").set_index("verdict")["numbers"]
    for key, verdict in (("equal", EQUAL), ("not_here", NOT_HERE)):
        rows.add(key, int(verdicts.get(verdict, 0)), note=f"numbers of Table 1 {verdict}")
    rows.add("twins", len(study.twins), note="pairs of near-duplicates by qualities")
    return rows.table()


chapter = Chapter(
    "cc18", compute, frames, facts,
    charts={"criteria": Chart(
        "datasets", "points", "rows", "features", "rows", "features", by="decided", log="xy",
        height=3.8, title="Rows and features do not tell CC-18's datasets from those left out")},
    shown={"manual": lambda study: study.manual.head(8)})
