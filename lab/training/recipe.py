"""The recipe: from LCDB 1.0 to ``data/extrapolation``.

The Gaussian over curves of all learners on a dataset is fitted by expectation maximisation. Last
comes how far off each extrapolator is on datasets it does not know, which calibrates its
intervals.
"""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from scipy.linalg import cho_factor, cho_solve
from sklearn.ensemble import HistGradientBoostingRegressor

from analysis.extrapolation.artefacts import ALL, FIELDS, Trees, unpack_gaussian
from analysis.extrapolation.features import described, expected, unit
from analysis.extrapolation.gaussian import Gaussian, patterns
from analysis.extrapolation.registry import EXTRAPOLATORS
from analysis.extrapolation.seen import FOLDS
from analysis.shapes import detect_shapes
from analysis.statistics.families import families
from collection.project.paths import written_whole
from lab.training.examples import Examples, Source, make_examples, make_windows, usual_falls

SHRINKAGE = 400.0  # windows that the product structure counts as much as
ROUNDS = 5
JITTER = 2e-4


def fit_gaussian(windows: np.ndarray, learners: tuple[str, ...]) -> Gaussian:
    """Find mean and covariance by expectation maximisation.

    Parameters
    ----------
    windows : ndarray, shape (n_windows, n_learners, n_steps)
        Logarithmic errors; NaN where there are none.
    learners : tuple of str
    """
    flat = windows.reshape(len(windows), -1)
    there = np.isfinite(flat)
    count = np.maximum(there.sum(0), 1)
    mean = np.where(there, flat, 0).sum(0) / count
    rest = np.where(there, flat - mean, 0)
    pairs = np.maximum(there.T.astype(float) @ there, 1)
    spread = _positive(rest.T @ rest / pairs)
    for _ in range(ROUNDS):
        spread = _shrink(spread, len(learners), len(flat))
        shift, spread = _expect(np.where(there, flat - mean, np.nan), there, spread)
        mean = mean + shift
    return Gaussian(learners, mean, _shrink(spread, len(learners), len(flat)))


def _positive(matrix: np.ndarray, least: float = 1e-4) -> np.ndarray:
    value, vector = np.linalg.eigh((matrix + matrix.T) / 2)
    return (vector * np.maximum(value, least)) @ vector.T


def _shrink(spread: np.ndarray, learners: int, windows: int) -> np.ndarray:
    """Mix a covariance with its nearest product of one of learners and one of steps."""
    steps = len(spread) // learners
    blocks = spread.reshape(learners, steps, learners, steps)
    curve = np.einsum("lilj->ij", blocks) / learners
    inverse = np.linalg.pinv(curve, rcond=1e-6, hermitian=True)
    between = _positive(np.einsum("likj,ij->lk", blocks, inverse) / steps, 1e-3)
    weight = SHRINKAGE / (SHRINKAGE + windows)
    mixed = (1 - weight) * spread + weight * np.kron(between, curve)
    return mixed + JITTER * np.eye(len(spread))


def _expect(rest: np.ndarray, there: np.ndarray, spread: np.ndarray):
    """Return mean and covariance of the windows, with what is missing expected from the rest.

    In single precision, which is a third of the time.
    """
    full, extra = np.nan_to_num(rest).astype(np.float32), np.zeros_like(spread)
    small = spread.astype(np.float32)
    for rows, seen in patterns(there):
        hidden = ~seen
        if not hidden.any():
            continue
        cross = small[np.ix_(seen, hidden)]
        known = cho_factor(small[np.ix_(seen, seen)], check_finite=False)
        gain = cho_solve(known, cross, check_finite=False)
        full[np.ix_(rows, hidden)] = full[np.ix_(rows, seen)] @ gain
        left = small[np.ix_(hidden, hidden)] - cross.T @ gain
        extra[np.ix_(hidden, hidden)] += len(rows) * left
    full = full.astype(float)
    shift = full.mean(0)
    full -= shift
    return shift, (full.T @ full + extra) / len(full)


