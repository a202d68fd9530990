"""Learning curves of ensembles from those of their members: no training.

`compute_ensembles` reads a collection that was gathered with predictions and writes the curves of
its ensembles into a store of their own, a repeat at a time; run again, it goes on where it was.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
import xarray as xr

from analysis.ensemble_curves import members as stored
from analysis.ensemble_curves.members import Members, NoMembersError, Repeat
from analysis.ensemble_curves.registry import ENSEMBLE_CURVES
from analysis.ensembles import combine
from collection.containers import metrics
from collection.containers.curves import INNER_SEED, SPLITS, CurveKey, Status
from collection.datasets.csv_file import located
from collection.project.naming import check_known
from collection.project.requirements import provenance
from collection.protocol.splits import SEEDS
from collection.running.curve import Fit
from collection.running.workers import spread
from collection.store import StoreWriter, open_store, read_curves, read_datasets, read_settings

Portfolios = dict[tuple[str, int], tuple[str, ...]]
NO_PROBABILITIES = "no class probabilities, or some that are not numbers"
GROUP = ["dataset", "scaling", "leakage"]
FITS = ["status", "message", "message_text", "train_time", "predict_time"]  # of members
DIGITS = 4  # of log-losses, significant


@dataclass(frozen=True)
class Unit:
    """What is worked out at a time: all ensembles of one repeat.

    Attributes
    ----------
    store : Path
        Where the members' predictions are.
    repeat : Repeat
    fits : xarray.Dataset
        The members' own, at the anchors that were tried; dims ``learner, anchor, split``.
    portfolios : dict
        As `left_out_portfolios` returns; empty where there is one dataset alone.
    """

    store: Path
    repeat: Repeat
    fits: xr.Dataset
    portfolios: Portfolios

    @property
    def learners(self) -> list[str]:
        """The members."""
        return self.fits["learner"].values.tolist()

    @property
    def ways(self) -> list[str]:
        """The ensembles that can be made."""
        return [name for name, way in ENSEMBLE_CURVES.items() if way.of is None or self.portfolios]

    @property
    def keys(self) -> dict[str, CurveKey]:
        """The curves that come of it, by learner: the members' and the ensembles'."""
        return {name: CurveKey(learner=name, **self.repeat.setting)
                for name in (*self.learners, *self.ways)}


def compute_ensembles(store: str | Path, out: str | Path, workers: int = 1,
                      say: Callable[[str], None] = lambda text: None,
                      learners: Sequence[str] | None = None) -> None:
    """Compute the curves of all `ENSEMBLE_CURVES` from stored predictions, and keep them.

    Members' curves are written beside them, judged by their stored probabilities like the
    ensembles, so that both are of the same rows and the same rule.

    Parameters
    ----------
    store : str or Path
        A collection that ran with ``PREDICTIONS=yes``.
    out : str or Path
        Folder of the store that is written; `analysis.load_curves` opens it.
    workers : int
        Processes; the result does not depend on it.
    say : callable
        Told how far it is.
    learners : sequence of str, optional
        The members, by name; by default all that the collection has.

    Raises
    ------
    NoMembersError
        Where no dataset has every repeat of every learner, or there are no predictions.
    ChangedSettingsError
        Where `out` holds ensembles of other members: a portfolio depends on all datasets.
    """
    store, out = Path(store), Path(out)
    units = plan_units(store, learners)
    specs = read_datasets(store).set_index("name")["spec"]
    settings = {"ENSEMBLES OF": sorted({specs[u.repeat.setting["dataset"]] for u in units}),
                "MEMBERS": sorted(units[0].learners),
                "SEEDS": read_settings(store)["SEEDS"]}
    with StoreWriter(out, settings, provenance()) as writer:
        used = {u.repeat.setting["dataset"] for u in units}
        for row in read_datasets(store).to_dict("records"):
            if row["name"] in used:
                writer.add_dataset({k: None if pd.isna(v) else v for k, v in row.items()})
        finished = writer.finished()
        missing = [u for u in units if not finished.issuperset(u.keys.values())]
        for done, (unit, fits, seconds) in enumerate(spread(_timed, missing, workers), 1):
            for learner, key in unit.keys.items():
                if key not in finished:
                    writer.add_curve(key, fits[learner], seconds / len(fits), "ensembles")
            say(f"{len(units) - len(missing) + done}/{len(units)} repeats")


def plan_units(store: Path, learners: Sequence[str] | None = None) -> list[Unit]:
    """Return the units of a collection: those of datasets of which every curve is there.

    Raises
    ------
    NoMembersError
        Where there is no such dataset.
    UnknownNameError
        For a learner that the collection has not.
    """
    curves, gathered = open_store(store), read_curves(store)
    if learners is not None:
        check_known("member", learners, set(gathered["learner"]))
        gathered = gathered[gathered["learner"].isin(learners)]
        curves = curves.sel(learner=[n for n in curves["learner"].values if n in learners])
    count = gathered.groupby(GROUP)["learner"].count()
    repeats = gathered[["outer", "inner"]].drop_duplicates()
    wanted = gathered["learner"].nunique() * len(repeats)
    complete = count.index[count == wanted]
    if not len(complete):
        raise NoMembersError(
            f"No dataset in {store} has all {wanted} curves: {gathered['learner'].nunique()} "
            f"learners in {len(repeats)} repeats. Run make collect again to go on with it.")
    described = read_datasets(store).set_index("name")
    units = []
    for (scaling, leakage), group in complete.to_frame(index=False).groupby(GROUP[1:]):
        names = [d for d in curves["dataset"].values if d in set(group["dataset"])]
        own = curves.sel(dataset=names, scaling=scaling, leakage=leakage)
        units += _units(store, own, described, repeats, scaling, leakage)
    return units


def _units(store: Path, curves: xr.Dataset, described: pd.DataFrame, repeats: pd.DataFrame,
           scaling: str, leakage: str) -> Iterator[Unit]:
    """Yield the units of one setting, datasets in the store's order."""
    portfolios: Portfolios = {}
    if curves.sizes["dataset"] > 1:
        errors = curves["error_rate"].sel(split="test").mean(["outer", "inner"])
        portfolios = stored.left_out_portfolios(errors)
    for name in curves["dataset"].values:
        row, own = described.loc[name], {k: v for k, v in portfolios.items() if k[0] == name}
        for outer, inner in repeats.sort_values(["outer", "inner"]).itertuples(index=False):
            setting = {"dataset": str(name), "scaling": scaling, "leakage": leakage,
                       "outer": int(outer), "inner": int(inner)}
            repeat = Repeat(setting, located(row["spec"], store), row["fingerprint"])
            place = inner % len(SEEDS) if INNER_SEED in curves.coords else inner
            fits = curves[FITS].sel(dataset=name, outer=outer, inner=place)
            tried = (fits["status"] != Status.not_run).any("learner")
            yield Unit(store, repeat, fits.sel(anchor=tried).load(), own)


