"""Train the forecaster of the page, and widen its ranges on collections that it has not seen."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chapter_curves import validation_errors
from analysis.databases.load import load_curves
from analysis.extrapolation.compact import LARGEST, LEVELS, look, run
from analysis.extrapolation.features import unit
from analysis.extrapolation.seen import UNSEEN, fold_of
from lab.training.examples import LEAST, Examples, Source, View, make_examples, source_of

VIEWS = (View(5, 5, True, 5, 3), View(1, 5, True, 4, 3), View(1, 1, True, 4, 3))
HORIZONS = (0.0, 1.0, 2.0, 3.0, np.inf)  # doublings
WITHIN = (0.5, 1.5, 2.5, 4.0)  # a place in each
FEWEST = (0.4, 0.9)  # between which shares of its points a thinned curve keeps
WIDTH, DROPOUT = 64, 0.1  # of each of two hidden layers
RATE, EPOCHS, BATCH = 4e-3, 8, 512
MEMBERS = 2  # networks that are averaged
DIGITS = 4  # of a shipped weight
SEED = 5
COMPARED = 1500  # curves of a collection that ranges are widened by


def train_compact(source: Source, folder: Path) -> None:
    """Train on LCDB 1.0, widen the ranges on `collections`, and write ``compact.json``."""
    plain = make_examples(source, VIEWS, seed=SEED)
    thin = thinned(plain, np.random.default_rng(SEED))
    networks = _train([_table(plain), _table(thin)])
    cases = pd.concat([_cases(name, make_examples(other, VIEWS, seed=SEED), networks)
                       for name, other in collections(source.learners).items()], ignore_index=True)
    shipped = {"levels": LEVELS, "horizons": WITHIN, "widen": widening(cases), "networks": networks}
    (folder / "compact.json").write_text(json.dumps(shipped, separators=(",", ":")) + "\n",
                                         encoding="utf-8")


def collections(learners: tuple[str, ...]) -> dict[str, Source]:
    """Return curves that took no part in training, by collection: other learners, or datasets.

    Of the datasets on which LCDB 1.1's new learners are, the networks saw curves of others.

    Raises
    ------
    NotAtHandError
        Where the means of LCDB 1.1 are not at hand.
    """
    lcdb11, mini = (validation_errors(name).isel(scaling=0, drop=True).load()
                    for name in ("lcdb11-summary", "mini"))
    lcdb11 = lcdb11.expand_dims(outer=[0], inner=[0])
    new, new_of_mini = (np.array([fold_of(d) == UNSEEN for d in curves["dataset"].values])
                        for curves in (lcdb11, mini))
    known = lcdb11["learner"].isin(list(learners)).values
    mini = mini.where(xr.DataArray(new_of_mini, dims="dataset")
                      | ~mini["learner"].isin(list(learners)))
    numbers = load_curves("regression")["relative_rmse"].sel(split="valid").isel(
        scaling=0, leakage=0, drop=True).clip(0, 1)
    return {name: source_of(errors, [fold_of(d) for d in errors["dataset"].values])
            for name, errors in {
        "LCDB 1.1, new datasets": lcdb11.isel(dataset=new),
        "LCDB 1.1, new learners": lcdb11.isel(dataset=~new, learner=~known),
        "mini": mini, "regression": numbers}.items()}


def thinned(examples: Examples, rng: np.random.Generator) -> Examples:
    """Return the curves with some points left out, the last never: users choose other sizes."""
    seen = examples.seen
    draw = np.where(seen.exists, rng.random(seen.exists.shape), 2.0)
    draw[np.arange(len(draw)), seen.last] = -1
    kept = np.ceil(seen.exists.sum(1) * rng.uniform(*FEWEST, len(draw))).clip(LEAST)
    keep = seen.exists & (draw.argsort(1).argsort(1) < kept[:, None])
    return replace(examples, seen=replace(seen, values=np.where(keep, seen.values, np.nan),
                                          noise=np.where(keep, seen.noise, np.nan)))


def _table(examples: Examples) -> dict[str, np.ndarray]:
    """Return inputs, goals and weights, a row per example."""
    seen, rows = examples.seen, np.nonzero(np.isfinite(examples.truth))
    targets = examples.filled
    horizon = (np.log2(targets) - seen.now[:, None])[rows]
    per = unit(seen)[rows[0]]
    return {"inputs": look(seen, targets)[rows], "curve": rows[0], "target": rows[1],
            "goal": (examples.truth[rows] - seen.level[rows[0]]) / per, "horizon": horizon,
            "weight": per * np.minimum(0.4 + horizon / 2, 2.5)}


def _train(parts: list[dict[str, np.ndarray]]) -> list[dict[str, list]]:
    """Train the networks on the change of the error, in units of the last one."""
    inputs, goal, weight = (np.concatenate([part[key] for part in parts])
                            for key in ("inputs", "goal", "weight"))
    shift, scale = _short(inputs.mean(0)), _short(inputs.std(0) + 1e-3)
    ready = ((inputs - shift) / scale).clip(-LARGEST, LARGEST)
    networks = []
    for seed in range(MEMBERS):
        layers = train_layers(ready, goal, weight, seed)
        networks.append({"shift": shift.tolist(), "scale": scale.tolist()} | {
            kind: [_short(part).tolist() for part in parts]
            for kind, parts in zip(("weights", "biases"), layers, strict=True)})
    return networks


def train_layers(ready: np.ndarray, goal: np.ndarray, weight: np.ndarray,
                 seed: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Fit quantiles at `LEVELS` by pinball loss, with SiLU between layers.

    Parameters
    ----------
    ready : ndarray, shape (n_rows, n_inputs)
        Standardised.
    goal, weight : ndarray, shape (n_rows,)
        What the outputs are quantiles of, and how much a row counts.
    seed : int

    Returns
    -------
    weights : list of ndarray, shape (n_in, n_out)
    biases : list of ndarray, shape (n_out,)

    Raises
    ------
    ModuleNotFoundError
        If torch, of the extra ``deep``, is not installed.
    """
    import torch
    from torch import nn

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    x, y, w = (torch.tensor(a, dtype=torch.float32) for a in (
        ready, goal[:, None], weight[:, None] / weight.mean()))
    net = nn.Sequential(nn.Linear(x.shape[1], WIDTH), nn.SiLU(), nn.Dropout(DROPOUT),
                        nn.Linear(WIDTH, WIDTH), nn.SiLU(), nn.Dropout(DROPOUT),
                        nn.Linear(WIDTH, len(LEVELS)))
    steps = len(x) // BATCH
    optimiser = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=1e-2)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=EPOCHS * steps)
    levels = torch.tensor(LEVELS)
    for _ in range(EPOCHS):
        order = torch.randperm(len(x))
        for k in range(steps):
            rows = order[k * BATCH:(k + 1) * BATCH]
            short = y[rows] - net(x[rows])
            loss = (torch.maximum(levels * short, (levels - 1) * short) * w[rows]).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            cycle.step()
    linear = [part for part in net if isinstance(part, nn.Linear)]
    return ([one.weight.detach().numpy().T.copy() for one in linear],
            [one.bias.detach().numpy().copy() for one in linear])


