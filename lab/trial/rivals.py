"""The rivals of the trial, by name: who forecasts, from what curves, and who proposed that."""

import logging
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import product

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chapter_curves import main_scaling, validation_errors
from analysis.databases.load import load_curves
from analysis.extrapolation import compact, predict_seen
from analysis.extrapolation.conformal import calibrate, groups
from analysis.extrapolation.features import rough_scale
from analysis.extrapolation.registry import EXTRAPOLATORS
from analysis.extrapolation.seen import REPEATS, UNSEEN, Seen, training_datasets
from analysis.fitting.registry import MODELS
from analysis.statistics.families import family_of
from analysis.statistics.summary import standard_error
from analysis.trial.tasks import LEVELS, PARTS, Trial, open_trial
from collection.containers.learner_names import NOT_COUNTED
from collection.project.paths import cache_dir
from lab.trial import lcpfn
from lab.trial.laws import CAZACU, LAWS, MEANS, by_cazacu, by_law, by_process

#: Databases whose curves are asked for.
SOURCES = ("lcdb10", "lcdb11", "mini", "regression", "large_numbers", "large_classes",
           "lcdb11-anew")
TIMES = (2, 4, 8)  # what was seen
JUDGED = (0, 1)  # folds of LCDB 1.0 whose datasets are asked for


def own_curves() -> dict[str, xr.DataArray]:
    """Return error rates by source, dims (dataset, learner, anchor) and (outer, inner) or not."""
    torn = {family_of(d) for d in torn_datasets()}
    found = {}
    for source in SOURCES:
        database = "lcdb11-summary" if source == "lcdb11" else source
        if source in ("regression", "large_numbers"):
            errors = load_curves(database)["relative_rmse"].sel(split="valid").isel(
                scaling=0, leakage=0, drop=True).clip(0, 1)  # 1 is the error of the mean
        else:
            errors = validation_errors(database)
            errors = errors.sel(scaling=main_scaling(errors), drop=True)
        learners = [n for n in errors["learner"].values if n not in NOT_COUNTED
                    and not n.startswith(("Dummy", "sklearn."))]
        fair = [family_of(d) not in torn for d in errors["dataset"].values]
        found[source] = errors.sel(learner=learners).isel(dataset=fair).load()
    return found


@lru_cache(maxsize=1)
def torn_datasets() -> frozenset[str]:
    """Return training datasets whose family was in several folds: none of which judges fairly.

    It is empty right after `make extrapolators`; what the registry has learnt since is here.
    """
    table = training_datasets()
    torn = table.groupby("family")["fold"].transform("nunique") > 1
    return frozenset(table.index[torn.to_numpy(bool)])


LOG = logging.getLogger(__name__)
MIDDLE = LEVELS.index(0.5)
CALIBRATED_ON = 800  # curves of LCDB 1.0 that are no tasks
SEED = 39
#: The curve models whose forecasts are kept; one that is added to the registry enters here, with
#: `make forecasts`. LAST1, EXPD3 and JANOSCHEK4 are the curves of others, or of "nothing changes".
FORMULAS = ("POW2", "POW3", "POW4", "LOG2", "LOGPOWER3", "EXP2", "EXP3", "EXP4", "EXPP3", "LIN2",
            "ILOG2", "VAP3", "MMF4", "WBL4")

THREE, SIMPLE = "mean of three", ("GP power law", "POW4, one start", "usual fall")


@dataclass(frozen=True)
class Rival:
    """One who forecasts.

    Attributes
    ----------
    name : str
        Key in `RIVALS`.
    kind : {"naive", "formula", "law", "process", "mean", "LC-PFN", "learnt"}
    sees : {"curve", "all"}
        The curve alone, or the learner's name and the dataset's other curves up to that size too.
    source : str
        Who proposed it, and what here differs.
    forecast : callable
        ``forecast(seen, sizes)`` of a `Seen` at sizes of shape (n, 4): a point each, shape (n, 4),
        or quantiles, shape (n, 4, len(LEVELS)); NaN where it has none.
    """

    name: str
    kind: str
    sees: str
    source: str
    forecast: Callable[[Seen, np.ndarray], np.ndarray]


