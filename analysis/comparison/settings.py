"""The parameters of a comparison, checked before anything is fitted."""

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace

from analysis.leaderboards.properties import SPREADS
from collection.containers.metrics import TASK_METRICS
from collection.learners import find_learner
from collection.project import parameters
from collection.project.naming import check_known
from collection.project.parameters import Parameter, SettingsError, names
from collection.running.evaluation_settings import PARAMETERS as OF_EVALUATE
from collection.running.meta_features import GROUPS, parse_groups
from collection.running.pmlbmini import PAPER
from collection.shipped.small import SUITE
from collection.suites.specs import expand_tasks, find_suite
from collection.tasks import CrossValidation, Task

# scikit-learn's names of the metrics; more of the one is less of its error, in the same order.
SCORINGS = {"roc_auc": "auc", "roc_auc_ovr_weighted": "auc", "accuracy": "error_rate",
            "f1_weighted": "f1", "neg_log_loss": "log_loss"}
TIME, MEMORY = "1h", "4GB"  # per fit; the paper's are 1 h and 32 GB


class ComparisonSettings(SimpleNamespace):
    """What `make compare` was asked for: a value for each of `PARAMETERS`, in small letters.

    And ``as_stated``: whether rows are split as the suite says.
    """

    @property
    def procedure(self) -> CrossValidation:
        """How rows are split: in their order, or shuffled where there are repeats."""
        return CrossValidation(self.folds, self.repeats, shuffle=self.repeats > 1)

    def find_tasks(self) -> list[Task]:
        """Return the tasks, those of PMLBmini with their fingerprints.

        Split by `procedure`, or `as_stated` by their suite.
        """
        known = {task.dataset: task for task in find_suite(SUITE).tasks}
        tasks = (expand_tasks(self.tasks, self.procedure) if self.tasks
                 else find_suite(self.suite).tasks)
        if self.as_stated:
            return [task if task.procedure != PAPER else known.get(task.dataset, task)
                    for task in tasks]
        return [replace(known.get(task.dataset, task), procedure=self.procedure, splits="")
                for task in tasks]


def parse_metric(name: object) -> str:
    """Return the project's name of a metric of classes, given that or scikit-learn's."""
    known = {m.name: m.name for m in TASK_METRICS.values() if "binary" in m.problems} | SCORINGS
    check_known("metric", [name], known)
    return known[str(name)]


PARAMETERS = {p.name: p for p in (
    Parameter("LEARNER", names, None, "the learners to compare, separated by spaces: import paths "
              "with parameters, such as sklearn.svm.SVC(probability=True), or names (those that "
              "collect --help lists)",
              required=True),
    Parameter("SUITE", str, "", f"the suite to compare on [{SUITE}]; dummy tries a learner out"),
    replace(OF_EVALUATE["TASKS"], about="instead of SUITE: datasets, such as sklearn:breast_cancer "
            "keel:sonar pmlb:vote csv:PATH?target=COLUMN"),
    Parameter("OUT", parameters.folder, "my_comparison",
              "folder for order.html, its tables and the fits"),
    Parameter("FOLDS", lambda value: parameters.parse_int(value, least=2), 3,
              "of the stratified cross-validation"),
    replace(OF_EVALUATE["REPEATS"], about="of it; one takes the rows in their order, several "
            "shuffle them"),
    Parameter("METRIC", parse_metric, "auc", "what is compared, unless the suite states it: auc, "
              "error_rate, f1 (weighted) or log_loss; or "
              f"{', '.join(SCORINGS)}, as scikit-learn calls them"),
    parameters.TIE,
    Parameter("META", parse_groups, "no", "yes: which properties of a table go with gains over "
              "logistic regression, beside what chance alone gives (properties.csv), of six and, "
              "with the extra meta, of PyMFE's quick groups; or groups by name, or all: "
              + ", ".join(GROUPS)),
    Parameter("CORRELATION", parameters.one_of("correlation", SPREADS), "spearman",
              "of properties and gains: " + ", ".join(SPREADS)),
    *(replace(limit, default=default)
      for limit, default in zip(parameters.LIMITS, (TIME, MEMORY), strict=True)),
    next(p for p in parameters.WORKERS if p.name == "WORKERS"),
)}


def check_comparison(values: Mapping[str, object]) -> ComparisonSettings:
    """Return the settings for the parameters given, with defaults for the others.

    Raises
    ------
    UnknownNameError
        For an unknown parameter; names close ones.
    SettingsError
        No LEARNER, both SUITE and TASKS, or a value that cannot be read.
    LearnerSpecError
        A learner that is no classifier, or cannot be read or made.
    """
    settings = ComparisonSettings(**parameters.read_parameters(values, PARAMETERS))
    if settings.suite and settings.tasks:
        raise SettingsError("SUITE and TASKS exclude each other.")
    # each as it is stored, or why it cannot be made
    settings.learner = tuple(dict.fromkeys(find_learner(x).name for x in settings.learner))
    settings.suite = settings.suite or ("" if settings.tasks else SUITE)
    settings.as_stated = bool(settings.suite) and not any(
        values.get(name) for name in ("FOLDS", "REPEATS"))
    stated = {task.metric for task in find_suite(settings.suite).tasks} if settings.suite else {""}
    if not values.get("METRIC") and len(stated) == 1 and "" not in stated:
        settings.metric = parse_metric(*stated)
    return settings
