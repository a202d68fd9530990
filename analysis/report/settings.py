"""The parameters of a report, checked before anything is measured."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from collection.naming import check_known
from collection.parameters import (
    SECONDS,
    Parameter,
    SettingsError,
    quantity,
    read_parameters,
    whole,
)

METRICS = {"error_rate": "error rate", "auc": "1 − AUC", "f1": "1 − F1",
           "log_loss": "log-loss (as a share of that of the smallest training set)"}


@dataclass(frozen=True)
class ReportSettings:
    """What `make report` was asked for; see `PARAMETERS`."""

    csv: Path | None
    target: str
    points: Path | None
    budget: float
    wanted: float | None
    metric: str
    out: Path
    workers: int


def _path(value: object) -> Path | None:
    return Path(str(value)) if value else None


def _wanted(value: object) -> float | None:
    if value is None:
        return None
    wanted = float(value)
    if not 0 < wanted < 1:
        raise ValueError(f"an error between 0 and 1 is needed, such as 0.05, not {value}")
    return wanted


def _metric(value: object) -> str:
    check_known("metric", [value], METRICS)
    return str(value)


PARAMETERS = {p.name: p for p in (
    Parameter("CSV", _path, None, "your table: a file with a line of column names"),
    Parameter("TARGET", str, "", "the column of CSV to predict"),
    Parameter("POINTS", _path, None,
              "instead of CSV: a file with columns size, error (and repeat, learner)"),
    Parameter("BUDGET", lambda value: quantity(value, SECONDS, 0), "10min",
              "time for measuring, such as 90s, 10min, 2h"),
    Parameter("WANTED", _wanted, None, "an error you want to reach, such as 0.05"),
    Parameter("METRIC", _metric, "error_rate", "error_rate, auc, f1 or log_loss"),
    Parameter("OUT", lambda value: Path(str(value)), "my_report",
              "folder for report.html and its numbers"),
    Parameter("WORKERS", lambda value: whole(value, least=1), 2,
              "processes that measure at the same time"),
)}


def check_report(values: Mapping[str, object]) -> ReportSettings:
    """Return the settings for the parameters given, with defaults for the others.

    Raises
    ------
    UnknownNameError
        For an unknown parameter or metric; names close ones.
    SettingsError
        Neither CSV nor POINTS, both, CSV without TARGET, or a value that cannot be read.
    """
    settings = ReportSettings(**read_parameters(values, PARAMETERS))
    if (settings.csv is None) == (settings.points is None):
        raise SettingsError("Give either CSV (your table) with TARGET (the column to predict), or "
                            "POINTS (measurements you have): make report CSV=my.csv TARGET=label")
    if settings.csv is not None and not settings.target:
        raise SettingsError("TARGET is missing: the name of the column of CSV to predict.")
    return settings
