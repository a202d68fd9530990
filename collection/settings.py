"""The parameters of a collection: one registry of names, types, defaults and explanations.

`make collect` passes them as text, the notebook as Python values; both are checked here, before
any work. What they name (datasets, learners) is looked up by `collection.running.plan`.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import joblib

from collection.anchors import FIRST
from collection.container import LEAKAGES, SCALINGS, SEEDS
from collection.learners.names import LEARNERS
from collection.naming import UnknownNameError, check_known
from collection.paths import ROOT
from collection.running.limits import Limits

SECONDS = {"": 1, "s": 1, "min": 60, "h": 3600}
BYTES = {"": 1e9, "MB": 1e6, "GB": 1e9}
LEAST_MEMORY = 0.25e9  # bytes that Python and scikit-learn take before any fit
CLUSTERS = ("slurm",)
# Something in quotes, or anything without spaces but within (brackets (one in another)).
QUOTES = "'\""
WORD = re.compile(r"""'[^']*'|"[^"]*"|(?:\((?:[^()]|\([^()]*\))*\)|[^\s()])+""")


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
        As `read` takes it; None where there is none to show.
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


@dataclass(frozen=True)
class Settings:
    """A collection's parameters, each of its type. See `PARAMETERS` for what they mean."""

    datasets: tuple[str, ...]
    learners: tuple[str, ...]
    out: Path
    scalings: tuple[str, ...]
    leakage: tuple[str, ...]
    outer: tuple[int, ...]
    inner: tuple[int, ...]
    anchors: tuple[int, ...] | None
    time_limit: float
    memory_limit: float
    predictions: bool
    workers: int
    scheduler: str | None
    cluster: str | None
    cluster_template: Path

    @property
    def limits(self) -> Limits:
        """What one fit may use."""
        return Limits(self.time_limit, self.memory_limit)


def check_settings(values: Mapping[str, object]) -> Settings:
    """Return the settings for the parameters given, with defaults for the others.

    Parameters
    ----------
    values : mapping of parameter name to text or value
        Empty text and None stand for the default.

    Raises
    ------
    UnknownNameError
        A name that is not in `PARAMETERS`, or a scaling, leakage or cluster that does not exist.
    SettingsError
        A value of the wrong type, or a required one that is absent.
    """
    check_known("parameter", values, PARAMETERS)
    settings = Settings(**{
        name.lower(): _read(parameter, values.get(name))
        for name, parameter in PARAMETERS.items()})
    if settings.scheduler and settings.cluster:
        raise SettingsError("SCHEDULER and CLUSTER exclude each other: the first uses a Dask "
                            "scheduler that is running, the second starts one.")
    return settings


def _read(parameter: Parameter, value: object) -> object:
    if value is None or value == "":
        if parameter.required:
            raise SettingsError(f"{parameter.name} is missing: {parameter.about}")
        value = parameter.default
    try:
        return parameter.read(value)
    except UnknownNameError:
        raise
    except (TypeError, ValueError) as error:
        raise SettingsError(f"{parameter.name}: {error}") from None


def _items(value: object) -> list:
    """Split text at spaces, but not within quotes or brackets."""
    if isinstance(value, str):
        words = WORD.findall(value)
        unclosed = any(word[0] in QUOTES and not word[1:].endswith(word[0]) for word in words)
        if unclosed or WORD.sub("", value).strip():
            raise ValueError(f"quotes or brackets do not match in {value!r}")
        return [word[1:-1] if word[0] in QUOTES else word for word in words]
    if isinstance(value, Iterable) and not isinstance(value, Mapping | bytes):
        return list(value)
    return [value]


def _names(value: object) -> tuple[str, ...]:
    names = _items(value)
    wrong = [name for name in names if not isinstance(name, str) or not name]
    if wrong or not names:
        raise ValueError(f"names separated by spaces are needed, not {value!r}")
    return tuple(dict.fromkeys(names))


def _among(kind: str, known: tuple[str, ...]) -> Callable[[object], tuple[str, ...]]:
    def read(value: object) -> tuple[str, ...]:
        names = _names(value)
        check_known(kind, names, known)
        return names
    return read


def _whole(value: object, least: int) -> int:
    text = str(value).strip()
    if isinstance(value, bool) or not re.fullmatch(r"[+-]?\d+", text):
        raise ValueError(f"a whole number is needed, not {value!r}")
    if not least <= int(text) < 2**32:
        raise ValueError(f"{value} is out of range; {least} is the least")
    return int(text)


