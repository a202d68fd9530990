"""The anchor grids: training-set sizes at which a learning curve is sampled."""

from collections.abc import Sequence

import numpy as np

FIRST = 16  # the smallest training set of LCDB 1.0 and 1.1
PER_DOUBLING = 8  # LCDB 1.1; LCDB 1.0 has 2
LAST_EXPONENT = 136  # 137 anchors, up to 2,097,152 rows


def anchor_grid(up_to: int | None = None, per_doubling: int = PER_DOUBLING) -> np.ndarray:
    """Return the anchors ⌈16·2^(k/per_doubling)⌉ in ascending order.

    Parameters
    ----------
    up_to : int, optional
        Largest training-set size, in rows; by default the whole grid up to 2,097,152.
    per_doubling : int
        Anchors per doubling of the training set.

    Returns
    -------
    ndarray of int, shape (n_anchors,)
        Empty where `up_to` is below 16.

    Notes
    -----
    Section 3 of the paper (k/8 for LCDB 1.1). LCDB 1.0 itself rounds to the nearest integer;
    see `lcdb10_grid`.
    """
    exponents = np.arange(LAST_EXPONENT // PER_DOUBLING * per_doubling + 1) / per_doubling
    grid = np.ceil(_round_off(FIRST * 2**exponents)).astype(np.int64)
    return grid if up_to is None else grid[grid <= up_to]


def sizes_to(most: int, chosen: Sequence[int] | None = None) -> list[int]:
    """Return those of the sizes `chosen` that are from 16 to `most`, ascending; else the grid."""
    sizes = anchor_grid(most) if chosen is None else np.unique(np.asarray(chosen, np.int64))
    return sizes[(sizes >= FIRST) & (sizes <= most)].tolist()


def lcdb10_grid() -> np.ndarray:
    """Return LCDB 1.0's training sizes, 16·2^(k/2) rounded to the nearest integer, 35 of them.

    Each of its datasets has one more: its whole training set (finding 5).
    """
    return np.rint(FIRST * 2 ** (np.arange(35) / 2)).astype(np.int64)


def check_anchors(anchors: np.ndarray) -> None:
    """Raise where `anchors` are not training-set sizes that a curve can be drawn over.

    Parameters
    ----------
    anchors : ndarray, shape (n_anchors,)

    Raises
    ------
    TypeError
        Where they are no numbers; text that reads as one is none.
    ValueError
        Where there are none, or they are not finite, positive and strictly increasing.
    """
    if anchors.dtype.kind not in "iuf":
        raise TypeError(f"Anchors are training-set sizes, numbers of rows, not {anchors.dtype}; "
                        "turn text into numbers with .assign_coords(anchor=…).")
    if not anchors.size:
        raise ValueError("There are no anchors: a selection before this one found none.")
    if not (np.isfinite(anchors).all() and (anchors > 0).all() and (np.diff(anchors) > 0).all()):
        raise ValueError("Anchors are training-set sizes: positive and strictly increasing, in "
                         "ascending order; sort with .sortby('anchor') and drop duplicates. They "
                         f"are {anchors[:8]}…")


def _round_off(sizes: np.ndarray) -> np.ndarray:
    """Take powers of two back to the integer they are, so that ``ceil`` does not add one."""
    nearest = np.rint(sizes)
    return np.where(np.abs(sizes - nearest) < 1e-6, nearest, sizes)
