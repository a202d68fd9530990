"""Training examples: curves of LCDB 1.0 cut at many sizes, what came later, and windows on them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.load import load_curves
from analysis.extrapolation.seen import FOLDS, FUTURE, PAST, Seen, interpolate, to_log
from analysis.statistics.families import families
from collection.official.lcdb11 import DATASETS_TABLE

LEAST = 4  # sizes seen
FIRST, STEP = 5.5, 0.5  # binary logarithms of the sizes that windows stand at
LEAST_LEARNERS = 5  # of a window
USUAL = 15_000  # curves that the usual fall is the median of
STEPS = np.array([*PAST, *FUTURE])
#: OpenML's names of datasets that neither database names.
OPENML_NAMES = {1112: "KDDCup09_churn", 1114: "KDDCup09_upselling"}


@dataclass(frozen=True)
class Source:
    """The curves to learn from.

    Attributes
    ----------
    errors : ndarray, shape (n_datasets, n_learners, n_outer, n_inner, n_anchors)
        Validation error rates; NaN where missing.
    sizes : ndarray, shape (n_anchors,)
    datasets, names : ndarray of str, shape (n_datasets,)
        OpenML ids, and names.
    learners : tuple of str
    fold : ndarray of int, shape (n_datasets,)
    """

    errors: np.ndarray
    sizes: np.ndarray
    datasets: np.ndarray
    names: np.ndarray
    learners: tuple[str, ...]
    fold: np.ndarray

    @property
    def truth(self) -> np.ndarray:
        """Mean error rates, shape (n_datasets, n_learners, n_anchors)."""
        return _mean(self.errors)[0]


@dataclass(frozen=True)
class View:
    """One way to look at the curves, so that all a user may bring is learnt from.

    Attributes
    ----------
    outer, inner : int
        Repeats that a curve is the mean of: their first so many, in an order drawn per dataset.
    alone : bool
        Whether curves come without the other learners of their dataset, half of them under a
        name that is not known.
    cuts : int
        Per dataset, drawn; the half of the anchors is always among them.
    targets : int
        Later sizes per cut curve, drawn; after the half, the last one is always among them.
    """

    outer: int
    inner: int
    alone: bool
    cuts: int
    targets: int


VIEWS = (View(5, 5, False, 6, 2), View(1, 5, False, 2, 1), View(1, 1, False, 2, 1),
         View(5, 5, True, 2, 1), View(1, 5, True, 2, 1))


@dataclass(frozen=True)
class Examples:
    """Cut curves with what came later.

    Attributes
    ----------
    seen : Seen
    targets, truth : ndarray, shape (n_curves, n_targets)
        Sizes in rows and mean error rates there; NaN where there is no example.
    curve : ndarray of int, shape (n_curves,)
        Which of the source's curves it is the start of: dataset times learners, plus learner.
    """

    seen: Seen
    targets: np.ndarray
    truth: np.ndarray
    curve: np.ndarray

    @property
    def filled(self) -> np.ndarray:
        """`targets`, with a stand-in where there is none, which no result is taken of."""
        twice = 2 * self.seen.sizes[self.seen.last][:, None]
        return np.where(np.isfinite(self.targets), self.targets, twice)

    def take(self, rows: np.ndarray) -> "Examples":
        """Return some of the curves."""
        return Examples(self.seen.take(rows), self.targets[rows], self.truth[rows],
                        self.curve[rows])


def open_source() -> Source:
    """Open all datasets of LCDB 1.0 as `Source`, those too that the paper leaves out."""
    curves = load_curves("lcdb10")
    errors = curves["error_rate"].sel(split="valid").isel(scaling=0, leakage=0, drop=True)
    return source_of(errors.assign_coords(name=("dataset", full_names(errors))),
                     draw_folds(errors["dataset"].values.tolist()))


def full_names(errors: xr.DataArray) -> list[str]:
    """Return the datasets' names, for families: where LCDB 1.0 has none, LCDB 1.1's by id."""
    known = pd.read_csv(DATASETS_TABLE, index_col="openml_id")["name"].to_dict() | OPENML_NAMES
    return [name or known[number] for number, name in zip(
        errors["dataset"].values.tolist(), errors["name"].values.tolist(), strict=True)]


def source_of(errors: xr.DataArray, fold: Sequence[int]) -> Source:
    """Return a `Source` of error rates over dataset, learner, outer, inner and anchor."""
    errors = errors.transpose("dataset", "learner", "outer", "inner", "anchor")
    datasets = errors["dataset"].values.astype(str)
    names = errors["name"].values.astype(str) if "name" in errors.coords else datasets
    return Source(errors.values, errors["anchor"].values.astype(float), datasets, names,
                  tuple(errors["learner"].values.astype(str).tolist()), np.array(fold))


def make_examples(source: Source, views: tuple[View, ...] = VIEWS, seed: int = 0) -> Examples:
    """Cut the curves in every view; all learners of a dataset at the same size."""
    rng = np.random.default_rng(seed)
    parts = [_look(source, view, rng) for view in views]
    width = max(part.targets.shape[1] for part in parts)
    start = np.cumsum([0, *(part.seen.dataset.max() + 1 for part in parts)])
    seens = [replace(part.seen, dataset=part.seen.dataset + first)
             for part, first in zip(parts, start, strict=False)]
    own = ("values", "noise", "learner", "dataset", "fold")
    seen = replace(seens[0], **{k: np.concatenate([getattr(s, k) for s in seens]) for k in own})
    wide = [[np.pad(a, ((0, 0), (0, width - a.shape[1])), constant_values=np.nan)
             for a in (part.targets, part.truth)] for part in parts]
    return Examples(seen, *(np.concatenate(a) for a in zip(*wide, strict=True)),
                    np.concatenate([part.curve for part in parts]))


def cut(seen: Seen, positions: np.ndarray) -> Seen:
    """Return curves cut after the sizes at those positions, shape (n_curves,)."""
    kept = np.arange(len(seen.sizes)) <= positions[:, None]
    return replace(seen, values=np.where(kept, seen.values, np.nan),
                   noise=np.where(kept, seen.noise, np.nan))


def _look(source: Source, view: View, rng: np.random.Generator) -> Examples:
    mean, noise = _mean(_some_repeats(source.errors, view, rng))
    cuts, half = _draw_cuts(source.truth, view, rng)
    datasets, learners = len(cuts), len(source.learners)
    whole = source.truth[cuts[:, 0]].reshape(datasets * learners, -1)
    at = np.repeat(cuts[:, 1], learners)
    names = np.tile(np.array(source.learners, object), datasets)
    group = np.repeat(np.arange(datasets), learners)
    if view.alone:
        names, group = np.where(rng.random(len(names)) < 0.5, "", names), np.arange(len(names))
    seen = cut(Seen(source.sizes, mean[cuts[:, 0]].reshape(whole.shape),
                    noise[cuts[:, 0]].reshape(whole.shape), names, group,
                    np.repeat(source.fold[cuts[:, 0]], learners)), at)
    kept = seen.exists.any(1)
    later = np.isfinite(whole) & (np.arange(whole.shape[1]) > seen.last[:, None])
    later &= (seen.exists.sum(1) >= LEAST)[:, None]
    column = _draw_targets(later, view.targets, np.repeat(half, learners), rng)
    targets = np.where(column >= 0, source.sizes[column], np.nan)
    truth = np.where(column >= 0, np.take_along_axis(whole, column.clip(0), axis=1), np.nan)
    curve = (cuts[:, :1] * learners + np.arange(learners)).ravel()
    return Examples(seen, targets, truth, curve).take(kept)


def _mean(errors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean over the repeats and its standard error, NaN where there is none."""
    count = np.isfinite(errors).sum((2, 3))
    mean = np.divide(np.nansum(errors, (2, 3)), count, out=np.full(count.shape, np.nan),
                     where=count > 0)
    squares = np.nansum((errors - mean[:, :, None, None]) ** 2, (2, 3))
    free = count * (count - 1.0)
    return mean, np.sqrt(np.divide(squares, free, out=np.full(count.shape, np.nan), where=free > 0))


