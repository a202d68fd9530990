"""Parameters of what `make` runs: how they are read, and those that every kind of work has.

They come as text from the command line and as Python values from a notebook; both are checked
before any work.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib

from collection.project.naming import UnknownNameError, check_known

SECONDS = {"": 1, "s": 1, "min": 60, "h": 3600}
BYTES = {"": 1e9, "MB": 1e6, "GB": 1e9}
LARGEST = 1e18  # seconds or bytes
LEAST_MEMORY = 0.25e9  # bytes that Python and scikit-learn take before any fit
QUOTES = "'\""
CLOSING = {"(": ")", "[": "]", "{": "}", "'": "'", '"': '"'}


class Share(float):
    """A share that was written with a percent sign."""


class SettingsError(ValueError):
    """A parameter's value is not what it has to be; the message names it and says what is."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of `make collect`.

    Attributes
    ----------
    name : str
        As on the command line and in the notebook.
    read : callable
        Turns text or a Python value into the setting; raises `ValueError`.
    default : object
        As `read` takes it; None, which is not read, where there is none.
    about : str
        For ``--help``.
    required : bool
        Whether it has to be given.
    """

    name: str
    read: Callable[[object], object]
    default: object
    about: str
    required: bool = False


def read_parameters(values: Mapping[str, object],
                    parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return the settings for the parameters given, with defaults for the others.

    Parameters
    ----------
    values : mapping of parameter name to text or value
        Empty text and None stand for the default.
    parameters : mapping of name to Parameter

    Returns
    -------
    dict
        By names in lower case.

    Raises
    ------
    UnknownNameError
        A name that is not in `parameters`, or one that a value may not have.
    SettingsError
        A value of the wrong type, or a required one that is absent.
    """
    check_known("parameter", values, parameters)
    return {name.lower(): _read(parameter, values.get(name))
            for name, parameter in parameters.items()}


def check_named_once(parameter: str, rows: Iterable[Mapping[str, Any]], way_out: str) -> None:
    """Raise `SettingsError` where two specs of a parameter (rows' ``spec``) have one ``name``."""
    specs: dict[str, list[str]] = {}
    for row in rows:
        specs.setdefault(row["name"], []).append(row["spec"])
    for name, own in specs.items():
        if len(own) > 1:
            raise SettingsError(f"{parameter}: {' and '.join(own)} are both called {name!r}; leave "
                                f"one out, {way_out} into another OUT.")


def notebook_parameters(names: Mapping[str, object]) -> dict[str, object]:
    """Return the values that a notebook's first cells set, whatever their names.

    papermill only warns of a parameter that the notebook does not have, and sets it all the same:
    taken with the others, a misspelt one is refused by `check_settings`.

    Parameters
    ----------
    names : mapping of str to object
        The notebook's ``globals()``.
    """
    plain = str | int | float | list | tuple | dict | set | None
    return {name: value for name, value in names.items()
            if isinstance(value, plain) and not name.startswith("_") and name not in ("In", "Out")}


def _read(parameter: Parameter, value: object) -> object:
    if value is None or value == "":
        if parameter.required:
            raise SettingsError(f"{parameter.name} is missing: {parameter.about}")
        value = parameter.default
    if value is None:
        return None
    try:
        return parameter.read(value)
    except UnknownNameError:
        raise
    except (TypeError, ValueError) as error:
        raise SettingsError(f"{parameter.name}: {error}") from None


def items(value: object) -> list:
    """Split text at spaces, but not within quotes or brackets; a sequence is taken as it is."""
    if isinstance(value, str):
        return [word[1:-1] if word[0] in QUOTES else word for word in split_words(value)]
    if isinstance(value, Iterable) and not isinstance(value, Mapping | bytes):
        return list(value)
    return [value]


def split_words(text: str) -> list[str]:
    """Return the words of a text: what has no spaces but within quotes or brackets.

    A quote opens at the start of a word or within brackets; an apostrophe in a word is none.

    Raises
    ------
    ValueError
        Where quotes or brackets do not match.
    """
    words: list[str] = []
    expected: list[str] = []
    word = ""
    for character in text:
        quoted = bool(expected) and expected[-1] in QUOTES
        opens = CLOSING if expected or not word else {"(": ")"}
        closes = bool(expected) and character == expected[-1]
        if closes:
            expected.pop()
        elif not quoted and character in opens:
            expected.append(opens[character])
        elif not quoted and character in (")]}" if expected else ")"):
            raise ValueError(f"quotes or brackets do not match in {text!r}")
        blank = character.isspace() and not expected
        word += "" if blank else character
        if blank or (closes and quoted and not expected):  # a word in quotes ends with them
            words, word = words + [word] * bool(word), ""
    if expected:
        raise ValueError(f"quotes or brackets do not match in {text!r}")
    return words + [word] * bool(word)


