"""The parameters of a study: one registry of names, types, defaults and explanations.

`make evaluate` passes them as text, the notebook as Python values; both are checked here, before
any work. What they name (tasks, learners) is looked up by `collection.running.evaluation_plan`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from collection.containers.curves import SCALINGS
from collection.containers.learner_names import NAMES_IN_HELP
from collection.containers.metrics import choose_metrics
from collection.learners.families import FAMILIES, draw_configs
from collection.learners.registry import read_learners
from collection.project import parameters as read
from collection.project.naming import check_known
from collection.project.parameters import LIMITS, WORKERS, Parameter, SettingsError
from collection.running.curve_settings import CLASSIC, WorkSettings
from collection.running.evaluate import CLOCKS
from collection.store.evaluations import PRECISIONS
from collection.suites.specs import OPENML, find_suite
from collection.tasks import CrossValidation

FOLDS = 10


@dataclass(frozen=True, kw_only=True)
class EvaluationSettings(WorkSettings):
    """A study's parameters, each of its type. See `PARAMETERS` for what they mean."""

    tasks: tuple[str, ...]
    suite: str
    families: tuple[str, ...]
    configs: Mapping[str, int]
    folds: tuple[int, tuple[int, ...] | None]
    repeats: int
    seed: int
    bags: int
    scaling: str
    metrics: Mapping[str, str]
    precision: str
    config_limit: float | None
    clock: str

    @property
    def of_store(self) -> dict[str, object]:
        """What every evaluation of a store depends on."""
        return {"BAGS": self.bags, "SEED": self.seed, "SCALING": self.scaling,
                "CONFIG_LIMIT": self.config_limit, "CLOCK": self.clock,
                "PRECISION": self.precision, **super().of_store}

    @property
    def every_learner(self) -> tuple[str, ...]:
        """The learners, then the configs of every family by name."""
        configs = [name for family in self.families
                   for name in draw_configs(family, self.configs.get(family, self.configs[""]))]
        return (*self.learners, *configs)

    @property
    def procedure(self) -> CrossValidation:
        """How tasks are split that have no splits of their own."""
        return CrossValidation(self.folds[0], self.repeats, self.seed)

    @property
    def chosen(self) -> tuple[int, ...] | None:
        """The folds to evaluate; None: all."""
        return self.folds[1]


def check_settings(values: Mapping[str, object]) -> EvaluationSettings:
    """Return the settings for the parameters given, with defaults for the others.

    Raises
    ------
    UnknownNameError
        A name that is not in `PARAMETERS`, or a metric or scaling that does not exist.
    SettingsError
        A value of the wrong type; neither tasks nor a suite, or both; other folds or limits than
        a suite's.
    """
    settings = EvaluationSettings(**read.read_parameters(values, PARAMETERS))
    if settings.families and not values.get("LEARNERS"):
        settings = replace(settings, learners=())
    if bool(settings.tasks) == bool(settings.suite):
        raise SettingsError("TASKS or SUITE is needed, and not both: "
                            'TASKS="keel:vehicle sklearn:wine", or SUITE=NAME.')
    if settings.suite and settings.folds[0] != FOLDS:
        raise SettingsError("FOLDS cannot change how a suite's tasks are split: they bring their "
                            "own folds. Leave it out, or name those to evaluate: FOLDS=\"0 1 2\".")
    if settings.suite and not settings.suite.startswith(OPENML):
        return _within_limits(settings, values)
    return settings


def _within_limits(settings: EvaluationSettings, given: Mapping[str, object]) -> EvaluationSettings:
    """Return the settings with the limits that their suite states (of OpenML's, none does)."""
    stated: dict[str, Any] = {}
    for limit, text in find_suite(settings.suite).limits:
        name = limit.name.lower()
        stated[name] = limit.read(text)
        if given.get(limit.name) and getattr(settings, name) != stated[name]:
            raise SettingsError(f"{limit.name} cannot be {given[limit.name]}: the suite "
                                f"{settings.suite} states {text}. Leave it out, or make a suite of "
                                f"your own with make suite DO=subset {limit.name}=….")
    return replace(settings, **stated)


