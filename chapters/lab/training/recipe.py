"""The recipe: from LCDB 1.0 to ``data/extrapolation``, in steps that are kept and resumed.

Last comes how far off each extrapolator is on datasets it does not know, which calibrates its
intervals.
"""

from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from sklearn.ensemble import HistGradientBoostingRegressor

from analysis.extrapolation import learned
from analysis.extrapolation.artefacts import ALL, pack_gaussian, unpack_gaussian, write
from analysis.extrapolation.features import NAMES, described, expected, unit
from analysis.extrapolation.folds import FOLDS
from analysis.extrapolation.gaussian import fit_gaussian
from analysis.extrapolation.network import MEMBERS, inputs
from analysis.extrapolation.registry import EXTRAPOLATORS, Extrapolator
from analysis.extrapolation.trees import Trees, take_trees
from analysis.extrapolation.windows import set_scenes
from analysis.shapes import detect_shapes
from analysis.statistics.families import families
from chapters.lab.training.examples import (
    Examples,
    Source,
    make_examples,
    make_windows,
    single_windows,
)
from chapters.lab.training.kept_steps import KeptSteps
from chapters.lab.training.networks import train_network

#: Of scikit-learn's histogram boosting; absolute error for the location.
GROWTH = {"max_iter": 160, "learning_rate": 0.08, "max_leaf_nodes": 31, "min_samples_leaf": 40,
          "l2_regularization": 1.0, "max_features": 0.4, "early_stopping": False,
          "random_state": 0}
SPREAD_GROWTH = GROWTH | {"max_iter": 60, "learning_rate": 0.1, "max_leaf_nodes": 15}
LEAST = 0.005  # of a residual, in units of the curve's last error, before the logarithm
WINDOWS = 15_000
SEED = 1  # of what residuals are measured on
LARGEST = 16_000  # residuals kept
#: The modules that steps depend on; the settings above are named where they are used.
GAUSSIAN = ("analysis.extrapolation.gaussian", "chapters.lab.training.examples")
FEATURES = (*GAUSSIAN, "analysis.extrapolation.features")
NETWORK = (*FEATURES, "analysis.extrapolation.network", "chapters.lab.training.networks")


def train(source: Source, folder: Path, steps: KeptSteps) -> None:
    """Train everything but the calibration, and write it.

    Parameters
    ----------
    source : Source
    folder : Path
        Where the files are written.
    steps : KeptSteps
    """
    examples = make_examples(source)
    folder.mkdir(parents=True, exist_ok=True)
    pd.DataFrame({"dataset": source.datasets, "name": source.names,
                  "family": families(source.datasets), "fold": source.fold}).to_csv(
                      folder / "datasets.csv", index=False)
    gaussians = fit_gaussians(source, steps)
    write(folder / "gaussians.npz", {key: a for key, a in gaussians.items() if "_" not in key})
    windows, fold = make_windows(source)
    write(folder / "windows.npz", single_windows(windows, fold, WINDOWS))
    write(folder / "trees.npz", grow(source, examples, gaussians, steps))
    write(folder / "networks.npz", train_networks(source, examples, steps))


def fit_gaussians(source: Source, steps: KeptSteps) -> dict[str, np.ndarray]:
    """Fit the Gaussian without each fold, without each pair of folds, and to all."""
    windows, fold = make_windows(source)
    left_out = [(), *((f,) for f in range(FOLDS)), *combinations(range(FOLDS), 2)]
    packed = {"learners": np.array(source.learners)}
    for out in left_out:
        rows = ~np.isin(fold, out)
        packed |= steps.step(f"gaussian{_name(out)}", lambda rows=rows, out=out: pack_gaussian(
            fit_gaussian(windows[rows], source.learners), f"gaussian{_name(out)}"), *GAUSSIAN)
    return packed


def _name(out: tuple[int, ...]) -> str:
    return "_".join(map(str, out)) if out else str(ALL)


def grow(source: Source, examples: Examples, gaussians: dict, steps: KeptSteps) -> dict:
    """Grow the trees of every fold and of all: where the curve goes, then how sure that is."""
    rows = np.nonzero(np.isfinite(examples.truth))
    seen, targets = examples.seen, examples.filled
    still = steps.step("described", lambda: {
        "x": described(seen, targets, source.learners)[rows].astype(np.float32)}, *FEATURES)["x"]
    fold, per = seen.fold[rows[0]], unit(seen)[rows[0]]
    goal = (examples.truth[rows] - seen.level[rows[0]]) / per

    def look(out: int) -> np.ndarray:
        arrays = steps.step(f"expected{out}", lambda: {
            "x": _expected(seen, targets, gaussians, out)[rows].astype(np.float32)}, *FEATURES)
        return np.hstack([still, arrays["x"]])

    location = {out: steps.step(f"location{out}", lambda out=out: _grow(
        f"location{out}", look(out), goal, fold != out, per, loss="absolute_error", **GROWTH),
        *FEATURES, str(GROWTH)) for out in range(FOLDS + 1)}
    residual = steps.step("residual", lambda: {"x": _residuals(location, look, goal, fold)},
                            *FEATURES, str(GROWTH))["x"]
    spread = {out: steps.step(f"spread{out}", lambda out=out: _grow(
        f"spread{out}", look(out), np.log(residual + LEAST), fold != out, **SPREAD_GROWTH),
        *FEATURES, str(GROWTH), str(SPREAD_GROWTH)) for out in range(FOLDS + 1)}
    grown = [*location.values(), *spread.values()]
    return {key: values for one in grown for key, values in one.items()}


