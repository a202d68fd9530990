"""Predictions of a fit as bytes: NumPy's compressed archive, which is read without unpickling."""

from collections.abc import Mapping
from io import BytesIO

import numpy as np


def to_archive(predictions: Mapping[str, np.ndarray]) -> bytes:
    """Return the arrays as a compressed ``.npz`` archive."""
    buffer = BytesIO()
    np.savez_compressed(buffer, **predictions)
    return buffer.getvalue()


def from_archive(archive: bytes) -> dict[str, np.ndarray]:
    """Return the arrays of an archive that `to_archive` made; never unpickles."""
    with np.load(BytesIO(archive), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}
