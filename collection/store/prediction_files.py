"""Predictions in files that are mapped into memory: one per task, repeat, fold and split.

``predictions/<task>/<repeat>-<fold>-<split>.dat`` holds bare numbers, little-endian, without
header: of evaluation after evaluation the same rows (and classes), so that one is read without
touching the others and the next is appended. This is the layout of TabRepo's files; which
evaluation lies where, the index in the database says.
"""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from urllib.parse import quote

import numpy as np

from collection.store.connection import UnreadableStoreError

FOLDER = "predictions"


@dataclass(frozen=True)
class PredictionFile:
    """A file of predictions.

    Attributes
    ----------
    path : Path
    dtype : str
        NumPy's name, such as ``<f4``.
    rows, classes : int
        Of one evaluation's block; 0 classes where a row has one number.
    """

    path: Path
    dtype: str
    rows: int
    classes: int

    @property
    def block(self) -> tuple[int, ...]:
        """Shape of one evaluation's predictions."""
        return (self.rows, self.classes) if self.classes else (self.rows,)

    @property
    def size(self) -> int:
        """Bytes of one evaluation's predictions."""
        return int(np.prod(self.block)) * np.dtype(self.dtype).itemsize

    def write(self, position: int, values: np.ndarray) -> None:
        """Write one evaluation's block; what a killed run left there is overwritten."""
        if values.shape != self.block:
            raise ValueError(f"{self.path} holds predictions of shape {self.block}, not "
                             f"{values.shape}.")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("r+b" if self.path.exists() else "xb") as file:
            file.seek(position * self.size)
            file.write(np.ascontiguousarray(values, self.dtype).tobytes())

    def read(self, positions: np.ndarray) -> np.ndarray:
        """Return blocks, mapped where they lie one after the other, else read into memory.

        Parameters
        ----------
        positions : ndarray of int

        Returns
        -------
        ndarray, shape (n_positions, rows[, classes])
            Read-only.

        Raises
        ------
        UnreadableStoreError
            Where the file is absent or cut short.
        """
        need = (int(positions.max()) + 1) * self.size if len(positions) else 0
        have = self.path.stat().st_size if self.path.is_file() else -1
        if have < need:
            what = f"has {have} of at least {need} bytes" if have >= 0 else "is absent"
            raise UnreadableStoreError(f"The predictions {self.path} {what}. Put a copy of it "
                                       "back in its place, or evaluate into another OUT.")
        if not need:
            return np.empty((len(positions), *self.block), self.dtype)
        mapped = np.memmap(self.path, self.dtype, "r", shape=(need // self.size, *self.block))
        first, last = int(positions[0]), int(positions[-1])
        if np.array_equal(positions, np.arange(first, last + 1)):
            return mapped[first:last + 1]
        return mapped[positions]


def prediction_path(folder: Path, task: str, repeat: int, fold: int, split: str) -> Path:
    """Return where the predictions of a task's fold lie in the folder of a store."""
    plain = quote(task, safe=" ").replace(".", "%2E")  # nothing that leads out of the folder
    return folder / FOLDER / plain / f"{int(repeat)}-{int(fold)}-{quote(split, safe='')}.dat"


def pack_array(values: np.ndarray) -> bytes:
    """Return an array as NumPy's ``.npy`` archive."""
    buffer = BytesIO()
    np.save(buffer, values, allow_pickle=False)
    return buffer.getvalue()


def unpack_array(archive: bytes) -> np.ndarray:
    """Return the array of an archive that `pack_array` made; never unpickles."""
    return np.load(BytesIO(archive), allow_pickle=False)
