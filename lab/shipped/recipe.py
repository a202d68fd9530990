"""A database that is shipped, as a recipe: batches of curves, in the order they are gathered.

A batch is a set of parameters of ``make collect``. Nothing is special to it but the choice.
"""

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path

from collection.containers.curves import LEAKAGES, SCALINGS
from collection.protocol.splits import SEEDS, places
from collection.running.curve_plan import make_plan
from collection.running.curve_settings import check_settings
from collection.running.work import run
from lab.shipped.export import OUTSIDE, export

LACKING = "lacking.csv"  # what the recipe asks for and is not there
LIMITS = {"TIME_LIMIT": "600s", "MEMORY_LIMIT": "4GB"}


@dataclass(frozen=True)
class Batch:
    """Curves that are gathered together.

    Attributes
    ----------
    datasets, learners : tuple of str
        Specs of datasets, names of learners as the registry has them.
    scalings, leakage : tuple of str
    outer, inner : tuple of int
        Seeds.
    seeds : {"paper", "distinct"}
        Whether inner seeds are the same for every outer seed.
    anchors : tuple of int, optional
        By default the whole grid. A store has one set of anchors, so such a batch has its own.
    """

    datasets: tuple[str, ...]
    learners: tuple[str, ...]
    scalings: tuple[str, ...] = SCALINGS[:1]
    leakage: tuple[str, ...] = LEAKAGES[:1]
    outer: tuple[int, ...] = SEEDS
    inner: tuple[int, ...] = SEEDS
    seeds: str = "paper"
    anchors: tuple[int, ...] | None = None

    def parameters(self, store: Path, **more: object) -> dict[str, object]:
        """Return it as parameters of ``make collect``."""
        chosen = {field.name.upper(): getattr(self, field.name) for field in fields(self)}
        return chosen | LIMITS | {"OUT": store} | more

    def gather(self, store: Path, **more: object) -> Counter[str]:
        """Gather what a store lacks; return why curves are missing, and how many."""
        settings = check_settings(self.parameters(store, **more))
        return run(settings, make_plan(settings)).lost

    def curves(self) -> set[tuple]:
        """Return the curves: (spec, learner, scaling, leakage, outer, inner)."""
        repeats = places(self.outer, self.inner, self.seeds)
        return {(*of, *repeat) for *of, repeat in product(
            self.datasets, self.learners, self.scalings, self.leakage, repeats)}


@dataclass(frozen=True)
class Recipe:
    """What a database consists of, and how it is gathered and written.

    Attributes
    ----------
    name : str
        Of the database, and of the command that gathers it.
    batches : mapping of str to tuple of Batch
        By the name of the store they go to.
    """

    name: str
    batches: Mapping[str, tuple[Batch, ...]]

    def stores(self, folder: Path) -> list[Path]:
        """Return the folders that hold the stores."""
        return [folder / name for name in self.batches]

    def wanted(self) -> set[tuple]:
        """Return all curves; see `Batch.curves`."""
        return set().union(*(batch.curves() for part in self.batches.values() for batch in part))

    def gather(self, folder: Path, more: Mapping[str, str]) -> dict[str, str]:
        """Gather what the stores lack; return the batches that are not whole.

        Parameters
        ----------
        folder : Path
            Of the stores.
        more : mapping of str to str
            Parameters of ``make collect`` for every batch, such as WORKERS.

        Raises
        ------
        KeyboardInterrupt
            Where a batch was stopped: the next is not begun.
        """
        missing = {}
        for name, part in self.batches.items():
            for number, batch in enumerate(part, 1):
                try:
                    lost = batch.gather(folder / name, **more)
                except (ValueError, OSError, RuntimeError) as error:  # the other batches go on
                    lost = Counter([str(error)])
                for reason in lost:
                    missing[f"batch {number} of {name}"] = reason
                    print(f"{name}, batch {number}: {reason}", file=sys.stderr)
        return missing

    def write(self, folder: Path, to: Path, missing: Mapping[str, str]) -> int:
        """Write the shipped files, say what is left out; return 1 where something is missing.

        Raises
        ------
        ExportError
            Where the stores hold nothing whole, or do not fit together.
        """
        left = export(self.stores(folder), self.wanted(), to)
        left[left["reason"] != OUTSIDE].to_csv(to / LACKING, index=False)
        for reason, count in left["reason"].value_counts().items():
            print(f"Left out: {count} combinations of dataset, learner, scaling and leakage: "
                  f"{reason}.")
        size = sum(file.stat().st_size for file in to.iterdir())
        print(f"{to} holds {size / 1e6:.1f} MB.")
        return int(bool(missing))
