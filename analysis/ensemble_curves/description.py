"""What a database of ensembles holds: its datasets, its members, its ways of ensembling."""

from collections.abc import Mapping

import pandas as pd
import xarray as xr

from analysis.ensemble_curves.judged import ensemble_names, member_names
from analysis.ensemble_curves.registry import ENSEMBLE_CURVES
from analysis.ensembles import ENSEMBLERS, METRICS
from collection.container import Status

FACTS = ("rows", "features", "classes", "train_size", "valid_size", "test_size")


def datasets_table(curves: xr.Dataset) -> pd.DataFrame:
    """Return a row per dataset: ``dataset`` (name), its sizes, ``anchors`` (how many)."""
    tried = curves["status"] != Status.not_run
    anchors = tried.any([d for d in tried.dims if d not in ("dataset", "anchor")]).sum("anchor")
    return pd.DataFrame({"dataset": curves["name"].values,
                         **{fact: curves[fact].values for fact in FACTS},
                         "anchors": anchors.values})


def members_table(curves: xr.Dataset, titles: Mapping[str, str]) -> pd.DataFrame:
    """Return a row per member: ``member``, ``learner``, ``absent`` (percent of its fits).

    Absent is a member without usable class probabilities, mostly because its fit failed; ``from``
    and ``to`` are the anchors between which that happened (NaN where never).
    """
    rows = []
    for name in member_names(curves["learner"].values):
        status = curves["status"].sel(learner=name)
        tried, failed = status != Status.not_run, ~status.isin([Status.ok, Status.not_run])
        at = curves["anchor"].values[failed.any([d for d in failed.dims if d != "anchor"]).values]
        rows.append({"member": titles.get(name, name), "learner": name,
                     "absent": 100 * float(failed.sum() / tried.sum()),
                     "from": at.min() if len(at) else None, "to": at.max() if len(at) else None})
    return pd.DataFrame(rows).astype({"from": "Int64", "to": "Int64"})


def ensembles_table(curves: xr.Dataset) -> pd.DataFrame:
    """Return a row per ensemble: its name, what chooses it, to make what low, among which."""
    ways = [ENSEMBLE_CURVES[name] for name in ensemble_names(curves["learner"].values)]
    free = "equal_weights"
    return pd.DataFrame([{
        "ensemble": way.name, "chosen by": ENSEMBLERS[way.ensembler].title,
        "to make low": "–" if way.ensembler == free else METRICS[way.metric].title.lower(),
        "among": "all members" if way.of is None else
                 f"the first {way.of} of a portfolio learned on the other datasets",
    } for way in ways])
