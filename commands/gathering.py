"""The commands that gather: ``collect``, ``evaluate``, ``merge``."""

import logging
import signal
import sys
from collections.abc import Mapping, Set
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from collection.commands.command import Command
from collection.project.paths import CODE
from collection.project.results_folder import check_beside, written_as_own
from collection.project.shown import write_csv

if TYPE_CHECKING:  # a list of commands needs no tables
    import pandas as pd

    from collection.running.work import Plan

NOTEBOOK = CODE / "collect.md"
EVALUATE_NOTEBOOK = CODE / "evaluate.md"
COLLECT = """\
Gather learning curves by the protocol of LCDB 1.1.

  make collect DATASETS="keel:vehicle csv:my.csv?target=class" LEARNERS="KNN LDA" OUT=my_curves

Run it again to go on where it stopped, or with more datasets, learners, scalings or seeds to add
to what is there. Parameters (defaults in brackets):
"""
EVALUATE = """\
Evaluate learners on tasks by cross-validation.

  make evaluate TASKS="keel:vehicle sklearn:wine" LEARNERS="KNN LogisticRegression" OUT=my_runs

Run it again to go on where it stopped, or with more tasks, learners, folds or repeats to add to
what is there. Parameters (defaults in brackets):
"""

MERGE = """\
Merge what make collect, or make evaluate, wrote on several machines into one folder.

  make merge FROM="runs_a runs_b" OUT=my_runs

Where they contradict each other, every conflict is named and nothing is merged. Parameters:
"""


def curve_work() -> Command:
    """Return the command that gathers learning curves."""
    from collection.running.curve_settings import PARAMETERS, check_settings

    return Command("collect", COLLECT, PARAMETERS, _collect, check_settings)


def evaluation_work() -> Command:
    """Return the command that evaluates learners on tasks."""
    from collection.running.evaluation_settings import PARAMETERS, check_settings

    return Command("evaluate", EVALUATE, PARAMETERS, _evaluate, check_settings)


def merge_work() -> Command:
    """Return the command that merges evaluations."""
    from collection.running.evaluation_settings import MERGE_PARAMETERS

    return Command("merge", MERGE, MERGE_PARAMETERS, _merge)


def _collect(settings: Any, values: Mapping[str, str]) -> int:
    # Loaded only now, so that a misspelt parameter is answered at once.
    from collection.running.curve_plan import make_plan
    from collection.running.work import check
    from collection.store import read_keys, summarise_fits
    from collection.store.shards import form_of

    check_beside(settings.out / form_of(settings.out).file, "collect.ipynb")
    plan = check(settings, make_plan, form_of(settings.out))
    _run_alone(NOTEBOOK, settings.out, plan.form.lock, values)
    fits = summarise_fits(settings.out).groupby(["status", "message"])["fits"].sum()
    return _report(settings.out / "collect.ipynb", fits, "fits", read_keys(settings.out), plan)


def _evaluate(settings: Any, values: Mapping[str, str]) -> int:
    from collection.running.evaluation_plan import make_plan
    from collection.running.work import check
    from collection.store import read_keys
    from collection.store.evaluation_reader import read_evaluations
    from collection.store.evaluations import EVALUATIONS

    check_beside(settings.out / EVALUATIONS.file, "evaluate.ipynb", "runs.csv")
    plan = check(settings, make_plan, EVALUATIONS)
    _run_alone(EVALUATE_NOTEBOOK, settings.out, plan.form.lock, values)
    table = read_evaluations(settings.out)
    if len(table):
        _show_means(settings.out)
    return _report(settings.out / "evaluate.ipynb", table.groupby(["status", "message"]).size(),
                   "evaluations", read_keys(settings.out, EVALUATIONS), plan)


def _show_means(folder: Path) -> None:
    """Write every test error to ``runs.csv``, and print the mean of each learner on each task."""
    from collection.containers.curves import tidy_table
    from collection.store.evaluation_reader import open_evaluations

    runs = open_evaluations(folder)
    tests = tidy_table(runs).query("split == 'test'").drop(columns="split")
    with written_as_own(folder / "runs.csv") as part:
        write_csv(tests, part)
    errors = tests.dropna(subset="error")
    for row in tests[~tests["task"].isin(errors["task"])].drop_duplicates("task").itertuples():
        print(f"{row.task}: no evaluation has {row.metric}, by which it is judged. All failed, or "
              "their learners give no probabilities or scores; METRICS=… names another metric.")
    if len(errors):
        print("Mean test error over the folds:")
        means = errors.pivot_table(index=["task", "metric"], columns="learner", values="error")
        print(means.to_string(float_format="{:.4g}".format, na_rep="–"))
    print(f"Every fold is a row of {folder / 'runs.csv'}.")


def _run_alone(notebook: Path, folder: Path, store_lock: str, values: Mapping[str, str]) -> None:
    """Run a notebook into a folder that nobody else writes to."""
    import psutil

    from collection.commands.notebook import run_notebook
    from collection.project.locks import LockedStoreError, held

    folder.mkdir(parents=True, exist_ok=True)
    with held(folder / f"{notebook.stem}.lock"):  # a run that is refused writes no notebook
        with held(folder / store_lock):  # by a run without this command
            pass
        others = psutil.Process().children()
        try:
            run_notebook(notebook, folder / f"{notebook.stem}.ipynb", values)
        except KeyboardInterrupt:  # its process leaves one whole file, which takes a moment
            logging.getLogger("asyncio").disabled = True  # what waited for it would complain
            for process in {*psutil.Process().children()}.difference(others):
                process.send_signal(signal.SIGINT)
            with suppress(LockedStoreError), held(folder / store_lock):
                pass
            raise


def _merge(settings: Mapping[str, Any], values: Mapping[str, str]) -> int:
    from collection.store.merge import merge

    merged = merge(settings["from"], settings["out"])
    print(f"{merged.added:,d} {merged.things} were added to {settings['out']}, {merged.same:,d} "
          f'were there already. Open them: analysis.load_{merged.things}("{settings["out"]}")')
    return 0


def _report(notebook: Path, by_reason: "pd.Series", fits: str, stored: Set, plan: "Plan") -> int:
    """Print what became of the work; return 1 where some is missing."""
    folder, things = notebook.parent, plan.form.things
    for (status, message), count in by_reason.sort_values(ascending=False, kind="stable").items():
        print(f"{count:8,d} {fits} {status}" + (f": {message}" if message else ""))
    print(f"{len(stored):,d} {things} are in {folder}; the notebook is {notebook}. "
          f'Open them: analysis.load_{things}("{folder}")')
    if missing := sum(key not in stored for key in plan.jobs):
        print(f"{notebook.stem}: {missing} of {len(plan.jobs)} {things} are missing; the notebook "
              "says why. Run the same command again to try them again.", file=sys.stderr)
    return 1 if missing else 0
