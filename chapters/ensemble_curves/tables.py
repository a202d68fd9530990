"""The study's tables as the page shows them: in words, with intervals."""

import pandas as pd

from analysis.ensemble_curves.shipped import MEMBERS as TITLES
from analysis.shapes import PROCEDURES
from analysis.shapes.verdicts import SHAPE_LABELS
from analysis.statistics.summary import interval_texts
from chapters.ensemble_curves.study import ROWS, Study

LESS = ("difference", "difference_low", "difference_high")
SHARE = ("percent", "low", "high")


def shown_datasets(found: Study) -> pd.DataFrame:
    """Return the datasets: rows in all, and of one repeat's splits."""
    return found.datasets.rename(columns={"train_size": "training rows", "valid_size":
                                          "validation rows", "test_size": "test rows"})


def shown_members(found: Study) -> pd.DataFrame:
    """Return the members, and where they are absent."""
    return found.members.rename(columns={"absent": "% absent", "from": "from row",
                                         "to": "to row"})


def shown_verdicts(found: Study) -> pd.DataFrame:
    """Return the curves called, of members and ensembles."""
    table = found.verdicts
    return pd.DataFrame({
        "procedure": [PROCEDURES[name].title for name in table["procedure"]],
        "shape": table["verdict"].map(SHAPE_LABELS), "ensemble": table["ensemble"],
        "curves": table["curves"], "called": table["called"].astype(int),
        "%": interval_texts(table, *SHARE, 0), "less the members' (points)": table["difference"],
        "adjusted p": table["p"]})


def shown_sizes(found: Study) -> pd.DataFrame:
    """Return mean sizes of the largest violations."""
    table = found.sizes
    return pd.DataFrame({
        "shape": table["verdict"].map(SHAPE_LABELS), "ensemble": table["ensemble"],
        "mean size": interval_texts(table, *SHARE, 2),
        "less the members' mean": interval_texts(table, *LESS, 2), "adjusted p": table["p"]})


def shown_crossings(found: Study) -> pd.DataFrame:
    """Return the pairs of a member and another curve that cross."""
    table = found.crossings
    return pd.DataFrame({
        "ensemble": table["ensemble"], "pairs": table["curves"],
        "% crossing": interval_texts(table, *SHARE, 0),
        "less the members' (points)": interval_texts(table, *LESS, 0), "adjusted p": table["p"]})


def shown_summary(found: Study) -> pd.DataFrame:
    """Return how far ensembles are from the baselines."""
    table = found.summary
    return pd.DataFrame({
        "ensemble": table["ensemble"], "baseline": table["baseline"],
        "whole curve (points)": interval_texts(table, "difference", "low", "high", 2),
        "adjusted p": table["p"],
        "clearly better at": [f"{a} of {b}" for a, b in table[["clear", "tested"]].to_numpy()],
        "at full size (points)": interval_texts(table, "difference_end", "low_end", "high_end", 2),
        "adjusted p ": table["p_end"],
        "ahead at the end": [f"{a} of {b}" for a, b in table[["stay", "datasets"]].to_numpy()],
        "from row": ["–" if m != m else f"{m:g}" for m in table["median"]]})


def shown_drifts(found: Study) -> pd.DataFrame:
    """Return the changes of the weights in the Caruana ensemble, the largest rise first."""
    table = found.drifts[found.drifts["ensemble"] == "Caruana"]
    table = table.sort_values("slope", ascending=False, kind="stable")
    return pd.DataFrame({
        "member": table["member"].map(TITLES), "% at 16 rows": table["first"].map("{:.1f}".format),
        "% at the last": table["last"].map("{:.1f}".format),
        "points per doubling": interval_texts(table, "slope", "low", "high", 2),
        "rising on datasets": [f"{a} of {b}" for a, b in table[["rising", "datasets"]].to_numpy()],
        "adjusted p": table["p"]})


def shown_few_rows(found: Study) -> pd.DataFrame:
    """Return ensembles less the single best, both chosen on the same rows, by training rows."""
    table = found.few_rows_against_single
    table = table[table["anchor"].isin([16, 32, 64, 128])]
    table = table.assign(rows=table["rows"].map({"all": "all"} | ROWS),
                         cost=interval_texts(table, "cost", "low", "high", 2))
    wide = table.pivot(index=["way", "rows"], columns="anchor", values="cost").reset_index()
    return wide.rename(columns={"way": "ensemble", "rows": "chosen on"} | {
        n: f"{n} training rows" for n in (16, 32, 64, 128)})


def shown_costs(found: Study) -> pd.DataFrame:
    """Return what training everything costs that could be chosen."""
    table = found.costs
    return pd.DataFrame({
        "ensemble": table["learner"], "test error [%]": table["error"],
        "ms to train": 1000 * table["seconds"],
        "× the median member": interval_texts(table, "times", "low", "high", 1)})
