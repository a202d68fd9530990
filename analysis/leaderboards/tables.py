"""One schema for results: a tidy table, from a CSV, a folder of runs, or a shipped study."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from analysis.databases.evaluations import SHIPPED, is_repository, load_evaluations
from analysis.databases.load import DATABASES, load_curves
from analysis.leaderboards import formats
from analysis.leaderboards.cells import ResultsError, yes_or_no
from analysis.statistics.families import family_of
from collection.container import tidy_table
from collection.naming import UnknownNameError
from collection.paths import DATA
from collection.store.schema import CURVES

#: The columns of a table of results; ``deviation`` (over ``repeats`` seeds) and ``reason`` (why a
#: value is missing) may follow.
SCHEMA = ("study", "task", "family", "problem", "metric", "higher_is_better", "method", "variant",
          "fold", "seed", "value")
FOLDER = DATA / "results"
#: Names of columns that are guessed, the first that is there.
GUESSES = {
    "task": ("task", "dataset", "data", "task_name", "dataset_name", "problem_name", "task_id",
             "tid", "did", "benchmark", "instance", "instance_id"),
    "method": ("method", "learner", "model", "algorithm", "framework", "classifier", "estimator",
               "system", "config"),
    "value": ("value", "score", "result", "metric_error", "error", "accuracy", "acc", "auc",
              "roc_auc", "f1", "r2", "error_rate", "loss", "log_loss", "logloss", "rmse", "mae",
              "predictive_accuracy", "mean"),
    "fold": ("fold", "split_id", "cv_fold"),
    "seed": ("seed", "repeat", "repetition", "run", "trial"),
    "family": ("family",),
}
OWN = ("study", "problem", "metric", "variant", "higher_is_better", "lower_is_better", "deviation",
       "repeats", "reason")
LOWER = re.compile(r"error|loss|rmse|mae|mse|regret|time|seconds|rank", re.IGNORECASE)


def load_results(where: str | Path, columns: Mapping[str, str] | None = None,
                 lower_is_better: bool | None = None) -> pd.DataFrame:
    """Open a table of results.

    Parameters
    ----------
    where : str or Path
        The name of a shipped study (`shipped_studies`), a CSV (long: a row per result; or wide: a
        row per task, a column per method), TALENT's Markdown, a result file of the AutoML
        benchmark, or a folder that ``make evaluate`` or ``make compare`` wrote or that is a
        context of TabRepo.
    columns : mapping, optional
        Which columns of a CSV are ``task, method, value, fold, seed, family``, where they are not
        guessed right.
    lower_is_better : bool, optional
        By default told by the table, or guessed from the name of the column of values.

    Returns
    -------
    pandas.DataFrame
        The columns of `SCHEMA`, those that are unknown empty; ``value`` is NaN where a result is
        missing, with the ``reason`` where it is known.

    Raises
    ------
    ResultsError
        For a file that cannot be read as results.
    UnknownNameError
        For what is neither a file nor a name.
    """
    path = Path(where)
    if str(where) in shipped_studies().index:
        table = _shipped(str(where))
    elif path.is_dir():
        table = formats.read_folder(path)
    elif path.is_file():
        table = _read_file(path, dict(columns or {}))
    else:
        raise UnknownNameError("table of results", str(where), shipped_studies().index)
    if lower_is_better is not None:
        table = table.assign(higher_is_better=not lower_is_better)
    return as_schema(table, path.stem)


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
        Of curves and evaluations what `collection.container.tidy_table` returns: a column per dim,
        ``status``, ``message``, and a column per metric (NaN: no value; ``error`` of evaluations is
        the task's own metric as an error). Of results the columns of `SCHEMA`.

    Raises
    ------
    UnknownNameError
        For what is neither a file, a folder nor a name, with the close names.

    Examples
    --------
    >>> import analysis
    >>> table = analysis.load_table("mini")
    >>> valid = table[(table["split"] == "valid") & (table["name"] == "vehicle")]
    >>> float(valid.groupby("learner")["error_rate"].min().round(2)["LDA"])
    0.12
    """
    if str(where) in DATABASES or (Path(where) / CURVES.file).is_file():
        return tidy_table(load_curves(where))
    if is_repository(where):
        return tidy_table(load_evaluations(where))
    try:
        return load_results(where)
    except UnknownNameError as error:
        known = [*DATABASES, *SHIPPED, *shipped_studies().index]
        raise UnknownNameError("table", str(where), known) from error


