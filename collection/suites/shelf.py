"""Where suites are found: shipped ones by name, files, bundles, OpenML's by number or alias."""

from collections.abc import Iterator
from pathlib import Path

from collection.naming import UnknownNameError
from collection.paths import DATA
from collection.suites.files import read_suite
from collection.suites.suite import Suite
from collection.tasks.openml_task import get_suite_tasks

SHIPPED = DATA / "suites"
FILE, BUNDLE, OPENML = ".toml", ".zip", "openml:"


def find_suite(name: str) -> Suite:
    """Return the suite that a name stands for.

    Parameters
    ----------
    name : str
        Of a shipped suite (``classic``, or ``classic@1.0`` for one version); the path of a
        suite's file or bundle; ``openml:NUMBER``, ``openml:ALIAS`` or ``openml:suite/ALIAS``.

    Raises
    ------
    UnknownNameError
        No shipped suite has that name; the close ones are listed.
    SuiteError, DatasetError, TaskError
        The file or bundle is damaged; OpenML cannot be asked or has no such suite.
    """
    if name.startswith(OPENML):
        return _from_openml(name.removeprefix(OPENML).removeprefix("suite/"))
    if name.endswith(BUNDLE):
        from collection.suites.bundle import open_bundle

        return open_bundle(name)
    if name.endswith(FILE):
        return read_suite(name)
    shipped = shipped_files()
    if name not in shipped:
        raise UnknownNameError("suite", name, shipped)
    return read_suite(shipped[name])


def shipped_files() -> dict[str, Path]:
    """Return the shipped suites' files by name, and by ``name@version`` each."""
    files = {}
    for suite, path in sorted(_shipped(), key=lambda found: _order(found[0])):
        files[suite.name] = files[f"{suite.name}@{suite.version}"] = path  # the last is the newest
    return files


def _shipped() -> Iterator[tuple[Suite, Path]]:
    for path in sorted(SHIPPED.glob(f"*{FILE}")):
        yield read_suite(path), path


def _order(suite: Suite) -> tuple:
    return suite.name, [int(part) if part.isdigit() else -1 for part in suite.version.split(".")]


def _from_openml(name: str) -> Suite:
    return Suite(name=f"openml-{name}", version="as on OpenML", tasks=tuple(get_suite_tasks(name)),
                 derived_from=f"OpenML's suite {name}",
                 description=f"The tasks of OpenML's suite {name}, with its own splits.")