def pack_gaussian(model: Gaussian, prefix: str) -> dict[str, np.ndarray]:
    """Return a Gaussian as arrays: the lower triangle of its covariance, in single precision."""
    lower = model.covariance[np.tril_indices(len(model.mean))]
    return {f"{prefix}.mean": model.mean.astype(np.float32),
            f"{prefix}.lower": lower.astype(np.float32)}


#: Of scikit-learn's histogram boosting; absolute error for the location.
GROWTH = {"max_iter": 160, "learning_rate": 0.08, "max_leaf_nodes": 31, "min_samples_leaf": 40,
          "l2_regularization": 1.0, "max_features": 0.4, "early_stopping": False,
          "random_state": 0}
SPREAD_GROWTH = GROWTH | {"max_iter": 60, "learning_rate": 0.1, "max_leaf_nodes": 15}
LEAST = 0.005  # of a residual, in units of the curve's last error, before the logarithm
SEED = 1  # of what residuals are measured on
LARGEST = 16_000  # residuals kept


def train(source: Source, folder: Path) -> None:
    """Train everything but the calibration, and write it.

    Parameters
    ----------
    source : Source
    folder : Path
        Where the files are written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pd.DataFrame({"dataset": source.datasets, "name": source.names,
                  "family": families(source.datasets), "fold": source.fold}).to_csv(
                      folder / "datasets.csv", index=False)
    windows, fold = make_windows(source)
    gaussians = fit_gaussians(windows, fold, source.learners)
    write(folder / "gaussians.npz", {key: a for key, a in gaussians.items() if "_" not in key})
    write(folder / "usual.npz", {"fall": usual_falls(windows, fold)})
    write(folder / "trees.npz", grow(source, make_examples(source), gaussians))


def fit_gaussians(windows: np.ndarray, fold: np.ndarray,
                  learners: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Fit the Gaussian without each fold, without each pair of folds, and to all."""
    packed = {"learners": np.array(learners)}
    for out in [(), *((f,) for f in range(FOLDS)), *combinations(range(FOLDS), 2)]:
        packed |= pack_gaussian(fit_gaussian(windows[~np.isin(fold, out)], learners),
                                f"gaussian{_name(out)}")
    return packed


def _name(out: tuple[int, ...]) -> str:
    return "_".join(map(str, out)) if out else str(ALL)


def grow(source: Source, examples: Examples, gaussians: dict) -> dict[str, np.ndarray]:
    """Grow the trees of every fold and of all: where the curve goes, then how sure that is."""
    rows = np.nonzero(np.isfinite(examples.truth))
    seen, targets = examples.seen, examples.filled
    still = described(seen, targets, source.learners)[rows].astype(np.float32)
    fold, per = seen.fold[rows[0]], unit(seen)[rows[0]]
    goal = (examples.truth[rows] - seen.level[rows[0]]) / per
    look = [np.hstack([still, _expected(seen, targets, gaussians, out)[rows].astype(np.float32)])
            for out in range(FOLDS + 1)]
    grown, residual = {}, np.full(len(goal), np.nan)
    for out, x in enumerate(look):
        kept = fold != out
        trees = take_trees(HistGradientBoostingRegressor(loss="absolute_error", **GROWTH).fit(
            x[kept], goal[kept], sample_weight=per[kept]))
        grown |= arrays_of(trees, f"location{out}")
        residual[~kept] = np.abs(goal[~kept] - trees.predict(x[~kept]))
    for out, x in enumerate(look):
        kept = fold != out
        grown |= arrays_of(take_trees(HistGradientBoostingRegressor(**SPREAD_GROWTH).fit(
            x[kept], np.log(residual[kept] + LEAST))), f"spread{out}")
    return grown


