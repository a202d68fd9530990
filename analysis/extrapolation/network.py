"""A small network that sees every learner's curve at once: trained with torch, run with numpy."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from analysis.extrapolation.features import NAMES
from analysis.extrapolation.seen import Seen
from analysis.extrapolation.windows import Scenes

LAGS = (5, 2, 0)  # positions in PAST of the values before now that it sees of each learner
LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)
MEMBERS = 3  # networks that are averaged
LARGEST = 4.0  # of a standardised input


class Network(NamedTuple):
    """Layers of weights.

    Attributes
    ----------
    shift, scale : ndarray, shape (n_inputs,)
        What inputs are standardised with.
    weights : tuple of ndarray, shape (n_in, n_out)
    biases : tuple of ndarray, shape (n_out,)
    """

    shift: np.ndarray
    scale: np.ndarray
    weights: tuple[np.ndarray, ...]
    biases: tuple[np.ndarray, ...]

    def arrays(self, prefix: str) -> dict[str, np.ndarray]:
        """Return the arrays to store, in half precision, their names beginning with `prefix`."""
        layers = {f"{prefix}.{kind}{k}": part.astype(np.float16)
                  for kind, parts in (("weight", self.weights), ("bias", self.biases))
                  for k, part in enumerate(parts)}
        return layers | {f"{prefix}.shift": self.shift.astype(np.float32),
                         f"{prefix}.scale": self.scale.astype(np.float32)}

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray], prefix: str) -> "Network":
        """Return the network that `arrays` gave."""
        number = sum(key.startswith(f"{prefix}.weight") for key in arrays)
        weights, biases = (tuple(arrays[f"{prefix}.{kind}{k}"].astype(np.float32)
                                 for k in range(number)) for kind in ("weight", "bias"))
        return cls(arrays[f"{prefix}.shift"], arrays[f"{prefix}.scale"], weights, biases)

    def predict(self, values: np.ndarray) -> np.ndarray:
        """Return the outputs, shape (n_rows, n_outputs).

        Parameters
        ----------
        values : ndarray, shape (n_rows, n_inputs)
            From `inputs`.
        """
        return forward(standardise(values, self.shift, self.scale), self.weights, self.biases)


def forward(layer: np.ndarray, weights: Sequence[np.ndarray],
            biases: Sequence[np.ndarray]) -> np.ndarray:
    """Return what layers make of inputs that are ready, with SiLU between them."""
    for k, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        layer = layer @ weight + bias
        if k < len(weights) - 1:
            layer = layer / (1 + np.exp(-layer.clip(-30, 30)))
    return layer


def standardise(values: np.ndarray, shift: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return inputs with mean 0 and deviation 1, what is missing at the mean."""
    ready = (values.astype(np.float32) - shift) / scale
    return np.nan_to_num(ready).clip(-LARGEST, LARGEST).astype(np.float32)


def inputs(described: np.ndarray, seen: Seen, scenes: Scenes) -> np.ndarray:
    """Return what the network sees, NaN where missing.

    Parameters
    ----------
    described : ndarray, shape (n_rows, len(NAMES))
        From `analysis.extrapolation.features`; one row per curve.
    seen : Seen
        The curve of every row.
    scenes : Scenes
        Theirs.

    Returns
    -------
    ndarray, shape (n_rows, n_inputs)
        The features, except the learner's number, and logarithms of the first and the expected
        level; which of them are missing; which learner it is; how each other learner's curve lies
        above this one now, how it fell, and whether it is there.
    """
    level = np.log(seen.level + 0.02)[:, None]
    expected = np.log(described[:, [NAMES.index("gaussian_level")]].clip(0) + 0.02)
    numbers = np.delete(described, NAMES.index("learner"), axis=1)
    others = scenes.past[scenes.scene]
    slots = others.shape[1]
    which = (scenes.slot[:, None] == np.arange(slots)).astype(np.float32)
    now = others[:, :, LAGS[0]]
    falls = [now - others[:, :, k] for k in LAGS[1:]]
    own = np.log(seen.level + 0.1)[:, None]
    return np.concatenate([numbers, level, expected, np.isnan(numbers), which, now - own, *falls,
                           np.isnan(now)], axis=1).astype(np.float32)
