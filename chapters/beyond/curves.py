"""The curves that the chapter is about, learners named by the part they play in both databases."""

from collections.abc import Iterator

import xarray as xr

from analysis.databases.load import load_curves
from collection.containers.curves import main_metric

DATABASES = ("large_numbers", "large_classes")
REPEATS = ["outer", "inner"]
SEEN = 4096  # rows: where most curves of other databases end
COMMON = 32768  # rows that every learner reaches on every table
FAR = 131072  # … and those that are quick on the larger tables
#: Learners of the two kinds that play one part; the first is in the largest training sets.
ROLES = {
    "the same for all": ("Dummy", "DummyClassifier"),
    "linear model": ("Ridge", "LogisticRegression"),
    "naive Bayes": ("GaussianNB",),
    "tree": ("Decision Tree",),
    "LightGBM": ("LightGBM", "LightGBM (classifier)"),
    "XGBoost": ("XGBoost",),
    "random forest": ("ens.RandomForest",),
    "nearest neighbours": ("KNN",),
    "neural network": ("MLP",),
}
ROLE_OF = {name: role for role, names in ROLES.items() for name in names}
BASELINE, LINEAR, TREE, BOOSTED = (list(ROLES)[k] for k in (0, 1, 3, 4))
OTHER_BOOSTED, FOREST, NEIGHBOURS, NET = list(ROLES)[5:]


def opened(database: str) -> xr.DataArray:
    """Return the errors of a database that was gathered to 100,000 rows and beyond.

    Returns
    -------
    xarray.DataArray, dims (dataset, learner, outer, inner, anchor, split)
        Of validation and test; learners are named by `ROLES`, ``known`` says the names that the
        database has.
    """
    curves = load_curves(database).sel(scaling="standard", leakage="no", drop=True)
    errors = curves[main_metric(curves)].sel(split=["valid", "test"]).load()
    names = errors["learner"].values
    roles = [ROLE_OF[name] for name in names]
    order = [role for role in ROLES if role in roles]
    return errors.assign_coords(learner=roles, known=("learner", names)).sel(learner=order)


def valid_errors(errors: xr.DataArray) -> xr.DataArray:
    """Return the validation errors."""
    return errors.sel(split="valid", drop=True)


def but_baseline(errors: xr.DataArray) -> xr.DataArray:
    """Return the errors of all learners but the one that says always the same."""
    return errors.sel(learner=[role for role in errors["learner"].values if role != BASELINE])


def tables_of(errors: dict[str, xr.DataArray]) -> Iterator[tuple[tuple[str, xr.DataArray], str]]:
    """Yield each database with its name, and each of its datasets."""
    return ((item, str(dataset)) for item in errors.items()
            for dataset in item[1]["dataset"].values)
