"""Run a comparison and write its report; or compare the learners of a study that is stored."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.comparison.baselines import baseline_fits
from analysis.comparison.judge import Verdict, judge
from analysis.comparison.page import write_page
from analysis.comparison.settings import ComparisonSettings, check_comparison
from analysis.databases.evaluations import load_evaluations
from analysis.leaderboards import leaderboard
from analysis.leaderboards.formats import from_evaluations
from collection.datasets.csv_file import portable
from collection.learners.learner import to_spec
from collection.project.results_folder import (
    check_beside,
    check_results,
    results_of_a_run,
    written_as_own,
)
from collection.running.engine import Limits
from collection.running.study import PAPER, read_study, run_study, study_tasks
from collection.shipped.small import FILE, LOGISTIC, METHODS, SUITE
from collection.store.evaluations import EVALUATIONS
from collection.suites.specs import find_suite
from collection.tasks import Task

BOARD = "leaderboard.csv"  # beside the runs that it compares
PAGE = "report.html"
TABLES = ("test", "train", "pairs", "practical", "bands", "chosen", "failures")
INDEXED = ("test", "train")
NAMES = (PAGE, *(f"{name}.csv" for name in (*TABLES, "ranks", "fits")))


@dataclass(frozen=True, eq=False)
class Comparison:
    """A comparison that was made.

    Attributes
    ----------
    verdict : Verdict
        Its tables.
    fits : pandas.DataFrame
        Every fit; see `collection.running.study.read_study`.
    lost : Counter of str
        Reasons why fits could not be made here, and how many; running again tries them again.
    page : Path
        The report.
    """

    verdict: Verdict
    fits: pd.DataFrame
    lost: Counter[str]
    page: Path


def compare(learner: object, suite: str = "", out: str | Path = "my_comparison",
            **parameters: object) -> Comparison:
    """Compare learners with logistic regression and the baselines, and write the report.

    Parameters
    ----------
    learner : estimator, str, or sequence of them
        Any scikit-learn classifier that other processes can import, or its text.
    suite : str, optional
        By default pmlbmini, whose baselines ship; ``dummy`` tries a learner out in seconds.
    out : str or Path
        Folder of the report and the fits. Run again, it goes on where it was.
    **parameters
        As of ``make compare``, in lower case: ``tasks``, ``folds``, ``repeats``, ``time_limit``, …

    Returns
    -------
    Comparison

    Raises
    ------
    LearnerSpecError, UnknownNameError, SettingsError, DatasetError, TaskError
        Before anything is fitted.
    """
    single = (isinstance(learner, str) or hasattr(learner, "get_params")
              or not isinstance(learner, Iterable))
    learners = [to_spec(one) for one in ([learner] if single else learner)]
    values = {"LEARNER": learners, "SUITE": suite, "OUT": out}
    return carry_out(check_comparison(
        values | {name.upper(): value for name, value in parameters.items()}))


def carry_out(settings: ComparisonSettings) -> Comparison:
    """Fit what the folder lacks, judge, write; see `compare`."""
    check_results(settings.out, NAMES)
    tasks = settings.find_tasks()
    has_baselines = _has_baselines(tasks)
    own = [name for name in settings.learner if name != METHODS[LOGISTIC].learner]
    learners = own if has_baselines and own else [*own, METHODS[LOGISTIC].learner]
    lost = run_study(tasks, learners, settings.out,
                     Limits(settings.time_limit, settings.memory_limit), WORKERS=settings.workers)
    fits, rows = _fits(settings, tasks, learners, has_baselines)
    verdict = judge(fits, rows, settings.rope, methods=[*own, LOGISTIC])
    verdict.notes.extend(_twins(tasks))
    page = write_page(verdict, own, _how(settings, tasks, has_baselines), lost)
    return Comparison(verdict, fits, lost, _write(settings.out, verdict, fits, page))


def _twins(tasks: Sequence[Task]) -> list[str]:
    """Return a note where datasets of PMLBmini are the same under two names."""
    there = {task.dataset for task in tasks}
    pairs = [" = ".join(name.removeprefix("pmlb:") for name in group)
             for group in find_suite(SUITE).duplicates if set(group) <= there]
    return [f"The same rows under two names, each counted as a dataset: {', '.join(pairs)}."
            ] if pairs else []


def _has_baselines(tasks: Sequence[Task]) -> bool:
    """Tell whether the shipped baselines were run on these very tasks."""
    known = {task.name for task in find_suite(SUITE).tasks if task.procedure == PAPER}
    return (FILE.exists() and all(task.procedure == PAPER for task in tasks)
            and {task.name for task in tasks} <= known
            and all(task.dataset == f"pmlb:{task.name}" for task in tasks))


def _fits(settings: ComparisonSettings, tasks: Sequence[Task], learners: Iterable[str],
          has_baselines: bool) -> tuple[pd.DataFrame, pd.Series]:
    """Return the fits of learners and baselines on the tasks, and the rows of their datasets."""
    found = read_study(settings.out)
    facts = study_tasks(settings.out)
    specs = [portable(task.spec, settings.out / "folds") for task in tasks]
    names = [task.name or facts.index[facts["spec"].isin((spec, task.spec))][0]
             for task, spec in zip(tasks, specs, strict=True)]
    found = found[found["learner"].isin(set(learners)) & found["dataset"].isin(names)]
    to_method = {METHODS[LOGISTIC].learner: LOGISTIC}
    found = found.assign(method=found["learner"].replace(to_method)).drop(columns="learner")
    if has_baselines:
        shipped = baseline_fits().query("status != 'not_run'")
        shipped = shipped[shipped["dataset"].isin(names) & ~shipped["method"].isin(
            found["method"])].assign(repeat=0)
        found = pd.concat([found, shipped[found.columns]], ignore_index=True)
    return found, facts.loc[names, "rows"].sort_values(kind="stable")


def _how(settings: ComparisonSettings, tasks: Sequence[Task], has_baselines: bool) -> str:
    """Say in words how it was done."""
    what = f"the suite {settings.suite}" if settings.suite else "datasets named one by one"
    shuffled = "shuffled" if settings.repeats > 1 else "in the order of the rows"
    told = (f"{len(tasks)} dataset(s), {what}. Test AUC is the mean of a stratified "
            f"{settings.folds}-fold cross-validation, {shuffled}"
            + (f", {settings.repeats} times" if settings.repeats > 1 else "")
            + (", equal rows kept together" if settings.together else "")
            + ". Training AUC is of one fit on all rows. A fit was stopped after "
            f"{settings.time_limit:g} seconds or at {settings.memory_limit / 1e9:g} GB. ")
    return told + ("The baselines were run before, with other limits (an hour, 4 GB), and ship "
                   "with the project." if has_baselines else "")


def _write(out: Path, verdict: Verdict, fits: pd.DataFrame, page: str) -> Path:
    """Write the page and the tables; see `collection.project.results_folder`."""
    with results_of_a_run(out, NAMES) as folder:
        for name in TABLES:
            getattr(verdict, name).to_csv(folder / f"{name}.csv", index=name in INDEXED)
        ranks = verdict.ranks.rename_axis("method").rename("mean_rank").reset_index()
        ranks.to_csv(folder / "ranks.csv", index=False)
        fits.to_csv(folder / "fits.csv", index=False)
        (folder / PAGE).write_text(page, encoding="utf-8")
    return out / PAGE


def compare_runs(folder: str | Path) -> str:
    """Compare the learners of a study, and write the leaderboard beside its runs.

    Parameters
    ----------
    folder : str or Path
        That ``make evaluate`` wrote.

    Returns
    -------
    str
        The leaderboard and what it rests on, to be printed.

    Raises
    ------
    ValueError, OSError
        Where the folder holds no study, or nothing to compare.
    """
    path = Path(folder) / BOARD
    check_beside(Path(folder) / EVALUATIONS.file, BOARD)
    scores = from_evaluations(load_evaluations(folder))
    board = leaderboard(scores, missing="worst").rename_axis("learner").reset_index()
    with written_as_own(path) as part:
        board.to_csv(part, index=False)
    missing = int(scores["value"].isna().sum())
    return (f"{board.round(3).to_string(index=False)}\n{scores['task'].nunique()} tasks, each "
            "counting the same; errors of the task's own metric on test rows. "
            f"{missing} missing results count as the worst. The same in {path}.")
