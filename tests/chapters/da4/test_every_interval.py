"""Every interval that the book prints: low ≤ estimate ≤ high, of some width where data vary.

One simulated database of clustered curves goes through all that returns an interval.
"""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from analysis.databases.lcdb11.files import datasets_table
from analysis.leaderboards import leaderboard, leaderboard_intervals
from analysis.selection import (
    build_ladders,
    compare_strategies,
    halving_frame,
    summarise_strategies,
)
from analysis.selection.crossing import crossing_frame, crossings
from analysis.shapes import detect_shapes
from analysis.shapes.causes import peaks_against_features, ratio_interval
from analysis.shapes.leakage import leakage_differences
from analysis.shapes.rates import curves_table, rate_intervals
from chapters import leakage
from chapters.artefacts.means import bumps
from chapters.da2.scaling import judge_scalings, paired_effects
from chapters.da3.fits import fit_ratios
from chapters.da3.predictions import compare_kinds
from chapters.da4 import crossings as chapter
from chapters.performance import performance
from chapters.performance.mixed_bayes import mixed_against_plain
from collection.containers.curves import DIMS, FIT_DIMS, LEAKAGES, SCALINGS, SPLITS, Status

ANCHORS = np.array([16, 32, 64, 128, 256, 512])
LEARNERS = ["KNN", "LDA", "MLP", "GaussianNB", "MixGaussianNB"]
N = 24  # datasets


@pytest.fixture(scope="module")
def curves():
    """Falling curves, every other one with a bump, that scaling and leakage move a little."""
    rng = np.random.default_rng(3)
    shape = (N, len(LEARNERS), 3, 2, 2, 3, len(ANCHORS), 3)
    level = rng.uniform(0.05, 0.3, (N, 1, 1, 1, 1, 1, 1, 1))
    steep = rng.uniform(0.2, 0.6, (N, len(LEARNERS), *[1] * 6))
    error = level + 0.6 * ANCHORS[:, None] ** -steep + 0.002 * rng.standard_normal(shape)
    bump = rng.random((N, len(LEARNERS), 3, 1, 1, 1, 1)) < 0.4
    error[..., 2, :] += 0.15 * bump
    error[:, :, :, 1] -= 0.01 * rng.random((N, len(LEARNERS), 1, 1, 1, 1, 1))
    error[:, 1] += 0.05 * rng.standard_normal((N, 1, 1, 1, 1, 1, 1))
    order = [DIMS.index(d) for d in DIMS]
    coords = {"dataset": datasets_table().index[:N].tolist(), "learner": LEARNERS,
              "scaling": list(SCALINGS), "leakage": list(LEAKAGES), "outer": [0, 1],
              "inner": [0, 1, 2], "anchor": ANCHORS, "split": list(SPLITS)}
    data = xr.DataArray(error.transpose(order), dims=DIMS, coords=coords)
    fits = data.isel(split=0, drop=True)
    return xr.Dataset({"error_rate": data, "train_time": fits * 0 + fits["anchor"],
                       "status": (FIT_DIMS, np.full(fits.shape, np.int8(Status.ok)))},
                      attrs={"database": "toy"})


@pytest.fixture(scope="module")
def valid(curves):
    return curves["error_rate"].sel(split="valid", leakage="no", drop=True)


@pytest.fixture(scope="module")
def shapes(valid):
    return detect_shapes(valid.sel(scaling="none", drop=True))


def rates_(curves, valid, shapes):
    table = curves_table(detect_shapes(valid), "toy", "corrected")
    yield rate_intervals(table, ("learner",)).query("0 < rate < 100"), "rate", "low", "high"


def scaling_(curves, valid, shapes):
    table = paired_effects(judge_scalings(valid, "toy"))
    yield table[(table["better"] > 0) | (table["worse"] > 0)], "difference", "low", "high"


def leakage_(curves, valid, shapes):
    both = leakage_differences(curves["error_rate"].sel(split="valid", drop=True))
    table = leakage.difference_table(both)
    yield leakage.different_share(table).query("0 < percent < 100"), "percent", "low", "high"
    yield leakage.differences_by_size(both), "typical", "low", "high"


