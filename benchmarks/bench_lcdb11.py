"""DA1 on files of the official layout at full size: 265 × 24 × 25 × 137 × 3 scalings.

Writes simulated curves in the official layout to a temporary folder (3 GB), opens them and judges
every curve; prints seconds and peak memory, and the ratio to the straightforward loops over pairs
and triples, timed on a sample of the same curves.
"""

import resource
import tempfile
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import h5py
import numpy as np

from analysis.databases.lcdb11.open import open_lcdb11
from analysis.shapes import detect_shapes
from benchmarks.timing import Timing, timed
from collection.containers.curves import SCALINGS
from collection.official.lcdb11 import datasets_table, remember
from collection.protocol.anchors import anchor_grid

NAME = "LCDB11_ER_265_24.hdf5"
SHAPE = (265, 24, 5, 5, 137, 3, 3, 2)


def write(folder: Path) -> None:
    """Write power laws with noise, NaN past each dataset's training set."""
    rng = np.random.default_rng(0)
    sizes = anchor_grid().reshape(-1, 1, 1, 1)
    with h5py.File(folder / NAME, "w") as opened:
        stored = opened.create_dataset("error rate", SHAPE, "f8")
        for k, end in enumerate(datasets_table()["max_anchor"]):
            law = rng.uniform(0.05, 0.3, (24, 1, 1, 1, 3, 3, 2)) + sizes**-rng.uniform(0.2, 0.8)
            values = law + 0.02 * rng.standard_normal(SHAPE[1:])
            values[:, :, :, anchor_grid() > end] = np.nan
            stored[k] = values
    remember(folder / NAME)


def loops(repeats: np.ndarray, anchors: np.ndarray) -> tuple[float, float]:
    """Find the largest violations of one curve as Definitions 1 and 2 read."""
    mean, mono, conv = repeats.mean(axis=0), 0.0, 0.0
    for i, j in combinations(range(len(mean)), 2):
        mono = max(mono, mean[j] - mean[i])
    for h, i, j in combinations(range(len(mean)), 3):
        share = (anchors[i] - anchors[h]) / (anchors[j] - anchors[h])
        conv = max(conv, mean[i] - (1 - share) * mean[h] - share * mean[j])
    return mono, conv


def time_loops(valid, samples: int = 12) -> float:
    """Return seconds per curve of the loops, over curves spread evenly over the datasets."""
    flat = valid.stack(curve=("dataset", "learner"), repeat=("outer", "inner"))
    chosen = flat.isel(curve=np.linspace(0, flat.sizes["curve"] - 1, samples).astype(int))
    with timed() as clock:
        for curve in chosen.transpose("curve", "repeat", "anchor"):
            kept = curve.dropna("anchor", how="all")
            loops(kept.values, kept["anchor"].values.astype(float))
    return clock.seconds / samples


def main() -> Iterator[Timing]:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        with timed() as clock:
            valid = open_lcdb11(folder)["error_rate"].sel(split="valid", leakage="no")
            n_curves = sum(detect_shapes(valid.sel(scaling=scaling), "published")["missing"].size
                           for scaling in SCALINGS)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        yield Timing(f"DA1 on {n_curves:,} curves in LCDB 1.1's layout, {peak:.1f} GB at most",
                     clock.seconds, "loops over pairs and triples, scaled from 12 curves",
                     n_curves * time_loops(valid.sel(scaling="none").compute()))
