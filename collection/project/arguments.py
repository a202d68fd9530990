"""Arguments of public functions: one of another kind is answered in a line."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache, wraps
from inspect import Parameter, isclass, signature
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

P, T = ParamSpec("P"), TypeVar("T")
#: What serves as well where a class is meant.
WIDER = {Path: PathLike, float: Real, int: Integral, Sequence: Iterable, Collection: Iterable,
         np.ndarray: Iterable}
NAMED = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
#: What a wrong kind leads to within a function, in words that say nothing of it.
ODD = (AttributeError, IndexError, KeyError)


def checked(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function that holds its first argument to the classes that its annotation names.

    Anything else, such as None or a list where a path or a frame is meant, is a `TypeError` that
    says so.
    """
    first = next(iter(signature(function).parameters))

    @wraps(function)
    def called(*args: P.args, **named: P.kwargs) -> T:
        if args or first in named:
            _check(function, first, args[0] if args else named[first])
        return function(*args, **named)

    vars(called)["checked"] = True
    return called


def explained(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function whose error, where an argument is of another kind, is a `TypeError`.

    It names the argument and the kind that is meant; where all are of their kinds, the error
    stands.
    """
    @wraps(function)
    def called(*args: P.args, **named: P.kwargs) -> T:
        try:
            return function(*args, **named)
        except ODD as error:
            if isinstance(error, ValueError):  # such as `UnknownNameError`, which has words
                raise
            names = [one.name for one in signature(function).parameters.values()
                     if one.kind in NAMED]
            for name, value in [*zip(names, args, strict=False), *named.items()]:
                _check(function, name, value)
            raise

    return called


def _check(function: Callable, name: str, given: object) -> None:
    """Raise `TypeError` where an argument is of none of the kinds that are meant."""
    kinds = _kinds(function, name)
    if kinds and not isinstance(given, tuple(WIDER.get(kind, kind) for kind in kinds)):
        meant = " or ".join("None" if kind is NoneType else kind.__name__ for kind in kinds)
        found = "None" if given is None else type(given).__name__
        raise TypeError(f"{function.__name__}: {name} has to be a {meant}, not {found}.")


@cache
def _kinds(function: Callable, name: str) -> tuple[type, ...]:
    """Return the classes that an annotation names, none where it names something else."""
    if name not in function.__annotations__:  # one of **named
        return ()
    alone = SimpleNamespace(__annotations__={name: function.__annotations__[name]})
    try:
        hint = get_type_hints(alone, function.__globals__)[name]
    except NameError:  # of what is imported for type checkers alone
        return ()
    union = get_origin(hint) in (Union, UnionType)
    found = tuple(get_origin(kind) or kind for kind in (get_args(hint) if union else (hint,)))
    return found if all(map(isclass, found)) and Any not in found else ()