def _folds(value: object) -> tuple[int, tuple[int, ...] | None]:
    """Return how many folds there are, and which of them are wanted (None: all)."""
    found = read.items(value)
    total = FOLDS
    if len(found) > 2 and str(found[-2]) == "of":
        total, found = read.parse_int(found[-1], least=2), found[:-2]
    elif len(found) == 1 and read.parse_int(found[0], least=0) > 1:
        return int(found[0]), None
    return total, tuple(sorted({read.parse_int(fold, least=0) for fold in found}))


def _families(value: object) -> tuple[str, ...]:
    """Return families; ``all`` is every one."""
    found = read.among("family", (*FAMILIES, "all"))(value) if value else ()
    return tuple(FAMILIES) if "all" in found else found


def _configs(value: object) -> dict[str, int]:
    """Return random configs per family, under "" of those that are not named."""
    found = {"": 0}
    for item in read.items(value):
        family, equals, number = str(item).rpartition("=")
        if equals:
            check_known("family", [family], FAMILIES)
        found[family] = read.parse_int(number, least=0)
    return found


PARAMETERS = {p.name: p for p in (
    Parameter("TASKS", read.some_names, "", "where tasks come "
              "from, separated by spaces: keel:NAME, sklearn:NAME, openml:ID, openml:task/ID, "
              "csv:PATH?target=COLUMN, csv:PATH?regress=COLUMN; a task of OpenML has its own "
              "splits"),
    Parameter("SUITE", str, "", "instead of TASKS: the name of a suite (make suite lists "
              "them), or its file"),
    Parameter("LEARNERS", read_learners, CLASSIC, "names of Table 3, or the import path of a "
              f"scikit-learn estimator; the 24 of scikit-learn unless given; {NAMES_IN_HELP}"),
    Parameter("FAMILIES", _families, "", "families of TabRepo with their search spaces, or "
              f"all: {' '.join(FAMILIES)}; then LEARNERS are only those named"),
    Parameter("CONFIGS", _configs, "10", "random configs of each family beside its default "
              "(TabRepo has 200), and of some other numbers: 20 CatBoost=5"),
    Parameter("OUT", read.folder, "my_runs",
              "folder of the store and the executed notebook"),
    Parameter("FOLDS", _folds, "10", "folds of the cross-validation; or which of ten: 0 1 2; "
              "or which of so many: 0 1 of 5"),
    Parameter("REPEATS", lambda value: read.parse_int(value, least=1), 1,
              "of the cross-validation"),
    Parameter("SEED", lambda value: read.parse_int(value, least=0), 0, "of the splits: repeat r "
              "shuffles with SEED + r, and the bags of every fold with SEED"),
    Parameter("BAGS", lambda value: read.parse_int(value, least=0), 0, "inner folds, whose models "
              "are averaged and give out-of-fold predictions (TabRepo has 8); 0: one fit"),
    Parameter("SCALING", read.one_of("scaling", SCALINGS), SCALINGS[0], "of numeric features, "
              "fitted on the training rows: none, minmax, standard"),
    Parameter("METRICS", lambda value: choose_metrics(read.items(value)),
              "binary=auc multiclass=log_loss regression=rmse",
              "what tasks are judged by that name no metric themselves: METRIC for every kind "
              "of problem it can measure, or PROBLEM=METRIC (binary, multiclass, regression)"),
    Parameter("PREDICTIONS", read.yes_or_no, "no", "whether to store the predictions on test "
              "rows, and out of fold where there are bags"),
    Parameter("PRECISION", read.one_of("precision", PRECISIONS), "single", "of stored "
              "predictions: single, or double, from which errors come out exactly as measured"),
    Parameter("CONFIG_LIMIT", lambda value: read.quantity(value, read.SECONDS, 0), None,
              "training time of a config of boosting or a network, all bags together: 90, "
              "10min; the best step so far is kept then, and the message says so; none unless "
              "given"),
    Parameter("CLOCK", read.one_of("clock", CLOCKS), "wall", "what training times and "
              "CONFIG_LIMIT are of: wall, or processor, for learners of one thread on a busy "
              "machine"),
    *LIMITS,
    *WORKERS,
)}

MERGE_PARAMETERS = {p.name: p for p in (
    Parameter("FROM", read.names, None,
              "folders of curves, or of evaluations, separated by spaces", required=True),
    Parameter("OUT", read.folder, "my_runs",
              "folder that they are added to; it may be new"),
)}
