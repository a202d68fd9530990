"""What was learnt from LCDB 1.0, as shipped: arrays of numbers in ``data/extrapolation``."""

from functools import lru_cache
from pathlib import Path

import numpy as np

from analysis.extrapolation.folds import FOLDER, FOLDS
from analysis.extrapolation.gaussian import Gaussian
from analysis.extrapolation.trees import Trees
from collection.project.paths import shipped, written_whole

ALL = FOLDS  # the model that all folds trained


class NotTrainedError(FileNotFoundError):
    """A file of trained extrapolators is not there."""


def trained(path: Path) -> Path:
    """Return the path of a file that training wrote.

    Raises
    ------
    NotTrainedError
        If there is no such file.
    """
    if not path.exists():
        raise NotTrainedError(f"{path} is not there. It comes with the repository; "
                              "`make extrapolators` trains it anew.")
    return shipped(path)


@lru_cache(maxsize=8)
def read(name: str, folder: Path = FOLDER) -> dict[str, np.ndarray]:
    """Return the arrays of a file, read-only.

    Raises
    ------
    NotTrainedError
        If there is no such file.
    """
    with np.load(trained(folder / f"{name}.npz"), allow_pickle=False) as stored:
        arrays = dict(stored)
    for values in arrays.values():
        values.setflags(write=False)
    return arrays


def write(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write arrays to a file, whole or not at all; the same arrays give the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as part, part.open("wb") as stream:
        np.savez_compressed(stream, **arrays)


def number(fold: int) -> int:
    """Return the number of the model that has not seen a fold; of all folds for an unseen one."""
    return ALL if fold < 0 else int(fold)


def unpack_gaussian(arrays: dict[str, np.ndarray], prefix: str) -> Gaussian:
    """Return the Gaussian that `pack_gaussian` packed."""
    mean = arrays[f"{prefix}.mean"].astype(float)
    covariance = np.zeros((len(mean), len(mean)))
    covariance[np.tril_indices(len(mean))] = arrays[f"{prefix}.lower"]
    covariance += np.tril(covariance, -1).T
    return Gaussian(tuple(arrays["learners"].tolist()), mean, covariance)


@lru_cache(maxsize=FOLDS + 1)
def shipped_gaussian(fold: int) -> Gaussian:
    """Return the Gaussian fitted without a fold, or with all (`folds.UNSEEN`)."""
    return unpack_gaussian(read("gaussians"), f"gaussian{number(fold)}")


def shipped_trees(part: str, fold: int) -> Trees:
    """Return the trees of "location" or "spread" grown without a fold, or with all."""
    return Trees.from_arrays(read("trees"), f"{part}{number(fold)}")
