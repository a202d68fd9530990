"""The max-statistic on all of LCDB 1.0, against flips written as plain loops.

The loops flip the repeats of a curve, form the mean of every pair's and every triple's differences,
and keep the largest statistic, as the definition says. They are timed on a seeded sample of curves
and a few flips, and scaled by the number of comparisons and of flips.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from analysis import load_curves
from analysis.shapes import detect_shapes
from analysis.shapes.max_t import FEW, signs
from benchmarks.timing import Timing, seconds, timed

SAMPLE, FLIPS = 5, 3


def largest_by_loops(repeats: np.ndarray, anchors: np.ndarray, flip: np.ndarray) -> float:
    """Return the largest statistic of all pairs and triples under one flip of the repeats."""
    largest = 0.0
    n = len(anchors)
    for size in (2, 3):
        for places in combinations(range(n), size):
            if size == 2:
                d = repeats[:, places[1]] - repeats[:, places[0]]
            else:
                h, i, j = places
                share = (anchors[i] - anchors[h]) / (anchors[j] - anchors[h])
                d = repeats[:, i] - (1 - share) * repeats[:, h] - share * repeats[:, j]
            norm = np.sqrt((d * d).sum())
            if norm > 0:
                largest = max(largest, float((flip * d).sum() / norm))
    return largest


def comparisons(n: np.ndarray) -> np.ndarray:
    n = np.asarray(n, float)
    return n * (n - 1) / 2 + n * (n - 1) * (n - 2) / 6


def main() -> Iterator[Timing]:
    valid = load_curves("lcdb10", "paper")["error_rate"].sel(split="valid").load()
    fast = seconds(lambda: detect_shapes(valid, "max_t"))
    curves = valid.transpose(..., "outer", "inner", "anchor").values
    curves = curves.reshape(-1, 25, valid.sizes["anchor"])
    counts = (~np.isnan(curves)).any(axis=1).sum(axis=1)
    whole = np.flatnonzero((counts > 2) & ((~np.isnan(curves)).all(axis=1).sum(axis=1) == counts))
    sample = np.random.default_rng(0).choice(whole, SAMPLE, replace=False)
    with timed() as loops:
        for k in sample:
            there = ~np.isnan(curves[k]).any(axis=0)
            for flip in signs(25)[:FLIPS]:
                largest_by_loops(curves[k][:, there], valid["anchor"].values[there], flip)
    each = loops.seconds / (FLIPS * comparisons(counts[sample]).sum())
    for flips, words in ((99, "99 flips, where ours stop first"), (FEW, f"all {FEW:,} flips")):
        yield Timing(f"the max-statistic on {len(curves):,} curves of LCDB 1.0", fast,
                     f"loops over pairs and triples, {words}, scaled from {SAMPLE} curves",
                     each * flips * comparisons(counts).sum())
