"""Train the forecaster of the page, and widen its ranges on collections that it has not seen."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.load import load_curves
from analysis.extrapolation.compact import LARGEST, LEVELS, crps, look, run, widened
from analysis.extrapolation.features import unit
from analysis.extrapolation.folds import UNSEEN, fold_of
from analysis.extrapolation.predict import RECOMMENDED, predict_seen
from analysis.statistics.summary import summarise
from chapters.lab.chapter_data import validation_errors
from chapters.lab.training.examples import (
    LEAST,
    Examples,
    Source,
    View,
    make_examples,
    source_of,
)
from chapters.lab.training.networks import Training, train_layers

VIEWS = (View(5, 5, True, 5, 3), View(1, 5, True, 4, 3), View(1, 1, True, 4, 3))
VIEW_WORDS = ("all repeats", "five repeats", "one repeat")
HORIZONS = (0.0, 1.0, 2.0, 3.0, np.inf)  # doublings
WITHIN = (0.5, 1.5, 2.5, 4.0)  # a place in each
FEWEST = (0.4, 0.9)  # between which shares of its points a thinned curve keeps
NARROW, MEMBERS = Training(LEVELS, width=64, dropout=0.1, rate=4e-3, epochs=8), 2
DIGITS = 4  # of a shipped weight
SEED = 5
COMPARED = 1500  # curves of a collection that are judged


def train_compact(source: Source, folder: Path) -> None:
    """Train on LCDB 1.0, widen the ranges on `collections`: ``compact.json``, ``compact.csv``."""
    plain = make_examples(source, VIEWS, seed=SEED)
    thin = thinned(plain, np.random.default_rng(SEED))
    networks = _train([_table(plain), _table(thin)])
    cases = pd.concat([_cases(name, other, make_examples(other, VIEWS, seed=SEED), networks)
                       for name, other in collections(source.learners).items()], ignore_index=True)
    judge(cases).to_csv(folder / "compact.csv", index=False)
    shipped = {"levels": LEVELS, "horizons": WITHIN, "widen": widening(cases),
               "networks": networks}
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
    draw = np.where(seen.there, rng.random(seen.there.shape), 2.0)
    draw[np.arange(len(draw)), seen.last] = -1
    kept = np.ceil(seen.there.sum(1) * rng.uniform(*FEWEST, len(draw))).clip(LEAST)
    keep = seen.there & (draw.argsort(1).argsort(1) < kept[:, None])
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
    import torch

    torch.set_num_threads(1)
    inputs, goal, weight = (np.concatenate([part[key] for part in parts])
                            for key in ("inputs", "goal", "weight"))
    shift, scale = _short(inputs.mean(0)), _short(inputs.std(0) + 1e-3)
    ready = ((inputs - shift) / scale).clip(-LARGEST, LARGEST)
    networks = []
    for seed in range(MEMBERS):
        weights, biases = ([_short(part).tolist() for part in parts]
                           for parts in train_layers(ready, goal, weight, seed, NARROW))
        networks.append({"shift": shift.tolist(), "scale": scale.tolist(), "weights": weights,
                         "biases": biases})
    return networks


def _short(values: np.ndarray) -> np.ndarray:
    """Return numbers of few digits: the file is text, and both languages read the same."""
    return np.vectorize(lambda v: float(f"{v:.{DIGITS}g}"), otypes=[float])(values)


def _cases(collection: str, source: Source, examples: Examples,
           networks: list[dict]) -> pd.DataFrame:
    """Return what the networks and the recommended forecast say of curves, and what came."""
    pick = np.sort(np.random.default_rng(SEED).permutation(len(examples.seen.values))[:COMPARED])
    table = _table(examples)
    rows = np.flatnonzero(np.isin(table["curve"], pick))
    curve, target = table["curve"][rows], table["target"][rows]
    outputs = run(networks, table["inputs"][rows])
    some = examples.take(pick)  # without learners' names or other curves
    other = predict_seen(some.seen.alone(), some.filled, RECOMMENDED, LEVELS)
    other = other[np.searchsorted(pick, curve), target]
    found = pd.DataFrame({
        "collection": collection, "view": np.array(VIEW_WORDS)[examples.view[curve]],
        "curve": curve, "horizon": table["horizon"][rows],
        "dataset": source.datasets[examples.curve[curve] // len(source.learners)],
        "truth": examples.truth[curve, target], "level": examples.seen.level[curve]})
    for k in range(len(LEVELS)):
        found[f"own{k}"], found[f"other{k}"] = np.sort(outputs, axis=1)[:, k], other[:, k]
    return found


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


def judge(cases: pd.DataFrame) -> pd.DataFrame:
    """Compare with what came, each collection by ranges that were widened on the others.

    Parameters
    ----------
    cases : pandas.DataFrame
        From `_cases`.

    Returns
    -------
    pandas.DataFrame
        ``collection``, ``view`` (what was averaged), ``from_doublings`` and ``to_doublings``
        (ahead), ``n_families``, ``n_curves``, ``n``, and with their 95 % intervals over families
        of datasets (``_low``, ``_high``) ``crps``, ``crps_recommended`` (error rate; the latter
        without the learner's name), ``crps_same`` (nothing changes), ``worse`` (than the
        recommended), ``covered50``, ``covered90``, ``covered90_plain`` (before they were widened)
        and ``covered90_recommended``; a row for each collection, then by view, by horizon.
    """
    scored = []
    for name, own in cases.groupby("collection", sort=False):
        widen = widening(cases[cases["collection"] != name])
        outputs = own[[f"own{k}" for k in range(len(LEVELS))]].to_numpy()
        level, truth = own["level"].to_numpy()[:, None], own["truth"].to_numpy()
        plain, found = (np.clip(level + (level + 0.02) * one, 0, 1) for one in (
            outputs, widened(outputs, own["horizon"].to_numpy(), WITHIN, widen)))
        other = own[[f"other{k}" for k in range(len(LEVELS))]].to_numpy()
        own = own.assign(
            crps=crps(found, truth), crps_recommended=crps(other, truth),
            crps_same=np.abs(truth - level[:, 0]), covered50=_inside(found, truth, 2),
            covered90=_inside(found, truth, 0), covered90_plain=_inside(plain, truth, 0),
            covered90_recommended=_inside(other, truth, 0))
        scored.append(own.assign(worse=own["crps"] - own["crps_recommended"]))
    rows = []
    for name, own in pd.concat(scored).groupby("collection", sort=False):
        groups = [("all", 0.0, np.inf, own)]
        groups += [(view, 0.0, np.inf, part) for view, part in own.groupby("view", sort=False)]
        groups += [("all", low, high, own[(own["horizon"] > low) & (own["horizon"] <= high)])
                   for low, high in pairwise(HORIZONS)]
        rows += [{"collection": name, "view": view, "from_doublings": low, "to_doublings": high,
                  **_means(part)} for view, low, high, part in groups if len(part)]
    return pd.DataFrame(rows).round(5)


def _inside(found: np.ndarray, truth: np.ndarray, k: int) -> np.ndarray:
    return (truth >= found[:, k]) & (truth <= found[:, -1 - k])


def _means(cases: pd.DataFrame) -> dict[str, float]:
    row = {"n_families": 0, "n_curves": cases["curve"].nunique(), "n": len(cases)}
    for name in ("crps", "crps_recommended", "crps_same", "worse", "covered50", "covered90",
                 "covered90_plain", "covered90_recommended"):
        found = summarise(cases[name].astype(float), cases["dataset"])
        row |= {"n_families": found.n, name: found.value, f"{name}_low": found.low,
                f"{name}_high": found.high}
    return row

