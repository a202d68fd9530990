"""What ``make suite DO=…`` runs: an action each, with the keys that it needs and takes."""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from collection.commands.command import Command, usage
from collection.containers.curves import Status
from collection.containers.metrics import choose_metrics
from collection.datasets import DatasetError
from collection.project.naming import check_known
from collection.project.parameters import Parameter, items, parse_int, read_parameters, yes_or_no
from collection.project.results_folder import check_results, note_written, written_as_own
from collection.project.shown import write_csv
from collection.store.evaluation_reader import open_evaluations
from collection.suites import create as creating
from collection.suites import suite as files
from collection.suites.bundle import write_bundle
from collection.suites.duplicates import find_duplicates
from collection.suites.qualities import parse_filters
from collection.suites.specs import BUNDLE, FILE, SUITE, find_suite, shipped_files
from collection.suites.suite import Suite, SuiteError
from collection.tasks import CrossValidation, TaskError, load_task
from collection.tasks.procedures import HoldOut

ABOUT = """\
Suites of tasks: make, look at, compare and pass on.

  make suite DO=create NAME=mine FROM="keel sklearn" FILTER="rows=500..5000 classes=2"

DO is one of these; what each needs comes first, in brackets what it also takes:

"""


@dataclass(frozen=True)
class Action:
    """One thing that `make suite` does.

    Attributes
    ----------
    run : callable
        From the values given to an exit status.
    about : str
        For ``--help``.
    needs, takes : tuple of str
        Keys that have to be, and may be given.
    """

    run: Callable[[Mapping[str, str]], int]
    about: str
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()


READERS = {"FOLDS": lambda value: parse_int(value, least=2), "RELEASE": yes_or_no,
           "REPEATS": lambda value: parse_int(value, least=1), "SEND": yes_or_no,
           "HOLDOUT": lambda value: _share(str(value))}
KEYS = {name: Parameter(name, READERS.get(name, str), default, about) for name, default, about in (
    ("DO", "show this", "one of the above"),
    ("SUITE", None, "a shipped suite, the file (.toml) or bundle (.zip) of one, openml:NUMBER or "
     "openml:ALIAS"),
    ("NAME", None, "of the new suite"),
    ("VERSION", "1.0", "of the new suite"),
    ("OUT", "NAME.toml, or the suite's name with .zip", "file or folder to write"),
    ("FROM", None, "where datasets come from, separated by spaces: keel, sklearn, pmlb for all "
     "of them, or specs such as keel:vehicle, csv:my.csv?target=class, openml:54, suite:classic"),
    ("FILTER", None, "conditions on qualities, such as rows=500..5000 classes=2 source=keel "
     "licence=CC*"),
    ("CRITERIA", None, "cc18 for all automatic ones of CC-18, or names of them"),
    ("FOLDS", "10", "of the cross-validation"),
    ("REPEATS", "1", "of the cross-validation or hold-out that the suite states"),
    ("HOLDOUT", None, "instead of FOLDS: the share of rows held out, such as 33% or 0.33"),
    ("ONLY", None, "datasets to keep"),
    ("WITHOUT", None, "datasets to leave out"),
    ("CREATOR", None, "who made it"),
    ("LICENCE", None, "of the suite"),
    ("DESCRIPTION", None, "what it is for"),
    ("WHO", None, "who decides"),
    ("ANSWERS", None, "the questions.csv that curate wrote, answered and saved as another file"),
    ("SEND", "no", "yes: publish; otherwise only say what would be"),
    ("METRIC", None, "by which the suite has its tasks judged: METRIC, or PROBLEM=METRIC as "
     "evaluate's METRICS; of what others published: error_rate (unless given), auc or f1"),
    ("TIME_LIMIT", None, "that the suite states for each fit, such as 10min; evaluate holds it"),
    ("MEMORY_LIMIT", None, "that the suite states for each fit, such as 4GB"),
    ("RUNS", None, "show what was run on its tasks, by which flows (learner and settings): a "
     "folder that make evaluate wrote, or openml for what others published there"),
    ("RELEASE", "no", "yes: from now on it does not change any more"),
)}
UNSTATED = "AUC of two classes, log-loss of more, RMSE of numbers (none is stated)"
STATED = ("CREATOR", "LICENCE", "DESCRIPTION", "TIME_LIMIT", "MEMORY_LIMIT", "RELEASE")


