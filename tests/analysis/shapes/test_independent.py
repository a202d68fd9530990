"""The rates kept are those of a simulation written from the chapter's text alone."""

import numpy as np
import pytest
from independent import ANCHORS, centroid_on_noise, constant, drawn, peak_of, power_law
from scipy.stats import fisher_exact

from analysis.published.computed import recall
from analysis.shapes import detect_shapes
from analysis.shapes.noise import COLUMNS, kept_noise

VERDICTS = ("ill_behaved", "dipping")
UNLIKELY = 1e-3  # of each comparison, of which there are two dozen; seeds are fixed


def noise():
    return kept_noise().query("database == 'lcdb10'")[list(COLUMNS)].to_numpy()


def agrees(curves, generator, truth, size, procedure, verdict):
    """Whether the share called could be that of the kept table, by Fisher's exact test."""
    kept = recall("calibration")
    kept = kept[(kept["generator"] == generator) & (kept["truth"] == truth)
                & (kept["size"] == size) & (kept["rows"] == 1000) & (kept["anchors"] == ANCHORS)
                & (kept["repeats"] == 25) & (kept["procedure"] == procedure)
                & (kept["verdict"] == verdict)]
    rate, n = kept[["rate", "n"]].iloc[0]
    called = detect_shapes(curves, procedure)[verdict].values
    hits = round(rate * n / 100)
    table = [[called.sum(), (~called).sum()], [hits, n - hits]]
    return fisher_exact(table).pvalue > UNLIKELY


@pytest.mark.parametrize("population", [False, True])
def test_constant_curves_are_called_as_often(population):
    curves = drawn(constant, 250, 1000, noise(), np.random.default_rng(1), population)
    generator = "drawn, population" if population else "drawn, dataset"
    for procedure in ("published", "holm", "nadeau_bengio", "max_t"):
        for verdict in VERDICTS:
            assert agrees(curves, generator, "flat", 0, procedure, verdict), (procedure, verdict)


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
        for verdict in VERDICTS:
            assert agrees(curves, "learned, population", "noise_labels", 0, procedure, verdict)


def test_another_simulation_does_not_agree():
    """What agrees above is not for want of curves: without correlation along the curve it fails."""
    independent = noise() * np.array([1, 1, 0, 0, 1]) + np.array([0, 0, 1e-3, 0, 0])
    curves = drawn(peak_of(0.05), 100, 1000, independent, np.random.default_rng(3))
    assert not agrees(curves, "drawn, dataset", "peak", 0.05, "published", "peaking")
