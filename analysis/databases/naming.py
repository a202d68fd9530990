"""What datasets, databases and learners are called on a page, and which datasets are copies."""

import re
from functools import cache
from numbers import Integral

import xarray as xr

from analysis.databases.lcdb11.files import datasets_table
from analysis.databases.load import DATABASES
from analysis.statistics.families import near_duplicates
from collection.containers.learner_names import LEARNERS, REGRESSOR_TITLES

#: What the registry of near-duplicates remarks of a pair that has the same rows and classes.
COPY = ("copy", "the same rows in the same order")


def dataset_title(label: int | str) -> str:
    """Return a dataset's name: OpenML's, with the id, where the label is an id of LCDB 1.1's.

    Several of OpenML's datasets share a name, so that the id is needed too.
    """
    return _names().get(int(label), str(label)) if isinstance(label, Integral) else str(label)


def database_name(label: str) -> str:
    """Return a database's name as the paper has it, where it has one; else the label."""
    known = DATABASES.get(str(label))
    return known.in_paper or known.name if known else str(label)


def learner_title(label: str) -> str:
    """Return a learner's name in words; of an expression, the class without its module."""
    if label in REGRESSOR_TITLES:
        return REGRESSOR_TITLES[label]
    known = LEARNERS.get(label)
    return known.title if known else re.sub(r"^[\w.]+\.(?=\w+\()", "", str(label))


def counted_once(curves: xr.Dataset | xr.DataArray) -> xr.Dataset | xr.DataArray:
    """Return curves without the datasets that are copies of others among them, by the registry."""
    labels = {str(label): label for label in curves["dataset"].values.tolist()}
    pairs = near_duplicates().query("evidence == 'rows' and remark in @COPY")
    names = pairs[["one", "other"]].apply(lambda column: column.str.rpartition(":")[2])
    return curves.drop_sel(dataset=sorted({
        labels[other] for one, other in names.itertuples(index=False)
        if one != other and {one, other} <= set(labels)}, key=str))


def learner_titles(joined: str, between: str = "; ") -> str:
    """Return several learners' names in words; they stand in one text, `between` one another."""
    return between.join(learner_title(label) for label in joined.split(between))


@cache
def _names() -> dict[int, str]:
    return {label: f"{name} ({label})" for label, name in datasets_table()["name"].items()}
