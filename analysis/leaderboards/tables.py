"""One schema for results: a tidy table, from a CSV, a folder of runs, or a shipped study."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.databases.evaluations import SHIPPED, is_repository, load_evaluations
from analysis.databases.load import DATABASES, load_curves
from analysis.leaderboards import formats
from analysis.leaderboards.cells import DirectionError, ResultsError, ask, lower_by_row, to_cells
from analysis.leaderboards.estimates import estimate_ranks
from analysis.leaderboards.reading import read_frame, read_table
from analysis.statistics.families import family_of
from collection.containers.curves import tidy_table
from collection.datasets.dataset import DatasetError
from collection.datasets.files import read_cells
from collection.official.lcdb11 import datasets_table
from collection.project.arguments import checked
from collection.project.naming import UnknownNameError, check_known
from collection.project.opening import read_bytes
from collection.project.paths import DATA, shipped
from collection.reading.text import structured_cells
from collection.store.curves import CURVES

#: The columns of a table of results; ``deviation`` (over ``repeats`` seeds) and ``reason`` (why a
#: value is missing) may follow.
SCHEMA = ("study", "task", "family", "problem", "metric", "higher_is_better", "method", "variant",
          "fold", "seed", "value")
FOLDER = DATA / "results"
#: Studies of our own by name: the fits that are shipped.
OWN = {"own": DATA / "evaluations", "own_small": DATA / "small" / "baselines.csv"}


@checked
def load_results(where: str | Path | pd.DataFrame, columns: Mapping[str, str] | None = None,
                 lower_is_better: bool | None = None,
                 only: Mapping[str, str] | None = None, selection: str = "paper",
                 skip: Iterable[str] = (), sized: bool = False) -> pd.DataFrame:
    """Open a table of results.

    Parameters
    ----------
    where : str, Path or pandas.DataFrame
        The name of a shipped study (`shipped_studies`) or of our own (``own``, each family's
        default config; ``own_small``, what was run on PMLBmini), a CSV (long: a row per result; or
        wide: a row per task, a column per method), a result file of the AutoML benchmark, or a
        folder that ``make evaluate`` or ``make compare`` wrote, that is a context of TabRepo, or
        that has submissions to SWE-bench.
    columns : mapping, optional
        Which columns of a CSV are ``task, method, value, fold, seed, family``, where they are not
        guessed right; and ``size``, for `analysis.leaderboards.order_by_size`.
    lower_is_better : bool, optional
        By default told by the table: by a column that says so, or where two witnesses agree (a
        known metric, the name of a column, the values' signs and range, a dummy).
    only : mapping, optional
        Of which rows of a CSV only: a value by column.
    selection : {"paper", "all"}
        Of a shipped study the methods that it compares, each once, as the book and ``make order``
        have them (column ``keep`` of ``data/results/studies.csv``); or every variant that was run.
    skip : iterable of str, optional
        Columns, tasks and methods of a CSV to leave out.
    sized : bool
        Whether a column of sizes is looked for, where results of several stand in a CSV.

    Returns
    -------
    pandas.DataFrame
        The columns of `SCHEMA`, those that are unknown empty; ``value`` is NaN where a result is
        missing, with the ``reason`` where it is known. ``attrs["read"]`` says of a file how it was
        read.

    Raises
    ------
    ResultsError
        For a file that cannot be read as results; a `DirectionError` where it has to be asked
        whether lower is better, a `ChoiceError` where several columns or rows may be meant.
    UnknownNameError
        For what is neither a file nor a name, or for no such selection.
    """
    check_known("selection", [selection], ["paper", "all"])
    if isinstance(where, pd.DataFrame):
        path, table = Path("table"), read_frame(where, columns, only, skip)
    elif str(path := Path(where)) in shipped_studies().index:
        table = _shipped(str(where))
        table = select_methods(table, str(where)) if selection == "paper" else table
    elif str(path) in OWN:
        table = _own(str(path), selection)
    elif path.is_dir():
        table = formats.read_folder(path)
    elif path.exists():
        table = _read_file(path, dict(columns or {}), only, skip, sized)
    else:
        raise UnknownNameError("table of results", str(where), [*shipped_studies().index, *OWN])
    read = table.attrs.get("read")
    if lower_is_better is not None:
        table = table.drop(columns="lower_is_better", errors="ignore").assign(
            higher_is_better=not lower_is_better)
        read = read and {**read, "told": "as you said"}
    elif not {"higher_is_better", "lower_is_better"} & set(table):
        raise _ask(table, read or {})
    table = as_schema(table, path.stem)
    table.attrs = {"read": read} if read else {}
    return table


@checked
def load_table(where: str | Path) -> pd.DataFrame:
    """Open whatever has been measured as a tidy table, a row per measurement.

    Parameters
    ----------
    where : str or Path
        Anything that `analysis.load_curves`, `analysis.load_evaluations` or
        `analysis.load_results` opens; curves come first where a folder has both.

    Returns
    -------
    pandas.DataFrame
        Of curves and evaluations what `collection.containers.curves.tidy_table` returns: a column
        per dim, ``status``, ``message``, and a column per metric (NaN: no value; ``error`` of
        evaluations is the task's own metric as an error). Of results the columns of `SCHEMA`.

    Raises
    ------
    UnknownNameError
        For what is neither a file, a folder nor a name, with the close names.

    Examples
    --------
    >>> import analysis
    >>> table = analysis.load_table("regression")
    >>> valid = table[(table["split"] == "valid") & (table["dataset"] == "meats")]
    >>> float(valid.groupby("learner")["relative_rmse"].min().round(2)["KNN"])
    0.44
    """
    if str(where) in DATABASES or (Path(where) / CURVES.file).is_file():
        return tidy_table(load_curves(where))
    if is_repository(where):
        return tidy_table(load_evaluations(where))
    try:
        return load_results(where)
    except UnknownNameError as error:
        known = [*DATABASES, *SHIPPED, *shipped_studies().index, *OWN]
        raise UnknownNameError("table", str(where), known) from error


def as_schema(table: pd.DataFrame, study: str = "") -> pd.DataFrame:
    """Return a table with all columns of `SCHEMA`, in its order."""
    if "higher_is_better" not in table:
        table = table.assign(higher_is_better=~lower_by_row(table))
    lacking = {c: None for c in SCHEMA if c not in table}
    table = table.assign(**lacking)
    if table["study"].isna().all():
        table["study"] = study
    for extra in ("fold", "seed"):
        table[extra] = table[extra].where(table[extra].notna(), 0)
    rest = [c for c in ("deviation", "repeats", "reason", "size") if c in table]
    return table[[*SCHEMA, *rest]]


def shipped_studies() -> pd.DataFrame:
    """Return what is shipped: ``title, year, file, source, commit, licence, sha256, what``."""
    return pd.read_csv(shipped(FOLDER / "sources.csv"), dtype=str).set_index("study")


def describe_studies() -> pd.DataFrame:
    """Return the studies that *How sure is a leaderboard?* holds side by side.

    Returns
    -------
    pandas.DataFrame
        Index ``study``, a name that `load_results` takes if it may be shipped; ``title, field,
        year``, ``what`` a cell is, what is ``weak``, what to ``keep`` (`select_methods`), and
        ``team``: the study whose group or tasks it shares, with which it counts as one.
    """
    return pd.read_csv(shipped(FOLDER / "studies.csv"), index_col="study")


def known_sizes(study: str) -> pd.DataFrame:
    """Return ``rows`` and ``features`` of a study's tasks, by task, as far as they are known here.

    Those that the study's own table of tasks has, else those of OpenML's datasets of that name.
    """
    beside = FOLDER / f"{study}_tasks.csv"
    if study == "own":
        known = load_evaluations(OWN[study])[["rows", "features"]].to_dataframe()
    elif beside.exists():
        known = pd.read_csv(shipped(beside), dtype={"task": str}).set_index("task")
    else:
        known = datasets_table().drop_duplicates("name", keep=False).set_index("name")
        known = known.rename(columns={"samples": "rows"})
    return known[["rows", "features"]]


def classic_study() -> pd.DataFrame:
    """Return the test errors of a dozen learners on our suite ``classic``.

    Returns
    -------
    pandas.DataFrame
        Columns ``task`` (the dataset's spec), ``method, fold, error`` (error rate; NaN for a
        failed fit).
    """
    table = pd.read_csv(shipped(DATA / "suites" / "classic_study.csv"))
    table["error"] = table["error_rate"].where(table["status"] == "ok")
    return table.rename(columns={"learner": "method"})[["task", "method", "fold", "error"]]


def _own(name: str, selection: str) -> pd.DataFrame:
    """Return our own study: of the book's selection default configs, methods on most tasks."""
    if name == "own":
        table = formats.read_folder(OWN[name])
        default = table["method"].str.endswith("_c1") | (selection == "all")
        return with_families(table[default], name)
    table = _read_file(OWN[name], {}, None, ())
    if selection == "paper":
        table = drop_incomplete(table[~table["method"].str.contains(r"\(")])
    return with_families(table, "pmlbmini")


def _shipped(name: str) -> pd.DataFrame:
    table = pd.read_csv(shipped(FOLDER / shipped_studies().loc[name, "file"]), dtype={"seed": str})
    return with_families(table, name)


def select_methods(table: pd.DataFrame, study: str) -> pd.DataFrame:
    """Return the results that are a study's own comparison.

    Of those that ``data/results/studies.csv`` says it of, only methods of one ``variant``, under
    plain names, and only those that are ``whole``: see `drop_incomplete`.
    """
    for word in str(describe_studies()["keep"].fillna("").get(study, "")).split():
        table = (drop_incomplete(table) if word == "whole" else
                 table[table["variant"] == word].assign(variant=None))
    return table


def drop_incomplete(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out methods that were run on half of the tasks or fewer."""
    known = table[table["value"].notna()]
    share = known.groupby("method")["task"].nunique() / table["task"].nunique()
    return table[table["method"].isin(share.index[share > 0.5])]


def with_families(table: pd.DataFrame, study: str) -> pd.DataFrame:
    """Return a study's table with the families of near-duplicates among its tasks.

    A family that the study itself names stays, where `task_families` knows none.
    """
    task = table["task"].astype(str)
    known = task.map(task_families(task.unique(), study))
    own = table["family"].fillna(task) if "family" in table else task
    return table.assign(family=known.where(known != task, own))


def task_families(tasks: Iterable[object], study: str) -> dict[str, str]:
    """Return the family of near-duplicates of each of a study's tasks, by its name as text.

    ``data/results/families.csv`` lists those that go by names of the study's own, with the reason;
    for other names the registry of `analysis.statistics.families` is asked. Numbers of OpenML's
    tasks are no names of datasets.
    """
    listed = pd.read_csv(shipped(FOLDER / "families.csv"), dtype=str).query("study == @study")
    own = dict(zip(listed["task"], listed["family"], strict=True))
    return {t: own.get(t, t if t.isdigit() else family_of(t)) for t in map(str, tasks)}


def _read_file(path: Path, columns: dict[str, str], only: Mapping[str, str] | None,
               skip: Iterable[str], sized: bool = False) -> pd.DataFrame:
    """Return the table in a file of any layout that is known."""
    notes: list[str] = []
    try:
        if path.suffix.lower() in (".md", ".json", ".jsonl"):
            found = structured_cells(read_bytes(path, ResultsError).decode("utf-8", "replace"))
            if found is None:
                raise ResultsError(f"{path} holds no table with as many cells as names.")
            names, rows = found
        else:
            names, rows, notes = read_cells(path)
    except DatasetError as error:
        raise ResultsError(str(error)) from None
    if not columns and set(names) >= formats.FITS and not set(formats.MEASURES).isdisjoint(names):
        return formats.from_comparison(pd.read_csv(path))
    if not rows:
        raise ResultsError(f"{path} holds no table: a line of names, then a line a result.")
    table = read_table(names, rows, columns, only, skip, sized)
    table.attrs["read"]["notes"] = notes
    return table


def _ask(table: pd.DataFrame, read: Mapping[str, str]) -> DirectionError:
    """Return the question which direction is better, with who leads either way."""
    cells = [to_cells(table.assign(lower_is_better=lower)) for lower in (False, True)]
    leaders = [own.methods[np.round(estimate_ranks(own).level, 9).argmin()] for own in cells]
    speaks = f"{read['speaks']} " if read.get("speaks") else ""
    return DirectionError(
        f"{speaks}{ask([read.get('told', '')])} If higher, {leaders[0]} leads; if lower, "
        f"{leaders[1]}. Say LOWER=no or LOWER=yes (in Python lower_is_better=…).")
