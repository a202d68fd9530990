"""What a learner needs beside scikit-learn, and how its absence is told.

It is not the learner's doing: nothing of it is stored as a fit, and the curve is tried again.
"""

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

INSTALL = ("make env-test, or in an environment of your own: "
           'pip install --constraint requirements.lock --editable ".[deep,evaluations]" '
           '(AutoGluon: ".[automl]")')


class MissingRequirementError(RuntimeError):
    """What a learner needs is not on this machine; the message says how to get it."""


class MissingLibraryError(MissingRequirementError):
    """A learner's library is not installed; the message says how to install it."""


class MissingWeightsError(MissingRequirementError):
    """Pretrained weights that are neither at hand nor to be had; the message says what to do."""


def library(name: str) -> ModuleType:
    """Import a module of an optional library.

    Raises
    ------
    MissingLibraryError
        Where it is not installed.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise MissingLibraryError(f"{error.name} is not installed: {INSTALL}") from error


def check_installed(learners: Iterable) -> None:
    """See that the libraries of all learners are installed, before anything is gathered.

    Parameters
    ----------
    learners : iterable of collection.learners.Learner

    Raises
    ------
    MissingLibraryError
        Naming every library that is absent, and the learners that need it.
    """
    absent: dict[str, list[str]] = {}
    for learner in learners:
        for name in learner.requires:
            if find_spec(name) is None:
                absent.setdefault(name, []).append(learner.name)
    if absent:
        told = "; ".join(f"{name}, which {' and '.join(who)} needs" if len(who) == 1 else
                         f"{name}, which {' and '.join(who)} need" for name, who in absent.items())
        raise MissingLibraryError(f"Not installed: {told}. Install it with {INSTALL}")
