"""Many curves as plain arrays, packed: each curve's own anchors at the front, NaN behind them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import xarray as xr

from analysis.statistics.summary import REPEATS
from collection.containers.curves import INNER_SEED
from collection.protocol.anchors import check_anchors

BLOCK = 2**22  # values looked at together: 32 MB


class Seeds(NamedTuple):
    """The seeds of repeats, as numbers that are equal where seeds are.

    Attributes
    ----------
    outer, inner : ndarray of int, shape (n_repeats,)
        0 throughout where there is no such dim.
    """

    outer: np.ndarray
    inner: np.ndarray


@dataclass(frozen=True)
class Curves:
    """Packed curves, at least one anchor wide.

    Attributes
    ----------
    values : ndarray of float, shape (n_curves, n_repeats, n_anchors)
        The metric; NaN where a repeat has no value, and behind a curve's last anchor.
    means : ndarray of float, shape (n_curves, n_anchors)
        Means over the repeats that have a value; NaN behind a curve's last anchor.
    anchors : ndarray of float, shape (n_curves, n_anchors)
        Training-set sizes in rows; NaN behind a curve's last anchor.
    counts : ndarray of int, shape (n_curves,)
        Anchors of each curve; 0 for a missing one.
    rounding : ndarray of float, shape (n_curves,)
        What floating-point rounding alone can make of a difference of means; see `rounding_error`.
    seeds : Seeds
        Of the repeats.
    """

    values: np.ndarray
    means: np.ndarray
    anchors: np.ndarray
    counts: np.ndarray
    rounding: np.ndarray
    seeds: Seeds

    def __len__(self) -> int:
        return len(self.counts)


class CurveStack:
    """The curves of a named array, in blocks that fit in little memory.

    Parameters
    ----------
    valid : DataArray
        Dims ``anchor``, one or both of ``outer`` and ``inner``, and any others.

    Raises
    ------
    ValueError
        If a dim is lacking, or the anchors are not increasing positive numbers.
    TypeError
        If `valid` is no DataArray of numbers.
    """

    def __init__(self, valid: xr.DataArray):
        check_curves(valid)
        repeats = [d for d in REPEATS if d in valid.dims]
        self.lead = [d for d in valid.dims if d not in (*repeats, "anchor")]
        self.valid = valid.transpose(*self.lead, *repeats, "anchor")
        self.shape = tuple(valid.sizes[d] for d in self.lead)
        self.size = int(np.prod(self.shape))
        self.n_repeats = int(np.prod([valid.sizes[d] for d in repeats]))
        self.seeds = seeds_of(self.valid)

    def blocks(self) -> Iterator[Curves]:
        """Yield the curves in the order of the flattened leading dims."""
        array, anchors = self.valid.values, self.valid["anchor"].values.astype(float)
        resolution = np.finfo(array.dtype if array.dtype.kind == "f" else float).eps
        step = max(1, BLOCK // max(1, self.n_repeats * len(anchors)))
        for start in range(0, self.size, step):
            flat = np.arange(start, min(start + step, self.size))
            at = np.unravel_index(flat, self.shape) if self.lead else ()
            values = array[at].reshape(-1, self.n_repeats, len(anchors)).astype(float, copy=False)
            if np.isinf(values).any():
                raise ValueError(f"Infinite values in {self._where(values, start)}. What a fit "
                                 "could not give is NaN; look for a division by zero upstream.")
            yield pack(values, anchors, resolution, self.seeds)

    def labelled(self, columns: Mapping[str, np.ndarray]) -> xr.Dataset:
        """Return variables of one value per curve, with the coordinates of whole curves."""
        whole = {name: c for name, c in self.valid.coords.items() if set(c.dims) <= set(self.lead)}
        return xr.Dataset({name: (self.lead, flat.reshape(self.shape))
                           for name, flat in columns.items()}, whole)

    def _where(self, values: np.ndarray, start: int) -> str:
        if not self.lead:
            return "the curve"
        first = start + int(np.flatnonzero(np.isinf(values).any((1, 2)))[0])
        at = dict(zip(self.lead, np.unravel_index(first, self.shape), strict=True))
        labels = [f"{d}={self.valid[d].values[k] if d in self.valid.coords else k}"
                  for d, k in at.items()]
        return "the curve " + ", ".join(labels)


def seeds_of(valid: xr.DataArray) -> Seeds:
    """Return the seeds of repeats, outer by outer; ``inner_seed`` says those that no label does."""
    repeats = [d for d in REPEATS if d in valid.dims]
    shape = tuple(valid.sizes[d] for d in repeats)
    n_repeats = int(np.prod(shape))
    found = dict(zip(repeats, np.unravel_index(np.arange(n_repeats), shape), strict=True))
    if INNER_SEED in valid.coords:
        found["inner"] = valid[INNER_SEED].transpose(*repeats).values.ravel()
    return Seeds(*(found.get(d, np.zeros(n_repeats, int)) for d in REPEATS))


def check_curves(valid: xr.DataArray) -> None:
    """Raise where `valid` is not an array of curves; see `CurveStack`."""
    if not isinstance(valid, xr.DataArray):
        raise TypeError(f"Curves are a DataArray with named dims, not {type(valid).__name__}: take "
                        "one metric of one split, as in curves['error_rate'].sel(split='valid').")
    if valid.dtype.kind not in "fiub":
        raise TypeError(f"Curves hold numbers, not {valid.dtype}.")
    has = f"It has the dims {', '.join(map(str, valid.dims)) or 'none'}."
    if "anchor" not in valid.dims or "anchor" not in valid.coords:
        raise ValueError("Curves need 'anchor' as a dim and coordinate: their training-set sizes. "
                         + has)
    if not any(d in valid.dims for d in REPEATS):
        raise ValueError("Curves need their repeats, dims 'outer' and 'inner' (or one of them): "
                         f"significance is judged over them, so do not average first. {has}")
    if "split" in valid.dims:
        raise ValueError("Take one split first, as in .sel(split='valid').")
    check_anchors(valid["anchor"].values)


def pack(values: np.ndarray, anchors: np.ndarray, resolution: float,
         seeds: Seeds | None = None) -> Curves:
    """Move each curve's anchors, those with any value, to the front.

    Parameters
    ----------
    values : ndarray of float, shape (n_curves, n_repeats, n_anchors)
        NaN where there is no value.
    anchors : ndarray of float, shape (n_anchors,)
        Training-set sizes.
    resolution : float
        Machine epsilon of the numbers as they were recorded.
    seeds : Seeds, optional
        By default each repeat has seeds of its own.
    """
    seeds = Seeds(*2 * [np.arange(values.shape[1])]) if seeds is None else seeds
    has_value = ~np.isnan(values)
    per_anchor = has_value.sum(axis=1)
    filled = np.where(has_value, values, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = filled.sum(axis=1) / per_anchor  # row after row, as the published code adds up
    counts = (per_anchor > 0).sum(axis=1)
    largest = np.abs(filled, out=filled).max(axis=(1, 2), initial=0)
    rounding = rounding_error(largest, values.shape[1], resolution)
    order = np.argsort(per_anchor == 0, axis=1, kind="stable")[:, : counts.max(initial=1)]
    places = np.where(np.arange(order.shape[1]) < counts[:, None], anchors[order], np.nan)
    if (order == np.arange(order.shape[1])).all():
        values = values[:, :, : order.shape[1]]
    else:
        values = np.take_along_axis(values, order[:, None], axis=2)
    return Curves(values, np.take_along_axis(means, order, axis=1), places, counts, rounding, seeds)


def rounding_error(largest: np.ndarray, n_repeats: int, resolution: float) -> np.ndarray:
    """Bound what floating-point rounding alone can make of a difference between curve means.

    A recorded error rate is 1 − k/n, rounded twice: off by at most one `resolution` ε of 1 (or of
    the largest value, where that exceeds 1). Adding R of them and dividing makes at most R/2 more;
    a difference of two means, one of them interpolated between two anchors, doubles both and adds a
    few roundings of its own. That is less than (R + 8)·ε: 7e-15 for 25 repeats. The smallest real
    difference between means of 25 error rates on validation sets of at most 5,000 rows is
    1/125,000 = 8e-6, so nothing real comes near the bound.

    Parameters
    ----------
    largest : ndarray, shape (n_curves,)
        Largest absolute value of each curve.
    n_repeats : int
        R, at most.
    resolution : float
        ε, `numpy.finfo(dtype).eps` of the recorded numbers.
    """
    return (n_repeats + 8) * resolution * np.maximum(1.0, largest)
