"""Hyperparameters of any kind as a table of numbers."""

from collections.abc import Mapping, Sequence
from numbers import Real

import numpy as np
import pandas as pd

UNTOLD = ("ag_args",)  # bookkeeping of TabRepo's configs, no hyperparameters


def as_numbers(configs: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    """Return hyperparameters as numbers, a row per config, a column per hyperparameter that varies.

    Numbers stay as they are. Everything else (names, switches, lists, None) becomes a code: its
    place among the values that occur, sorted by their text; if a hyperparameter has both, all its
    values become codes. What a config does not set is a value of its own, NaN among numbers.
    Nested settings are named with dots.
    """
    flat = pd.DataFrame([_flat(config) for config in configs], dtype=object)
    table = {name: _codes(column) for name, column in flat.items()}
    varying = {name: values for name, values in table.items()
               if len(np.unique(values[~np.isnan(values)])) + np.isnan(values).any() > 1}
    return pd.DataFrame(varying, index=range(len(configs)))


def _flat(config: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    """Return settings by dotted name; lists as their text."""
    found: dict[str, object] = {}
    for name, value in config.items():
        if name in UNTOLD:
            continue
        if isinstance(value, Mapping):
            found |= _flat(value, f"{prefix}{name}.")
        else:
            found[prefix + name] = value
    return found


def _codes(column: pd.Series) -> np.ndarray:
    absent = column.map(lambda value: isinstance(value, float) and np.isnan(value))
    given = column[~absent]
    if given.map(lambda value: isinstance(value, Real) and not isinstance(value, bool)).all():
        return np.where(absent, np.nan, column.where(~absent, 0).astype(float))
    names = sorted({str(value) for value in given})
    codes = column.map(lambda value: names.index(str(value)) if str(value) in names else len(names))
    return codes.where(~absent, len(names)).to_numpy(float)
