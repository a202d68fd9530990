"""LC-PFN (Adriaensen et al. 2023), a transformer that answers with the whole distribution at once.

It is put together from the parts of its own package (``pip install --no-deps lcpfn``, which asks
for torch 1.11 and runs on today's with the names that `_package` puts back), and trained in two
forms: on the package's own prior, and on real curves.
"""

import importlib
import logging
import math
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from analysis.extrapolation.seen import Seen
from collection.project.paths import cache_dir, written_whole
from lab.training.examples import Source, open_source

if TYPE_CHECKING:
    from torch import nn

LOG = logging.getLogger(__name__)
#: The net is as wide and deep as Cazacu's (2025); the published one has 512, 12 and 1,000.
WIDTH, LAYERS, BARS = 128, 3, 500
STEPS = {"real": 20_000, "own": 10_000}
BATCH, RATE, WARMUP = 128, 1e-3, 0.05
SAVED = 500  # steps between two savings
#: Positions of the prior, of these that a curve has in training, and drawn curves, each used with
#: fresh noise.
LENGTH, POINTS, POOL = 100, 30, 20_000
#: Of the nets; and sizes that a real curve has at least.
SEEDS, LEAST = range(5), 6

Draw = Callable[[np.random.Generator, int, int], tuple[np.ndarray, np.ndarray]]


def _package(module: str) -> ModuleType:
    """Return a module of ``lcpfn``, mended for today's torch."""
    layer = importlib.import_module("lcpfn.layer")
    import torch

    for name in ("MultiheadAttention", "Linear", "Dropout", "LayerNorm"):
        setattr(layer, name, getattr(torch.nn, name))
    own = layer.TransformerEncoderLayer.forward
    if "is_causal" not in (own.__kwdefaults__ or {}):
        layer.TransformerEncoderLayer.forward = (
            lambda self, *given, is_causal=False, **named: own(self, *given, **named))
    return importlib.import_module(f"lcpfn.{module}")


def own_prior(rng: np.random.Generator) -> Draw:
    """Return what draws from the package's prior, at its first positions or at some of all."""
    sample = _package("domhan_prior").sample_from_prior
    legacy = np.random.RandomState(rng.integers(2**31))
    pool = np.stack([sample(legacy, seq_len=LENGTH)()[0] for _ in range(POOL)], axis=1)

    def draw(rng: np.random.Generator, n: int, seen: int) -> tuple[np.ndarray, np.ndarray]:
        at = np.arange(POINTS) if rng.random() < 0.5 else np.sort(
            rng.choice(LENGTH, POINTS, replace=False))
        curves = pool[np.ix_(at, rng.integers(POOL, size=n))]
        noise = rng.lognormal(-4, 1, n) * rng.standard_normal(curves.shape)  # as the package's
        return np.repeat(at[:, None] + 1.0, n, axis=1), curves + noise

    draw.longest = POINTS
    return draw


def real_curves(source: Source, fold: int) -> Draw:
    """Return what draws real curves of the datasets in other folds: means, and single repeats.

    Parameters
    ----------
    source : Source
    fold : int
        Whose datasets are left out; -1 for none.
    """
    errors = source.errors[source.fold != fold]
    errors = errors.reshape(-1, *errors.shape[2:])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # no repeat has the size: NaN
        mean = np.nanmean(errors, axis=(1, 2))
        versions = [mean, *np.moveaxis(np.nanmean(errors, axis=2), 1, 0),
                    *np.moveaxis(errors[:, :, 0], 1, 0)]
    there = np.isfinite(mean)
    sizes = position(source.sizes)
    pools: dict[int, list] = {}
    for row in np.flatnonzero(there.sum(1) >= LEAST):
        own = there[row]
        pools.setdefault(int(own.sum()), []).append((sizes[own], np.stack(
            [np.where(np.isnan(v[row, own]), mean[row, own], v[row, own]) for v in versions])))
    lengths = np.array([n for n, pool in pools.items() for _ in pool])
    stacked = {n: [np.stack(part) for part in zip(*pool, strict=True)] for n, pool in pools.items()}

    def draw(rng: np.random.Generator, n: int, seen: int) -> tuple[np.ndarray, np.ndarray]:
        at, values = stacked[int(rng.choice(lengths[lengths > seen]))]
        rows = rng.integers(len(at), size=n)
        version = np.where(rng.random(n) < 0.4, 0, rng.integers(values.shape[1], size=n))
        chosen = values[rows, version] * rng.uniform(0.7, 1.3, n)[:, None]
        return at[rows].T, 1 - chosen.T.clip(0, 1)

    draw.longest = max(pools)
    return draw


