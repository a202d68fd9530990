import numpy as np
import pytest
import xarray as xr

from lab.shapes import noise as noises

ANCHORS = np.unique(np.geomspace(16, 2000, 16).round())
KNOWN = {"valid": 1.2, "train": 0.05, "octaves": 1.0, "common": 0.2, "outer": -0.05}


def noise_of(n, **changed):
    return noises.Noise(*(np.full(n, (KNOWN | changed)[name]) for name in noises.COLUMNS))


@pytest.mark.parametrize("outer", [-0.1, 0.0, 0.3])
def test_drawn_noise_has_the_variance_and_the_correlations_asked_for(outer):
    drawn = noises.draw_noise(ANCHORS, noise_of(6000, outer=outer), (2, 3),
                              np.random.default_rng(0))
    assert drawn.shape == (6000, 2, 3, len(ANCHORS))
    assert np.abs(drawn.mean(axis=0)).max() < 0.06
    np.testing.assert_allclose(drawn.var(axis=(0, 1, 2)), 1, atol=0.05)
    lags = np.log2(ANCHORS / ANCHORS[0])
    along = np.corrcoef(drawn.reshape(-1, len(ANCHORS)).T)[0]
    np.testing.assert_allclose(along, noises.correlation_at(lags, 1.0, 0.2), atol=0.03)
    same = np.corrcoef(drawn[:, 0, 0, 3], drawn[:, 0, 1, 3])[0, 1]
    other = np.corrcoef(drawn[:, 0, 0, 3], drawn[:, 1, 1, 3])[0, 1]
    assert same == pytest.approx(outer, abs=0.05)
    assert other == pytest.approx(0, abs=0.05)


def test_the_fit_finds_the_noise_that_was_drawn():
    rng = np.random.default_rng(1)
    true, n_valid = np.full((150, len(ANCHORS)), 0.3), 222
    noise = noise_of(150)
    spread = np.sqrt(noises.variances(true, ANCHORS, n_valid, noise))[:, None, None]
    errors = true[:, None, None] + spread * noises.draw_noise(ANCHORS, noise, (5, 5), rng)
    valid = xr.DataArray(errors[None], dims=("learner", "dataset", "outer", "inner", "anchor"),
                         coords={"learner": ["KNN"], "anchor": ANCHORS})
    found = noises.fit_noise(valid).iloc[0]
    assert found["curves"] == 150
    for name, tolerance in (("valid", 0.15), ("train", 0.01), ("octaves", 0.2), ("common", 0.08),
                            ("outer", 0.03)):
        assert found[name] == pytest.approx(KNOWN[name], abs=tolerance), name


def test_short_and_incomplete_curves_are_left_out():
    errors = np.random.default_rng(0).random((1, 5, 5, 5, 8))
    errors[0, 0, ..., 5:] = np.nan
    errors[0, 1, 0, 0, 3] = np.nan
    valid = xr.DataArray(errors, dims=("learner", "dataset", "outer", "inner", "anchor"),
                         coords={"learner": ["KNN"], "anchor": 16 * np.arange(1, 9)})
    assert noises.fit_noise(valid)["curves"].tolist() == [3]
    assert noises.fit_noise(valid.isel(dataset=[0, 1, 2])).empty