def names(value: object) -> tuple[str, ...]:
    """Return names separated by spaces, each once."""
    found = items(value)
    wrong = [name for name in found if not isinstance(name, str) or not name]
    if wrong or not found:
        raise ValueError(f"names separated by spaces are needed, not {value!r}")
    return tuple(dict.fromkeys(found))


def some_names(value: object) -> tuple[str, ...]:
    """Return names separated by spaces, each once, or none."""
    return names(value) if value else ()


def among(kind: str, known: tuple[str, ...]) -> Callable[[object], tuple[str, ...]]:
    """Return a reader of names that must all be among `known`."""
    def read(value: object) -> tuple[str, ...]:
        found = names(value)
        check_known(kind, found, known)
        return found
    return read


def one_of(kind: str, known: Iterable[str]) -> Callable[[object], str]:
    """Return a reader of a name that must be among `known`."""
    def read(value: object) -> str:
        check_known(kind, [value], known)
        return str(value)
    return read


def parse_int(value: object, least: int) -> int:
    """Return a whole number of at least `least`."""
    text = str(value).strip()
    shown = text if len(text) <= 20 else f"{text[:20]}… ({len(text)} characters)"
    if isinstance(value, bool) or not re.fullmatch(r"[+-]?[0-9]+", text):
        raise ValueError(f"a whole number is needed, not {shown!r}")
    if len(text) > 20 or not least <= int(text) < 2**32:
        raise ValueError(f"{shown} is out of range, which is {least} to {2**32 - 1}")
    return int(text)


def seeds(value: object) -> tuple[int, ...]:
    """Return whole numbers separated by spaces, each once."""
    found = items(value)
    if not found:
        raise ValueError("at least one seed is needed")
    return tuple(dict.fromkeys(parse_int(seed, least=0) for seed in found))


def quantity(value: object, units: Mapping[str, float], least: float) -> float:
    """Return a number with or without a unit, in the base unit."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-zA-Z]*)\s*", str(value))
    if isinstance(value, bool) or not match or match[2] not in units:
        known = ", ".join(unit for unit in units if unit)
        raise ValueError(f"a number with or without a unit ({known}) is needed, not "
                         f"{str(value)[:40]!r}")
    amount = float(match[1]) * units[match[2]]
    if amount < least or amount == 0:
        raise ValueError(f"{value!r} is too little")
    if amount > LARGEST:
        raise ValueError(f"{str(value)[:40]!r} is too much")
    return amount


def amount(value: object) -> float:
    """Return a finite number of 0 or more."""
    found = float(str(value))
    if not 0 <= found < float("inf"):
        raise ValueError(f"an amount of 0 or more is needed, not {value}")
    return found


def yes_or_no(value: object) -> bool:
    """Return what yes, no, true, false, 1 or 0 stands for."""
    words = {"yes": True, "no": False, "true": True, "false": False, "1": True, "0": False}
    if str(value).lower() not in words:
        raise ValueError(f"yes or no is needed, not {value!r}")
    return words[str(value).lower()]


def scheduler(value: object) -> str:
    """Return the address of a Dask scheduler."""
    if not re.fullmatch(r"(tcp|tls|ws|wss|ucx)://\S+", str(value)):
        raise ValueError(f"an address such as tcp://10.0.0.1:8786 is needed, not {value!r}")
    return str(value)


def folder(value: Any) -> Path:
    """Return the path of a folder or file that need not exist."""
    return Path(os.fspath(value)).expanduser()


TIE = Parameter("TIE", amount, 0.0, "values that differ by no more count as equal, and methods "
                "whose mean values do, by their interval, are alike")
LIMITS = (
    Parameter("TIME_LIMIT", lambda value: quantity(value, SECONDS, 0), "3.5h",
              "per fit, in s, min or h; the paper's is 3.5 h"),
    Parameter("MEMORY_LIMIT", lambda value: quantity(value, BYTES, LEAST_MEMORY), "20GB",
              "of the process that fits, its libraries included, in MB or GB; "
              "the paper's is 20 GB"),
)
WORKERS = (
    Parameter("WORKERS", lambda value: parse_int(value, least=1), joblib.cpu_count(),
              "jobs done at the same time: processes of this machine; every core unless given"),
    Parameter("SCHEDULER", scheduler, None, "address of a running Dask scheduler, whose "
              "workers are used instead of this machine; dask-jobqueue starts one whose workers "
              "are a cluster's jobs"),
)
