"""Curves simulated from the text of the chapter *Can we trust the verdicts?* alone.

Nothing here comes from `analysis.shapes`: whole covariance matrices instead of processes along the
curve, the datasets' rows one by one instead of in pairs, true peaks by bisection of their own.
"""

import numpy as np
import xarray as xr

OUTER = INNER = 5
ANCHORS = 12


def sizes_of(rows):
    """Return validation rows and training sizes of a dataset, as many as LCDB 1.0 has of 1,000."""
    n_valid = 2 * int(0.09 * rows / 2)
    return n_valid, np.round(np.geomspace(16, rows - rows // 10 - n_valid, ANCHORS))


def constant(x, rng):
    return np.full(len(x), rng.uniform(0.05, 0.5))


def power_law(x, rng):
    return rng.uniform(0.05, 0.25) + rng.uniform(0.1, 0.4) * (x / 16) ** -rng.uniform(0.2, 0.8)


def peak_of(size):
    """Return a maker of power laws with a bump whose true height, by the text, is `size`."""
    def make(x, rng):
        law = (rng.uniform(0.05, 0.25)
               + rng.uniform(0.1, 0.4) * (x / 16) ** (-2 * rng.uniform(0.2, 0.8)))
        low, high = np.log(x[0]), np.log(x[-1])
        t = np.log(x) - rng.uniform(low + (high - low) / 4, high - (high - low) / 4)
        bump, least, most = np.exp(-t**2 / (2 * 0.3**2)), 0.0, 0.6
        for _ in range(40):
            middle = (least + most) / 2
            curve = law + middle * bump
            height = max(min(curve[k] - curve[: k + 1].min(), curve[k] - curve[k:].min())
                         for k in range(len(x)))
            least, most = (middle, most) if height < size else (least, middle)
        return law + most * bump
    return make


def drawn(make, n, rows, noise, rng, population=False):
    """Return validation error rates (n, 25, 12) of curves, each with a learner's noise.

    `noise` has the columns valid, train, octaves, common, outer, a row per learner.
    """
    n_valid, x = sizes_of(rows)
    octaves_apart = np.abs(np.subtract.outer(np.log2(x), np.log2(x)))
    curves = np.empty((n, OUTER * INNER, len(x)))
    for k in range(n):
        v, sigma, tau, c, rho = noise[rng.integers(len(noise))]
        mu, alike = make(x, rng), c + (1 - c) * np.exp(-octaves_apart / tau)
        variance = v * mu * (1 - mu) / n_valid + sigma**2 * (16 / x) ** 1.2
        if population:
            smooth = np.linalg.cholesky(np.exp(-octaves_apart / 10)) @ rng.normal(size=len(x))
            own = variance * n_valid / rows
            mu = mu + clipped(np.sqrt(own) * smooth, mu)
            variance = variance - own
        rho = max(rho, -1 / INNER)
        together = np.kron(np.eye(OUTER), np.full((INNER, INNER), rho) + (1 - rho) * np.eye(INNER))
        z = np.linalg.cholesky(together) @ rng.normal(size=(25, len(x)))
        z = z @ np.linalg.cholesky(alike).T
        wrong = n_valid * (mu + clipped(np.sqrt(variance) * z, mu))
        curves[k] = np.floor(wrong + rng.random(wrong.shape)) / n_valid
    return packed(curves, x)


def clipped(noise, mu):
    room = np.minimum(mu, 1 - mu)
    return np.maximum(np.minimum(noise, room), -room)


def centroid_on_noise(n, rows, rng):
    """Return the curves of nearest centroid where labels are noise, half of them of each class."""
    n_valid, x = sizes_of(rows)
    curves = np.empty((n, OUTER * INNER, len(x)))
    for k in range(n):
        data = rng.normal(size=(rows, rng.integers(2, 31)))
        for outer in range(OUTER):
            halves = [rng.permutation(np.arange(label, rows, 2))[rows // 20 :] for label in (0, 1)]
            for inner in range(INNER):
                a, b = (rng.permutation(half) for half in halves)
                valid = [data[half[: n_valid // 2]] for half in (a, b)]
                sums = [data[half[n_valid // 2 :]].cumsum(axis=0) for half in (a, b)]
                for at, size in enumerate(x.astype(int)):
                    first, second = ((s[m - 1] / m) for s, m in
                                     zip(sums, ((size + 1) // 2, size // 2), strict=True))
                    normal, middle = second - first, (first + second) / 2
                    wrong = (((valid[0] - middle) @ normal > 0).sum()
                             + ((valid[1] - middle) @ normal <= 0).sum())
                    curves[k, INNER * outer + inner, at] = wrong / n_valid
    return packed(curves, x)


def packed(curves, x):
    return xr.DataArray(curves.reshape(len(curves), OUTER, INNER, len(x)),
                        dims=("curve", "outer", "inner", "anchor"),
                        coords={"outer": range(OUTER), "inner": range(INNER), "anchor": x})
