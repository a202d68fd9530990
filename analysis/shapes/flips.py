"""Sign flips of repeats: what the largest of many statistics would be if nothing were there.

Where a curve is constant, each repeat's differences between anchors are as likely as their
negatives, all of them at once. Flipping the signs of whole repeats at random therefore shows how
large the *maximum* over all pairs or triples gets by chance, with whatever correlation they have
(Westfall and Young). Repeats of an outer seed can be flipped together.

The statistic is u = Σ d / √(Σ d²) over the repeats. Flips leave its denominator alone, and it grows
with the t statistic: t² = u² (n − 1) / (n − u²).
"""

from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

EXCEEDANCES = 50  # after so many the p-value is known well enough
FEW, MANY = 999, 9999  # flips at most: to judge a curve alone, and among thousands
STEP = 199  # flips behind each critical value when stepping down
REMEMBERED = 2**14  # curves whose maxima are kept for the next procedure that flips them
CHUNK = 2**18  # products at once: 1 MB, which stays in the cache
TIE = 1e-4  # in single precision, statistics this close may be equal
SEED = 20220
_MAXIMA: dict[bytes, np.ndarray] = {}


class Standardised(NamedTuple):
    """One curve's comparisons, ready to be flipped.

    Attributes
    ----------
    parts : ndarray of float32, shape (n_blocks, n_comparisons)
        Each block's share of u: sums of d over its repeats, divided by √(Σ d²).
    u : ndarray of float, shape (n_comparisons,)
        The statistic as observed, what `wider` took off included.
    """

    parts: np.ndarray
    u: np.ndarray


def standardise(differences: np.ndarray, blocks: np.ndarray, wider: float,
                rounding: float) -> Standardised:
    """Return the statistics of comparisons, by blocks of repeats that flip together.

    Parameters
    ----------
    differences : ndarray, shape (n_repeats, n_comparisons)
        Above 0 where a repeat goes the wrong way; NaN where it lacks an anchor.
    blocks : ndarray of int, shape (n_repeats,)
        Which repeats flip together. Where a block has several, their mean is one observation.
    wider : float
        Divide the observed t by this: 1, or Nadeau and Bengio's factor.
    rounding : float
        Differences within this count as 0.
    """
    sums, size = _block_means(np.where(np.abs(differences) <= rounding, 0, differences), blocks)
    sums = np.where(size > 1, sums, 0)
    observed = _narrowed(_normalised(sums).sum(axis=0), size, wider)
    if len(sums) < len(differences):
        sums = _centred_falls(sums)
    return Standardised(_normalised(sums).astype(np.float32), observed)


def _normalised(sums: np.ndarray) -> np.ndarray:
    squares = np.sqrt((sums**2).sum(axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(squares > 0, sums / squares, 0)


def _centred_falls(sums: np.ndarray) -> np.ndarray:
    """Take the mean off comparisons that go the right way.

    Few blocks have few patterns, and the one that flips them all turns every fall of the curve into
    a rise as clear as can be: without this, no p-value could fall below 2/32.
    """
    mean = sums.mean(axis=0)
    return np.where(mean < 0, sums - mean, sums)


def _block_means(differences: np.ndarray, blocks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return block means (0 where a block has none), and how many blocks have one."""
    there = ~np.isnan(differences)
    filled = np.where(there, differences, 0.0)
    names = np.unique(blocks)
    if len(names) == len(blocks):
        return filled, there.sum(axis=0)
    member = (names[:, None] == blocks).astype(float)
    counts = member @ there
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts > 0, member @ filled / counts, 0.0), (counts > 0).sum(axis=0)


def _narrowed(u: np.ndarray, n: np.ndarray, wider: float) -> np.ndarray:
    """Divide t by `wider`; u² = t² n / (n − 1 + t²)."""
    if wider == 1:
        return u
    with np.errstate(invalid="ignore", divide="ignore"):
        t = u * np.sqrt((n - 1) / np.maximum(n - u**2, 0)) / wider
        return np.where(np.isfinite(t) & (n > 1), t * np.sqrt(n / (n - 1 + t**2)), u)


@lru_cache(maxsize=8)
def signs(n_blocks: int) -> np.ndarray:
    """Return signs (n_flips, n_blocks): all patterns of few blocks, else `MANY` random ones.

    The pattern without any flip is left out; it is counted as observed.
    """
    if 2**n_blocks <= FEW:
        patterns = (np.arange(1, 2**n_blocks)[:, None] >> np.arange(n_blocks)) & 1
    else:
        patterns = np.random.default_rng(SEED).integers(0, 2, (MANY, n_blocks))
    return (1 - 2 * patterns).astype(np.float32)


def largest_when_flipped(parts: np.ndarray, flips: np.ndarray) -> np.ndarray:
    """Return the largest statistic under each flip, shape (n_flips,)."""
    largest = np.full(len(flips), -np.inf, dtype=np.float32)
    by_comparison, by_block = np.ascontiguousarray(parts.T), np.ascontiguousarray(flips.T)
    step = max(32, CHUNK // len(flips))
    for start in range(0, len(by_comparison), step):
        products = by_comparison[start : start + step] @ by_block
        np.maximum(largest, products.max(axis=0), out=largest)
    return largest


def flip_p_values(parts: np.ndarray, observed: np.ndarray, most: int = FEW) -> np.ndarray:
    """Return the chances that flips make the maximum as large as each of `observed`.

    Random flips stop at the `EXCEEDANCES`-th as large one (Besag and Clifford): p is then their
    number over that of the flips until there, else (exceedances + 1) / (flips + 1); both are valid.

    Parameters
    ----------
    parts : ndarray
        As in `Standardised`.
    observed : ndarray, shape (n_observed,)
        Statistics as observed, each the largest of its kind; NaN gives NaN.
    most : int
        Random flips at most; p is at least about 1 / `most`.
    """
    key = blake2b(np.ascontiguousarray(parts)).digest()
    enough = EXCEEDANCES if 2 ** len(parts) > FEW else np.inf
    for count in (99, FEW, MANY):
        largest = _first_maxima(parts, min(count, most), key)
        exceeded = (largest >= observed[:, None] - TIE).cumsum(axis=1)
        if (exceeded[:, -1] >= enough).all():
            break
    p = (exceeded[:, -1] + 1) / (len(largest) + 1)
    stopped = exceeded[:, -1] >= enough
    p[stopped] = EXCEEDANCES / (1 + (exceeded[stopped] >= enough).argmax(axis=1))
    return np.where(np.isnan(observed), np.nan, p)


def _first_maxima(parts: np.ndarray, count: int, key: bytes) -> np.ndarray:
    """Return the maxima under the first flips; what is known of these parts is not done again.

    Procedures that differ in the test alone flip the same parts.
    """
    known = _MAXIMA.pop(key, np.empty(0, dtype=np.float32))
    flips = signs(len(parts))[:count]
    if len(known) < len(flips):
        known = np.concatenate([known, largest_when_flipped(parts, flips[len(known):])])
    if len(_MAXIMA) >= REMEMBERED:
        del _MAXIMA[next(iter(_MAXIMA))]  # the one that was asked for least recently
    _MAXIMA[key] = known
    return known[: len(flips)]


def critical_value(parts: np.ndarray, alpha: float) -> float:
    """Return what a statistic must exceed to be rejected at `alpha` among all of `parts`."""
    if not parts.shape[1]:
        return np.inf
    largest = np.sort(largest_when_flipped(parts, signs(len(parts))[:STEP]))
    above = int(alpha * (len(largest) + 1))  # how many may be as large, the observed one included
    return float(largest[-above]) + TIE if above else np.inf

