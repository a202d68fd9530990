"""Where things lie in a TabRepo repository: what its `to_dir` writes, and its official contexts."""

import json
from dataclasses import dataclass
from pathlib import Path

from collection.store.evaluation_schema import EVALUATIONS

CONFIGS = "configs.parquet"
BASELINES = "baselines.parquet"
CONTEXT = "context.json"
PREDICTIONS = "model_predictions"
METADATA = ("task_metadata.parquet", "task_metadata.csv")
PACKAGED = "configs_*.json"  # hyperparameters that ship with TabRepo's package, one file per family


class TabRepoError(ValueError):
    """Files of a TabRepo repository that lack or contradict each other; the message says which."""


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
    return Layout(root, root / CONFIGS, _there(root / BASELINES),
                  next((p for name in METADATA if (p := _there(root / name))), None),
                  root / PREDICTIONS, tuple(sorted(_below(path, PACKAGED))), True)


def last_changes(path: str | Path) -> tuple[int, ...]:
    """Return when the files that a repository starts from were last changed (ns)."""
    path = Path(path)
    found = [path / CONTEXT] if (path / CONTEXT).is_file() else []
    found += [path / CONFIGS] if (path / CONFIGS).is_file() else _below(path, CONFIGS)
    return tuple(file.stat().st_mtime_ns for file in found)


def _saved(root: Path) -> Layout:
    """Return the layout that context.json describes; missing files are named."""
    try:
        context = json.loads((root / CONTEXT).read_text())
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
    return Layout(root, configs, baselines, metadata, predictions,
                  tuple(root / n for n in names[3:]), False, context.get("config_fallback"), listed)


def _roots(path: Path) -> list[Path]:
    """Return the folders with a table of configs, at most four levels down."""
    return sorted({p.parent for p in _below(path, CONFIGS)})


def _below(path: Path, pattern: str) -> list[Path]:
    """Return files below a folder, without looking into predictions."""
    found, folders = [], [path]
    for _ in range(5):
        folders = [f for f in folders if f.is_dir() and f.name != PREDICTIONS]
        found += [file for folder in folders for file in folder.glob(pattern)]
        folders = [f for folder in folders for f in folder.iterdir()]
    return found


def _there(path: Path) -> Path | None:
    return path if path.is_file() else None