def compute_unit(unit: Unit) -> dict[str, list[Fit]]:
    """Return the fits of every curve of a unit, by learner."""
    labels = stored.read_labels(unit.repeat)
    members = stored.read_members(unit.store, unit.repeat, unit.learners)
    fits: dict[str, list[Fit]] = {name: [] for name in unit.keys}
    for anchor in unit.fits["anchor"].values.tolist():
        own, there = unit.fits.sel(anchor=anchor), members.get(anchor)
        for learner in unit.learners:
            fits[learner].append(_member(learner, there, own, labels))
        for name in unit.ways if there is not None else ():
            fits[name] += _ensemble(name, there, own, labels, unit)
    return fits


def _member(learner: str, members: Members | None, own: xr.Dataset, labels: dict) -> Fit:
    """Return a member's own fit, judged by its probabilities, or why there is none."""
    if members is None or learner not in members.names:
        found = own.sel(learner=learner)
        status = Status(int(found["status"]))
        ok = status == Status.ok
        said = str(own["message_text"].values[int(found["message"])])
        return Fit(int(own["anchor"]), Status.error if ok else status,
                   NO_PROBABILITIES if ok else said)
    alone = np.array([float(name == learner) for name in members.names])
    return judge(members, alone, [members.names.index(learner)], labels, own)


def _ensemble(name: str, members: Members, own: xr.Dataset, labels: dict,
              unit: Unit) -> Iterator[Fit]:
    """Yield an ensemble's fit, if it has one at this anchor."""
    way, setting = ENSEMBLE_CURVES[name], unit.repeat.setting
    portfolio = unit.portfolios.get((setting["dataset"], int(own["anchor"])), ())
    among = stored.candidates(way, members.names, portfolio)
    if among:
        weights = stored.choose_weights(way, members, labels["valid"],
                                        (setting["outer"], setting["inner"]), among)
        yield judge(members, weights, among, labels, own)


def judge(members: Members, weights: np.ndarray, chosen_from: Sequence[int],
          labels: Mapping[str, np.ndarray], own: xr.Dataset) -> Fit:
    """Return the fit that an ensemble would have been.

    Parameters
    ----------
    members : Members
    weights : ndarray of float, shape (member,)
    chosen_from : sequence of int
        Positions of every member that could have been chosen: each was trained.
    labels : mapping of split to ndarray of int
        As `read_labels` gives them.
    own : xarray.Dataset
        The members' fits at this anchor; prediction times of those with weight are added up.

    Returns
    -------
    Fit
        With ``error_rate``, ``log_loss`` and times; F1, AUC and what is on training rows are NaN:
        not computed. Its predictions are the weights: ``member`` (names) and ``weight``.
    """
    errors, losses, cost = {}, {}, own.sel(learner=list(members.names))
    predict_times = cost["predict_time"].sel(split=list(SPLITS)).transpose("learner", "split")
    for split, true in labels.items():
        said = combine(members.probabilities[split], weights)
        errors[split] = metrics.error_rate(true, said.argmax(axis=1))
        losses[split] = float(f"{metrics.log_loss(true, said):.{DIGITS}g}")
    return Fit(
        int(own["anchor"]), Status.ok, error_rate=_by_split(errors), log_loss=_by_split(losses),
        train_time=float(cost["train_time"].values[chosen_from].sum()),
        predict_time=tuple(predict_times.values[weights > 0].sum(axis=0)),
        predictions={"member": np.array(members.names), "weight": weights},
    )


def _by_split(values: Mapping[str, float]) -> tuple[float, ...]:
    return tuple(values.get(split, np.nan) for split in SPLITS)


def _timed(unit: Unit) -> tuple[Unit, dict[str, list[Fit]], float]:
    started = perf_counter()
    return unit, compute_unit(unit), perf_counter() - started