def forecasts(rival: Rival, trial: Trial) -> np.ndarray:
    """Return a rival's quantiles, in the units of the tasks.

    They are cut to 0 and 1; losses above 1, to the largest one seen. Whoever gives a point gets
    ranges by the same conformal step: its errors on curves of LCDB 1.0 that are no tasks, by
    how far ahead and how far it moves.

    Returns
    -------
    ndarray, shape (n_tasks, 4, len(LEVELS))
        At `TIMES` and the last size; NaN where nothing is asked or it has no forecast.
    """
    seen, sizes = seen_of(trial)
    wanted = np.where(np.isnan(sizes), 2 * seen.sizes[seen.last][:, None], sizes)
    found = (with_neighbours(trial, wanted, rival.forecast) if rival.sees == "all" else
             rival.forecast(seen, wanted))
    if found.ndim == 2:
        found = with_ranges(rival, seen, wanted, found)
    found = np.where(np.isnan(sizes)[..., None], np.nan, np.sort(found, axis=2)).clip(0, 1)
    return found * unit_of(trial)[:, None, None]


def unit_of(trial: Trial) -> np.ndarray:
    """Return what errors of tasks are divided by for forecasts that know errors from 0 to 1."""
    top = trial.points.groupby("task")["error"].max()
    return top.where(top > 1, 1.0).reindex(trial.tasks["task"]).to_numpy()


def seen_of(trial: Trial) -> tuple[Seen, np.ndarray]:
    """Return what is seen of each task alone, and the sizes asked for.

    Returns
    -------
    seen : Seen
        In units of `unit_of`, learners without names, every curve by itself.
    sizes : ndarray, shape (n_tasks, 4)
        In the order of `TIMES`, then the last; NaN where none is asked.
    """
    names, per = trial.tasks["task"], unit_of(trial)[:, None]
    values, noise = (trial.points.pivot(index="task", columns="size", values=what).reindex(names)
                     for what in ("error", "deviation"))
    sizes = trial.asked.pivot(index="task", columns="times", values="size").reindex(
        index=names, columns=[*map(str, TIMES), "last"])
    return Seen(values.columns.to_numpy(float), values.to_numpy() / per, noise.to_numpy() / per,
                np.full(len(names), "", object), np.arange(len(names)),
                trial.tasks["fold"].to_numpy()), sizes.to_numpy()


