"""The repeats of one dataset's curves as a compressed block that a browser unpacks."""

import gzip
from dataclasses import dataclass

import numpy as np
import xarray as xr

from collection.containers.curves import METRICS, main_metric

#: The order of values in a block; the repeat is outer seed times inner seeds plus inner seed.
BLOCK_DIMS = ("learner", "split", "anchor", "outer", "inner")


@dataclass(frozen=True)
class Block:
    """Curves of one dataset, metric, scaling and leakage.

    Attributes
    ----------
    learners, splits, anchors : list
        Labels of the first three of `BLOCK_DIMS`, those with a value only; ``splits`` is empty
        for a metric without splits.
    repeats : int
        Values per anchor.
    content : bytes
        gzip of float32, little-endian, in the order of `BLOCK_DIMS`; NaN where missing.
    """

    learners: list[str]
    splits: list[str]
    anchors: list[int]
    repeats: int
    content: bytes

    def describe(self, file: str) -> dict:
        """Return what a page must know to read the block from `file`."""
        return {"file": file, "learners": self.learners, "splits": self.splits,
                "anchors": self.anchors, "repeats": self.repeats}


def pack_block(values: xr.DataArray) -> Block | None:
    """Pack the curves of one dataset and setting.

    Parameters
    ----------
    values : xarray.DataArray, dims (learner, outer, inner, anchor[, split])
        One metric; NaN where missing. A database of means only has no repeats.

    Returns
    -------
    Block or None
        None where there is no value at all.
    """
    for dim in ("outer", "inner"):
        values = values if dim in values.dims else values.expand_dims(dim)
    has_splits = "split" in values.dims
    values = values if has_splits else values.expand_dims("split")
    values = values.transpose(*BLOCK_DIMS)
    there = values.notnull()
    for dim in ("learner", "split", "anchor"):
        values = values.isel({dim: there.any([d for d in BLOCK_DIMS if d != dim]).values})
    if not values.size:
        return None
    content = np.ascontiguousarray(values.values, dtype="<f4").tobytes()
    return Block(learners=[str(name) for name in values["learner"].values],
                 splits=[str(name) for name in values["split"].values] if has_splits else [],
                 anchors=[int(n) for n in values["anchor"].values],
                 repeats=values.sizes["outer"] * values.sizes["inner"],
                 content=gzip.compress(content, compresslevel=6, mtime=0))


def shown_metrics(curves: xr.Dataset) -> dict[str, dict]:
    """Return the metrics of a database, with what a page says of them, the main one first."""
    main = main_metric(curves)
    return {m.name: {"label": m.label, "unit": "" if m.unit == "1" else m.unit,
                     "axis": "log" if m.of == "numbers" and m.lower_is_better else "linear"}
            for m in sorted(METRICS.values(), key=lambda m: m.name != main) if m.name in curves}
