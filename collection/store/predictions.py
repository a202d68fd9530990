"""Predictions of a fit as bytes: NumPy's compressed archive, which is read without unpickling."""

from collections.abc import Collection, Mapping
from io import BytesIO

import numpy as np


def to_archive(predictions: Mapping[str, np.ndarray]) -> bytes:
    """Return the arrays as a compressed ``.npz`` archive."""
    buffer = BytesIO()
    np.savez_compressed(buffer, **predictions)
    return buffer.getvalue()


def from_archive(archive: bytes, names: Collection[str] | None = None) -> dict[str, np.ndarray]:
    """Return the arrays of an archive that `to_archive` made; never unpickles.

    Of `names`, those that are there; by default all.
    """
    with np.load(BytesIO(archive), allow_pickle=False) as arrays:
        wanted = arrays.files if names is None else [n for n in arrays.files if n in names]
        return {name: arrays[name] for name in wanted}
