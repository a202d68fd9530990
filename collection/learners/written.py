"""A fitted or unfitted estimator as the text that makes it anew: `find_learner` reads it."""

import ast
import inspect
from importlib import import_module

from sklearn.base import BaseEstimator

from collection.learners.spec import LearnerSpecError


def written(estimator: object) -> str:
    """Return a spec such as ``sklearn.svm.SVC(C=10)`` for an estimator.

    What runs in other processes, on other days and on other machines is made from text. Parameters
    that have their default values are left out.

    Parameters
    ----------
    estimator : object
        A scikit-learn estimator: its parameters literals, further estimators, or lists, tuples or
        dicts of them. A text is returned as it is.

    Raises
    ------
    LearnerSpecError
        Where its class cannot be imported by other processes, as of those made in a notebook, or a
        parameter cannot be written.
    """
    if isinstance(estimator, str):
        return estimator
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        raise LearnerSpecError(f"{estimator!r} is no scikit-learn estimator. Give one, such as "
                               "sklearn.svm.SVC(C=10), or its text.")
    defaults = {name: parameter.default for name, parameter in
                inspect.signature(type(estimator)).parameters.items()}
    given = ", ".join(f"{name}={_value(value, name)}"
                      for name, value in estimator.get_params(deep=False).items()
                      if not _same(value, defaults.get(name, inspect.Parameter.empty)))
    return f"{_path(type(estimator))}({given})"


def _path(cls: type) -> str:
    """Return the shortest import path of a class."""
    parts = cls.__module__.split(".")
    if parts[0] == "__main__" or "<" in cls.__qualname__ or "." in cls.__qualname__:
        raise LearnerSpecError(
            f"{cls.__qualname__} is made in a notebook, a script or a function, where the "
            "processes that fit cannot find it. Put the class into a file of its own, such as "
            "mine.py in the folder you start from, and import it: from mine import "
            f"{cls.__name__}.")
    for stop in range(1, len(parts) + 1):
        module = ".".join(parts[:stop])
        if getattr(import_module(module), cls.__name__, None) is cls:
            return f"{module}.{cls.__name__}"
    raise LearnerSpecError(f"{cls.__module__}.{cls.__name__} cannot be imported by that name.")


def _value(value: object, name: str) -> str:
    if isinstance(value, BaseEstimator) or hasattr(value, "get_params"):
        return written(value)
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:  # one of NumPy's numbers
        value = value.item()
    if isinstance(value, list):
        return f"[{', '.join(_value(part, name) for part in value)}]"
    if isinstance(value, tuple):
        return f"({''.join(_value(part, name) + ', ' for part in value).strip()})"
    if isinstance(value, dict):
        pairs = (f"{_value(k, name)}: {_value(v, name)}" for k, v in value.items())
        return f"{{{', '.join(pairs)}}}"
    text = repr(value)
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise LearnerSpecError(f"the parameter {name} is {text}, which cannot be written as text; "
                               "numbers, strings, True, False, None, estimators, and lists, tuples "
                               "and dicts of them can") from None
    return text


def _same(value: object, default: object) -> bool:
    """Tell whether a parameter has its default; arrays and the like never do."""
    return type(value) is type(default) and (value is default or (
        isinstance(value, bool | int | float | str | tuple) and value == default))
