"""What the calibration says, in the words of the chapters that rest on it."""

import pandas as pd

from analysis.calibration.recommend import percent, recommended
from analysis.records.computed import recall
from analysis.shapes import PROCEDURES

FROM = 0.02  # true sizes that are counted well: smaller ones are mostly missed


def believed(database: str = "lcdb10", verdict: str = "ill_behaved") -> pd.Series:
    """Return the estimated share of curves with a true violation of .02 or more on their dataset.

    Returns
    -------
    pandas.Series
        ``procedure`` whose calls it rests on, the one recommended; ``rate, low, high``: percent,
        95 % interval.

    Raises
    ------
    KeyError
        If there is none of that database, or no share was estimated by what is recommended.
    """
    best = recommended(recall("calibration")).set_index(["estimand", "verdict"])["procedure"]
    name = best["dataset", verdict]
    rates = recall("calibration_rates").set_index(
        ["database", "procedure", "verdict", "min_violation"])
    return pd.Series({"procedure": name} | dict(
        rates.loc[(database, name, verdict, FROM), ["rate", "low", "high"]]))


def called(procedure: str, database: str = "lcdb10", verdict: str = "ill_behaved") -> pd.Series:
    """Return the share of a database's curves that a procedure calls: ``rate, low, high``."""
    calls = recall("calibration_calls").set_index(["database", "procedure", "verdict"])
    return calls.loc[(database, procedure, verdict)]


def false_on(truth: str, procedure: str, verdict: str = "ill_behaved",
             generator: str = "drawn, dataset") -> pd.Series:
    """Return how often curves are called: of 1,000 rows, 20 anchors and 25 repeats."""
    table = recall("calibration")
    return table[(table["generator"] == generator) & (table["truth"] == truth)
                 & (table["procedure"] == procedure) & (table["verdict"] == verdict)
                 & (table["rows"] == 1000) & (table["anchors"] == 20)
                 & (table["repeats"] == 25)].iloc[0]


def in_short(database: str = "lcdb10") -> str:
    """Say what to believe of a database's ill-behaved curves, and why."""
    share = believed(database)
    name = share["procedure"]
    strict = false_on("flat", "nadeau_bengio", generator="drawn, population")
    return (
        f"Meant is the curve of each dataset, over all its splits. There the procedure {name}"
        f" ({PROCEDURES[name].title}) keeps its level and finds more of what is there"
        " than the others tried; it calls"
        f" {percent(called(name, database))} of the curves, the corrected procedure"
        f" {percent(called('corrected', database))}. Calls err both ways. With their measured rates"
        f" counted, {percent(share)} of the curves truly have a violation of .02 or more. The test"
        " of Nadeau and Bengio is about the population, and stricter than it has to be: it calls"
        f" {percent(strict)} of the curves that are constant there.")
