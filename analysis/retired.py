"""Public names of before: for two minor versions they work, and name what took their place."""

import warnings
from collections.abc import Callable, Mapping

GOES_WITH = "1.4"


def renamed(load: Callable[[str], object], module: str,
            names: Mapping[str, str]) -> Callable[[str], object]:
    """Return a module's ``__getattr__`` that knows the names of before, too.

    Parameters
    ----------
    load : callable
        The module's ``__getattr__`` until now.
    module : str
        Its name, for the warning.
    names : mapping of str to str
        Name of before → name now.

    Warns
    -----
    DeprecationWarning
        By what is returned, for a name of before.
    """
    def find(name: str) -> object:
        if name not in names:
            return load(name)
        warn_renamed(f"{module}.{name}", f"{module}.{names[name]}")
        return load(names[name])

    return find


def warn_renamed(before: str, now: str) -> None:
    """Say that a name is called otherwise now, to whoever calls the caller."""
    warnings.warn(f"{before} is called {now} now, and goes with {GOES_WITH}", DeprecationWarning,
                  stacklevel=3)
