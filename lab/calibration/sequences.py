"""Who keeps the level where repeats share sequences of classes, and what it costs in power.

Constant classifiers and others that follow the sequence of classes, split with the protocol's own
code as LCDB 1.1's curves were (five inner seeds for all outer ones) or with distinct inner seeds;
and look-alikes of a database's curves whose residuals are drawn by whole inner seeds.
Some minutes; kept as ``seeds_…`` by ``make recompute``.
"""

from collections.abc import Callable, Iterable
from itertools import product

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.lcdb11.files import datasets_table
from analysis.databases.lcdb11.summary import open_lcdb11_summary
from analysis.databases.load import load_curves
from analysis.shapes import detect_shapes
from analysis.shapes.lookalikes import scattered, well_behaved
from analysis.shapes.seeds import moves_in_fifths
from analysis.statistics.shares import exact_share
from collection.containers.learner_names import NOT_COUNTED
from collection.project.paths import shipped
from collection.protocol.anchors import anchor_grid
from collection.protocol.splits import SEEDS, WAYS, places, split_rows, training_size
from collection.shipped.anew import FOLDER
from lab.shipped.anew import DISTINCT, SEEDED

PROCEDURES = ("published", "corrected_independent", "larger_error", "larger_error_inner",
              "corrected")
ROWS, SHARES = (200, 500, 1000, 3000), (0.3, 0.4, 0.45, 0.48, 0.5)  # of the rarer class
EACH = 25  # datasets for each
BUMP = 0.05  # its height, in error rate
WIDTH = 0.3  # of a bump, in logarithms of training rows
ONE_IN = 4  # datasets of LCDB 1.0 that look-alikes are made of


def _constant(train: np.ndarray, grid: np.ndarray) -> np.ndarray:
    return (2 * train.cumsum()[grid - 1] > grid).astype(int)


def _last_rows(train: np.ndarray, grid: np.ndarray, n: int = 5) -> np.ndarray:
    counts = np.concatenate([[0], train.cumsum()])
    return (2 * (counts[grid] - counts[grid - n]) > n).astype(int)


#: What follows the sequence of classes alone, from the training rows' classes and anchors to the
#: class that is said at each. The second, of the last five rows, is the worst that can be: its true
#: curve is flat, and all of its variation lies between sequences.
CLASSIFIERS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "constant classifier": _constant, "majority of the last five rows": _last_rows}


def follow_sequences(classifier: str, rows: int, share: float, seeds: str, n: int,
                     rng: np.random.Generator) -> xr.DataArray:
    """Return validation errors of a classifier that follows the sequence of classes.

    Parameters
    ----------
    classifier : str
        Of `CLASSIFIERS`.
    rows, share
        Of each dataset, and the share of rows that are of class 1, the rarer.
    seeds : {"paper", "distinct"}
    n : int
        Datasets, each with other seeds.
    rng : Generator

    Returns
    -------
    DataArray, dims (curve, outer, inner, anchor)
        With ``inner_seed`` where seeds are distinct.
    """
    grid = anchor_grid(training_size(rows))
    errors = np.empty((n, len(SEEDS) ** 2, len(grid)))
    for one in errors:
        labels = rng.permutation(np.arange(rows) < round(share * rows)).astype(int)
        outer, inner = rng.integers(2**31, size=5), rng.integers(2**31, size=25)
        for k, (o, i) in enumerate(places(SEEDS, SEEDS, seeds)):
            split = split_rows(labels, int(outer[o]), int(inner[i]))
            said = CLASSIFIERS[classifier](labels[split.train], grid)
            one[k] = (labels[split.valid] != said[:, None]).mean(axis=1)
    shape = (n, len(SEEDS), len(SEEDS), len(grid))
    curves = xr.DataArray(errors.reshape(shape), dims=("curve", "outer", "inner", "anchor"),
                          coords={"anchor": grid})
    return curves if seeds == "paper" else curves.assign_coords(
        inner_seed=(("outer", "inner"), np.arange(25).reshape(5, 5)))


