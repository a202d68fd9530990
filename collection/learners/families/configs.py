"""Configs of a family: its default and random ones, by name."""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from collection.learners.families.registry import FAMILIES, Family
from collection.learners.families.space import Choice
from collection.naming import UnknownNameError, check_known

NAME = re.compile(r"(\w+)_(c1|r[1-9]\d*)")


@dataclass(frozen=True)
class Config:
    """A family's learner with hyperparameters.

    Attributes
    ----------
    name : str
        ``<family>_c1`` for the default, ``<family>_r<number>`` for random ones, as in TabRepo.
    family : str
    hyperparameters : dict of str to object
    """

    name: str
    family: str
    hyperparameters: dict[str, object]


def draw_configs(family: str, random: int, seed: int = 0) -> list[Config]:
    """Return a family's default config and so many random ones, all different.

    Parameters
    ----------
    family : str
        A name in `FAMILIES`.
    random : int
    seed : int
        The same seed gives the same configs; asking for more adds to them.

    Raises
    ------
    UnknownNameError
        For an unknown family.
    ValueError
        If `random` is negative, or the space has not so many configs.
    """
    check_known("family", [family], FAMILIES)
    known = FAMILIES[family]
    room = _size(known)
    if random < 0 or random > room:
        raise ValueError(f"{family} has {room:g} different configs; {random} were asked for.")
    return [Config(f"{family}_c1", family, known.default),
            *(Config(f"{family}_r{number}", family, drawn)
              for number, drawn in enumerate(islice(_draws(known, seed), random), 1))]


def is_config(name: str) -> bool:
    """Tell whether a name is of the form of a known family's configs."""
    found = NAME.fullmatch(name)
    return bool(found) and found[1] in FAMILIES


def find_config(name: str, seed: int = 0) -> Config:
    """Return the config of a name.

    Raises
    ------
    UnknownNameError
        For a name that is not of a family.
    """
    if not is_config(name):
        raise UnknownNameError("config", name, [f"{family}_c1" for family in FAMILIES])
    found = NAME.fullmatch(name)
    number = 0 if found[2] == "c1" else int(found[2][1:])
    return draw_configs(found[1], number, seed)[-1]


def _draws(family: Family, seed: int) -> Iterator[dict[str, object]]:
    """Yield random configs without end, none twice."""
    generator = np.random.default_rng([seed, zlib.crc32(family.name.encode())])
    seen = set()
    while True:
        drawn = {name: dimension.draw(generator) for name, dimension in family.space.items()}
        key = tuple(drawn.values())
        if key not in seen:
            seen.add(key)
            yield drawn


def _size(family: Family) -> float:
    """Return how many configs a space has; infinite with a number in it."""
    if all(isinstance(dimension, Choice) for dimension in family.space.values()):
        return float(np.prod([len(dimension.values) for dimension in family.space.values()]))
    return np.inf
