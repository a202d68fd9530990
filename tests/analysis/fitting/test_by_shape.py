"""Predicted ends and fits of ill- and well-behaved curves, against plain loops and known curves."""

import numpy as np
import pandas as pd
import pytest
from curve_examples import SIZES, as_curves, labelled, noisy_curves, true_curve
from hypothesis import given, settings
from hypothesis import strategies as st

import analysis
from analysis.fitting import by_shape as fits
from analysis.fitting import by_shape as predictions
from analysis.fitting.by_shape import BEST, ILL, SHAPE_CLASSES, WELL, compare_kinds, predict_ends
from collection.project.naming import UnknownNameError


@pytest.mark.parametrize("name", ["POW3", "EXP3", "ILOG2"])
def test_the_true_model_extrapolates_its_own_curve(name):
    table = predict_ends(true_curve(name), [name, "LAST1"]).set_index("model")
    assert table.loc[name, "points"] < 0.05 < table.loc["LAST1", "points"]


def test_last1_is_off_by_the_drop_that_is_left():
    curve = true_curve("POW3")
    row = predict_ends(curve, ["LAST1"]).iloc[0]
    end = len(SIZES) // 2 - 1
    assert (row["fitted_up_to"], row["last_anchor"]) == (SIZES[end], SIZES[-1])
    assert row["truth"] == curve.values[-1]
    assert row["points"] == pytest.approx(100 * abs(curve.values[end] - curve.values[-1]))


def test_gaps_and_short_curves():
    curves = noisy_curves(4).where(SIZES != 32).assign_coords(learner=list("abcd"))
    curves[1, 6:], curves[2] = np.nan, np.nan
    curves[3, -4:] = np.nan
    table = predict_ends(curves, ["LAST1", "POW2"])
    first = table.drop_duplicates("learner").set_index("learner")
    assert first["last_anchor"].to_dict() == {"a": SIZES[-1], "d": SIZES[-5]}
    odd = SIZES[SIZES != 32]  # 27 of them: half, rounded down, are 13; of 23 are 11
    assert first["fitted_up_to"].to_dict() == {"a": odd[12], "d": odd[10]}


def test_predictions_stay_error_rates():
    steep = as_curves(np.array([np.linspace(0.9, 0.02, len(SIZES))]))
    assert predict_ends(steep, ["LIN2"])["prediction"].tolist() == [0]


def test_an_unknown_model_is_refused():
    with pytest.raises(UnknownNameError):
        predict_ends(true_curve("POW3"), ["POWER"])


@pytest.fixture
def table():
    """Errors of 300 predictions on 30 datasets; ill-behaved ones are 3 points worse."""
    rng = np.random.default_rng(2)
    n = 300
    group = np.where(rng.random(n) < 0.3, ILL, WELL)
    learner = rng.choice(["A", "B", "C"], n)
    return pd.DataFrame({
        "dataset": rng.integers(30, size=n), "learner": learner, "group": group,
        "model": rng.choice(["POW4", "LAST1"], n),
        "points": rng.random(n) + 3 * (group == ILL) + 10 * (learner == "A"),
    })


def test_the_gap_is_that_of_means_and_of_each_learner_s_own_curves(table):
    well = table[table["group"] == WELL].groupby(["model", "learner"])["points"].mean()
    ill = table[table["group"] == ILL]
    own = ill["points"] - [well[key] for key in zip(ill["model"], ill["learner"], strict=True)]
    for row in compare_kinds(table).itertuples():
        rows = table[table["model"] == row.model].groupby("group")["points"]
        assert (row.n_ill, row.n_well) == tuple(rows.size()[[ILL, WELL]])
        assert row.cost == pytest.approx(rows.mean()[ILL] - rows.mean()[WELL])
        assert row.cost_low < row.cost < row.cost_high
        assert row.same_learner == pytest.approx(own[ill["model"] == row.model].mean())
        assert 2.5 < row.same_learner_low < row.same_learner < row.same_learner_high < 3.5


def test_learners_without_well_behaved_curves_are_left_out_of_same_learner(table):
    alone = table[(table["learner"] != "A") | (table["group"] == ILL)]
    a, b = (compare_kinds(t).set_index("model") for t in (alone, table[table["learner"] != "A"]))
    assert a["same_learner"].to_dict() == pytest.approx(b["same_learner"].to_dict())
    assert (a["ill"] > b["ill"]).all()


def test_the_gap_is_unknown_where_no_curve_is_ill_behaved(table):
    costs = compare_kinds(table[table["group"] == WELL])
    assert (costs["n_ill"] == 0).all() and costs["well"].notna().all()
    assert costs[["ill", "cost", "cost_low", "cost_high", "same_learner"]].isna().all(axis=None)


