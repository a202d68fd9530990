"""Shape detection on all of LCDB 1.0, against the definitions written as plain loops.

Two comparisons, each in this one run: all verdicts of the published and of the corrected procedure
on the dense cube (196 datasets × 20 learners × 25 repeats × 137 anchors), and Holm's procedure over
all triples of one curve with 137 anchors. The loops are timed on a seeded sample of the curves (or
triples) and scaled by the number of triples.
"""

import tracemalloc
from collections.abc import Iterator

import numpy as np

from analysis import load_curves
from analysis.shapes import detect_shapes, published_lcdb10_cube
from benchmarks import shape_loops as loops
from benchmarks.timing import Timing, seconds
from lab.shapes.simulation import simulate_curves

SAMPLE = 12  # curves that the loops judge
SHORT = 20  # anchors of the shortened curve that Holm's loops judge


def triples(n) -> np.ndarray:
    n = np.asarray(n, dtype=float)
    return n * (n - 1) * (n - 2) / 6


def loops_on_cube(cube) -> float:
    """Return seconds of the four loops on a sample of curves, scaled to all of them."""
    curves = cube.transpose(..., "outer", "inner", "anchor").values.reshape(-1, 25, 137)
    n_anchors = (~np.isnan(curves)).any(axis=1).sum(axis=1)
    present = np.flatnonzero((n_anchors > 2) & (n_anchors < 90))  # longer ones take minutes each
    sample = np.random.default_rng(0).choice(present, SAMPLE, replace=False)
    anchors = cube["anchor"].values
    taken = seconds(lambda: [judge(curves[k], anchors)
                             for k in sample for judge in loops.VERDICTS.values()])
    return taken * triples(n_anchors).sum() / triples(n_anchors[sample]).sum()


def main() -> Iterator[Timing]:
    cube = published_lcdb10_cube(
        load_curves("lcdb10", "paper")["error_rate"].sel(split="valid").load())
    scaled = loops_on_cube(cube)
    for procedure in ("published", "corrected"):
        fast = seconds(lambda p=procedure: detect_shapes(cube, p), times=3)
        tracemalloc.start()
        detect_shapes(cube, procedure)
        peak = tracemalloc.get_traced_memory()[1] / 1e9
        tracemalloc.stop()
        yield Timing(f"shapes by the {procedure} procedure, all of LCDB 1.0, {peak:.2f} GB above "
                     "the input", fast,
                     f"the definitions as loops, scaled from {SAMPLE} curves", scaled)
    yield holm()


def holm() -> Timing:
    valid = simulate_curves("peak", 1, 0, size=0.2, rows=3_000_000)
    repeats, anchors = valid.values.reshape(25, -1), valid["anchor"].values
    detect_shapes(valid, "holm")  # fills the tables of triples
    fast = seconds(lambda: detect_shapes(valid, "holm"), times=5)
    picked = np.sort(np.random.default_rng(0).choice(len(anchors), SHORT, replace=False))
    taken = seconds(lambda: loops.holm_rejections(
        loops.triple_p_values(repeats[:, picked], anchors[picked])))
    return Timing(f"Holm over all pairs and triples of one curve of {len(anchors)} anchors", fast,
                  f"loops over its triples, scaled from {SHORT} anchors",
                  taken * triples(len(anchors)) / triples(SHORT))
