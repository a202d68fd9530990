"""The parameters of a report, checked before anything is measured."""

import re
from collections.abc import Mapping
from types import SimpleNamespace

from collection.own_table.learners import LEARNERS, check_learners
from collection.project import parameters
from collection.project.naming import check_known
from collection.project.parameters import Parameter, SettingsError


class ReportSettings(SimpleNamespace):
    """What `make report` was asked for: a value for each of `PARAMETERS`, in small letters."""


def _wanted(value: object) -> float:
    match = re.fullmatch(r"\s*([\d.]+(?:e-?\d+)?)\s*(%?)\s*", str(value))
    if not match or match[1].count(".") > 1 or float(match[1]) <= 0:
        raise ValueError(f"a number above 0 is needed, such as 0.05 or 5%, not {value!r}")
    return parameters.Share(float(match[1]) / 100) if match[2] else float(match[1])


PARAMETERS = {p.name: p for p in (
    Parameter("CSV", parameters.folder, None, "your table: a file with a line of column names "
              "(also .gz, .zip, .parquet, .xlsx)"),
    Parameter("TARGET", str, "", "the column of CSV to predict"),
    Parameter("POINTS", parameters.folder, None, "instead of CSV: a file with columns size and "
              "error, or a score (and repeat, learner, tested)"),
    Parameter("ROWS", lambda value: float(parameters.parse_int(value, least=1)), None,
              "how many rows all the data are, where sizes in POINTS are shares of them"),
    Parameter("FEATURES", lambda value: parameters.parse_int(value, least=1), None,
              "instead of CSV, before any data: how many features are planned, with WANTED"),
    Parameter("CLASSES", lambda value: parameters.parse_int(value, least=2), 2,
              "how many classes, planned"),
    Parameter("MAJORITY", _wanted, None, "share of the most frequent class that is expected, such "
              "as 70%; all alike unless given"),
    Parameter("BUDGET", lambda value: parameters.quantity(value, parameters.SECONDS, 0), "10min",
              "time for measuring, such as 90s, 10min, 2h; loading adds some 4 s, the rest a "
              "third"),
    Parameter("WANTED", _wanted, None, "an error you want to reach, such as 0.05 or 5%, or in the "
              "target's unit; of scores in POINTS, of AUC, F1 and R² a score"),
    Parameter("LESS", _wanted, None, "a fall of the error that counts, such as 0.01 or 1%, or in "
              "the target's unit; when to stop goes by its chance"),
    Parameter("METRIC", str, "", "error_rate (usual for classes), auc, f1, log_loss; rmse "
              "(usual for numbers), mae; of plans also r2"),
    Parameter("TIME", str, "", "a column of dates or numbers: test on rows later than those "
              "trained on"),
    Parameter("GROUP", str, "", "a column: rows with the same value are trained on or tested on, "
              "not both"),
    Parameter("REGRESS", parameters.yes_or_no, None,
              "yes or no: whether the target's numbers are to be predicted, or are classes; what "
              "looks right unless given"),
    Parameter("LEARNERS",
              lambda value: parameters.among("learner of the report", tuple(LEARNERS))(value)
              if value else (), (), f"of {', '.join(LEARNERS)}; the first that fit, without the "
              "last two, unless given"),
    Parameter("COST_PER_ROW", parameters.amount, None,
              "what one more row costs; with COST_PER_ERROR"),
    Parameter("COST_PER_ERROR", parameters.amount, None,
              "what one wrong prediction costs, or one unit of the error in one prediction"),
    Parameter("PREDICTIONS", lambda value: float(parameters.parse_int(value, least=1)), 10_000,
              "how many predictions the model will make, for the costs"),
    Parameter("SAVE", parameters.yes_or_no, "no",
              "yes: train the best on all rows, into OUT/model.joblib"),
    Parameter("OUT", parameters.folder, "my_report", "folder for report.html and its numbers"),
    Parameter("WORKERS", lambda value: parameters.parse_int(value, least=1), 2,
              "processes that measure at the same time"),
)}


