"""Dimensions of a search space, and a draw from each."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Real:
    """A number between two ends, uniform or uniform in its logarithm."""

    low: float
    high: float
    default: float
    log: bool = False

    def draw(self, generator: np.random.Generator) -> float:
        """Return a random value."""
        if self.log:
            return float(np.exp(generator.uniform(np.log(self.low), np.log(self.high))))
        return float(generator.uniform(self.low, self.high))


@dataclass(frozen=True)
class Int:
    """A whole number from one end to the other, both included."""

    low: int
    high: int
    default: int | None = None

    def draw(self, generator: np.random.Generator) -> int:
        """Return a random value."""
        return int(generator.integers(self.low, self.high + 1))


@dataclass(frozen=True)
class Choice:
    """One of some values; the first is the default."""

    values: tuple

    @property
    def default(self) -> object:
        """The first value."""
        return self.values[0]

    def draw(self, generator: np.random.Generator) -> object:
        """Return a random value."""
        return self.values[int(generator.integers(len(self.values)))]


Dimension = Real | Int | Choice