def _short(values: np.ndarray) -> np.ndarray:
    """Return numbers of few digits: the file is text, and both languages read the same."""
    return np.vectorize(lambda v: float(f"{v:.{DIGITS}g}"), otypes=[float])(values)


def _cases(collection: str, examples: Examples, networks: list[dict]) -> pd.DataFrame:
    """Return what the networks say of curves, and what came."""
    pick = np.sort(np.random.default_rng(SEED).permutation(len(examples.seen.values))[:COMPARED])
    table = _table(examples)
    rows = np.flatnonzero(np.isin(table["curve"], pick))
    curve, target = table["curve"][rows], table["target"][rows]
    outputs = np.sort(run(networks, table["inputs"][rows]), axis=1)
    return pd.DataFrame({
        "collection": collection, "horizon": table["horizon"][rows],
        "truth": examples.truth[curve, target], "level": examples.seen.level[curve],
        **{f"own{k}": outputs[:, k] for k in range(len(LEVELS))}})


def widening(cases: pd.DataFrame) -> list[float]:
    """Return by what ranges are stretched about the median, by how far ahead, so that 90 % hold.

    Every collection counts alike, and never by less than 1.
    """
    own = cases[[f"own{k}" for k in range(len(LEVELS))]].to_numpy()
    middle = LEVELS.index(0.5)
    moved = (cases["truth"] - cases["level"]) / (cases["level"] + 0.02) - own[:, middle]
    end = np.where(moved > 0, own[:, -1] - own[:, middle], own[:, middle] - own[:, 0])
    needed = moved.abs() / np.maximum(end, 1e-6)
    group = np.searchsorted(HORIZONS[1:-1], cases["horizon"], side="left")
    weight = 1 / cases.groupby("collection")["truth"].transform("size")
    return [max(1.0, round(_weighted_quantile(needed[group == k], weight[group == k], 0.9), 3))
            for k in range(len(HORIZONS) - 1)]


def _weighted_quantile(values: pd.Series, weight: pd.Series, level: float) -> float:
    order = np.argsort(values.to_numpy())
    total = np.cumsum(weight.to_numpy()[order])
    return float(values.to_numpy()[order][np.searchsorted(total, level * total[-1])])
