"""The nonlinear part of the curve models: shapes searched over, each on a unit box.

Every curve model of the registry is ``alpha + beta * shape(n)``, with a shape that depends on at
most two nonlinear parameters. A `Family` is such a shape, and a map from the unit box to its
parameters: the box is bounded so that the model's own parameters stay within the floating-point
numbers, and warped so that equal steps change the curve about equally. Members whose limit is
another family (POW4 becomes an exponential as d and c grow together, WBL4 a power law as d
vanishes) come as near to it as the model's parameters can be written down.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

Array = np.ndarray
LARGEST_EXPONENT = 230.0  # exp of it is 1e100: shapes saturate there instead of overflowing
TINY = 1e-100  # stands for what a formula is not defined for, before the first fitted anchor
PARAMETER_EXPONENT = 600.0  # parameters may be as large as exp of it


@dataclass(frozen=True)
class Family:
    """A shape with nonlinear parameters.

    Attributes
    ----------
    steps : tuple of int
        Grid points of the scan per nonlinear parameter.
    natural : callable
        ``natural(first, last, *theta)``: the model's nonlinear parameters at `theta`, which lies in
        the unit box. `first` and `last` are the smallest and largest anchor fitted.
    shape : callable
        ``shape(n, reference, *natural)``: the model's own term, divided by its value at the anchor
        `reference`; finite for every n.
    falls : callable
        ``falls(*natural)``: whether the shape falls from the first to the last anchor. The
        reference is the first anchor then and the last one otherwise, so that no shape is large
        on the fitted anchors.
    """

    steps: tuple[int, ...]
    natural: Callable[..., tuple[Array, ...]]
    shape: Callable[..., Array]
    falls: Callable[..., Array | bool] = lambda *natural: True

    def reference(self, first: Array, last: Array, *natural: Array) -> Array:
        """Return the anchor at which the shape is 1."""
        return np.where(self.falls(*natural), first, last)

    def at(self, n: Array, first: Array, last: Array, theta: Array) -> Array:
        """Return the shapes at points of the unit box.

        Parameters
        ----------
        n : ndarray, shape (..., n_anchors)
        first, last : float or ndarray, shape (..., 1)
        theta : ndarray, shape (..., n_nonlinear)
        """
        natural = self.natural(first, last, *np.moveaxis(theta, -1, 0)[..., None])
        return self.shape(n, self.reference(first, last, *natural), *natural)


def _exp(exponent: Array) -> Array:
    return np.exp(np.minimum(exponent, LARGEST_EXPONENT))


def _warp(theta: Array, low: Array, high: Array, unit: float) -> Array:
    """Map [0, 1] onto [low, high]: linear within `unit` of zero, logarithmic outside."""
    start, end = np.arcsinh(low / unit), np.arcsinh(high / unit)
    return unit * np.sinh(start + theta * (end - start))


def _off_zero(value: Array, least: float) -> Array:
    """Keep `value` from vanishing, where its partner would be divided by it."""
    return np.where(np.abs(value) < least, np.copysign(least, value), value)


def _decay(theta: Array, rise: Array, fall: Array) -> Array:
    """Return the log of the shape's fall from the first to the last anchor (negative: its rise)."""
    return _off_zero(_warp(theta, -rise, fall, 0.05), 1e-4)


def _split_decay(theta: Array, rise: Array, fall: Array) -> Array:
    """Return what `_decay` does, ordered so that the vanishing ones lie on the box's border.

    Where the slope's sign is fixed, a shape and its mirror image do not stand for each other: the
    search must come to rest at the limit between them instead of trying to cross it.
    """
    most = np.where(theta < 0.5, rise, fall)
    size = most * (1e-4 / most) ** np.abs(2 * theta - 1)
    return np.where(theta < 0.5, -size, size)


def _power(first, last, theta):
    with np.errstate(divide="ignore"):  # at one row, whose logarithm is 0, nothing limits it but 60
        limits = [np.minimum(60.0, PARAMETER_EXPONENT / np.log(n)) for n in (last, first)]
    return (_off_zero(_warp(theta, -limits[0], limits[1], 0.05), 1e-5),)


POWER = Family(
    (96,),
    _power,
    lambda n, reference, c: _exp(-c * np.log(n / reference)),
    lambda c: c > 0,
)


def _exponential(first, last, theta, most=PARAMETER_EXPONENT):
    span = last - first
    rise, fall = most * span / last, PARAMETER_EXPONENT * span / first
    return (_decay(theta, np.minimum(rise, most), fall) / span,)