def calibrated() -> pd.DataFrame:
    """Return how often each procedure calls curves whose truth is known ill-behaved.

    Returns
    -------
    pandas.DataFrame
        ``curves`` (what they are), ``seeds``, ``bump`` (its height; 0: well-behaved),
        ``procedure``, ``rate, low, high`` (percent called, 95 % Clopper-Pearson interval), ``n``.
    """
    rng, rows = np.random.default_rng(0), []
    for classifier, seeds in product(CLASSIFIERS, WAYS):
        made = [follow_sequences(classifier, *of, seeds, EACH, rng)
                for of in product(ROWS, SHARES)]
        rows += _counted((classifier, seeds, 0.0), made)
    anew = load_curves(FOLDER.name)["error_rate"].sel(
        split="valid", scaling="none", leakage="no", learner=["DummyClassifier"]).load()
    rows += _counted(("constant classifier, gathered anew", "paper", 0.0), [anew])
    valid = load_curves("lcdb10", selection="paper")["error_rate"].sel(
        split="valid", scaling="none").isel(leakage=0, dataset=slice(None, None, ONE_IN)).load()
    valid = valid.sel(learner=~valid["learner"].isin(NOT_COUNTED))
    truth = well_behaved(valid.mean(["outer", "inner"]))
    truth = truth + (valid.mean(["outer", "inner"]) - truth).mean("anchor")
    place = np.log(valid["anchor"].where(truth.notnull())).mean("anchor")
    hill = np.exp(-0.5 * ((np.log(valid["anchor"]) - place) / WIDTH) ** 2)
    made = scattered((truth + BUMP * hill).clip(0, 1), valid, 3, "redrawn by inner seed")
    rows += _counted(("LCDB 1.0's, redrawn by inner seed", "paper", BUMP), [made])
    return pd.DataFrame(rows, columns=["curves", "seeds", "bump", "procedure", "rate", "low",
                                       "high", "n"])


def _counted(of: tuple, made: Iterable[xr.DataArray]) -> list[tuple]:
    made, rows = list(made), []
    for procedure in PROCEDURES:
        shapes = [detect_shapes(curves, procedure) for curves in made]
        hits = sum(int(s["ill_behaved"].sum()) for s in shapes)
        n = sum(int((~s["missing"]).sum()) for s in shapes)
        rows.append((*of, procedure, *exact_share(hits, n), n))
    return rows


def experiment() -> pd.DataFrame:
    """Return what was predicted of distinct inner seeds, and what came out.

    Returns
    -------
    pandas.DataFrame
        ``learner`` ("all": every one), ``datasets``; how many are called ill-behaved with the
        paper's seeds, ``paper, paper_by_inner``, and were predicted with distinct ones, ``low,
        high``, as set down beforehand; ``distinct, distinct_by_inner, distinct_by_outer,
        distinct_either`` as found: all repeats as independent, by the larger of plain and clustered
        error, by either seed; ``held``: whether ``distinct`` is as predicted.
    """
    asked = pd.read_csv(shipped(FOLDER / DISTINCT / "predictions.csv"))
    valid = load_curves(FOLDER.name, seeds=DISTINCT)["error_rate"].sel(
        split="valid", scaling="none", leakage="no", learner=list(SEEDED)).load()
    found = pd.DataFrame({name: detect_shapes(valid, procedure)["ill_behaved"].sum(
        "dataset").to_series() for name, procedure in {
            "distinct": "corrected_independent", "distinct_by_inner": "larger_error_inner",
            "distinct_by_outer": "larger_error", "distinct_either": "corrected"}.items()})
    found.loc["all"] = found.sum()
    table = asked.merge(found.rename_axis("learner").reset_index(), on="learner")
    table.insert(1, "datasets", valid.sizes["dataset"])
    return table.assign(held=table["distinct"].between(table["low"], table["high"]))


def published_fifths() -> pd.DataFrame:
    """Return of how many datasets of two classes the authors' own dummy moves in fifths.

    Returns
    -------
    pandas.DataFrame
        One row: ``two_classes`` (datasets), ``moving`` (whose published means are not all equal),
        ``fifths`` (of these, those whose means are all e + k (1 − 2 e) / 5).

    Raises
    ------
    NotAtHandError
        Where the published means are not at hand.
    """
    means = open_lcdb11_summary()["error_rate"].sel(split="valid", learner="DummyClassifier")
    classes = datasets_table()["classes"]
    two = [d for d in means["dataset"].values if classes.get(int(d)) == 2]
    table = moves_in_fifths(means.squeeze(drop=True).sel(dataset=two))
    return pd.DataFrame([{"two_classes": len(two), "moving": len(table),
                          "fifths": int(table["fifths"].sum())}])


#: What is kept, as it takes minutes or needs files that not everyone has.
KEPT = {"seeds_calibration": calibrated, "seeds_experiment": experiment,
        "seeds_published_fifths": published_fifths}