def as_schema(table: pd.DataFrame, study: str = "") -> pd.DataFrame:
    """Return a table with all columns of `SCHEMA`, in its order."""
    if "lower_is_better" in table and "higher_is_better" not in table:
        table = table.assign(higher_is_better=~yes_or_no(table["lower_is_better"],
                                                         "lower_is_better"))
    if "higher_is_better" not in table:
        table = table.assign(higher_is_better=True)
    lacking = {c: None for c in SCHEMA if c not in table}
    table = table.assign(**lacking)
    if table["study"].isna().all():
        table["study"] = study
    for extra in ("fold", "seed"):
        table[extra] = table[extra].where(table[extra].notna(), 0)
    rest = [c for c in ("deviation", "repeats", "reason") if c in table]
    return table[[*SCHEMA, *rest]]


def shipped_studies() -> pd.DataFrame:
    """Return what is shipped: ``title, year, file, source, commit, licence, sha256, what``."""
    return pd.read_csv(FOLDER / "sources.csv", dtype=str).set_index("study")


def _shipped(name: str) -> pd.DataFrame:
    table = pd.read_csv(FOLDER / shipped_studies().loc[name, "file"], dtype={"seed": str})
    return with_families(table, name)


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
    listed = pd.read_csv(FOLDER / "families.csv", dtype=str).query("study == @study")
    own = dict(zip(listed["task"], listed["family"], strict=True))
    return {t: own.get(t, t if t.isdigit() else family_of(t)) for t in map(str, tasks)}


def _read_file(path: Path, columns: dict[str, str]) -> pd.DataFrame:
    """Return the table in a file of any layout that is known."""
    try:
        if path.suffix == ".md":
            return formats.read_talent(path)
        if path.suffix == ".parquet":
            table = pd.read_parquet(path)
        else:
            table = pd.read_csv(path, sep=_separator(path), low_memory=False)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]
        raise ResultsError(f"{path.name} cannot be read as a table: {reason}") from None
    table.columns = [str(c).strip() for c in table.columns]
    layout = None if columns else formats.known_layout(table)
    return layout(table) if layout else read_table(table, columns)


def _separator(path: Path) -> str:
    """Return the separator of a CSV: that of its first line, a comma unless it has none."""
    import gzip

    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", errors="replace") as file:
        first = file.readline()
    return max(",;\t", key=first.count)


def read_table(table: pd.DataFrame, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return a long or wide table with the columns of `SCHEMA` by name.

    Raises
    ------
    ResultsError
        Where there are no columns that can be tasks, methods and values.
    """
    columns = dict(columns or {})
    for role, name in columns.items():
        if name not in table:
            raise ResultsError(f"There is no column {name!r} for the {role}; there are "
                               f"{', '.join(map(str, table.columns[:12]))}.")
    lowered = {str(c).lower(): c for c in table.columns}
    for role, names in GUESSES.items():
        found = next((lowered[n] for n in names if n in lowered and
                      lowered[n] not in columns.values()), None)
        if role not in columns and found is not None:
            columns[role] = found
    if "method" not in columns or "value" not in columns:
        return _from_wide(table, columns)
    if "task" not in columns:
        raise ResultsError(f"There is no column of tasks among {', '.join(table.columns[:12])}: "
                           "name it (TASK=…).")
    own = {lowered[c]: c for c in OWN if c in lowered and lowered[c] not in columns.values()}
    long = table[[*columns.values(), *own]].set_axis([*columns, *own.values()], axis=1)
    if not {"higher_is_better", "lower_is_better"} & set(long):
        lower = bool(LOWER.search(str(columns["value"])))
        if not lower and "metric" in long:
            lower = long["metric"].astype(str).str.contains(LOWER)
        long = long.assign(lower_is_better=lower)
    return long


def _from_wide(table: pd.DataFrame, columns: Mapping[str, str]) -> pd.DataFrame:
    """Return a wide table, a row per task and a column per method (or the other way), as long."""
    by_method = "method" in columns
    first = columns["method"] if by_method else columns.get("task", table.columns[0])
    keep = [c for role, c in columns.items() if role in ("fold", "seed", "family") and c != first]
    rest = [c for c in table.columns if c not in (first, *keep)]
    if len(rest) < 2:
        raise ResultsError("This is no table of results: it takes columns task, method and value, "
                           "or a row per task with a column per method. There are "
                           f"{', '.join(map(str, table.columns[:12]))}.")
    names = ("method", "task") if by_method else ("task", "method")
    long = table.melt([first, *keep], rest, var_name=names[1], value_name="value")
    back = {c: role for role, c in columns.items() if c in keep}
    return long.rename(columns={first: names[0], **back})