EXPONENTIAL = Family(
    (96,),
    _exponential,
    lambda n, reference, b: _exp(-b * (n - reference)),
    lambda b: b > 0,
)
# EXPD3 holds its two linear parameters as c and c - a: a steep rise would cancel their digits.
GENTLE_EXPONENTIAL = replace(EXPONENTIAL, natural=partial(_exponential, most=20.0))


def _shifted_power(first, last, theta, phi):
    shifted = first * np.exp(-12 + theta * (12 + np.log(1e3 * last / first)))
    fall = np.log1p((last - first) / shifted)
    limits = [
        fall * np.minimum(200.0, PARAMETER_EXPONENT / np.maximum(np.abs(np.log(base)), 1e-3))
        for base in (shifted + last - first, shifted)
    ]
    return _decay(phi, *limits) / fall, shifted - first


SHIFTED_POWER = Family(
    (32, 40),
    _shifted_power,
    lambda n, reference, c, d: _exp(-c * np.log(np.maximum(d + n, TINY) / (d + reference))),
    lambda c, d: c > 0,
)


def _stretched(first, last, theta, phi, decay=_decay):
    d = _off_zero(_warp(theta, -20.0, 20.0, 0.5), 1e-3)
    log_span = d * np.log(last / first)
    rise, fall = (PARAMETER_EXPONENT * np.abs(np.expm1(x)) for x in (-log_span, log_span))
    return decay(phi, rise, fall) / (np.expm1(log_span) * first**d), d


STRETCHED_EXPONENTIAL = Family(
    (32, 40),
    _stretched,
    lambda n, reference, a, d: _exp(-a * reference**d * np.expm1(d * np.log(n / reference))),
    lambda a, d: a * d > 0,
)
SIGNED_STRETCHED_EXPONENTIAL = replace(
    STRETCHED_EXPONENTIAL, natural=partial(_stretched, decay=_split_decay))


def _sigmoid(first, last, theta, phi):
    d = np.exp(np.log(1e-2) + theta * np.log(40 / 1e-2))
    most = PARAMETER_EXPONENT - d * np.log(first)  # of what b is the exponential of
    ratio = np.expm1(np.minimum(-12 + phi * (21 + d * np.log(last / first)), most))
    return _off_zero(ratio, 1e-6) * first**d, d


def _sigmoid_shape(n, reference, b, d):
    ratio, falling = b * reference**-d, _exp(-d * np.log(n / reference))
    return falling * (1 + ratio) / np.maximum(1 + ratio * falling, TINY)


SIGMOID = Family((32, 40), _sigmoid, _sigmoid_shape)


def _logistic_power(first, last, theta, phi):
    c = _off_zero(_warp(theta, -20.0, 20.0, 0.05), 1e-3)
    limit = np.minimum(15 + np.abs(c) * np.log(last / first), PARAMETER_EXPONENT * np.abs(c))
    return np.log(first) - (2 * phi - 1) * limit / c, c


def _logistic_power_shape(n, reference, b, c):
    ratio, rising = np.exp(c * (np.log(reference) - b)), _exp(c * np.log(n / reference))
    return (1 + ratio) / (1 + ratio * rising)


LOGISTIC_POWER = Family((40, 32), _logistic_power, _logistic_power_shape)

VAPOUR = Family(
    (40, 40),
    lambda first, last, theta, phi: (
        first * _warp(theta, -50.0, 50.0, 0.05), _warp(phi, -10.0, 10.0, 0.05)),
    lambda n, reference, b, c: _exp(b * (1 / n - 1 / reference) + c * np.log(n / reference)),
)


def _double_exponential(first, last, theta, phi):
    gap = first * np.exp(-12 + theta * (12 + np.log(10 * last / first)))
    near, far = np.log(gap), np.log(gap + last - first)  # (n - b)^a stays below 10 on both ends
    least = np.where(near < 0, np.maximum(-10.0, np.log(10) / np.minimum(near, -1e-3)), -10.0)
    most = np.where(far > 0, np.minimum(3.0, np.log(10) / np.maximum(far, 1e-3)), 3.0)
    return _warp(phi, least, most, 0.01), first - gap


DOUBLE_EXPONENTIAL = Family(
    (32, 48),
    _double_exponential,
    lambda n, reference, a, b: _exp(_exp(a * np.log(np.maximum(n - b, TINY)))),
)


def inverse_log(n: Array) -> Array:
    """Return 1 / log n; at a single row, where it has a pole, a very large number."""
    return 1 / np.where(n == 1, TINY, np.log(n))


def fixed(shape: Callable[[Array], Array]) -> Family:
    """Return the family of one shape, without nonlinear parameters."""
    return Family((), lambda first, last: (), lambda n, reference: shape(n))
