"""Verdicts from all pairs and all triples, by the maximum that sign flips make of them.

Unlike Bonferroni's and Holm's corrections, this one knows that pairs and triples of anchors are
correlated: it asks how large their largest statistic gets when repeats are flipped, and steps down
(Westfall and Young 1993, for the maximum of t).
"""

from collections.abc import Iterator

import numpy as np

from analysis.shapes import flips
from analysis.shapes.curves import Curves
from analysis.shapes.procedures import Procedure
from analysis.shapes.significance import ALPHA, TESTS
from analysis.shapes.verdicts import Finding, largest_violations
from analysis.shapes.violations import Places, Violation, all_pairs, all_triples, last_pairs

PLACES_OF = {"mono": lambda x: all_pairs(len(x)), "conv": all_triples,
             "dip": lambda x: last_pairs(len(x))}
KINDS = tuple(PLACES_OF)
FAMILIES = (("mono", "conv"), ("dip",))


def judge_by_flips(curves: Curves, procedure: Procedure) -> dict[str, Finding]:
    """Test all pairs and triples of each curve; return the findings of `judge_largest`.

    Pairs and triples are one family, so that an ill-behaved curve is called at one level; pairs
    with the last anchor are another. Where a curve has no rejected pair or triple, its largest
    violation is reported. A peak is a rise that a fall follows, both as large as flips seldom make
    any rise: its p is that of the smaller of the two, at the best anchor.
    """
    blocks, most = blocks_of(curves, procedure), flips.MANY if procedure.across else flips.FEW
    largest = largest_violations(curves, curves.rounding)
    columns = {kind: _Column(len(curves), largest[kind]) for kind in KINDS}
    peak = np.full(len(curves), np.nan)
    for row in np.flatnonzero(curves.counts >= 2):
        x, repeats = curves.anchors[row, : curves.counts[row]], _repeats(curves, row)
        for family in FAMILIES:
            kinds = [Kind(name, repeats, PLACES_OF[name](x), blocks, procedure,
                          curves.rounding[row]) for name in family]
            for kind, p, rejected in step_down(kinds, most):
                columns[kind.name].note(row, kind, p, rejected)
            if "mono" in family:
                peak[row] = peak_p_value(kinds[0], len(x), most)
    found = {kind: column.finding() for kind, column in columns.items()}
    return found | {"peak": Finding(found["conv"].violation, peak, peak <= ALPHA)}


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
        As in `Standardised`.
    u : ndarray
        The statistics; −inf where the mean does not go the wrong way.
    every_u : ndarray
        The statistics of all, whichever way they go.
    """

    def __init__(self, name: str, repeats: np.ndarray, places: Places, blocks: np.ndarray,
                 procedure: Procedure, rounding: float):
        self.name, self.places = name, places
        table = compare_by_blocks(repeats, places, blocks, procedure, rounding)
        means = np.nanmean(repeats, axis=0)
        self.mean = (means[places.above] - places.of_left * means[places.left]
                     - places.of_right * means[places.right])
        self.parts, self.every_u = table.parts, table.u
        self.u = np.where(self.mean > rounding, table.u, -np.inf)


def blocks_of(curves: Curves, procedure: Procedure) -> np.ndarray:
    """Return which repeats flip together: each alone, or those of an outer seed."""
    alone = np.arange(curves.values.shape[1])
    return curves.outer if procedure.test == "outer_means" else alone


def compare_by_blocks(repeats: np.ndarray, places: Places, blocks: np.ndarray,
                      procedure: Procedure, rounding: float) -> flips.Standardised:
    """Standardise the differences of one curve, repeats (n_repeats, n_anchors), at all `places`."""
    wider = TESTS[procedure.test].wider(len(repeats))
    differences = (repeats[:, places.above] - places.of_left * repeats[:, places.left]
                   - places.of_right * repeats[:, places.right])
    return flips.standardise(differences, blocks, wider, rounding)


def step_down(kinds: list[Kind], most: int) -> Iterator[tuple[Kind, float, np.ndarray]]:
    """Reject what exceeds the flips' maxima over all kinds, then over the rest, until nothing does.

    Yields
    ------
    kind, p, rejected
        p of the kind's largest statistic, NaN where nothing goes the wrong way; positions of the
        comparisons rejected, the largest first of all where p is at most 0.05, and only then.
    """
    u, parts = (np.concatenate([getattr(k, name) for k in kinds], axis=-1)
                for name in ("u", "parts"))
    top = np.array([k.u.max(initial=-np.inf) for k in kinds])
    if np.isinf(top).all():
        yield from ((kind, np.nan, np.empty(0, int)) for kind in kinds)
        return
    p_values = flips.flip_p_values(parts, np.where(np.isinf(top), np.nan, top), most)
    rejected = np.zeros(len(u), dtype=bool)
    if (p_values <= ALPHA).any():
        found = u >= top[p_values <= ALPHA].min()  # p rests on more flips than critical values do
        while (found & ~rejected).any():
            rejected = found
            found = rejected | (u > flips.critical_value(parts[:, ~rejected], ALPHA))
    ends = np.cumsum([len(k.u) for k in kinds])
    for kind, p, mine in zip(kinds, p_values, np.split(rejected, ends[:-1]), strict=True):
        yield kind, p, np.flatnonzero(mine & (p <= ALPHA))


def peak_p_value(pairs: Kind, n: int, most: int) -> float:
    """Return p of a peak from all pairs of `n` anchors; NaN where none rises and falls."""
    rise, fall = np.full(n, -np.inf), np.full(n, -np.inf)
    np.maximum.at(rise, pairs.places.above, pairs.every_u)
    np.maximum.at(fall, pairs.places.left, -pairs.every_u)
    best = np.minimum(rise, fall).max()
    return flips.flip_p_values(pairs.parts, np.array([best]), most)[0] if best > 0 else np.nan


def _repeats(curves: Curves, row: int) -> np.ndarray:
    return curves.values[row, :, : curves.counts[row]]


class _Column:
    """Findings of one kind as they come in, curve by curve."""

    def __init__(self, n: int, largest: Violation):
        self.p, self.count = np.full(n, np.nan), np.zeros(n, dtype=int)
        self.size, self.at = largest.size.copy(), largest.at.copy()

    def note(self, row: int, kind: Kind, p: float, rejected: np.ndarray) -> None:
        self.p[row], self.count[row] = p, len(rejected)
        if rejected.size:
            k = rejected[kind.mean[rejected].argmax()]
            places = kind.places
            at = sorted({places.left[k], places.above[k], places.right[k]})
            self.size[row], self.at[row] = kind.mean[k], at[: self.at.shape[1]]

    def finding(self) -> Finding:
        return Finding(Violation(self.size, self.at), self.p, self.count > 0, self.count)
