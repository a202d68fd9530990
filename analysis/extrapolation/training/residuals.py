"""How far off each extrapolator is on datasets it does not know: what calibrates its intervals."""

import numpy as np
import xarray as xr

from analysis.extrapolation.registry import EXTRAPOLATORS, Extrapolator
from analysis.extrapolation.training.examples import Examples, Source, make_examples
from analysis.extrapolation.training.kept_steps import KeptSteps
from analysis.extrapolation.training.recipe import GROWTH, NETWORK, SPREAD_GROWTH
from analysis.shapes import detect_shapes

SEED = 1
LARGEST = 16_000  # residuals kept


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
    trained = (*NETWORK, str(GROWTH), str(SPREAD_GROWTH)) if one.kind == "learned" else ()
    return (getattr(one.forecast, "func", one.forecast).__module__, *trained)


def _sample(examples: Examples) -> Examples:
    """Return some of the scenes, whole, so that about `LARGEST` examples are left."""
    wanted = np.isfinite(examples.truth)
    share = min(1.0, LARGEST / wanted.sum())
    numbers = examples.seen.dataset
    draw = np.random.default_rng(SEED).random(numbers.max() + 1) < share
    return examples.take(np.flatnonzero(draw[numbers]))
