"""CC-18's criteria applied to all datasets whose qualities are at hand, and the paper's numbers."""

import numpy as np
import pandas as pd

from analysis.published.printed import published_table
from collection.suites import criteria as rules
from collection.suites.criteria import LEAST_RATIO, ROWS
from collection.suites.qualities import qualities_from_openml

LETTERS = {rules.CRITERIA[name].letter: name for name in rules.BY_QUALITIES if name != "dense"}
KEPT, MANUAL, UNKNOWN = "kept", "manual", "unknown"


def cc18_criteria(table: pd.DataFrame) -> pd.DataFrame:
    """Say by which automatic criterion each dataset is in CC-18 or not.

    Parameters
    ----------
    table : pandas.DataFrame
        As `analysis.databases.lcdb10.meta_features_table` returns it.

    Returns
    -------
    pandas.DataFrame
        A row per dataset: ``dataset_id, name, in_cc18``; ``a, b, c, d`` (True: passes; None: a
        quality that it needs is not known); ``decided_by``: the first of a to d that fails;
        `UNKNOWN` where none fails and one is not known; else `KEPT` where it is in CC-18 and
        `MANUAL` where a person kept it out.
    """
    listing = table.reset_index(names="did").rename(columns={"Name": "name"})
    passes = rules.check_qualities(qualities_from_openml(listing), LETTERS.values())
    found = pd.DataFrame({
        "dataset_id": listing["did"], "name": listing["name"],
        "in_cc18": listing["did"].isin(published_table("cc18_table1")["dataset_id"]),
        **{letter: passes[name] for letter, name in LETTERS.items()}})
    said = found[list(LETTERS)]
    failed = said.eq(False)
    found["decided_by"] = np.select(
        [failed.any(axis=1), said.isna().any(axis=1), found["in_cc18"]],
        [failed.idxmax(axis=1), UNKNOWN, KEPT], MANUAL)
    return found


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


EQUAL, DIFFERENT, NOT_HERE = "equal as printed", "different", "not checkable here"
DIGITS = {"ratio": 2}  # as Table 1 prints; the others are whole numbers
REASONS = {(46, "features_with_target"): "splice has a column of names, which the paper counts and "
                                         "LCDB 1.0's qualities do not"}


def published_numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Check Table 1, number by number, and that its rows keep the requirements of Section 6.1.

    Parameters
    ----------
    table : pandas.DataFrame
        Qualities by OpenML id, as `analysis.databases.lcdb10.meta_features_table` returns them.

    Returns
    -------
    pandas.DataFrame
        ``place`` in the paper, ``item``, ``quantity``, ``published``, ``ours`` (NaN where nothing
        is at hand), ``verdict`` (`EQUAL`, `DIFFERENT` or `NOT_HERE`), ``reason``.
    """
    known = pd.DataFrame({
        "classes": table["NumberOfClasses"], "features_with_target": table["NumberOfFeatures"],
        "observations": table["NumberOfInstances"],
        "ratio": table["MinorityClassSize"] / table["MajorityClassSize"]})
    rows = [_check(printed, quantity, known)
            for printed in published_table("cc18_table1").to_dict("records")
            for quantity in known.columns]
    return pd.DataFrame([*rows, *_requirements()])



def _check(printed: dict, quantity: str, known: pd.DataFrame) -> dict:
    number, value = printed["dataset_id"], printed[quantity]
    ours = known[quantity].get(number, float("nan"))
    digits = DIGITS.get(quantity, 0)
    # To a unit of the last place: halves are rounded both ways.
    near = abs(round(ours, digits) - value) <= 0.51 * 10.0 ** -digits if ours == ours else False
    verdict = NOT_HERE if ours != ours else EQUAL if near else DIFFERENT
    reason = {NOT_HERE: "no qualities of this dataset are at hand", EQUAL: "",
              DIFFERENT: REASONS.get((number, quantity), "not explained")}[verdict]
    return {"place": "Table 1", "item": printed["name"], "quantity": quantity, "published": value,
            "ours": ours, "verdict": verdict, "reason": reason}


def _requirements() -> list[dict]:
    """Count the rows of Table 1 that keep what Section 6.1 requires of all."""
    table = published_table("cc18_table1")
    kept = {"(a) 500 to 100,000 observations": table["observations"].between(*ROWS),
            "(c) at least two classes": table["classes"] >= 2,
            "(d) ratio of classes above 0.05": table["ratio"] >= LEAST_RATIO}  # two digits printed
    return [{"place": "Section 6.1", "item": item, "quantity": "tasks", "published": len(table),
             "ours": int(holds.sum()), "verdict": EQUAL if holds.all() else DIFFERENT,
             "reason": "" if holds.all() else "by the numbers of Table 1"}
            for item, holds in kept.items()]