def _seeds(value: object) -> tuple[int, ...]:
    seeds = _items(value)
    if not seeds:
        raise ValueError("at least one seed is needed")
    return tuple(dict.fromkeys(_whole(seed, least=0) for seed in seeds))


def _anchors(value: object) -> tuple[int, ...] | None:
    if value is None or value == "all":
        return None
    return tuple(sorted({_whole(anchor, least=FIRST) for anchor in _items(value)}))


def _quantity(value: object, units: Mapping[str, float], least: float) -> float:
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-zA-Z]*)\s*", str(value))
    if isinstance(value, bool) or not match or match[2] not in units:
        known = ", ".join(unit for unit in units if unit)
        raise ValueError(f"a number with or without a unit ({known}) is needed, not {value!r}")
    amount = float(match[1]) * units[match[2]]
    if amount < least or amount == 0:
        raise ValueError(f"{value!r} is too little")
    return amount


def _yes_or_no(value: object) -> bool:
    words = {"yes": True, "no": False, "true": True, "false": False, "1": True, "0": False}
    if str(value).lower() not in words:
        raise ValueError(f"yes or no is needed, not {value!r}")
    return words[str(value).lower()]


def _scheduler(value: object) -> str | None:
    if value is None:
        return None
    if not re.fullmatch(r"(tcp|tls|ws|wss|ucx)://\S+", str(value)):
        raise ValueError(f"an address such as tcp://10.0.0.1:8786 is needed, not {value!r}")
    return str(value)


def _cluster(value: object) -> str | None:
    if value is not None:
        check_known("cluster", [value], CLUSTERS)
    return value


def _existing(value: object) -> Path:
    path = Path(os.fspath(value)).expanduser()
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    return path


CLASSIC = tuple(name for name, learner in LEARNERS.items() if learner.group == "classic")
SLURM_TEMPLATE = ROOT / "collection" / "running" / "slurm.toml"

PARAMETERS = {
    p.name: p
    for p in (
        Parameter("DATASETS", _names, None, "where datasets come from, separated by spaces: "
                  "keel:NAME, sklearn:NAME, openml:ID, openml:suite/NAME, csv:PATH?target=COLUMN "
                  "(in quotes where there are spaces in it)", required=True),
        Parameter("LEARNERS", _names, CLASSIC, "names of Table 3, or the import path of a "
                  "scikit-learn classifier; the 24 of scikit-learn unless given"),
        Parameter("OUT", lambda value: Path(os.fspath(value)).expanduser(), "my_curves",
                  "folder of the store and the executed notebook"),
        Parameter("SCALINGS", _among("scaling", SCALINGS), SCALINGS[:1], "none, minmax, standard"),
        Parameter("LEAKAGE", _among("leakage", LEAKAGES), LEAKAGES[:1],
                  "no: preprocessing is fitted on the training set; yes: on all data"),
        Parameter("OUTER", _seeds, SEEDS, "outer seeds"),
        Parameter("INNER", _seeds, SEEDS, "inner seeds"),
        Parameter("ANCHORS", _anchors, "all", "training-set sizes; those a dataset is too small "
                  "for are left out; all: the whole grid"),
        Parameter("TIME_LIMIT", lambda value: _quantity(value, SECONDS, 0), "3.5h",
                  "per fit, in s, min or h; the paper's is 3.5 h"),
        Parameter("MEMORY_LIMIT", lambda value: _quantity(value, BYTES, LEAST_MEMORY), "20GB",
                  "of the process that fits, its libraries included, in MB or GB; "
                  "the paper's is 20 GB"),
        Parameter("PREDICTIONS", _yes_or_no, "no", "whether to store the class probabilities or "
                  "scores of every fit as well"),
        Parameter("WORKERS", lambda value: _whole(value, least=1), joblib.cpu_count(),
                  "curves gathered at the same time: processes of this machine, or jobs of a "
                  "cluster; every core unless given"),
        Parameter("SCHEDULER", _scheduler, None, "address of a running Dask scheduler, whose "
                  "workers are used instead of this machine"),
        Parameter("CLUSTER", _cluster, None, "slurm: start Dask workers as Slurm jobs"),
        Parameter("CLUSTER_TEMPLATE", _existing, SLURM_TEMPLATE, "file with the jobs' queue, "
                  "account, wall time and more; copy and edit the one that is the default"),
    )
}