def _some_repeats(errors: np.ndarray, view: View, rng: np.random.Generator) -> np.ndarray:
    """Return some repeats of every dataset, the same for all its learners."""
    def some(count, wanted):
        return np.sort(rng.random((len(errors), count)).argsort(1)[:, :wanted], axis=1)

    outer, inner = some(errors.shape[2], view.outer), some(errors.shape[3], view.inner)
    row = np.arange(len(errors))[:, None, None]
    return errors.transpose(0, 2, 3, 1, 4)[row, outer[:, :, None], inner[:, None]].transpose(
        0, 3, 1, 2, 4)


def _draw_cuts(truth: np.ndarray, view: View, rng: np.random.Generator):
    """Return (dataset, position of the last size seen) of the cuts, and which are the half."""
    cuts, half = [], []
    for dataset, there in enumerate(np.isfinite(truth).any(1)):
        known = np.flatnonzero(there)
        middle = known[max(len(known) // 2, LEAST) - 1] if len(known) > LEAST else None
        open_ = [k for k in known[LEAST - 1:-1] if k != middle]
        chosen = rng.choice(open_, min(view.cuts, len(open_)), replace=False) if open_ else []
        found = ([middle] if middle is not None else []) + sorted(int(k) for k in chosen)
        cuts += [(dataset, k) for k in found]
        half += [k == middle for k in found]
    return np.array(cuts), np.array(half)


def _draw_targets(later: np.ndarray, wanted: int, half: np.ndarray, rng: np.random.Generator):
    """Return positions of later sizes, -1 where there are none left; after the half, the last."""
    draw = np.where(later, rng.random(later.shape), -1)
    last = later.shape[1] - 1 - later[:, ::-1].argmax(1)
    rows = np.flatnonzero(half & later.any(1))
    draw[rows, last[rows]] = 2
    chosen = np.argsort(-draw, axis=1)[:, :wanted]
    return np.where(np.take_along_axis(draw, chosen, axis=1) >= 0, chosen, -1)


def make_windows(source: Source) -> tuple[np.ndarray, np.ndarray]:
    """Return windows on all learners of a dataset, at many sizes.

    Returns
    -------
    windows : ndarray, shape (n_windows, n_learners, len(PAST) + len(FUTURE))
        Logarithmic errors, NaN where there is no value; at least `LEAST_LEARNERS` have one at the
        size that the window stands at.
    fold : ndarray of int, shape (n_windows,)
    """
    logs, windows, folds = np.log2(source.sizes), [], []
    for curves, fold in zip(to_log(source.truth), source.fold, strict=True):
        end = logs[np.isfinite(curves).any(0)].max()
        for now in np.arange(FIRST, end - 0.4, STEP):
            windows.append(interpolate(logs, curves, np.broadcast_to(
                now + STEPS, (len(curves), len(STEPS)))))
            folds.append(fold)
    windows, folds = np.stack(windows), np.array(folds)
    kept = np.isfinite(windows[:, :, len(PAST) - 1]).sum(1) >= LEAST_LEARNERS
    return windows[kept], folds[kept]


def usual_falls(windows: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Return how the median curve falls, without each fold and of all.

    At most `USUAL` windows on single curves are looked at, drawn of those that have a value half a
    doubling before and one doubling ahead.

    Returns
    -------
    ndarray, shape (FOLDS + 1, len(FUTURE))
        Changes of logarithmic errors since the size that windows stand at.
    """
    flat = windows.reshape(-1, windows.shape[2])
    now = len(PAST) - 1
    fit = np.flatnonzero(np.isfinite(flat[:, [now - 1, now, now + 2]]).all(1))
    rows = np.sort(np.random.default_rng(0).permutation(fit)[:USUAL])
    future = (flat[rows, now + 1:] - flat[rows, now : now + 1]).astype(np.float16)
    own = np.repeat(fold, windows.shape[1])[rows]
    return np.stack([np.nanmedian(future[own != out].astype(float), axis=0)
                     for out in range(FOLDS + 1)])


def draw_folds(datasets: Sequence[object]) -> np.ndarray:
    """Return each dataset's fold, families together, drawn always alike."""
    names, which = np.unique(families(datasets).astype(str), return_inverse=True)
    return (np.random.default_rng(0).permutation(len(names)) % FOLDS)[which]
