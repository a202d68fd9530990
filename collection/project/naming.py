"""Names: an unknown one is answered with those that come close, one that goes warns before."""

import warnings
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from typing import ParamSpec, TypeVar


class UnknownNameError(KeyError, ValueError):
    """A name that is not in a registry; the message lists the close ones."""

    def __init__(self, kind: str, name: object, known: Iterable[object]):
        self.kind, self.name = kind, name
        names = {str(k).lower(): str(k) for k in known}
        close = get_close_matches(str(name).lower(), names, n=5, cutoff=0.5)
        if close:
            hint = "Did you mean " + " or ".join(repr(names[c]) for c in close) + "?"
        else:
            some = list(names.values())
            hint = "Known: " + ", ".join(some[:40]) + (", …" if len(some) > 40 else "") + "."
        self.message = f"Unknown {kind} {name!r}. {hint}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


def check_known(kind: str, names: Iterable[object], known: Iterable[object]) -> None:
    """Raise `UnknownNameError` for the first of `names` that is not in `known`."""
    known = list(known)
    for name in names:
        if name not in known:
            raise UnknownNameError(kind, name, known)


P = ParamSpec("P")
R = TypeVar("R")


def deprecated(since: str, instead: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function warn that it will go, in its docstring as well.

    Parameters
    ----------
    since : str
        Version that deprecates it.
    instead : str
        What to use.
    """
    def mark(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def warning(*args: P.args, **kwargs: P.kwargs) -> R:
            warnings.warn(f"{function.__name__} is deprecated since version {since}: use "
                          f"{instead}.", DeprecationWarning, stacklevel=2)
            return function(*args, **kwargs)

        told = f"Deprecated since version {since}: use {instead}."
        warning.__doc__ = f"{function.__doc__ or ''}\n\n{told}"
        return warning
    return mark