def with_ranges(rival: Rival, seen: Seen, sizes: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return quantiles around points, shape (n, 4, len(LEVELS))."""
    past, later, truth = calibration_curves()
    centre = rival.forecast(past, later)
    rows = np.isfinite(truth) & np.isfinite(centre)
    scale = rough_scale(past, centre)
    ahead = np.log2(later) - past.now[:, None]
    known = calibrate((truth - centre)[rows], scale[rows], ahead[rows], LEVELS)
    own = rough_scale(seen, points)
    group = groups(np.log2(sizes) - seen.now[:, None], own, known.edges)
    spread = own[..., None] * known.table[group]
    spread -= spread[..., [MIDDLE]]  # the point stays what it is
    return np.maximum(points[..., None] + spread, 0)


@cache
def calibration_curves() -> tuple[Seen, np.ndarray, np.ndarray]:
    """Return curves of LCDB 1.0 in the folds that are not judged: seen, sizes, and what came."""
    from lab.training.examples import View, make_examples, open_source

    source = open_source()
    view = View(5, 5, True, 2, 4)
    found = make_examples(source, (view,), seed=SEED)
    fold = source.fold[found.curve // len(source.learners)]
    rows = np.flatnonzero(~np.isin(fold, JUDGED) & np.isfinite(found.targets).any(1))
    rows = np.sort(np.random.default_rng(SEED).permutation(rows)[:CALIBRATED_ON])
    some = found.take(rows)
    return alone(some.seen), some.filled, some.truth


def alone(seen: Seen) -> Seen:
    """Return curves each on a dataset of its own, without learners' names."""
    n = len(seen.values)
    return replace(seen, learner=np.full(n, "", object), dataset=np.arange(n))


def with_neighbours(trial: Trial, sizes: np.ndarray, forecast: Callable) -> np.ndarray:
    """Let tasks of our databases be forecast with learners' names and the dataset's other curves.

    Each up to the size that the task shows. Tasks of other sources are forecast alone.
    """
    result, curves = forecast(seen_of(trial)[0], sizes), own_curves()
    for source in curves.keys() & set(trial.tasks["source"]):
        own = np.flatnonzero(trial.tasks["source"] == source)
        dataset, name, last, fold = (trial.tasks[column].to_numpy()[own]
                                     for column in ("dataset", "learner", "last", "fold"))
        curve = curves[source].transpose("dataset", "learner", ..., "anchor")
        mean = curve.mean([d for d in REPEATS if d in curve.dims])
        spread = standard_error(curve)
        at = mean.get_index("dataset").astype(str).get_indexer(dataset)
        anchors = mean["anchor"].values.astype(float)
        shown = np.where(anchors <= last[:, None, None], mean.clip(0, 1).values[at], np.nan)
        task, learner = np.nonzero(np.isfinite(shown).sum(2) >= 2)
        values, names = shown[task, learner], mean["learner"].values[learner]
        noise = np.where(np.isfinite(values), spread.values[at[task], learner], np.nan)
        scene = Seen(anchors, values, noise, names.astype(object), own[task], fold[task])
        ahead = np.maximum(sizes[own[task]], scene.sizes[scene.last][:, None] * 1.01)
        result[own] = forecast(scene, ahead)[names == name[task]]
    return result


def stays(seen: Seen, sizes: np.ndarray) -> np.ndarray:
    """Say that nothing changes."""
    return np.broadcast_to(seen.level[:, None], sizes.shape)


def one_by_one(seen: Seen, sizes: np.ndarray, fit: Callable) -> np.ndarray:
    """Forecast each curve by ``fit(sizes seen, errors, sizes)``."""
    return np.stack([fit(seen.sizes[there], values[there], at)
                     for there, values, at in zip(seen.exists, seen.values, sizes, strict=True)])


def formula(seen: Seen, sizes: np.ndarray, name: str) -> np.ndarray:
    """Forecast by one of `EXTRAPOLATORS`, without its ranges."""
    return EXTRAPOLATORS[name](seen, sizes).centre


def mean_of(seen: Seen, sizes: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """Forecast by the mean of some of `RIVALS`, each by its median, without their ranges."""
    found = [RIVALS[name].forecast(seen, sizes) for name in names]
    return np.mean([f[..., MIDDLE] if f.ndim == 3 else f for f in found], axis=0)


def small(seen: Seen, sizes: np.ndarray) -> np.ndarray:
    """Forecast as the page does; not where its networks have learnt from the dataset."""
    found = compact.forecast(seen, sizes)
    return np.where((seen.fold == UNSEEN)[:, None, None], found, np.nan)


def _rivals() -> dict[str, Rival]:
    made = [
        Rival("nothing changes", "naive", "curve", "the last error seen", stays),
        Rival("usual fall", "naive", "curve", "the median curve of LCDB 1.0's other folds",
              partial(formula, name="usual")),
        *(Rival(name, "formula", "curve", f"{MODELS[name].source}; fitted as LCDB's curve models "
                "are", partial(formula, name=name)) for name in FORMULAS),
        *(Rival(f"{name}, one start", "formula", "curve",
                "Cazacu 2025, experiment 2: accuracies, one start, bounds",
                partial(one_by_one, fit=partial(by_cazacu, model=name))) for name in CAZACU),
        *(Rival(name, "law", "curve", "Caballero et al. 2023, one break" if name == "BNSL" else
                "Alabdulmohsin et al. 2022", partial(one_by_one, fit=partial(by_law, name=name)))
          for name in LAWS),
        *(Rival(name, "process", "curve", "after Harvey et al. 2023, priors of our own",
                partial(one_by_one, fit=partial(by_process, mean=name, levels=LEVELS)))
          for name in MEANS),
        *(Rival(f"{name}, calibrated", "process", "curve", "the same, its ranges as of formulas",
                partial(mean_of, names=(name,))) for name in MEANS),
        Rival(THREE, "mean", "curve", f"the mean of {', '.join(SIMPLE)}",
              partial(mean_of, names=SIMPLE)),
        *(Rival(f"LC-PFN, {words}", "LC-PFN", "curve", "Adriaensen et al. 2023, trained here: "
                "five nets of 3 layers, width 128",
                partial(lcpfn.forecast, form=form, by=by, levels=LEVELS))
          for form, by, words in (("own", "place", "own prior"),
                                  ("own", "size", "own prior, by size"),
                                  ("real", "log size", "real curves"))),
        Rival("small networks", "learnt", "curve", "this project: the forecast of the page", small)]
    for name, what in (("gaussian", "a Gaussian over all learners' curves"),
                       ("boosted", "boosted trees on the curve, the formulas and the Gaussian")):
        source = f"this project: {what}"
        own = partial(predict_seen, extrapolator=name, levels=LEVELS)
        made += [Rival(f"{name}, alone", "learnt", "curve", source, own),
                 Rival(name, "learnt", "all", source, own)]
    return {rival.name: rival for rival in made}


#: A new rival is a function and a line in `_rivals`; `make forecasts` computes its forecasts.
RIVALS = _rivals()
#: Computed no more, their forecasts stay: the mean of boosted trees and three networks, that
#: ``boosted`` was held against before the networks went; formulas weighted by their evidence
#: (Domhan et al. 2015), their median, a Gaussian process around POW2 (Swersky et al. 2014), and
#: LC-PFN trained on its prior with peaks and dips of ours added.
WITHDRAWN = ("combined", "combined, alone", "weighted formulas", "median of formulas",
             "GP around POW2", "LC-PFN, prior with peaks")


def record() -> pd.DataFrame:
    """Compute every rival's forecasts, or what is missing of them in the cache.

    Returns
    -------
    DataFrame
        ``task, times, rival`` and a column a level: what `FORECASTS` holds. A rival whose library
        is not installed is left out with a line, and keeps the forecasts that are shipped.
    """
    folder, parts = cache_dir() / "trial" / "forecasts", []
    folder.mkdir(parents=True, exist_ok=True)
    for part, (number, rival) in product(PARTS, enumerate(RIVALS.values(), 1)):
        trial = open_trial((part,))
        path = folder / f"{re.sub('[^a-z0-9]+', '-', rival.name.lower())}.{part or 1}.npy"
        began = time.perf_counter()
        try:
            found = np.load(path) if path.exists() else forecasts(rival, trial)
        except ModuleNotFoundError as error:
            LOG.warning("%s is left out: %s.", rival.name, error)
            continue
        if not path.exists():
            np.save(path, found)
            LOG.info("Version %s, %d of %d, %s: %.0f s", part or 1, number, len(RIVALS), rival.name,
                     time.perf_counter() - began)
        parts.append(laid_out(found, trial).assign(rival=rival.name))
    return pd.concat(parts, ignore_index=True)


def laid_out(found: np.ndarray, trial: Trial) -> pd.DataFrame:
    """Return forecasts of shape (n_tasks, 4, n_levels) as ``task, times`` and a column a level."""
    names = [*map(str, TIMES), "last"]
    row, column = np.nonzero(np.isfinite(found).all(2))
    return pd.DataFrame({"task": trial.tasks["task"].to_numpy()[row],
                         "times": np.array(names)[column],
                         **{str(level): found[row, column, k] for k, level in enumerate(LEVELS)}})
