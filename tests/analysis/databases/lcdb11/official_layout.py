"""Write HDF5 files in exactly the official layout, filled with simulated or other curves."""

from pathlib import Path

import h5py
import numpy as np

from analysis.databases.lcdb11.open import KEYS, MESSAGE_KEY, STATUS_KEY, file_lengths
from collection.official import lcdb11 as files
from collection.protocol.anchors import anchor_grid


def official_file(name: str) -> files.OfficialFile:
    return next(f for f in files.official_files() if f.name == name)


def simulate(file: files.OfficialFile, dataset: int) -> np.ndarray:
    """Return seeded curves of one dataset, axes as in the file but dataset; NaN past its end."""
    lengths = list(file_lengths(file).values())[1:]
    axes = list(file_lengths(file))[1:]
    rng = np.random.default_rng([dataset, len(file.learners), len(file.metric)])
    shape = [n if axis != "anchor" else 1 for axis, n in zip(axes, lengths, strict=True)]
    to_anchor = [-1 if axis == "anchor" else 1 for axis in axes]
    sizes = anchor_grid().reshape(to_anchor)
    values = rng.uniform(0.05, 0.3, shape) + rng.uniform(0.5, 1, shape) * sizes**-0.5
    values = values + 0.01 * rng.standard_normal(lengths)
    return np.where(sizes <= files.datasets_table().loc[dataset, "max_anchor"], values, np.nan)


def write_official(folder: Path, name: str, datasets=(), curves=simulate, **options) -> Path:
    """Write one official file whose curves exist for some datasets only; the rest is NaN.

    `curves` returns those of a file and dataset, axes as in the file but dataset.
    """
    file = official_file(name)
    lengths = file_lengths(file)
    shape = tuple(lengths.values())
    rows = files.dataset_ids(file.datasets)
    path = folder / name
    with h5py.File(path, "w") as opened:
        if file.metric == "message":
            _write_messages(opened, shape, rows, datasets)
        else:
            stored = opened.create_dataset(KEYS[file.metric][0], shape, "f8", fillvalue=np.nan,
                                           chunks=(1, *shape[1:]), **options)
            for dataset in datasets:
                stored[rows.index(dataset)] = curves(file, dataset)
    files.remember(path)  # it is not what was published, and need not be
    return path


def _write_messages(opened: h5py.File, shape: tuple, rows: list[int], datasets) -> None:
    chunks = (1, *shape[1:])
    status = opened.create_dataset(STATUS_KEY, shape, "i8", chunks=chunks)
    text = opened.create_dataset(MESSAGE_KEY, shape, "S40", chunks=chunks)
    for dataset in datasets:
        row = rows.index(dataset)
        codes = np.zeros(shape[1:], int)
        codes[15, :, :, :, 2] = 2  # MultinomialNB fails on standardised features
        codes[0, 4, 4, 10] = 1
        words = np.full(codes.shape, b"", "S40")
        words[codes == 2] = "Negative values in data – naïve".encode()
        status[row], text[row] = codes, words
