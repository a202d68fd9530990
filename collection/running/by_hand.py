"""Gathering and evaluating from Python: what is in memory, given as it is."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from collection.datasets.bundled_table import keep_tables
from collection.learners.learner import to_specs
from collection.running import curve_plan, evaluation_plan
from collection.running.curve_settings import WorkSettings
from collection.running.curve_settings import check_settings as check_curves
from collection.running.engine import Outcome
from collection.running.evaluation_settings import check_settings as check_evaluations
from collection.running.work import Plan, run

Tables = str | Sequence[str] | Mapping[str, tuple]


def collect(datasets: Tables, learners: object = (), out: str | Path = "my_curves",
            **parameters: object) -> Outcome:
    """Gather learning curves, as ``make collect`` does.

    Parameters
    ----------
    datasets : str, sequence of str, or mapping of str to tuple
        As ``DATASETS``; or tables in memory: name → (X, y), or (data frame, name of its target).
        These are kept in `out`, called by their content, so that a run goes on and merges.
    learners : estimator, str, or sequence of them
        Names, texts such as ``sklearn.svm.SVC(C=10)``, or estimators. A class that was made in a
        notebook is sent to the processes that fit, and stored by its name and a digest of its
        source: a run goes on while that is as it was, wherever the class is at hand. A parameter
        that is neither a literal nor an estimator, such as a function, is refused.
    out : str or Path
        Folder that `analysis.load_curves` opens. Run again, it goes on where it was.
    **parameters
        As of ``make collect``, in lower case: ``anchors``, ``outer``, ``workers``, …

    Returns
    -------
    collection.running.engine.Outcome

    Raises
    ------
    LearnerSpecError, UnknownNameError, SettingsError, DatasetError
        Before anything is fitted.
    """
    return _carry_out("DATASETS", datasets, learners, out, parameters, check_curves,
                      curve_plan.make_plan)


def evaluate(tasks: Tables = (), learners: object = (), out: str | Path = "my_runs",
             **parameters: object) -> Outcome:
    """Evaluate learners on tasks by cross-validation, as ``make evaluate`` does.

    Parameters
    ----------
    tasks : str, sequence of str, or mapping of str to tuple
        As ``TASKS``, or tables in memory; with ``suite="classic"`` none.
    learners, out, **parameters
        As of `collect`; ``folds``, ``bags``, ``metrics``, … `analysis.load_evaluations` opens
        `out`.

    Returns
    -------
    collection.running.engine.Outcome

    Raises
    ------
    LearnerSpecError, UnknownNameError, SettingsError, DatasetError, TaskError
        Before anything is fitted.
    """
    return _carry_out("TASKS", tasks, learners, out, parameters, check_evaluations,
                      evaluation_plan.make_plan)


def _carry_out(of: str, data: Tables, learners: object, out: str | Path,
               parameters: Mapping[str, object], check: Callable[..., WorkSettings],
               make_plan: Callable[..., Plan]) -> Outcome:
    specs = to_specs(learners)
    kept = keep_tables(data, Path(out) / "tables") if isinstance(data, Mapping) else data
    settings = check({of: kept, "LEARNERS": specs, "OUT": out}
                     | {name.upper(): value for name, value in parameters.items()})
    return run(settings, make_plan(settings))