def _share(text: str) -> float:
    percent = text.strip().endswith("%")
    share = float(text.strip().removesuffix("%")) / (100 if percent else 1)
    if not 0 < share < 1:
        raise ValueError(f"a share of the rows is needed, such as 33% or 0.33, not {text!r}")
    return share


def _list(values: Mapping[str, str]) -> int:
    for name, path in shipped_files().items():
        if "@" not in name:
            suite = files.read_suite(path)
            print(f"{name:<16}{suite.version:<8}{len(suite.tasks):>4} tasks  "
                  f"{suite.description.partition('. ')[0]}")
    return 0


def _show(values: Mapping[str, str]) -> int:
    suite = find_suite(values["SUITE"])
    if "OUT" in values and "RUNS" not in values:
        raise SuiteError("OUT takes what was run: give RUNS as well.")
    if "OUT" in values:
        with written_as_own(Path(values["OUT"])) as part:
            write_csv(_runs(suite, values), part)
    elif "RUNS" in values:
        print(_runs(suite, values).to_string(index=False, float_format="{:.4g}".format))
    else:
        print(f"# {suite.label}")
        counts = Counter((task.metric or UNSTATED, task.procedure.words) for task in suite.tasks)
        for (metric, words), n in counts.items():
            print(f"# {n} task{'s' * (n > 1)}: {words}; by {metric}")
        print("\n" + files.suite_text(suite), end="")
    return 0


def _runs(suite: Suite, values: Mapping[str, str]) -> pd.DataFrame:
    """Return what was run on a suite's tasks: a row per task and flow, means over folds."""
    if values["RUNS"] == "openml":
        from collection.commands.publishing import import_runs

        found = import_runs(suite, values.get("METRIC", "error_rate"))
        return found.drop(columns="fold").rename(columns={"method": "flow"})
    known = open_evaluations(values["RUNS"])
    known = known.isel(task=known["spec"].isin(suite.datasets).values)
    over, ran = ("repeat", "fold"), known["status"] != Status.not_run
    counted = known[["train_time"]].mean(over).rename(train_time="seconds").assign(
        folds=ran.sum(over), failed=(ran & (known["status"] != Status.ok)).sum(over),
        error=known["error"].sel(split="test", drop=True).mean(over))
    table = counted.to_dataframe().reset_index().query("folds > 0")
    if table.empty:
        raise SuiteError(f"{values['RUNS']} holds no run on a task of {suite.label}. Make some: "
                         f"make evaluate SUITE={values['SUITE']} OUT={values['RUNS']}")
    table = table.rename(columns={"learner": "flow", "hyperparameters": "settings"})
    return table[["task", "flow", "folds", "failed", "metric", "error", "seconds", "settings"]]


def _candidates(values: Mapping[str, str]):
    filters = parse_filters(values.get("FILTER", ""))
    if "HOLDOUT" in values and "FOLDS" in values:
        raise SuiteError("FOLDS and HOLDOUT exclude each other.")
    repeats = values.get("REPEATS", 1)
    procedure = (HoldOut(values["HOLDOUT"], repeats) if "HOLDOUT" in values
                 else CrossValidation(values.get("FOLDS", 10), repeats))
    return creating.load_candidates(items(values["FROM"]), procedure), filters


def _criteria(values: Mapping[str, str], all_of: Sequence[str]) -> list[str]:
    asked = items(values.get("CRITERIA", ""))
    return list(all_of) if asked == ["cc18"] else asked


def _filter(values: Mapping[str, str]) -> int:
    candidates, filters = _candidates(values)
    table = creating.choose(candidates, filters, _criteria(values, creating.AUTOMATIC))
    shown = table[["dataset", "rows", "features", "classes", "class_ratio", "missing_values",
                   "passes", "why"]]
    with pd.option_context("display.width", 200, "display.max_colwidth", 60):
        print(shown.to_string(index=False, max_rows=None))
    print(f"{int(table['passes'].sum())} of {len(table)} pass.")
    return 0


