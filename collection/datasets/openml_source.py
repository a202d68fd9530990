"""Datasets and suites of OpenML: ``openml:ID``, ``openml:ID?target=…``, ``openml:suite/NAME``.

What was loaded once is read from the cache of the ``openml`` package, without the network.
"""

from collection.datasets import openml_cache
from collection.datasets.dataset import NOT_STATED, Dataset, DatasetError, make_dataset
from collection.datasets.openml_files import DataFiles
from collection.naming import UnknownNameError

SUITE = "suite/"


def load(name: str) -> Dataset:
    """Load the dataset with the id `name`, row identifiers and ignored columns left out.

    Kinds are those that OpenML declares: nominal, string and date columns are categorical.

    Parameters
    ----------
    name : str
        ``ID``, for the target that OpenML names as default, or ``ID?target=COLUMN``.

    Raises
    ------
    DatasetError
        The dataset cannot be fetched or is damaged; it has no default target, or several of them.
    UnknownNameError
        No such column.
    """
    source = f"openml:{name}"
    number, _, asked = name.partition("?target=")
    if name.startswith(SUITE):
        raise DatasetError(f"{source} stands for many datasets: expand_specs() lists them.")
    if not (number.isascii() and number.isdigit()):
        raise DatasetError(f"{source}: after 'openml:' comes a dataset's number, as in openml:54, "
                           f"or a suite, as in openml:{SUITE}OpenML-CC18.")
    files = openml_cache.get_files(int(number))
    target = _target(files, asked, source, f"Name another with openml:{number}?target=COLUMN.")
    left_out = [c for c in files.left_out if c != target]
    return make_dataset(
        files.frame.drop(columns=left_out), target, name=files.name, source=source,
        licence=files.licence or NOT_STATED, openml_id=int(number),
        categorical=[c for c, kind in files.kinds.items() if kind != "numeric"],
        regression=files.kinds[target] == "numeric")


def expand(name: str) -> list[str]:
    """Return the specs that `name` stands for: a suite's datasets, or the one dataset itself."""
    if not name.startswith(SUITE):
        return [f"openml:{name}"]
    return openml_cache.get_suite(name.removeprefix(SUITE))


def _target(files: DataFiles, asked: str, source: str, how: str) -> str:
    """Return the name of the target, after checking that it is one column."""
    target = asked or files.default_target
    if not target:
        raise DatasetError(f"{source} has no default target. {how}")
    if target not in files.kinds:
        if set(target.split(",")) <= set(files.kinds):
            raise DatasetError(f"{source} has several targets ({target}): multi-label problems "
                               f"have no learning curve here. {how}")
        raise UnknownNameError(f"column of {source}", target, files.kinds)
    return target
