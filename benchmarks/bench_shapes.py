"""Shape detection on all of LCDB 1.0, against the definitions written as plain loops.

``python -m benchmarks.bench_shapes``

Two comparisons, each in this one run: all verdicts of the published and of the corrected procedure
on the dense cube (196 datasets × 20 learners × 25 repeats × 137 anchors), and Holm's procedure over
all triples of one curve with 137 anchors. The loops are timed on a seeded sample of the curves (or
triples) and scaled by the number of triples.
"""

import time
import tracemalloc

import numpy as np

from analysis import load_curves
from analysis.shapes import detect_shapes, published_lcdb10_cube
from analysis.shapes.simulation import simulate_curves
from benchmarks import shape_loops as loops

SAMPLE = 12  # curves that the loops judge
SHORT = 20  # anchors of the shortened curve that Holm's loops judge


def seconds(call, repeats: int = 1) -> float:
    """Return the shortest wall time of a call, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def triples(n) -> np.ndarray:
    n = np.asarray(n, dtype=float)
    return n * (n - 1) * (n - 2) / 6


def loops_on_cube(cube) -> tuple[float, float]:
    """Return seconds of the four loops on a sample of curves, and scaled to all of them."""
    curves = cube.transpose(..., "outer", "inner", "anchor").values.reshape(-1, 25, 137)
    n_anchors = (~np.isnan(curves)).any(axis=1).sum(axis=1)
    present = np.flatnonzero((n_anchors > 2) & (n_anchors < 90))  # longer ones take minutes each
    sample = np.random.default_rng(0).choice(present, SAMPLE, replace=False)
    anchors = cube["anchor"].values
    taken = seconds(lambda: [judge(curves[k], anchors)
                             for k in sample for judge in loops.VERDICTS.values()])
    return taken, taken * triples(n_anchors).sum() / triples(n_anchors[sample]).sum()


def verdicts(cube) -> None:
    taken, scaled = loops_on_cube(cube)
    print(f"  loops: {taken:.1f} s on {SAMPLE} curves, scaled to all {scaled:.0f} s")
    for procedure in ("published", "corrected"):
        fast = seconds(lambda p=procedure: detect_shapes(cube, p), repeats=3)
        tracemalloc.start()
        detect_shapes(cube, procedure)
        peak = tracemalloc.get_traced_memory()[1] / 1e9
        tracemalloc.stop()
        print(f"  {procedure}: {fast:.2f} s, {scaled / fast:.0f} times as fast, "
              f"{peak:.2f} GB above the input")


def holm() -> None:
    valid = simulate_curves("peak", 1, 0, size=0.2, rows=3_000_000)
    repeats, anchors = valid.values.reshape(25, -1), valid["anchor"].values
    detect_shapes(valid, "holm")  # fills the tables of triples
    fast = seconds(lambda: detect_shapes(valid, "holm"), repeats=5)
    picked = np.sort(np.random.default_rng(0).choice(len(anchors), SHORT, replace=False))
    taken = seconds(lambda: loops.holm_rejections(
        loops.triple_p_values(repeats[:, picked], anchors[picked])))
    scaled = taken * triples(len(anchors)) / triples(SHORT)
    print(f"  loops: {taken:.2f} s on {SHORT} of {len(anchors)} anchors, scaled {scaled:.0f} s")
    print(f"  holm (pairs too): {1e3 * fast:.0f} ms, {scaled / fast:.0f} times as fast")


def main() -> None:
    cube = published_lcdb10_cube(
        load_curves("lcdb10", "paper")["error_rate"].sel(split="valid").load())
    print(f"All verdicts on the dense LCDB 1.0 cube, {cube.sizes['dataset']} datasets x "
          f"{cube.sizes['learner']} learners x 25 repeats x 137 anchors")
    verdicts(cube)
    print("Holm over all triples of one curve")
    holm()


if __name__ == "__main__":
    main()
