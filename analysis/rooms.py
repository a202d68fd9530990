"""What a room of `analysis` offers: imported when it is first used, answering wrong arguments."""

import sys
from collections.abc import Callable
from inspect import isfunction

import lazy_loader

from collection.project.arguments import explained


def attach(package: str, file: str
           ) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` as `lazy_loader.attach_stub` does.

    Parameters
    ----------
    package : str
        The room's name.
    file : str
        Its ``__init__.py``; the stub beside it says what is offered, and where each is defined.
        An argument of another kind than a function's annotation names is a `TypeError` in a line.
    """
    load, names, offered = lazy_loader.attach_stub(package, file)

    def find(name: str) -> object:
        found = load(name)
        if isfunction(found) and "checked" not in vars(found):
            found = vars(sys.modules[package])[name] = explained(found)
        return found

    return find, names, offered
