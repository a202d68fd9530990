"""How a public name goes: it warns for two minor versions, and says what to use."""

import warnings
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

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
