"""Where things lie in a TabRepo repository (`to_dir`'s or an official context), and its tables."""

import fnmatch
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from collection.official.tabrepo import PREDICTIONS, TabRepoError
from collection.project.requirements import errors_of
from collection.store.evaluations import EVALUATIONS

CONFIGS = "configs.parquet"
BASELINES = "baselines.parquet"
CONTEXT = "context.json"
METADATA = ("task_metadata.parquet", "task_metadata.csv")
PACKAGED = "configs_*.json"  # hyperparameters that ship with TabRepo's package, one file per family


@dataclass(frozen=True)
class Layout:
    """The files of a repository.

    Attributes
    ----------
    folder : Path
    configs : Path
    baselines, metadata : Path or None
        None where there is no such file.
    predictions : Path
        The folder of predictions; need not be there.
    hyperparameters : tuple of Path
    official : bool
        Whether it is laid out as the official contexts, which hold results of more datasets than
        predictions, and whose metadata are joined by task id.
    fallback : str or None
        The config that stands in for missing predictions, if the repository names one.
    listed : tuple of str
        Files of predictions and labels that the repository says it has, relative to its folder.
    """

    folder: Path
    configs: Path
    baselines: Path | None
    metadata: Path | None
    predictions: Path
    hyperparameters: tuple[Path, ...]
    official: bool
    fallback: str | None = None
    listed: tuple[str, ...] = ()


def is_tabrepo(path: str | Path) -> bool:
    """Whether a folder holds a repository of TabRepo, itself or in one folder below it."""
    path = Path(path)
    if not path.is_dir() or (path / EVALUATIONS.file).is_file():  # the latter: a store of ours
        return False
    return (path / CONTEXT).is_file() or len(_roots(path)) == 1


def find_layout(path: str | Path) -> Layout:
    """Return where the files of a repository lie.

    Parameters
    ----------
    path : str or Path
        The folder of the tables, or one above it that holds no other repository. Files
        ``configs_*.json`` anywhere below it are read as hyperparameters.

    Raises
    ------
    TabRepoError
        If there is no repository, more than one, or its context.json cannot be read.
    """
    path = Path(path)
    if (path / CONTEXT).is_file():
        return _saved(path)
    roots = _roots(path)
    if len(roots) != 1:
        several = f"has {len(roots)} of them; name one: {', '.join(map(str, roots))}"
        raise TabRepoError(f"A TabRepo repository has {CONTEXT} or {CONFIGS}; {path} "
                           f"{several if roots else 'has neither'}.")
    root = roots[0]
    if (root / CONTEXT).is_file():
        return _saved(root)
    metadata = next((p for name in METADATA if (p := _there(root / name))), None)
    return Layout(root, root / CONFIGS, _there(root / BASELINES), metadata, root / PREDICTIONS,
                  hyperparameters=tuple(sorted(_below(path, PACKAGED))), official=True)


def last_changes(path: str | Path) -> tuple[int, ...]:
    """Return when the files that a repository starts from were last changed (ns)."""
    path = Path(path)
    found = [path / CONFIGS] if (path / CONFIGS).is_file() else _below(path, CONFIGS)
    return tuple(f.stat().st_mtime_ns for f in (path / CONTEXT, *found) if f.is_file())


def _saved(root: Path) -> Layout:
    """Return the layout that context.json describes; missing files are named."""
    try:
        context = json.loads((root / CONTEXT).read_text(encoding="utf-8"))
        paths = context["benchmark_paths"]
        names = [paths["configs"], paths.get("baselines"), paths.get("task_metadata"),
                 *(paths.get("configs_hyperparameters") or [])]
        predictions = root / paths["path_pred_proba"]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise TabRepoError(f"{root / CONTEXT} is not a context of TabRepo: {error!r}.") from error
    listed = (*(paths.get("zs_pp") or ()), *(paths.get("zs_gt") or ()))
    everything = [*filter(None, names), *listed]
    outside = [n for n in everything if not (root / n).resolve().is_relative_to(root.resolve())]
    if outside:
        raise TabRepoError(f"{root / CONTEXT} names files outside its folder, the first: "
                           f"{outside[0]}. They are not read.")
    absent = [n for n in everything if not (root / n).is_file()]
    if absent:
        raise TabRepoError(f"{root} lacks {len(absent)} of the files that its {CONTEXT} lists, the "
                           f"first: {absent[0]}.")
    configs, baselines, metadata = (root / n if n else None for n in names[:3])
    return Layout(root, configs, baselines, metadata, predictions, official=False,
                  hyperparameters=tuple(root / n for n in names[3:]),
                  fallback=context.get("config_fallback"), listed=listed)


def _roots(path: Path) -> list[Path]:
    """Return the folders with a table of configs, at most four levels down."""
    return sorted({p.parent for p in _below(path, CONFIGS)})


def _below(path: Path, pattern: str) -> list[Path]:
    """Return files below a folder, without looking into predictions."""
    found: list[Path] = []
    for folder, inside, files in os.walk(path, followlinks=True):
        deep = len(Path(folder).relative_to(path).parts) == 4
        inside[:] = [] if deep else [name for name in inside if name != PREDICTIONS]
        found += [Path(folder, name) for name in fnmatch.filter(files, pattern)]
    return found


