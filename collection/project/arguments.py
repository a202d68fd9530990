"""Arguments of public functions: one of another kind is answered in a line."""

from collections.abc import Callable
from functools import cache, wraps
from inspect import isclass, signature
from os import PathLike
from pathlib import Path
from types import SimpleNamespace
from typing import ParamSpec, TypeVar, get_args, get_type_hints

P, T = ParamSpec("P"), TypeVar("T")


def checked(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function that holds its first argument to the classes that its annotation names.

    Anything else, such as None or a list where a path or a frame is meant, is a `TypeError` that
    says so. It is for annotations of classes and unions of them.
    """
    first = next(iter(signature(function).parameters))

    @cache
    def kinds() -> tuple[type, ...]:
        alone = SimpleNamespace(__annotations__={first: function.__annotations__[first]})
        hint = get_type_hints(alone, function.__globals__)[first]
        found = get_args(hint) or (hint,)
        return tuple(PathLike if kind is Path else kind for kind in found if isclass(kind))

    @wraps(function)
    def called(*args: P.args, **named: P.kwargs) -> T:
        if args or first in named:
            given = args[0] if args else named[first]
            if not isinstance(given, kinds()):
                meant = " or ".join(kind.__name__ for kind in kinds())
                found = "None" if given is None else type(given).__name__
                raise TypeError(f"{function.__name__}: {first} has to be a {meant}, not {found}.")
        return function(*args, **named)

    return called