def position(sizes: np.ndarray) -> np.ndarray:
    """Return where the net sees training-set sizes: four positions a doubling, 1 at 16 rows."""
    return 1 + 4 * np.log2(np.asarray(sizes, float) / 16)


def train(draw: Draw, steps: int, seeds: Sequence[int], folder: Path) -> "list[nn.Module]":
    """Train a net for each seed side by side, or what is missing of it, and return them.

    They see other curves, cut at the same places, and share the ends of the bars.

    Parameters
    ----------
    draw : callable
        ``draw(rng, n, seen)``: positions and accuracies, both of shape (n_points, n).
    steps : int
    seeds : sequence of int
        Of the nets' first weights; what is drawn hangs on the first.
    folder : Path
        Where they are saved every `SAVED` steps, and go on from.
    """
    import torch
    from torch.func import functional_call, stack_module_state, vmap

    torch.set_num_threads(1)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "state.pt"
    device = "cuda" if torch.cuda.is_available() else "cpu"
    borders, nets = _borders(draw, seeds[0]), []
    for seed in seeds:
        torch.manual_seed(seed)
        nets.append(build(borders).to(device))
    weights, others = stack_module_state(nets)
    optimiser = torch.optim.AdamW(weights.values(), lr=RATE)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=WARMUP)
    parts, done = {"optimiser": optimiser, "rate": rate}, 0
    if file.exists():
        kept = torch.load(file, weights_only=True, map_location=device)
        done = kept["done"]
        for name, part in parts.items():
            part.load_state_dict(kept[name])
        for name, weight in weights.items():
            weight.data.copy_(kept["weights"][name])
    began = time.perf_counter()
    for step in range(done, steps):
        rng = np.random.default_rng([seeds[0], step])
        seen = int(rng.integers(1, draw.longest - 1))
        x, y = (torch.tensor(a, dtype=torch.float32, device=device).unflatten(1, (-1, BATCH))
                .movedim(1, 0) for a in draw(rng, BATCH * len(seeds), seen))
        logits = vmap(lambda own, x, y, seen=seen: functional_call(
            nets[0], (own, {n: o[0] for n, o in others.items()}), ((x[..., None], y),),
            {"single_eval_pos": seen}))(weights, x, y)
        loss = nets[0].criterion(logits, y[:, seen:]).mean((1, 2))
        optimiser.zero_grad()
        loss.sum().backward()
        norm = sum(w.grad.flatten(1).square().sum(1) for w in weights.values()).sqrt()
        for weight in weights.values():  # a net's gradient is no longer than 1
            weight.grad /= norm.clamp(min=1).view(-1, *[1] * (weight.dim() - 1))
        optimiser.step()
        rate.step()
        if (step + 1) % SAVED == 0:
            with written_whole(file) as new:
                torch.save({"done": step + 1, "weights": weights} | {
                    name: part.state_dict() for name, part in parts.items()}, new)
            left = (time.perf_counter() - began) / (step + 1 - done) * (steps - step - 1)
            LOG.info("%s: step %d of %d, loss %.3f, some %.0f min left", folder.name, step + 1,
                     steps, float(loss.detach().mean()), left / 60)
    for k, own in enumerate(nets):
        own.load_state_dict({n: w[k].detach() for n, w in weights.items()}, strict=False)
    return [own.cpu().eval() for own in nets]


def _borders(draw: Draw, seed: int):
    """Return the ends of the bars, each with as many of drawn accuracies."""
    import torch

    rng = np.random.default_rng([seed, 2**31])
    drawn = np.concatenate([draw(rng, BATCH, 1)[1].ravel() for _ in range(200)])
    apart = drawn + 1e-6 * rng.standard_normal(len(drawn))  # equal values: bars of no width
    return _package("bar_distribution").get_bucket_limits(
        BARS, ys=torch.tensor(apart, dtype=torch.float32))