def _there(path: Path) -> Path | None:
    return path if path.is_file() else None


KEY = ["dataset", "fold", "framework"]
STRAY = "__index_level_0__"
NEEDED = (*KEY, "metric_error", "metric", "problem_type", "time_train_s", "time_infer_s")


def read_results(layout: Layout, kept: set[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read the tables of results and of datasets, and fit them together.

    Parameters
    ----------
    layout : Layout
    kept : set of str
        The datasets that an official context is cut to, those that have predictions; if empty, it
        is not cut.

    Returns
    -------
    results : pandas.DataFrame
        A row per dataset, fold and framework; ``kind`` tells configs from baselines. Configs first.
    metadata : pandas.DataFrame
        Facts of datasets; columns as stored.

    Raises
    ------
    TabRepoError
        For files that cannot be read, columns that lack, results given twice.
    """
    results = pd.concat([_read_results(path, kind) for kind, path in (
        ("config", layout.configs), ("baseline", layout.baselines)) if path], ignore_index=True)
    metadata = _read_metadata(layout.metadata)
    if layout.metadata:
        join = "tid" if layout.official and "tid" in results else "dataset"
        results = results[(results["kind"] == "baseline") | results[join].isin(metadata[join])]
    if layout.official and kept:
        results = results[results["dataset"].isin(kept)]
    return results.reset_index(drop=True), metadata


def _read_results(path: Path, kind: str) -> pd.DataFrame:
    table = read_table(path).drop(columns=STRAY, errors="ignore")
    lacking = [c for c in NEEDED if c not in table]
    if lacking:
        raise TabRepoError(f"{path} lacks the column {', '.join(lacking)}.")
    if "metric_error_val" not in table:
        table["metric_error_val"] = float("nan")
    numbers = ["metric_error", "metric_error_val", "time_train_s", "time_infer_s"]
    table[numbers] = table[numbers].astype(float)
    twice = table[table.duplicated(KEY)]
    if len(twice):
        raise TabRepoError(f"{path} holds {len(twice)} results twice, the first: "
                           f"{', '.join(str(twice.iloc[0][k]) for k in KEY)}.")
    return table.assign(kind=kind)


def read_table(path: Path) -> pd.DataFrame:
    """Read a table from Parquet or CSV."""
    try:
        return pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    except (OSError, ValueError, *errors_of("pyarrow", "ArrowException")) as error:
        raise TabRepoError(f"{path} cannot be read as a table: {error}. Fetch it again.") from error


def _read_metadata(path: Path | None) -> pd.DataFrame:
    if path is None:
        return pd.DataFrame(columns=["dataset"])
    table = read_table(path)
    if "dataset" not in table and "name" in table:
        table["dataset"] = table["name"]
    if "dataset" not in table:
        raise TabRepoError(f"{path} lacks the column dataset (or name).")
    return table


def judged_by(results: pd.DataFrame) -> pd.DataFrame:
    """Return metric and kind of problem by dataset, which has one of each, or a `TabRepoError`."""
    judged = results.groupby("dataset")[["metric", "problem_type"]]
    several = judged.nunique().max(axis=1)
    if (several > 1).any():
        name = several.index[several > 1][0]
        found = judged.get_group(name).drop_duplicates()
        raise TabRepoError(f"{(several > 1).sum()} datasets have results by several "
                           f"metrics or problem types, the first {name}: "
                           + "; ".join(" ".join(row) for row in found.itertuples(index=False)))
    return judged.first()


def task_ids(results: pd.DataFrame, metadata: pd.DataFrame) -> dict[str, int]:
    """Return task ids by sorted dataset: from the tables, the metadata, or counted from 0."""
    known: dict[str, int] = {}
    for table in (metadata, results[::-1]):  # the last one counts
        if "tid" in table:
            rows = table.dropna(subset="tid")
            known |= dict(zip(rows["dataset"], rows["tid"].astype(int), strict=True))
    names = sorted(set(results["dataset"]))
    return {name: known.get(name, place) for place, name in enumerate(names)}


def facts_of(metadata: pd.DataFrame, tids: dict[str, int]) -> pd.DataFrame:
    """Return metadata by dataset, found by task id where there is one; those without lack."""
    key = "tid" if "tid" in metadata else "dataset"
    wanted = {tid: name for name, tid in tids.items()} if key == "tid" else {n: n for n in tids}
    facts = metadata[metadata[key].isin(wanted)].drop_duplicates(key)
    return facts.set_index(facts[key].map(wanted).rename("index")).rename_axis(None)


def read_hyperparameters(layout: Layout, configs: Iterable[str]) -> dict[str, dict]:
    """Return what is known of configs, by the exact name or without what follows ``_BAG_``.

    ``model_type`` and ``hyperparameters``; configs of which nothing is known lack.
    """
    entries: dict[str, dict] = {}
    for path in layout.hyperparameters:
        try:
            entries |= json.loads(path.read_text(encoding="utf-8"))
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise TabRepoError(f"{path} is not JSON: {error}.") from error
    found = {name: entries.get(name, entries.get(name.rsplit("_BAG_", 1)[0])) for name in configs}
    return {name: entry for name, entry in found.items() if entry is not None}
