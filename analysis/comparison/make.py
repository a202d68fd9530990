"""Fit learners beside logistic regression, and say by the engine of orders what came out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.comparison.settings import ComparisonSettings, check_comparison
from analysis.leaderboards import order_page
from analysis.leaderboards.cells import ResultsError
from analysis.leaderboards.formats import COMPARED, from_comparison
from analysis.leaderboards.ordering import Order
from analysis.leaderboards.properties import correlate_properties, say_properties
from analysis.statistics.families import families
from collection.containers.evaluations import METRICS
from collection.datasets.bundled_table import keep_tables
from collection.datasets.csv_file import portable
from collection.learners.learner import to_specs
from collection.project.parameters import SettingsError
from collection.project.requirements import MissingLibraryError
from collection.project.results_folder import check_results
from collection.running import meta_features
from collection.running.engine import Limits
from collection.running.pmlbmini import read_study, run_study, study_tasks, summarise
from collection.shipped.small import FILE, LOGISTIC, METHODS, SUITE, baseline_fits
from collection.store.connection import NoStoreError
from collection.suites.qualities import qualities_of
from collection.suites.specs import find_suite
from collection.tasks import Task, load_task

PROPERTIES = "properties.csv"
NAMES = (*order_page.NAMES, COMPARED, PROPERTIES)


@dataclass(frozen=True, eq=False)
class Comparison:
    """A comparison that was made.

    Attributes
    ----------
    order : Order
        What the order of all methods is worth.
    said : list of str
        What is said of each learner in question, and what failed, a line each.
    fits : pandas.DataFrame
        Every fit; see `collection.running.pmlbmini.read_study`.
    lost : Counter of str
        Reasons why fits could not be made here, and how many; running again tries them again.
    page : Path
        The page of the order.
    properties : pandas.DataFrame, optional
        Which properties go with gains (META): `correlate_properties`, and their ``group``.
    """

    order: Order
    said: list[str]
    fits: pd.DataFrame
    lost: Counter[str]
    page: Path
    properties: pd.DataFrame | None = None


def compare(learner: object, suite: str | Mapping[str, tuple] = "",
            out: str | Path = "my_comparison", **parameters: object) -> Comparison:
    """Compare learners with logistic regression and the baselines, and write the page.

    Parameters
    ----------
    learner : estimator, str, or sequence of them
        Any scikit-learn classifier, or its text; see `collection.evaluate`.
    suite : str or mapping of str to tuple, optional
        By default pmlbmini, whose baselines ship; ``dummy`` tries a learner out in seconds. Tables
        in memory: name → (X, y), or (data frame, name of its target); they are kept in `out`.
    out : str or Path
        Folder of the page and the fits. Run again, it goes on where it was.
    **parameters
        As of ``make compare``, in lower case: ``tasks``, ``folds``, ``metric``, ``tie``, …

    Returns
    -------
    Comparison

    Raises
    ------
    LearnerSpecError, UnknownNameError, SettingsError, DatasetError, TaskError
        Before anything is fitted.
    ResultsError
        Where fewer than two methods have a result.
    """
    where = {"SUITE": suite} if isinstance(suite, str) else {
        "TASKS": keep_tables(suite, Path(out) / "tables")}
    values = {"LEARNER": to_specs(learner), "OUT": out} | where
    return carry_out(check_comparison(
        values | {name.upper(): value for name, value in parameters.items()}))


def load_baselines() -> pd.DataFrame:
    """Return the baselines on PMLBmini that ship, means over the three folds.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset, method, split`` (``test``: rows held out; ``train``: fitted and scored
        on all rows), ``auc`` (NaN where a fit failed or was not made), ``status, hyperparameters``
        (of the folds, JSON), ``message, seconds``.
    """
    return summarise(baseline_fits())


def carry_out(settings: ComparisonSettings) -> Comparison:
    """Fit what the folder lacks, order, write; see `compare`."""
    check_results(settings.out, NAMES)
    tasks = settings.find_tasks()
    known = FILE.exists() and set(tasks) <= set(find_suite(SUITE).tasks)
    has_baselines = known and settings.metric in baseline_fits()
    units, without = _units(settings.meta)
    own = [name for name in settings.learner if name != METHODS[LOGISTIC].learner]
    if not own and not has_baselines:
        raise SettingsError("LEARNER: logistic regression is what others are held against; name "
                            "another.")
    learners = own if has_baselines and own else [*own, METHODS[LOGISTIC].learner]
    lost = run_study(tasks, learners, settings.out,
                     Limits(settings.time_limit, settings.memory_limit), WORKERS=settings.workers)
    unmade = [f"{count} fits could not be made: {why}" for why, count in lost.items()]
    try:
        fits = _fits(settings, tasks, learners, has_baselines)
        unmade = _failures(fits, settings.metric) + unmade
        worth = order_page.weigh(from_comparison(fits), tie=settings.tie)
    except (NoStoreError, ResultsError) as error:  # not one was made, or all of a learner failed
        raise type(error)(". ".join([*unmade, str(error)])) from None
    said = [*(order_page.about(worth.order, name, LOGISTIC) for name in own), *unmade]
    if known and not has_baselines:
        said.append(f"The baselines that ship hold no {settings.metric}, only AUC, and are left "
                    "out but for logistic regression, fitted here: name those you want in LEARNER.")
    properties = None
    if units or settings.meta == ("yes",):
        properties = _properties(fits, tasks, settings, units)
        said += [say_properties(properties), *without]
    page = order_page.write_order(worth, " and ".join(own) or LOGISTIC, settings.out,
                                  [*said, _how(settings, tasks, has_baselines)],
                                  {COMPARED: fits, PROPERTIES: properties})
    return Comparison(worth.order, said, fits, lost, page, properties)


def _fits(settings: ComparisonSettings, tasks: Sequence[Task], learners: Iterable[str],
          has_baselines: bool) -> pd.DataFrame:
    """Return the fits of learners and baselines on the tasks, with the families of their data."""
    found, facts = read_study(settings.out, settings.metric), study_tasks(settings.out)
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
    family = dict(zip(names, families(task.dataset for task in tasks), strict=True))
    return found.assign(family=found["dataset"].map(family))


def _units(meta: tuple[str, ...]) -> tuple[dict[str, Sequence[meta_features.Unit]], list[str]]:
    """Return what PyMFE is asked for by group; and what is said where it is not installed.

    Raises `MissingLibraryError` where it is not, and groups were named.
    """
    groups = meta_features.NAMED.get(meta[0], meta)
    try:
        return {group: meta_features.units_of([group]) for group in groups}, []
    except MissingLibraryError as error:
        if meta != ("yes",):
            raise
        return {}, [f"PyMFE's groups {', '.join(groups)} were not looked at. {error}"]


def _properties(fits: pd.DataFrame, tasks: Sequence[Task], settings: ComparisonSettings,
                units: Mapping[str, Sequence[meta_features.Unit]]) -> pd.DataFrame:
    """Return how properties of the tasks' datasets go with gains over logistic regression."""
    loaded = [load_task(task) for task in tasks]
    found = qualities_of(task.dataset for task in loaded).drop(columns=["dataset", "name"])
    found = found.select_dtypes("number").set_axis([task.name for task in loaded]).assign(
        rows_per_feature=lambda t: t["rows"] / t["features"])
    groups = [pd.Series("table", found.columns)]
    named = [replace(task.task, name=task.name, fingerprint=task.dataset.fingerprint)
             for task in loaded]
    for group, asked in units.items():
        folder = settings.out / "meta_features" / group
        meta_features.gather(named, folder, asked)
        values, of_group = meta_features.read_table(named, folder)
        found = found.join(values.replace([np.inf, -np.inf], np.nan))
        groups.append(of_group)
    metric = settings.metric
    scores = fits[fits["split"] == "test"].groupby(["dataset", "method"], sort=False)[metric].agg(
        lambda folds: folds.mean(skipna=False)).unstack()
    scores = -scores if METRICS[metric].lower_is_better else scores
    table = correlate_properties(scores, found, LOGISTIC, fits.drop_duplicates("dataset").set_index(
        "dataset")["family"], correlation=settings.correlation)
    return table.assign(group=table["property"].map(pd.concat(groups)))


def _failures(fits: pd.DataFrame, metric: str) -> list[str]:
    """Return what failed or gave no scores: method, status, why, and how often."""
    failed = fits[(fits["status"] != "ok") | fits[metric].isna()].fillna({"message": ""})
    groups = failed.groupby(["method", "status", "message"], sort=False)["dataset"]
    return [f"{len(datasets)} fits of {method} on {datasets.nunique()} datasets: "
            f"{'no scores' if status == 'ok' else status}{f' ({why})' if why else ''}"
            for (method, status, why), datasets in groups]


def _how(settings: ComparisonSettings, tasks: Sequence[Task], has_baselines: bool) -> str:
    """Say in words how it was done."""
    split = "; ".join(dict.fromkeys(task.procedure.words for task in tasks))
    return (f"{len(tasks)} datasets, {settings.suite or 'named one by one'}. Test "
            f"{METRICS[settings.metric].label} of a {split}; a fit was stopped after "
            f"{settings.time_limit:g} seconds or at {settings.memory_limit / 1e9:g} GB. "
            + ("The baselines were run before, with other limits (an hour, 4 GB), and ship with "
               "the project. " if has_baselines else "")
            + f"Every fit, on all rows as well, is in {COMPARED}.")