def train_networks(source: Source, examples: Examples, steps: KeptSteps) -> dict:
    """Train the networks of every fold and of all, on what `grow` looked at.

    What is far ahead, and the plain view, weigh more.
    """
    rows = np.nonzero(np.isfinite(examples.truth))
    seen, per = examples.seen.take(rows[0]), unit(examples.seen)[rows[0]]
    scenes = set_scenes(examples.seen, source.learners).take(rows[0])
    goal = (examples.truth[rows] - seen.level) / per
    described = steps.read("described")["x"]
    horizon = described[:, NAMES.index("horizon")]
    weight = per * np.minimum(0.4 + horizon / 2, 2.5) * np.where(examples.view[rows[0]] == 0, 2, 1)
    trained = {}
    for out, member in product(range(FOLDS + 1), range(MEMBERS)):
        def train(out=out, member=member):
            look = np.hstack([described, steps.read(f"expected{out}")["x"]])
            values, kept = inputs(look, seen, scenes), seen.fold != out
            network = train_network(values[kept], goal[kept], weight[kept], member)
            return network.arrays(f"network{out}_{member}")
        trained |= steps.step(f"network{out}_{member}", train, *NETWORK)
    return trained


def _expected(seen, targets, gaussians: dict, out: int) -> np.ndarray:
    """Return what Gaussians expect that saw neither a curve's fold nor the fold `out`."""
    result = np.full((*targets.shape, 3), np.nan)
    for fold in range(FOLDS):
        rows = np.flatnonzero(seen.fold == fold)
        without = (fold,) if out in (fold, ALL) else tuple(sorted((fold, out)))
        model = unpack_gaussian(gaussians, f"gaussian{_name(without)}")
        result[rows] = expected(seen.take(rows), targets[rows], model)
    return result


def _grow(name: str, x, goal, rows, weight=None, **growth) -> dict[str, np.ndarray]:
    model = HistGradientBoostingRegressor(**growth)
    model.fit(x[rows], goal[rows], sample_weight=None if weight is None else weight[rows])
    return take_trees(model).arrays(name)


def _residuals(location: dict, look: Callable, goal, fold) -> np.ndarray:
    """Return how far off each curve's location is by the trees that did not see its fold."""
    residual = np.full(len(goal), np.nan)
    for out in range(FOLDS):
        rows = fold == out
        trees = Trees.from_arrays(location[out], f"location{out}")
        residual[rows] = np.abs(goal[rows] - trees.predict(look(out)[rows]))
    return residual


def measure_residuals(source: Source, steps: KeptSteps) -> dict[str, np.ndarray]:
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
    horizon = (np.log2(targets) - seen.now[:, None])[rows]
    columns = [steps.step(f"residual_{name}", lambda one=one: _column(one, examples, targets),
                            *_code(one)) for name, one in EXTRAPOLATORS.items()]
    return {
        "extrapolators": np.array(list(EXTRAPOLATORS)),
        "residual": np.stack([column["residual"] for column in columns], 1),
        "scale": np.stack([column["scale"] for column in columns], 1),
        "horizon": horizon.astype(np.float32), "fold": seen.fold[rows[0]].astype(np.int8),
        "ill": ill_behaved(source)[examples.curve[rows[0]]],
    }


def ill_behaved(source: Source) -> np.ndarray:
    """Tell which whole curves are ill-behaved, peaking or dipping, shape (n_curves,)."""
    errors = xr.DataArray(source.errors, dims=("dataset", "learner", "outer", "inner", "anchor"),
                          coords={"anchor": source.sizes})
    shapes = detect_shapes(errors, "corrected")
    return (shapes["ill_behaved"] | shapes["peaking"] | shapes["dipping"]).values.ravel()


def _column(one: Extrapolator, examples: Examples, targets: np.ndarray) -> dict[str, np.ndarray]:
    forecast, rows = one.forecast(examples.seen, targets), np.isfinite(examples.truth)
    return {"residual": (examples.truth - forecast.centre)[rows].astype(np.float32),
            "scale": forecast.scale[rows].astype(np.float32)}


def _code(one: Extrapolator) -> tuple[str, ...]:
    """Return what an extrapolator's residuals depend on: its own module, and what trained it."""
    module = getattr(one.forecast, "func", one.forecast).__module__
    trained = (*NETWORK, str(GROWTH), str(SPREAD_GROWTH)) if module == learned.__name__ else ()
    return (module, *trained)


def _sample(examples: Examples) -> Examples:
    """Return some of the scenes, whole, so that about `LARGEST` examples are left."""
    wanted = np.isfinite(examples.truth)
    share = min(1.0, LARGEST / wanted.sum())
    numbers = examples.seen.dataset
    draw = np.random.default_rng(SEED).random(numbers.max() + 1) < share
    return examples.take(np.flatnonzero(draw[numbers]))
