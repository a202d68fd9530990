"""What a room of `analysis` offers: imported when it is first used, answering wrong arguments."""

import sys
from collections.abc import Callable, Mapping
from inspect import isfunction

import lazy_loader

from collection.project.arguments import explained


def attach(package: str, *, submod_attrs: Mapping[str, list[str]]
           ) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` as `lazy_loader.attach` does.

    Parameters
    ----------
    package : str
        The room's name.
    submod_attrs : mapping of str to list of str
        What each of its modules offers; an argument of another kind than a function's annotation
        names is a `TypeError` in a line.
    """
    load, names, offered = lazy_loader.attach(package, submod_attrs=submod_attrs)

    def find(name: str) -> object:
        found = load(name)
        if isfunction(found) and "checked" not in vars(found):
            found = vars(sys.modules[package])[name] = explained(found)
        return found

    return find, names, offered
