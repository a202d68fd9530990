"""Train the forecaster of the page, and measure it on the folds that it has not seen."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.extrapolation.compact import LARGEST, LEVELS, in_errors, look, run
from analysis.extrapolation.features import unit
from analysis.extrapolation.folds import FOLDS
from analysis.extrapolation.predict import RECOMMENDED, predict_seen
from analysis.extrapolation.seen import Seen
from analysis.extrapolation.training.examples import LEAST, Examples, Source, View, make_examples
from analysis.statistics.summary import summarise

VIEWS = (View(5, 5, True, 5, 3), View(1, 5, True, 4, 3), View(1, 1, True, 4, 3))
VIEW_WORDS = ("all repeats", "five repeats", "one repeat")
HORIZONS = (0.0, 1.0, 2.0, 3.0, np.inf)  # doublings
FEWEST = (0.4, 0.9)  # between which shares of its points a thinned curve keeps
WIDTH, EPOCHS, BATCH, DROPOUT, RATE, MEMBERS = 64, 8, 512, 0.1, 4e-3, 2
DIGITS = 4  # of a shipped weight
SEED = 5
COMPARED = 4000  # curves that the recommended forecast is asked for too


def train_compact(source: Source, folder: Path) -> None:
    """Train on all datasets and without each fold; write ``compact.json`` and ``compact.csv``."""
    plain = make_examples(source, VIEWS, seed=SEED)
    thin = thinned(plain, np.random.default_rng(SEED))
    parts = [_table(plain), _table(thin)]
    fold = np.concatenate([part["fold"] for part in parts])
    outputs = np.full((len(parts[0]["fold"]), len(LEVELS)), np.nan)
    for out in range(FOLDS):
        networks = _train(parts, fold != out)
        rows = parts[0]["fold"] == out
        outputs[rows] = run(networks, parts[0]["inputs"][rows])
    judge(source, plain, parts[0], outputs).to_csv(folder / "compact.csv", index=False)
    shipped = {"levels": LEVELS, "networks": _train(parts, np.ones(len(fold), bool))}
    (folder / "compact.json").write_text(json.dumps(shipped, separators=(",", ":")) + "\n",
                                         encoding="utf-8")


def thinned(examples: Examples, rng: np.random.Generator) -> Examples:
    """Return the curves with some points left out, the last never: users choose other sizes."""
    seen = examples.seen
    draw = np.where(seen.there, rng.random(seen.there.shape), 2.0)
    draw[np.arange(len(draw)), seen.last] = -1
    kept = np.ceil(seen.there.sum(1) * rng.uniform(*FEWEST, len(draw))).clip(LEAST)
    keep = seen.there & (draw.argsort(1).argsort(1) < kept[:, None])
    return replace(examples, seen=replace(seen, values=np.where(keep, seen.values, np.nan),
                                          noise=np.where(keep, seen.noise, np.nan)))


def _table(examples: Examples) -> dict[str, np.ndarray]:
    """Return inputs, goals and weights, a row per example."""
    seen, rows = examples.seen, np.nonzero(np.isfinite(examples.truth))
    targets = np.where(np.isfinite(examples.targets), examples.targets,
                       2 * seen.sizes[seen.last][:, None])
    horizon = (np.log2(targets) - seen.now[:, None])[rows]
    per = unit(seen)[rows[0]]
    return {"inputs": look(seen, targets)[rows], "curve": rows[0], "target": rows[1],
            "goal": (examples.truth[rows] - seen.level[rows[0]]) / per, "horizon": horizon,
            "weight": per * np.minimum(0.4 + horizon / 2, 2.5), "fold": seen.fold[rows[0]]}


def _train(parts: list[dict[str, np.ndarray]], kept: np.ndarray) -> list[dict[str, list]]:
    inputs, goal, weight = (np.concatenate([part[key] for part in parts])[kept]
                            for key in ("inputs", "goal", "weight"))
    return [_fit(inputs, goal, weight / weight.mean(), seed) for seed in range(MEMBERS)]


def _fit(inputs: np.ndarray, goal: np.ndarray, weight: np.ndarray, seed: int) -> dict[str, list]:
    """Train one network with torch: pinball loss on the change, in units of the last error."""
    import torch

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    shift, scale = _short(inputs.mean(0)), _short(inputs.std(0) + 1e-3)
    ready = ((inputs - shift) / scale).clip(-LARGEST, LARGEST)
    x, y, w = (torch.tensor(a, dtype=torch.float32)
               for a in (ready, goal[:, None], weight[:, None]))
    nn = torch.nn
    net = nn.Sequential(nn.Linear(x.shape[1], WIDTH), nn.SiLU(), nn.Dropout(DROPOUT),
                        nn.Linear(WIDTH, WIDTH), nn.SiLU(), nn.Dropout(DROPOUT),
                        nn.Linear(WIDTH, len(LEVELS)))
    batches = len(x) // BATCH
    optimiser = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=1e-2)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=EPOCHS * batches)
    levels = torch.tensor(LEVELS)
    for _ in range(EPOCHS):
        order = torch.randperm(len(x))
        for k in range(batches):
            rows = order[k * BATCH:(k + 1) * BATCH]
            short = y[rows] - net(x[rows])
            loss = (torch.maximum(levels * short, (levels - 1) * short) * w[rows]).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            rate.step()
    layers = [m for m in net if isinstance(m, nn.Linear)]
    return {"shift": shift.tolist(), "scale": scale.tolist(),
            "weights": [_short(m.weight.detach().numpy().T).tolist() for m in layers],
            "biases": [_short(m.bias.detach().numpy()).tolist() for m in layers]}


def _short(values: np.ndarray) -> np.ndarray:
    """Return numbers of few digits: the file is text, and both languages read the same."""
    return np.vectorize(lambda v: float(f"{v:.{DIGITS}g}"), otypes=[float])(values)


def judge(source: Source, examples: Examples, table: dict[str, np.ndarray],
          outputs: np.ndarray) -> pd.DataFrame:
    """Compare with what came, by the models that had not seen the fold.

    Returns
    -------
    pandas.DataFrame
        ``view`` (what was averaged), ``from_doublings`` and ``to_doublings`` (ahead),
        ``n_families``, ``n_curves``, ``n``, and with their 95 % intervals over families of
        datasets (``_low``, ``_high``) ``crps``, ``crps_recommended`` (error rate; the latter
        without the learner's name), ``worse`` (their difference), ``covered50`` and ``covered90``;
        a row for all, then by view, by horizon.
    """
    pick = np.sort(np.random.default_rng(SEED).permutation(len(examples.seen.values))[:COMPARED])
    rows = np.flatnonzero(np.isin(table["curve"], pick))
    curve, target = table["curve"][rows], table["target"][rows]
    truth = examples.truth[curve, target]
    found = in_errors(examples.seen.take(curve), outputs[rows])
    other = _recommended(examples, pick)[np.searchsorted(pick, curve), target]
    cases = pd.DataFrame({
        "view": np.array(VIEW_WORDS)[examples.view[curve]], "curve": curve,
        "horizon": table["horizon"][rows],
        "dataset": source.datasets[examples.curve[curve] // len(source.learners)],
        "crps": pinball(found, truth), "crps_recommended": pinball(other, truth),
        "covered50": (truth >= found[:, 2]) & (truth <= found[:, 4]),
        "covered90": (truth >= found[:, 0]) & (truth <= found[:, -1])})
    cases["worse"] = cases["crps"] - cases["crps_recommended"]
    groups = [("all", 0.0, np.inf, cases)]
    groups += [(view, 0.0, np.inf, own) for view, own in cases.groupby("view", sort=False)]
    groups += [("all", low, high, cases[(cases["horizon"] > low) & (cases["horizon"] <= high)])
               for low, high in pairwise(HORIZONS)]
    return pd.DataFrame([{"view": view, "from_doublings": low, "to_doublings": high, **_means(own)}
                         for view, low, high, own in groups]).round(5)


def _means(cases: pd.DataFrame) -> dict[str, float]:
    row = {"n_families": 0, "n_curves": cases["curve"].nunique(), "n": len(cases)}
    for name in ("crps", "crps_recommended", "worse", "covered50", "covered90"):
        found = summarise(cases[name], cases["dataset"])
        row |= {"n_families": found.n, name: found.value, f"{name}_low": found.low,
                f"{name}_high": found.high}
    return row


def _recommended(examples: Examples, pick: np.ndarray) -> np.ndarray:
    """Return the recommended forecast's quantiles without a learner's name or other curves."""
    seen: Seen = examples.seen.take(pick)
    alone = replace(seen, learner=np.full(len(pick), "", object), dataset=np.arange(len(pick)))
    targets = examples.targets[pick]
    targets = np.where(np.isfinite(targets), targets, 2 * seen.sizes[seen.last][:, None])
    return predict_seen(alone, targets, RECOMMENDED, LEVELS)


def pinball(quantiles: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the CRPS, as the mean pinball loss over `LEVELS` times two, shape (n,)."""
    off = truth[:, None] - quantiles
    levels = np.array(LEVELS)
    return 2 * np.maximum(levels * off, (levels - 1) * off).mean(1)