def test_the_best_of_each_kind_is_not_lucky():
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product([[f"drawn {k}" for k in range(30)], ["A", "B"]],
                                       names=["dataset", "learner"]).to_frame(index=False)
    index["group"] = np.where(index["learner"] == "A", ILL, WELL)
    noise = pd.concat([index.assign(model=f"M{m}", points=rng.normal(10, 1, 60))
                       for m in range(20)])
    good = index.assign(model="good", points=np.where(index["group"] == ILL, 3.0, 20.0))
    rows, names = predictions.best_of_each_kind(pd.concat([noise, good]))
    means = rows.groupby("group")["points"].mean()
    assert names[ILL] == "good" and means[ILL] == 3
    assert abs(means[WELL] - 10) < 0.25 and set(rows["model"]) == {BEST}
    least = noise[noise["group"] == WELL].groupby("model")["points"].mean().min()
    assert means[WELL] > least


@pytest.fixture(scope="module")
def study():
    """Fits and shapes of 24 datasets, 2 learners: half of the curves fall, half have a peak."""
    rng, sizes = np.random.default_rng(5), SIZES[:8]
    peak = 0.3 * np.exp(-2 * (np.log(sizes / 64)) ** 2) * rng.random((24, 1, 1, 1, 1))
    errors = 0.1 + sizes**-0.5 + peak * np.array([0, 1])[:, None, None, None]
    errors = errors + 0.01 * rng.standard_normal((24, 2, 5, 5, 8))
    errors[0, 0] = np.nan
    valid = labelled(errors, "dataset learner outer inner anchor",
                     learner=["smooth", "peaking"], anchor=sizes)
    means = valid.mean(["outer", "inner"])
    return means, analysis.detect_shapes(valid), analysis.fit_curves(means, ["POW4", "MMF4"])


def test_peaks_are_harder_to_fit_by_the_ratio_of_geometric_means(study):
    _, shapes, fitted = study
    found = fits.fit_ratios(fitted["mse"], shapes).set_index(["verdict", "model"])
    log = np.log10(fitted["mse"].sel(model="MMF4").where(~shapes["flat"]))
    ill = shapes["non_monotone"]
    row = found.loc["non_monotone", "MMF4"]
    gap = float(log.where(ill).mean() - log.where(~ill).mean())
    assert row["ratio"] == pytest.approx(10**gap)
    assert 1 < row["cluster_low"] < row["ratio"] < row["cluster_high"]
    assert row["n_ill"] == int((ill & log.notnull()).sum())


def test_every_curve_has_the_first_class_that_holds(study):
    means, shapes, _ = study
    classed = predictions.with_classes(predict_ends(means, ["LAST1"]), shapes)
    assert set(classed["shape"]) <= set(SHAPE_CLASSES[2:])
    at = classed.set_index(["dataset", "learner"])
    ill = shapes["ill_behaved"].to_series().reindex(at.index)
    assert ((at["group"] == ILL) == ill).all()  # as DA1 counts: a dip alone is not
    assert not ((classed["dataset"] == 0) & (classed["learner"] == "smooth")).any()
    for row in classed.itertuples():
        one = shapes.sel(dataset=row.dataset, learner=row.learner)
        order = {"dipping": "dipping", "peaking": "peaking", "non_monotone": "other non-monotone",
                 "non_convex": "monotone, not convex"}
        assert row.shape == next((name for verdict, name in order.items() if one[verdict]), WELL)
        assert (row.group == WELL) == (row.shape == WELL)


def _isotonic(points: np.ndarray) -> np.ndarray:
    """The best rising fit, by its max-min formula."""
    n = len(points)
    return np.array([max(min(points[a : b + 1].mean() for b in range(i, n)) for a in range(i + 1))
                     for i in range(n)])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=4, max_size=8))
def test_the_floor_is_the_better_isotonic_regression_above_what_a_rise_forces(points):
    points = np.array(points)
    rising = ((points - _isotonic(points)) ** 2).mean()
    falling = ((points + _isotonic(-points)) ** 2).mean()
    floor = fits.monotone_floor(labelled(points, "anchor")).item()
    assert floor == pytest.approx(min(rising, falling), abs=1e-12)
    rise = (points - np.minimum.accumulate(points)).max()
    assert rise**2 / (2 * len(points)) <= falling + 1e-12  # the bound that the page states


def test_the_floor_passes_over_gaps_and_holds_for_the_paper_s_models():
    floor = fits.monotone_floor(labelled([[0.5, np.nan, 0.3, 0.4], [np.nan] * 4], "curve anchor"))
    assert floor[0].item() == pytest.approx(2 * 0.05**2 / 3) and np.isnan(floor[1])
    curves = labelled(np.random.default_rng(3).random((60, 8)), "curve anchor")
    mse = analysis.fit_curves(curves, ["POW4", "MMF4", "WBL4"])["mse"]
    assert (mse >= fits.monotone_floor(curves) - 1e-9).all()
