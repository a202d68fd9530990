"""The numbers of the paper on OpenML's suites, each held against what is at hand here."""

import pandas as pd

from analysis.databases.lcdb10 import meta_features_table
from analysis.published.printed import published_table
from collection.suites.criteria import LEAST_RATIO, ROWS

EQUAL, DIFFERENT, NOT_HERE = "equal as printed", "different", "not checkable here"
DIGITS = {"ratio": 2}  # as Table 1 prints; the others are whole numbers
REASONS = {(46, "features_with_target"): "splice has a column of names, which the paper counts and "
                                         "LCDB 1.0's qualities do not"}


def published_numbers(table: pd.DataFrame | None = None) -> pd.DataFrame:
    """Check Table 1, number by number, and that its rows keep the requirements of Section 6.1.

    Parameters
    ----------
    table : pandas.DataFrame, optional
        Qualities by OpenML id, as `meta_features_table` returns them, which is the default.

    Returns
    -------
    pandas.DataFrame
        ``place`` in the paper, ``item``, ``quantity``, ``published``, ``ours`` (NaN where nothing
        is at hand), ``verdict`` (`EQUAL`, `DIFFERENT` or `NOT_HERE`), ``reason``.
    """
    known = _as_printed(meta_features_table() if table is None else table)
    rows = [_check(printed, quantity, known)
            for printed in published_table("cc18_table1").to_dict("records")
            for quantity in known.columns]
    return pd.DataFrame([*rows, *_requirements()])


def _as_printed(table: pd.DataFrame) -> pd.DataFrame:
    """Return the qualities that Table 1 prints, under its names."""
    return pd.DataFrame({
        "classes": table["NumberOfClasses"], "features_with_target": table["NumberOfFeatures"],
        "observations": table["NumberOfInstances"],
        "ratio": table["MinorityClassSize"] / table["MajorityClassSize"]})


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
