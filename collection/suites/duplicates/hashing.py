"""64-bit hashes of cells and rows, all rows at once."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

DIGITS = 10  # significant digits to which numbers have to agree


def mix(values: np.ndarray) -> np.ndarray:
    """Scramble 64-bit integers, one to one (splitmix64's finaliser)."""
    with np.errstate(over="ignore"):
        z = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def hash_numbers(numbers: np.ndarray) -> np.ndarray:
    """Hash numbers by their first `DIGITS` significant digits; NaN becomes 0."""
    known = np.nan_to_num(numbers) + 0.0  # and −0 becomes 0
    exponent = np.floor(np.log10(np.abs(known), where=known != 0, out=np.zeros_like(known)))
    mantissa = np.rint(known / 10.0 ** (exponent - DIGITS + 1))
    carried = np.abs(mantissa) == 10**DIGITS
    mantissa, exponent = np.where(carried, mantissa / 10, mantissa), exponent + carried
    mantissa, exponent = (x.astype(np.int64).view(np.uint64) for x in (mantissa, exponent))
    keys = mantissa ^ mix(exponent)
    return np.where(np.isnan(numbers), np.uint64(0), mix(keys))


def hash_texts(texts: Iterable[str]) -> np.ndarray:
    """Hash texts, but for case and outer blanks."""
    plain = np.array([str(t).strip().casefold() for t in texts], dtype=object)
    return mix(pd.util.hash_array(plain)) if len(plain) else np.zeros(0, np.uint64)


def hash_rows(cells: np.ndarray, ordered: bool = False) -> np.ndarray:
    """Hash the rows of `cells`: as sets of cells, or with each cell in its column."""
    if ordered:
        cells = cells ^ mix(np.arange(cells.shape[1], dtype=np.uint64))
    with np.errstate(over="ignore"):
        return mix(cells).sum(axis=1, dtype=np.uint64)