def _create(values: Mapping[str, str]) -> int:
    return _made(values, _criteria(values, creating.AUTOMATIC), _out(values))


def _curate(values: Mapping[str, str]) -> int:
    folder, known = Path(values["OUT"]), [*creating.AUTOMATIC, *creating.ASKED]
    check_results(folder, [creating.QUESTIONS, creating.CANDIDATES, f"{values['NAME']}{FILE}"])
    return _made(values, _criteria(values, known) or known, folder / f"{values['NAME']}{FILE}")


def _made(values: Mapping[str, str], criteria: Sequence[str], path: Path) -> int:
    """Make a suite of what passes; or, where a person is asked first, write down the questions."""
    metrics = choose_metrics(items(values["METRIC"])) if "METRIC" in values else None
    candidates, filters = _candidates(values)
    done = creating.curate(candidates, filters, criteria, values.get("WHO", ""),
                           values.get("ANSWERS"))
    for row in done.table[~done.table["passes"]].itertuples():
        why = row.why if row.dataset in candidates.failed else f"{row.dataset}: {row.why}"
        print(f"suite: left out: {why}", file=sys.stderr)
    for group in done.duplicates:
        print(f"suite: the same rows: {', '.join(group)}", file=sys.stderr)
    if len(done.questions):
        for name, table in ((creating.QUESTIONS, done.questions),
                            (creating.CANDIDATES, done.table)):
            with written_as_own(path.parent / name) as part:
                write_csv(table, part)
    if done.open:
        print(f"suite: answer {path.parent / creating.QUESTIONS} in the columns keep (yes or no) "
              "and why, save it as another file, and run the same command with ANSWERS=that file.",
              file=sys.stderr)
        return 1
    tasks = creating.make_tasks(
        candidates, done.table.loc[done.table["passes"], "dataset"], metrics)
    suite = Suite(values["NAME"], values.get("VERSION", "1.0"), tasks,
                  creator=values.get("WHO", ""), filters=tuple(map(str, filters)),
                  criteria=tuple(criteria), decisions=done.decisions, duplicates=done.duplicates,
                  derived_from=", ".join(find_suite(spec.removeprefix(SUITE)).reference
                                         for spec in items(values["FROM"])
                                         if spec.startswith(SUITE)))
    return _save(suite, values, path)


def _out(values: Mapping[str, str]) -> Path:
    """Return the file to write, one that is not there or that a run has written."""
    path = Path(values.get("OUT") or f"{values['NAME']}{FILE}")
    check_results(path.parent, [path.name])
    return path


def _save(suite: Suite, values: Mapping[str, str], path: Path | None = None) -> int:
    changes = {key.lower(): values[key] for key in STATED[:-1] if values.get(key)}
    suite = replace(suite, **changes)
    if values.get("RELEASE"):
        suite = files.release_suite(suite)
    path = files.write_suite(suite, path or _out(values))
    note_written(path.parent, {path.name: path})
    print(f"{suite.label}: {len(suite.tasks)} tasks, in {path}."
          f' Evaluate learners on it: make evaluate SUITE={path} LEARNERS="KNN LDA"')
    return 0


def _subset(values: Mapping[str, str]) -> int:
    _out(values)
    return _save(files.subset_suite(find_suite(values["SUITE"]), values["NAME"],
                              values.get("VERSION", "1.0"), only=items(values.get("ONLY", "")),
                              without=items(values.get("WITHOUT", ""))), values)


def _verify(values: Mapping[str, str]) -> int:
    suite = find_suite(values["SUITE"])
    wrong = 0
    for task in suite.tasks:
        try:
            load_task(task)
        except (DatasetError, TaskError, ValueError) as error:
            wrong += 1
            print(f"suite: {error}", file=sys.stderr)
    print(f"{suite.label}: {len(suite.tasks) - wrong} of {len(suite.tasks)} tasks are as stated.")
    return 1 if wrong else 0


def _bundle(values: Mapping[str, str]) -> int:
    suite = find_suite(values["SUITE"])
    path = _out({"OUT": f"{suite.name}-{suite.version}{BUNDLE}", **values})
    write_bundle(suite, path)
    note_written(path.parent, {path.name: path})
    print(f"{suite.label}: {len(suite.tasks)} tasks with data and splits in {path} "
          f"({path.stat().st_size / 1e6:.1f} MB). On another machine, without a network: "
          f"make evaluate SUITE={path}")
    return 0


