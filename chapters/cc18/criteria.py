"""CC-18's criteria applied to every dataset whose qualities are at hand."""

import pandas as pd

from analysis.databases.lcdb10 import meta_features_table
from analysis.published.printed import published_table
from collection.suites import criteria as rules
from collection.suites.qualities import qualities_from_openml

LETTERS = {rules.CRITERIA[name].letter: name for name in rules.BY_QUALITIES if name != "dense"}
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
    passes = rules.check_qualities(qualities_from_openml(listing), LETTERS.values())
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
