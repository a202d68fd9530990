"""The rates kept are those of a simulation written from the chapter's text alone."""

import numpy as np
import pytest
from independent import ANCHORS, centroid_on_noise, constant, drawn, peak_of, power_law
from scipy.stats import fisher_exact

from analysis.published.computed import recall
from analysis.shapes import detect_shapes
from lab.shapes.noise import COLUMNS, kept_noise

UNLIKELY = 1e-3  # of each comparison, of which there are two dozen; seeds are fixed


def noise():
    return kept_noise().query("database == 'lcdb10'")[list(COLUMNS)].to_numpy()


def agrees(curves, generator, truth, size, procedure, *verdicts):
    """Whether the shares called could be those of the kept table, by Fisher's exact test."""
    kept = recall("calibration").set_index("verdict")
    kept = kept[(kept["generator"] == generator) & (kept["truth"] == truth)
                & (kept["size"] == size) & (kept["rows"] == 1000) & (kept["anchors"] == ANCHORS)
                & (kept["repeats"] == 25) & (kept["procedure"] == procedure)]
    found, chances = detect_shapes(curves, procedure), []
    for verdict in verdicts:
        (rate, n), called = kept.loc[verdict, ["rate", "n"]], found[verdict].values
        hits = round(rate * n / 100)
        chances.append(fisher_exact([[called.sum(), (~called).sum()], [hits, n - hits]]).pvalue)
    return min(chances) > UNLIKELY


@pytest.mark.parametrize("population", [False, True])
def test_constant_curves_are_called_as_often(population):
    curves = drawn(constant, 250, 1000, noise(), np.random.default_rng(1), population)
    generator = "drawn, population" if population else "drawn, dataset"
    for procedure in ("published", "holm", "nadeau_bengio", "max_t"):
        assert agrees(curves, generator, "flat", 0, procedure, "ill_behaved", "dipping"), procedure


def test_power_laws_are_called_as_rarely():
    curves = drawn(power_law, 150, 1000, noise(), np.random.default_rng(2))
    for procedure in ("published", "max_t"):
        assert agrees(curves, "drawn, dataset", "power_law", 0, procedure, "ill_behaved")


def test_true_peaks_are_found_as_often():
    curves = drawn(peak_of(0.05), 100, 1000, noise(), np.random.default_rng(3))
    for procedure in ("published", "nadeau_bengio", "max_t"):
        assert agrees(curves, "drawn, dataset", "peak", 0.05, procedure, "peaking"), procedure


def test_labels_that_are_noise_are_called_as_often():
    curves = centroid_on_noise(100, 1000, np.random.default_rng(4))
    for procedure in ("published", "nadeau_bengio", "max_t"):
        assert agrees(curves, "learned, population", "noise_labels", 0, procedure, "ill_behaved",
                      "dipping")


def test_another_simulation_does_not_agree():
    """What agrees above is not for want of curves: without correlation along the curve it fails."""
    independent = noise() * np.array([1, 1, 0, 0, 1]) + np.array([0, 0, 1e-3, 0, 0])
    curves = drawn(peak_of(0.05), 100, 1000, independent, np.random.default_rng(3))
    assert not agrees(curves, "drawn, dataset", "peak", 0.05, "published", "peaking")