def _release(values: Mapping[str, str]) -> int:
    path = Path(values["SUITE"])
    if path.suffix != FILE:
        raise SuiteError(f"SUITE must be the file of a draft, *{FILE}, not {values['SUITE']}.")
    return _save(files.read_suite(path), {"RELEASE": True}, path)


def _publish(values: Mapping[str, str]) -> int:
    from collection.commands.publishing import publish_suite

    sure = values.get("SEND", False)
    for line in publish_suite(find_suite(values["SUITE"]), values["OUT"], dry_run=not sure):
        print(line)
    if not sure:
        print("Nothing was sent. SEND=yes does it, with the key in OPENML_APIKEY.")
    return 0


def _find_duplicates(values: Mapping[str, str]) -> int:
    candidates, _ = _candidates(values)
    found = find_duplicates(candidates.datasets.values())
    print(found.to_string(index=False) if len(found) else "No two hold the same rows.")
    return 0


ACTIONS = {
    "list": Action(_list, "the shipped suites"),
    "show": Action(_show, "all that a suite says, or what was run on it", ("SUITE",),
                   ("RUNS", "METRIC", "OUT")),
    "filter": Action(_filter, "what passes, and what the rest fails", ("FROM",),
                     ("FILTER", "CRITERIA", "FOLDS")),
    "create": Action(_create, "a suite of what passes", ("NAME", "FROM"),
                     ("FILTER", "CRITERIA", "METRIC", "FOLDS", "REPEATS", "HOLDOUT", "VERSION",
                      "OUT", *STATED)),
    "curate": Action(_curate, "the protocol 1a to 2e, with questions that a person answers",
                     ("NAME", "FROM", "WHO", "OUT"),
                     ("FILTER", "CRITERIA", "FOLDS", "VERSION", "ANSWERS", *STATED)),
    "subset": Action(_subset, "a suite with fewer", ("SUITE", "NAME"),
                     ("ONLY", "WITHOUT", "VERSION", "OUT", *STATED)),
    "release": Action(_release, "a draft as it is, for good", ("SUITE",)),
    "verify": Action(_verify, "whether its datasets are what they were", ("SUITE",)),
    "duplicates": Action(_find_duplicates, "datasets that hold the same rows", ("FROM",),
                         ("FILTER", "FOLDS")),
    "bundle": Action(_bundle, "one file with data and splits, no server needed", ("SUITE",),
                     ("OUT",)),
    "publish": Action(_publish, "its tasks and itself, to OpenML", ("SUITE", "OUT"), ("SEND",)),
}


def suite_work() -> Command:
    """Return the command that makes suites, looks at them and passes them on."""
    lines = []
    for name, action in ACTIONS.items():
        takes = f" [{' '.join(action.takes)}]" if action.takes else ""
        lines.append(f"  {name:<12}{action.about}\n{'':14}{' '.join(action.needs)}{takes}")
    return Command("suite", ABOUT + "\n".join(lines) + "\n\nParameters (defaults in brackets):\n",
                KEYS, _do, _check)


def _check(values: Mapping[str, str]) -> dict[str, str]:
    """Return the values, where their DO is there and has all it needs and nothing else."""
    name = values.get("DO")
    if not name:
        return {}
    check_known("thing to do", [name], ACTIONS)
    action = ACTIONS[name]
    check_known(f"parameter of DO={name}", values, ["DO", *action.needs, *action.takes])
    if lacking := [key for key in action.needs if not values.get(key)]:
        raise SuiteError(f"{lacking[0]} is missing: {KEYS[lacking[0]].about}")
    given = {key: KEYS[key] for key in values if values[key]}
    read = read_parameters({key: values[key] for key in given}, given)
    return {key: read[key.lower()] for key in given}


def _do(settings: Mapping[str, str], _: Mapping[str, str]) -> int:
    if not settings:
        print(usage(suite_work()))
        return 0
    return ACTIONS[settings["DO"]].run({k: v for k, v in settings.items() if k != "DO"})
