"""Verdicts from all pairs and all triples, by the maximum that sign flips make of them.

Unlike Bonferroni's and Holm's corrections, this one knows that pairs and triples of anchors are
correlated: it asks how large their largest statistic gets when repeats are flipped, and steps down
(Westfall and Young 1993, for the maximum of t).

Where a curve is constant, each repeat's differences between anchors are as likely as their
negatives, all of them at once. Flipping the signs of whole repeats at random therefore shows how
large the *maximum* over all pairs or triples gets by chance, with whatever correlation they have.
The statistic is u = Σ d / √(Σ d²) over the repeats. Flips leave its denominator alone, and it grows
with the t statistic: t² = u² (n − 1) / (n − u²).
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from analysis.shapes.curves import Curves
from analysis.shapes.significance import TESTS, Procedure
from analysis.shapes.verdicts import PLACES_OF, Column, Finding, Places, largest_violations

EXCEEDANCES = 50  # after so many the p-value is known well enough
FEW = 999  # flips at most
STEP = 199  # flips behind each critical value when stepping down
CHUNK = 2**18  # products at once: 1 MB, which stays in the cache
TIE = 1e-4  # in single precision, statistics this close may be equal
SEED = 20220


def standardise(differences: np.ndarray, wider: float,
                rounding: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the statistics of comparisons.

    Parameters
    ----------
    differences : ndarray, shape (n_repeats, n_comparisons)
        Above 0 where a repeat goes the wrong way; NaN where it lacks an anchor.
    wider : float
        Divide the observed t by this: 1, or Nadeau and Bengio's factor.
    rounding : float
        Differences within this count as 0.

    Returns
    -------
    parts : ndarray of float32, shape (n_repeats, n_comparisons)
        Each repeat's share of u: d divided by √(Σ d²).
    u : ndarray of float, shape (n_comparisons,)
        The statistic as observed, what `wider` took off included.
    """
    there = ~np.isnan(differences)
    size = there.sum(axis=0)
    counts = there & (np.abs(differences) > rounding) & (size > 1)
    counted = np.where(counts, differences, 0.0)
    squares = np.sqrt((counted**2).sum(axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = np.where(squares > 0, counted / squares, 0)
    return parts.astype(np.float32), _narrowed(parts.sum(axis=0), size, wider)


def _narrowed(u: np.ndarray, n: np.ndarray, wider: float) -> np.ndarray:
    """Divide t by `wider`; u² = t² n / (n − 1 + t²)."""
    if wider == 1:
        return u
    with np.errstate(invalid="ignore", divide="ignore"):
        t = u * np.sqrt((n - 1) / np.maximum(n - u**2, 0)) / wider
        return np.where(np.isfinite(t) & (n > 1), t * np.sqrt(n / (n - 1 + t**2)), u)


@lru_cache(maxsize=8)
def signs(n_repeats: int) -> np.ndarray:
    """Return signs (n_flips, n_repeats): all patterns of few repeats, else `FEW` random ones.

    The pattern without any flip is left out; it is counted as observed.
    """
    if 2**n_repeats <= FEW:
        patterns = (np.arange(1, 2**n_repeats)[:, None] >> np.arange(n_repeats)) & 1
    else:
        patterns = np.random.default_rng(SEED).integers(0, 2, (FEW, n_repeats))
    return (1 - 2 * patterns).astype(np.float32)


def largest_when_flipped(parts: np.ndarray, flips: np.ndarray) -> np.ndarray:
    """Return the largest statistic under each flip, shape (n_flips,)."""
    largest = np.full(len(flips), -np.inf, dtype=np.float32)
    by_comparison, by_repeat = np.ascontiguousarray(parts.T), np.ascontiguousarray(flips.T)
    step = max(32, CHUNK // max(1, len(flips)))
    for start in range(0, len(by_comparison), step):
        products = by_comparison[start : start + step] @ by_repeat
        np.maximum(largest, products.max(axis=0), out=largest)
    return largest


def flip_p_values(parts: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """Return the chances that flips make the maximum as large as each of `observed`.

    Random flips stop at the `EXCEEDANCES`-th as large one (Besag and Clifford): p is then their
    number over that of the flips until there, else (exceedances + 1) / (flips + 1); both are valid.

    Parameters
    ----------
    parts : ndarray
        As `standardise` returns them.
    observed : ndarray, shape (n_observed,)
        Statistics as observed, each the largest of its kind; NaN gives NaN.
    """
    flips, largest = signs(len(parts)), np.empty(0, np.float32)
    enough = EXCEEDANCES if 2 ** len(parts) > FEW else np.inf
    for count in (99, FEW):
        more = largest_when_flipped(parts, flips[len(largest) : count])
        largest = np.concatenate([largest, more])
        exceeded = (largest >= observed[:, None] - TIE).cumsum(axis=1)
        if (exceeded[:, -1] >= enough).all():
            break
    p = (exceeded[:, -1] + 1) / (len(largest) + 1)
    stopped = exceeded[:, -1] >= enough
    p[stopped] = EXCEEDANCES / (1 + (exceeded[stopped] >= enough).argmax(axis=1))
    return np.where(np.isnan(observed), np.nan, p)


def critical_value(parts: np.ndarray, alpha: float) -> float:
    """Return what a statistic must exceed to be rejected at `alpha` among all of `parts`."""
    if not parts.shape[1]:
        return np.inf
    largest = np.sort(largest_when_flipped(parts, signs(len(parts))[:STEP]))
    above = int(alpha * (len(largest) + 1))  # how many may be as large, the observed one included
    return float(largest[-above]) + TIE if above else np.inf


FAMILIES = (("mono", "conv"), ("dip",))


def judge_by_flips(curves: Curves, procedure: Procedure) -> dict[str, Finding]:
    """Test all pairs and triples of each curve; return the findings of `judge_largest`.

    Pairs and triples are one family, so that an ill-behaved curve is called at one level; pairs
    with the last anchor are another. Where a curve has no rejected pair or triple, its largest
    violation is reported. A peak is a rise that a fall follows, both as large as flips seldom make
    any rise: its p is that of the smaller of the two, at the best anchor.
    """
    largest = largest_violations(curves, curves.rounding)
    columns = {kind: Column(violation) for kind, violation in largest.items()}
    peak = np.full(len(curves), np.nan)
    for row in np.flatnonzero(curves.counts >= 2):
        n = curves.counts[row]
        x, repeats = curves.anchors[row, :n], curves.values[row, :, :n]
        for family in FAMILIES:
            kinds = [Kind(name, repeats, PLACES_OF[name](x), procedure, curves.rounding[row])
                     for name in family]
            for kind, p, rejected in step_down(kinds, procedure.alpha):
                column = columns[kind.name]
                column.p[row], column.count[row] = p, len(rejected)
                if rejected.size:
                    k = rejected[kind.mean[rejected].argmax()]
                    column.report(row, kind.mean[k], kind.places, k)
            if "mono" in family:
                peak[row] = peak_p_value(kinds[0], n)
    found = {kind: column.finding() for kind, column in columns.items()}
    return found | {"peak": Finding(found["conv"].violation, peak, peak <= procedure.alpha)}


class Kind:
    """One kind of comparison of one curve, standardised.

    Attributes
    ----------
    name : str
        "mono", "conv" or "dip".
    places : Places
        What is compared.
    mean : ndarray
        Mean differences.
    parts : ndarray
        As `standardise` returns them.
    u : ndarray
        The statistics; −inf where the mean does not go the wrong way.
    every_u : ndarray
        The statistics of all, whichever way they go.
    """

    def __init__(self, name: str, repeats: np.ndarray, places: Places, procedure: Procedure,
                 rounding: float):
        self.name, self.places = name, places
        differences = (repeats[:, places.above] - places.of_left * repeats[:, places.left]
                       - places.of_right * repeats[:, places.right])
        wider = TESTS[procedure.test].wider(len(repeats))
        self.parts, self.every_u = standardise(differences, wider, rounding)
        means = np.nanmean(repeats, axis=0)
        self.mean = (means[places.above] - places.of_left * means[places.left]
                     - places.of_right * means[places.right])
        self.u = np.where(self.mean > rounding, self.every_u, -np.inf)


def step_down(kinds: list[Kind], alpha: float) -> Iterator[tuple[Kind, float, np.ndarray]]:
    """Reject what exceeds the flips' maxima over all kinds, then over the rest, until nothing does.

    Yields
    ------
    kind, p, rejected
        p of the kind's largest statistic, NaN where nothing goes the wrong way; positions of the
        comparisons rejected, the largest first of all where p is at most `alpha`, and only then.
    """
    u, parts = (np.concatenate([getattr(k, name) for k in kinds], axis=-1)
                for name in ("u", "parts"))
    top = np.array([k.u.max(initial=-np.inf) for k in kinds])
    if np.isinf(top).all():
        yield from ((kind, np.nan, np.empty(0, int)) for kind in kinds)
        return
    p_values = flip_p_values(parts, np.where(np.isinf(top), np.nan, top))
    rejected = np.zeros(len(u), dtype=bool)
    if (p_values <= alpha).any():
        found = u >= top[p_values <= alpha].min()  # p rests on more flips than critical values do
        while (found & ~rejected).any():
            rejected = found
            found = rejected | (u > critical_value(parts[:, ~rejected], alpha))
    ends = np.cumsum([len(k.u) for k in kinds])
    for kind, p, mine in zip(kinds, p_values, np.split(rejected, ends[:-1]), strict=True):
        yield kind, p, np.flatnonzero(mine & (p <= alpha))


def peak_p_value(pairs: Kind, n: int) -> float:
    """Return p of a peak from all pairs of `n` anchors; NaN where none rises and falls."""
    rise, fall = np.full(n, -np.inf), np.full(n, -np.inf)
    np.maximum.at(rise, pairs.places.above, pairs.every_u)
    np.maximum.at(fall, pairs.places.left, -pairs.every_u)
    best = np.minimum(rise, fall).max()
    return flip_p_values(pairs.parts, np.array([best]))[0] if best > 0 else np.nan