def crossing_(curves, valid, shapes):
    cases = crossings(valid.sel(scaling="none"), "corrected")
    table = crossing_frame(cases, "toy").query("0 < probability < 1")
    yield table, "probability", "low", "high"
    subsets = chapter.learner_subsets(cases, "toy", size=3).query("probability > 0")
    yield subsets, "probability", "low", "high"


def fits_(curves, valid, shapes):
    log = -4 + np.random.default_rng(1).standard_normal((N, len(LEARNERS), 1))
    mse = xr.DataArray(10**log, dims=("dataset", "learner", "model"), coords={
        "dataset": valid["dataset"], "learner": LEARNERS, "model": ["POW4"]})
    table = fit_ratios(mse * (1 + 9 * shapes["ill_behaved"]), shapes)
    yield table, "ratio", "cluster_low", "cluster_high"
    yield table, "own_ratio", "own_low", "own_high"


def cost_(curves, valid, shapes):
    table = shapes["ill_behaved"].to_dataframe().reset_index()
    table["group"] = np.where(table["ill_behaved"], "ill-behaved", "well-behaved")
    table["points"] = np.random.default_rng(2).random(len(table)) + table["ill_behaved"]
    costs = compare_kinds(table.assign(model="POW4"))
    for name in ("well", "ill", "cost", "same_learner"):
        yield costs, name, f"{name}_low", f"{name}_high"


def performance_(curves, valid, shapes):
    mean = performance.mean_errors(curves)
    best = performance.best_errors(mean, "toy")
    yield performance.mean_best(best), "test", "low", "high"
    rows = performance.paired_with(best, "KNN").query("learner != 'KNN' or scaling != 'none'")
    yield rows, "difference", "low", "high"
    sizes = performance.paired_by_size(best)
    rows = sizes[(sizes["learner"] != sizes["reference"]) & (sizes["n_datasets"] > 4)]
    yield rows, "difference", "low", "high"
    yield performance.picking_optimism(best).query("optimism > 0"), "optimism", "low", "high"
    yield mixed_against_plain(mean, "toy"), "difference", "low", "high"


def bumps_(curves, valid, shapes):
    mean = valid.sel(scaling="none").mean(["outer", "inner"])
    yield bumps(mean, at_least=5), "excess", "low", "high"


def closeup_(curves, valid, shapes):
    features = pd.Series(np.arange(5, 5 + N), index=valid["dataset"].values)
    table = peaks_against_features(shapes, features)
    yield ratio_interval(table).query("peaks > 4"), "median", "low", "high"


def selection_(curves, valid, shapes):
    ladders = build_ladders(curves.sel(scaling="none", leakage="no"))
    groups = {"some": LEARNERS[:3], "others": LEARNERS[2:]}
    frame = compare_strategies(ladders, groups, (("full", {}), ("early", {"doublings": 1})))
    summary = summarise_strategies(frame).query("strategy == 'early'")
    for name in ("regret", "top_1_rate"):
        yield summary.query(f"0 < {name} < 1"), name, f"{name}_low", f"{name}_high"
    grid = halving_frame(ladders, groups, starts=[16], increases=[1.0], dropouts=[1])
    yield grid.query("regret > 0"), "regret", "regret_low", "regret_high"
    yield grid.query("0 < top_k_rate < 1"), "top_k_rate", "top_k_low", "top_k_high"


def leaderboards_(curves, valid, shapes):
    means = valid.sel(scaling="none", anchor=512).mean(["outer", "inner"])
    results = means.rename("error").to_dataframe().reset_index().rename(
        columns={"learner": "method", "dataset": "task"}).assign(fold=0)
    yield leaderboard_intervals(results), "value", "low", "high"
    board = leaderboard(results)
    yield board, "elo", "elo_low", "elo_high"


SOURCES = [rates_, scaling_, leakage_, crossing_, fits_, cost_, performance_, bumps_, closeup_,
           selection_, leaderboards_]


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: s.__name__.strip("_"))
def test_the_estimate_lies_between_a_lower_and_a_higher_end(source, curves, valid, shapes):
    for table, estimate, low, high in source(curves, valid, shapes):
        ends = table[[low, estimate, high]].to_numpy(float)
        assert len(ends) and not np.isnan(ends).any(), estimate
        assert (ends[:, 0] <= ends[:, 1]).all() and (ends[:, 1] <= ends[:, 2]).all(), estimate
        assert (ends[:, 0] < ends[:, 2]).all(), f"{estimate} has an interval of no width"
