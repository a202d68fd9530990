"""What public docstrings say is there, complete and in order: numpydoc's checks."""

import ast
import importlib
import inspect
import pkgutil
import textwrap
from functools import cache

from numpydoc.docscrape import FunctionDoc
from numpydoc.validate import validate

import analysis
import collection
import commands
import lab

#: For every public function: a docstring, and no parameter that is not there.
EVERYWHERE = {"GL08", "PR02", "PR10"}
#: Of a docstring that has parameters, and of what `analysis` offers: all of them.
COMPLETE = {"PR01"}


@cache
def public_functions() -> dict[str, object]:
    """Return the functions of the four packages that a module of theirs defines, by full name."""
    found = {}
    for package in (analysis, lab, commands, collection):
        for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not info.name.endswith("__main__"):
                module = importlib.import_module(info.name)
                found |= {f"{info.name}.{name}": value for name, value in vars(module).items()
                          if inspect.isfunction(value) and value.__module__ == info.name
                          and not name.startswith("_")}
    return found


@cache
def errors_of(name: str) -> dict[str, str]:
    return dict(validate(name)["errors"])


def has_parameters(name: str) -> bool:
    return bool(FunctionDoc(public_functions()[name])["Parameters"])


def raises_itself(function) -> bool:
    """Tell whether a function's own body raises something new."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return any(isinstance(node, ast.Raise) and node.exc is not None for node in ast.walk(tree))


def offered() -> set[str]:
    """Return the functions that `analysis` offers, by where they are defined."""
    things = [getattr(analysis, name) for name in analysis.__all__]
    return {f"{f.__module__}.{f.__name__}" for f in things if inspect.isfunction(f)}


def complaints(names, codes) -> list[str]:
    return [f"{name}: {code} {text}" for name in sorted(names)
            for code, text in errors_of(name).items() if code in codes]


def test_no_docstring_is_missing_or_wrong():
    assert len(public_functions()) > 500
    assert not complaints(public_functions(), EVERYWHERE)


def test_a_docstring_with_parameters_or_of_what_is_offered_has_them_all():
    functions = public_functions()
    assert not complaints({*filter(has_parameters, functions)} | offered() & set(functions),
                          COMPLETE)


def test_errors_are_documented_where_they_are_raised():
    silent = [name for name, function in public_functions().items()
              if has_parameters(name) and raises_itself(function)
              and not FunctionDoc(function)["Raises"]
              and not inspect.isgeneratorfunction(inspect.unwrap(function))]
    assert not silent