OF_PLANS = ("FEATURES", "CLASSES", "MAJORITY")
PLANNED = ("error_rate", "auc", "r2")  # metrics of plans
#: What each may be given with, and why not the rest.
USED = {
    "POINTS": ("are errors that were measured already", {
        "POINTS", "ROWS", "WANTED", "LESS", "COST_PER_ROW", "COST_PER_ERROR", "PREDICTIONS",
        "OUT"}),
    "FEATURES": ("is for a plan, before there are any data",
                 {*OF_PLANS, "WANTED", "METRIC", "REGRESS", "LEARNERS", "OUT"}),
    "CSV": ("is a table that is there", PARAMETERS.keys() - {"POINTS", *OF_PLANS}),
}


def check_report(values: Mapping[str, object]) -> ReportSettings:
    """Return the settings for the parameters given, with defaults for the others.

    Raises
    ------
    UnknownNameError
        For an unknown parameter, metric or learner; names close ones.
    SettingsError
        Not one of CSV, POINTS and FEATURES, CSV without TARGET, what cannot be used with it, one
        cost without the other, or a value that cannot be read.
    """
    settings = ReportSettings(**parameters.read_parameters(values, PARAMETERS))
    given = [name for name in USED if getattr(settings, name.lower()) is not None]
    if len(given) != 1:
        raise SettingsError("Give one of CSV (your table) with TARGET (the column to predict), "
                            "POINTS (measurements you have), or FEATURES (how many are planned): "
                            "make report CSV=my.csv TARGET=label")
    if settings.csv is not None and not settings.target:
        raise SettingsError("TARGET is missing: the name of the column of CSV to predict.")
    what, used = USED[given[0]]
    unused = [name for name in PARAMETERS if name not in used
              and values.get(name) not in (None, "", "no", (), False)]
    if unused:
        raise SettingsError(f"{given[0]} {what}: {' and '.join(unused)} cannot be used with it.")
    if settings.features:
        if settings.regress and not settings.metric:
            settings.metric = "r2"
        _check_plan(settings)
    if (settings.cost_per_row is None) != (settings.cost_per_error is None):
        raise SettingsError("COST_PER_ROW and COST_PER_ERROR belong together: give both.")
    return settings


def _check_plan(settings: ReportSettings) -> None:
    """Complete a plan; raise `SettingsError` where it wants nothing, or what guessing reaches."""
    if settings.wanted is None:
        raise SettingsError("WANTED is missing: the error rate to reach, such as 5%, AUC or R².")
    settings.metric = settings.metric or PLANNED[0]
    check_known("metric of a plan", [settings.metric], PLANNED)
    check_learners(settings.learners, regression=False)
    number = settings.metric == "r2"
    if settings.regress not in (None, number):
        raise SettingsError("REGRESS=yes and METRIC=r2 belong together, in a plan.")
    if number:
        if (settings.majority is not None or settings.classes > 2 or settings.learners
                or settings.wanted >= 1):
            raise SettingsError("WANTED: an R² between 0 and 1 of a number, without CLASSES, "
                                "MAJORITY and LEARNERS, is needed.")
        return
    alike = 1 / settings.classes
    settings.majority = alike if settings.majority is None else settings.majority
    if not alike <= settings.majority < 1:
        raise SettingsError(f"MAJORITY: of {settings.classes} classes the most frequent one has a "
                            f"share of {alike:.3g} or more, and below 1; not "
                            f"{settings.majority:g}.")
    auc = settings.metric == "auc"
    if auc and (settings.classes > 2 or not 0.5 < settings.wanted < 1):
        raise SettingsError("WANTED: an AUC between 0.5 and 1, of two classes, is needed.")
    if not auc and settings.wanted >= 1 - settings.majority:
        raise SettingsError(f"WANTED: always naming the most frequent class errs by "
                            f"{1 - settings.majority:.3g}; an error below that is needed, not "
                            f"{settings.wanted:g}.")