def _expected(seen, targets, gaussians: dict, out: int) -> np.ndarray:
    """Return what Gaussians expect that saw neither a curve's fold nor the fold `out`."""
    result = np.full((*targets.shape, 3), np.nan)
    for fold in range(FOLDS):
        rows = np.flatnonzero(seen.fold == fold)
        without = (fold,) if out in (fold, ALL) else tuple(sorted((fold, out)))
        model = unpack_gaussian(gaussians, f"gaussian{_name(without)}")
        result[rows] = expected(seen.take(rows), targets[rows], model)
    return result


def measure_residuals(source: Source) -> dict[str, np.ndarray]:
    """Let every extrapolator forecast cut curves, each by what was learnt without its fold.

    Returns
    -------
    dict
        ``extrapolators`` (names), ``residual`` and ``scale`` (error rate; a column each),
        ``horizon`` (doublings), ``fold``, ``ill`` (whether the whole curve is ill-behaved, peaking
        or dipping); a row per curve and target.
    """
    examples = _sample(make_examples(source, seed=SEED))
    seen, rows = examples.seen, np.nonzero(np.isfinite(examples.truth))
    targets = examples.filled
    forecasts = [forecast(seen, targets) for forecast in EXTRAPOLATORS.values()]
    return {
        "extrapolators": np.array(list(EXTRAPOLATORS)),
        "residual": np.stack([examples.truth[rows] - forecast.centre[rows]
                              for forecast in forecasts], 1).astype(np.float32),
        "scale": np.stack([forecast.scale[rows] for forecast in forecasts], 1).astype(np.float32),
        "horizon": (np.log2(targets) - seen.now[:, None])[rows].astype(np.float32),
        "fold": seen.fold[rows[0]].astype(np.int8),
        "ill": ill_behaved(source)[examples.curve[rows[0]]],
    }


def ill_behaved(source: Source) -> np.ndarray:
    """Tell which whole curves are ill-behaved, peaking or dipping, shape (n_curves,)."""
    errors = xr.DataArray(source.errors, dims=("dataset", "learner", "outer", "inner", "anchor"),
                          coords={"anchor": source.sizes})
    shapes = detect_shapes(errors, "corrected_independent")  # as when the forecasters were trained
    return (shapes["ill_behaved"] | shapes["peaking"] | shapes["dipping"]).values.ravel()


def _sample(examples: Examples) -> Examples:
    """Return some of the scenes, whole, so that about `LARGEST` examples are left."""
    wanted = np.isfinite(examples.truth)
    share = min(1.0, LARGEST / wanted.sum())
    numbers = examples.seen.dataset
    draw = np.random.default_rng(SEED).random(numbers.max() + 1) < share
    return examples.take(np.flatnonzero(draw[numbers]))


def write(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write arrays to a file, whole or not at all; the same arrays give the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as part, part.open("wb") as stream:
        np.savez_compressed(stream, **arrays)


def arrays_of(trees: Trees, prefix: str) -> dict[str, np.ndarray]:
    """Return the arrays to store of trees, their names beginning with `prefix`."""
    return {f"{prefix}.baseline": trees.baseline, f"{prefix}.ends": trees.ends} | {
        f"{prefix}.{name}": values for name, values in trees.nodes.items()}


def take_trees(fitted: HistGradientBoostingRegressor) -> Trees:
    """Take the trees out of a fitted regressor.

    Raises
    ------
    ValueError
        If it has categorical splits or more than 256 features.
    """
    parts = [step[0].nodes for step in fitted._predictors]
    record = np.concatenate(parts)
    if record["is_categorical"].any() or record["feature_idx"].max() > 255:
        raise ValueError("Only trees on at most 256 numbers, without categories, can be stored.")
    nodes = {name: record[name].astype(kind) for name, kind in FIELDS.items()}
    baseline = np.asarray(fitted._baseline_prediction, float).reshape(())
    return Trees(baseline, np.cumsum([len(p) for p in parts]), nodes)
