"""What was learnt from LCDB 1.0, as shipped: arrays of numbers in ``data/extrapolation``."""

from functools import lru_cache
from pathlib import Path

import numpy as np

from analysis.extrapolation.folds import FOLDER, FOLDS
from analysis.extrapolation.gaussian import Gaussian
from analysis.extrapolation.network import MEMBERS, Network
from analysis.extrapolation.trees import Trees
from collection.project.paths import shipped

ALL = FOLDS  # the model that all folds trained
PARTS = ("location", "spread")


class NotTrainedError(FileNotFoundError):
    """A file of trained extrapolators is not there."""


@lru_cache(maxsize=8)
def read(name: str, folder: Path = FOLDER) -> dict[str, np.ndarray]:
    """Return the arrays of a file, read-only.

    Raises
    ------
    NotTrainedError
        If there is no such file.
    """
    path = folder / f"{name}.npz"
    if not path.exists():
        raise NotTrainedError(f"{path} is not there. It comes with the repository; "
                              "`make extrapolators` trains it anew.")
    with np.load(shipped(path), allow_pickle=False) as stored:
        arrays = {key: stored[key] for key in stored.files}
    for values in arrays.values():
        values.setflags(write=False)
    return arrays


def write(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write arrays to a file, whole or not at all; one that says the same is left as it is."""
    if path.exists() and _same(path, arrays):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    with part.open("wb") as stream:
        np.savez_compressed(stream, **arrays)
    part.replace(path)


def _same(path: Path, arrays: dict[str, np.ndarray]) -> bool:
    with np.load(path, allow_pickle=False) as stored:
        return set(stored.files) == set(arrays) and all(
            np.array_equal(stored[key], values) for key, values in arrays.items())


def number(fold: int) -> int:
    """Return the number of the model that has not seen a fold; of all folds for an unseen one."""
    return ALL if fold < 0 else int(fold)


def pack_gaussian(model: Gaussian, prefix: str) -> dict[str, np.ndarray]:
    """Return a Gaussian as arrays: the lower triangle of its covariance, in single precision."""
    lower = model.covariance[np.tril_indices(len(model.mean))]
    return {f"{prefix}.mean": model.mean.astype(np.float32),
            f"{prefix}.lower": lower.astype(np.float32)}


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


@lru_cache(maxsize=2 * (FOLDS + 1))
def shipped_trees(part: str, fold: int) -> Trees:
    """Return the trees of one of `PARTS` grown without a fold, or with all."""
    return Trees.from_arrays(read("trees"), f"{part}{number(fold)}")


@lru_cache(maxsize=FOLDS + 1)
def shipped_networks(fold: int) -> tuple[Network, ...]:
    """Return the networks trained without a fold, or with all; they are averaged."""
    arrays = read("networks")
    return tuple(Network.from_arrays(arrays, f"network{number(fold)}_{member}")
                 for member in range(MEMBERS))
