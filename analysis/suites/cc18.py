"""CC-18's criteria applied to every dataset whose qualities are at hand."""

import numpy as np
import pandas as pd

from analysis.databases.lcdb10 import meta_features_table
from analysis.records.published import published_table
from analysis.suites.stability import task_ranks
from collection.suites.criteria import (
    BY_QUALITIES,
    CRITERIA,
    LEAST_RATIO,
    ROWS,
    check_qualities,
)
from collection.suites.qualities import qualities_from_openml

LETTERS = {CRITERIA[name].letter: name for name in BY_QUALITIES if name != "dense"}
KEPT, MANUAL, UNKNOWN = "kept", "manual", "unknown"


def cc18_criteria(table: pd.DataFrame | None = None) -> pd.DataFrame:
    """Say by which automatic criterion each dataset is in CC-18 or not.

    Parameters
    ----------
    table : pandas.DataFrame, optional
        As `meta_features_table` returns it, which is the default.

    Returns
    -------
    pandas.DataFrame
        A row per dataset: ``dataset_id, name, in_cc18``; ``a, b, c, d`` (True: passes; None: a
        quality that it needs is not known); ``decided_by``: the first of a to d that fails;
        `UNKNOWN` where none fails and one is not known; else `KEPT` where it is in CC-18 and
        `MANUAL` where a person kept it out.
    """
    table = meta_features_table() if table is None else table
    listing = table.reset_index(names="did").rename(columns={"Name": "name"})
    passes = check_qualities(qualities_from_openml(listing), LETTERS.values())
    found = pd.DataFrame({
        "dataset_id": listing["did"], "name": listing["name"],
        "in_cc18": listing["did"].isin(published_table("cc18_table1")["dataset_id"]),
        **{letter: passes[name] for letter, name in LETTERS.items()}})
    found["decided_by"] = [_decided(row) for row in found.to_dict("records")]
    return found


def _decided(row: dict) -> str:
    failed = [letter for letter in LETTERS if row[letter] is False]
    if failed:
        return failed[0]
    if any(row[letter] is None for letter in LETTERS):
        return UNKNOWN
    return KEPT if row["in_cc18"] else MANUAL


def manual_verdicts(criteria: pd.DataFrame) -> pd.DataFrame:
    """Count why datasets that pass (a) to (d) are not in CC-18, by the published generator.

    Parameters
    ----------
    criteria : pandas.DataFrame
        From `cc18_criteria`.

    Returns
    -------
    pandas.DataFrame
        A row per verdict of the authors' notebook, most frequent first: ``verdict``, ``datasets``
        and up to four of their names as ``examples``.
    """
    told = published_table("cc18_generator").set_index("dataset_id")["verdict"]
    kept_out = criteria[criteria["decided_by"] == MANUAL]
    verdict = kept_out["dataset_id"].map(told).fillna("not among its candidates")
    groups = kept_out.groupby(verdict.rename("verdict"))["name"]
    counts = groups.agg(datasets="size", examples=lambda names: ", ".join(names.unique()[:4]))
    return counts.reset_index().sort_values(["datasets", "verdict"], ascending=[False, True],
                                            ignore_index=True)


def table1_against_qualities(table: pd.DataFrame | None = None) -> pd.DataFrame:
    """Set the numbers of Table 1 beside the qualities at hand, where the two differ.

    Returns
    -------
    pandas.DataFrame
        ``dataset_id, name, quality, table1, qualities``; ratios to two decimals, as printed.
    """
    table = meta_features_table() if table is None else table
    printed = published_table("cc18_table1").set_index("dataset_id")
    both = printed.index.intersection(table.index)
    ratio = (table["MinorityClassSize"] / table["MajorityClassSize"]).round(2)
    pairs = {"classes": table["NumberOfClasses"], "observations": table["NumberOfInstances"],
             "features_with_target": table["NumberOfFeatures"], "ratio": ratio}
    rows = [(i, printed.loc[i, "name"], name, printed.loc[i, name], values[i])
            for name, values in pairs.items() for i in both
            if abs(printed.loc[i, name] - values[i]) > 0.0051]
    return pd.DataFrame(rows, columns=["dataset_id", "name", "quality", "table1", "qualities"])


def near_duplicate_effect(scores: pd.DataFrame, groups: pd.Series) -> pd.DataFrame:
    """Return how mean ranks over a suite move when near-duplicates count as one.

    Parameters
    ----------
    scores : pandas.DataFrame
        Columns ``task, method, fold, error``.
    groups : pandas.Series
        Index tasks of the suite, values the group of each; tasks without scores are left out.

    Returns
    -------
    pandas.DataFrame
        A row per method, the best first: ``method``; ``each``, its mean rank over the tasks;
        ``grouped``, over the groups, each the mean over its tasks; ``shift``, the second minus the
        first; ``place`` and ``place_grouped`` in the order of methods.
        ``attrs`` hold the numbers of ``tasks`` and ``groups``.
    """
    ranks = task_ranks(scores[scores["task"].isin(groups.index)])
    means = pd.DataFrame({"each": ranks.mean(),
                          "grouped": ranks.groupby(groups.reindex(ranks.index)).mean().mean()})
    means["shift"] = means["grouped"] - means["each"]
    for column, place in (("each", "place"), ("grouped", "place_grouped")):
        means[place] = means[column].rank(method="min").astype(int)
    found = means.rename_axis("method").sort_values("each").reset_index()
    found.attrs = {"tasks": len(ranks), "groups": groups.reindex(ranks.index).nunique()}
    return found


def edges() -> pd.DataFrame:
    """Return CC-18's datasets that come closest to the bounds of (a) and (d).

    Returns
    -------
    pandas.DataFrame
        ``dataset_id, name, criterion, value, bound``: the three closest to each bound, by ratio.
        Class ratios come from the qualities where these are at hand, else from Table 1.
    """
    printed, known = published_table("cc18_table1"), meta_features_table()
    ratio = (known["MinorityClassSize"] / known["MajorityClassSize"])
    ratio = printed["dataset_id"].map(ratio).fillna(printed["ratio"])
    parts = []
    for letter, values, bound in (("a", printed["observations"], ROWS[0]),
                                  ("a", printed["observations"], ROWS[1]),
                                  ("d", ratio, LEAST_RATIO)):
        closest = (np.log(values / bound)).abs().nsmallest(3).index
        parts.append(printed.loc[closest, ["dataset_id", "name"]].assign(
            criterion=letter, value=values[closest].astype(float), bound=float(bound)))
    return pd.concat(parts, ignore_index=True)


def generator_against_suite() -> pd.DataFrame:
    """Return the datasets on which the authors' notebook and the published suite differ.

    Returns
    -------
    pandas.DataFrame
        ``dataset_id``, ``verdict`` of the notebook, ``in_cc18``.
    """
    told = published_table("cc18_generator")
    inside = told["dataset_id"].isin(published_table("cc18_table1")["dataset_id"])
    differs = inside != (told["verdict"] == "selected")
    return told.assign(in_cc18=inside)[differs].reset_index(drop=True)
