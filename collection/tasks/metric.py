"""The metrics that a task can be judged by, each as an error: 0 is perfect, less is better."""

from collections.abc import Iterable
from dataclasses import dataclass

from collection.naming import check_known

PROBLEMS = ("binary", "multiclass", "regression")
CLASSES = PROBLEMS[:2]


@dataclass(frozen=True)
class TaskMetric:
    """A metric of the container of evaluations, and how it becomes an error.

    Attributes
    ----------
    name : str
        Variable of the container.
    problems : tuple of str
        Those of `PROBLEMS` that it can measure.
    is_error : bool
        Whether it is an error as it stands; else the error is 1 minus its value.
    openml : str, optional
        What OpenML calls it.
    """

    name: str
    problems: tuple[str, ...]
    is_error: bool = True
    openml: str = ""

    def error(self, value):
        """Return the error for a value of the metric, or for an array of them."""
        return value if self.is_error else 1 - value


TASK_METRICS = {
    m.name: m
    for m in (
        TaskMetric("error_rate", CLASSES, openml="predictive_accuracy"),
        TaskMetric("f1", CLASSES, is_error=False, openml="f_measure"),
        TaskMetric("auc", CLASSES, is_error=False, openml="area_under_roc_curve"),
        TaskMetric("log_loss", CLASSES),
        TaskMetric("rmse", ("regression",), openml="root_mean_squared_error"),
        TaskMetric("mae", ("regression",), openml="mean_absolute_error"),
        TaskMetric("r2", ("regression",), is_error=False),
    )
}
# As in TabRepo (Section 3): what a task is judged by that names no metric itself.
DEFAULTS = {"binary": "auc", "multiclass": "log_loss", "regression": "rmse"}


def choose_metrics(words: Iterable[str]) -> dict[str, str]:
    """Return the metric of every kind of problem.

    Parameters
    ----------
    words : iterable of str
        ``METRIC``, for every problem that it can measure, or ``PROBLEM=METRIC``; later words
        count more, and what none names keeps the default: AUC for two classes, log-loss for
        more, root mean squared error for regression.

    Raises
    ------
    UnknownNameError
        For an unknown metric or problem.
    ValueError
        For a metric that cannot measure the problem it is meant for.
    """
    chosen = dict(DEFAULTS)
    for word in words:
        problem, equals, name = word.rpartition("=")
        check_known("metric", [name], TASK_METRICS)
        problems = TASK_METRICS[name].problems
        if equals:
            check_known("kind of problem", [problem], PROBLEMS)
            check_measures(name, problem)
            problems = (problem,)
        chosen |= dict.fromkeys(problems, name)
    return chosen


def check_measures(metric: str, problem: str) -> None:
    """Raise `ValueError` where the metric cannot measure problems of that kind."""
    if problem not in TASK_METRICS[metric].problems:
        fitting = [m.name for m in TASK_METRICS.values() if problem in m.problems]
        raise ValueError(f"the metric {metric!r} does not measure a {problem} problem; "
                         f"these do: {', '.join(fitting)}")