def build(borders):
    """Return an untrained net of the package's parts, whose bars end at `borders`."""
    from torch import nn

    encoders, bars = _package("encoders"), _package("bar_distribution")
    model = _package("transformer").TransformerModel(
        nn.Sequential(encoders.Normalize(0.0, LENGTH + 1.0),
                      encoders.Normalize(0.5, math.sqrt(1 / 12)), nn.Linear(1, WIDTH)),
        BARS, WIDTH, WIDTH // 128, 2 * WIDTH, LAYERS, 0.0,
        y_encoder=encoders.get_normalized_uniform_encoder(nn.Linear)(1, WIDTH))
    model.criterion = bars.FullSupportBarDistribution(borders)
    return model


#: What is trained: form, and the folds that are left out in turn.
FORMS = {"real": (0, 1), "own": (-1,)}


def nets(form: str) -> "dict[int, list[nn.Module]]":
    """Return the nets of a form by the fold that they have not seen, trained if need be."""
    rng, made = np.random.default_rng([SEEDS[0], 0]), {}
    for fold in FORMS[form]:
        draw = real_curves(open_source(), fold) if form == "real" else own_prior(rng)
        name = f"{form}{fold}" if fold >= 0 else form
        made[fold] = train(draw, STEPS[form], SEEDS, cache_dir() / "trial" / "lcpfn" / name)
    return made


def forecast(seen: Seen, sizes: np.ndarray, form: str, by: str, levels: tuple[float, ...]
             ) -> np.ndarray:
    """Forecast curves by the nets of a form.

    Parameters
    ----------
    seen : Seen
        A dataset of a fold is forecast by the mean of quantiles of the nets that have not seen
        the fold, any other by that of all nets.
    sizes : ndarray, shape (n_curves, n_sizes)
    form : str
        In `FORMS`.
    by : {"place", "size", "log size"}
        What the net counts a curve along: 1, 2, … as sizes come, on between them and beyond at the
        mean step of their logarithms; sizes in hundredths of the largest; or `position`.
    levels : tuple of float

    Returns
    -------
    ndarray, shape (n_curves, n_sizes, n_levels)
        NaN beyond the net's last position.
    """
    trained = nets(form)
    result = np.full((*sizes.shape, len(levels)), np.nan)
    for k, (there, values, at) in enumerate(zip(seen.exists, seen.values, sizes, strict=True)):
        x, ahead = _places(seen.sizes[there], at, by)
        own = trained.get(int(seen.fold[k])) or [net for part in trained.values() for net in part]
        found = np.mean([_ask(net, x, 1 - values[there], ahead, levels) for net in own], axis=0)
        result[k] = np.where(ahead[:, None] <= LENGTH, 1 - found[:, ::-1], np.nan)
    return result.clip(0, 1)


def _places(sizes: np.ndarray, at: np.ndarray, by: str) -> tuple[np.ndarray, np.ndarray]:
    """Return where the net sees sizes, and where it is asked."""
    if by == "size":
        most = max(at.max(), sizes.max())
        return 100 * sizes / most, 100 * at / most
    if by == "place":
        step = np.log(sizes[-1] / sizes[0]) / (len(sizes) - 1)
        return np.arange(1.0, len(sizes) + 1), len(sizes) + np.log(at / sizes[-1]) / step
    first = position(sizes[:1])[0]
    shift = 0 if first >= 1 and position(at.max()) <= LENGTH else 1 - first
    return position(sizes) + shift, position(at) + shift


def _ask(net, x: np.ndarray, accuracy: np.ndarray, at: np.ndarray, levels: tuple[float, ...]
         ) -> np.ndarray:
    """Return quantiles of accuracies, shape (n_sizes, n_levels); levels have to be symmetric."""
    import torch

    with torch.no_grad():
        both = torch.tensor(np.r_[x, at], dtype=torch.float32)[:, None, None]
        logits = net((both, torch.tensor(accuracy, dtype=torch.float32)[:, None]),
                     single_eval_pos=len(x))
        return np.stack([net.criterion.icdf(logits, level).numpy()[:, 0] for level in levels],
                        axis=-1)
