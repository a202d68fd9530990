import matplotlib.pyplot as plt
import numpy as np
import pytest
from curve_examples import SIZES, as_curves, noisy_curves, true_curve

from chapters.da3.critical_difference import plot_critical_difference, rank_models
from chapters.da3.predictions import extrapolate, summarise
from collection.naming import UnknownNameError


@pytest.fixture(scope="module")
def table():
    curves = as_curves(noisy_curves(24).values.reshape(12, 2, -1))
    return extrapolate(curves.assign_coords(dataset=np.arange(12), learner=["KNN", "LDA"]),
                       ["LAST1", "POW3", "MMF4"])


def test_the_true_model_extrapolates_its_own_curve():
    for name in ("POW3", "EXP3", "ILOG2"):
        table = extrapolate(true_curve(name), [name, "LAST1"]).set_index(["model", "share"])
        assert (table.loc[name, "points"] < 0.05).all()
        assert (table.loc["LAST1", "points"] > table.loc[name, "points"]).all()


def test_last1_s_error_is_the_drop_that_is_left():
    curve = true_curve("POW3")
    row = extrapolate(curve, ["LAST1"], shares=[0.5]).iloc[0]
    end = len(SIZES) // 2 - 1
    assert row["n_anchors"] == end + 1
    assert row["fitted_up_to"] == SIZES[end]
    assert row["last_anchor"] == SIZES[-1]
    assert row["ratio"] == SIZES[-1] / SIZES[end]
    assert row["truth"] == curve.values[-1]
    assert row["points"] == pytest.approx(100 * abs(curve.values[end] - curve.values[-1]))


def test_gaps_and_short_curves():
    curves = noisy_curves(4).where(SIZES != 32).assign_coords(learner=list("abcd"))
    curves[1, 6:], curves[2] = np.nan, np.nan
    curves[3, -4:] = np.nan
    table = extrapolate(curves, ["LAST1", "POW2"], shares=[0.5])
    assert set(table["learner"]) == {"a", "d"}
    last = table.drop_duplicates("learner").set_index("learner")["last_anchor"]
    assert last["a"] == SIZES[-1]
    assert last["d"] == SIZES[-5]
    assert set(extrapolate(curves, ["LAST1"], shares=[0.5], least=2)["learner"]) == {"a", "b", "d"}


def test_predictions_stay_error_rates(table):
    assert table["prediction"].between(0, 1).all()
    steep = as_curves(np.array([np.linspace(0.9, 0.02, len(SIZES))]))
    row = extrapolate(steep, ["LIN2"], shares=[0.5]).iloc[0]
    assert row["clipped"]
    assert row["prediction"] == 0


@pytest.mark.parametrize("ratio, octaves", [
    (1.02, 1), (2, 1), (2.1, 2), (4, 2), (6, 3), (64, 6), (65, 7)])
def test_octaves_are_rounded_up(table, ratio, octaves):
    assert summarise(table.assign(ratio=ratio), ["octaves"])["octaves"].unique() == [octaves]


def test_the_summary_counts_ranks_and_wins(table):
    summary = summarise(table, ["share"])
    np.testing.assert_allclose(summary.groupby("share")["mean_rank"].sum(), 6)
    one = table.query("share == 0.5 and model == 'MMF4'").set_index(["dataset", "learner"])
    base = table.query("share == 0.5 and model == 'LAST1'").set_index(["dataset", "learner"])
    row = summary.query("share == 0.5 and model == 'MMF4'").iloc[0]
    assert row["n"] == len(one) == 24
    assert row["beats_last1"] == pytest.approx((one["points"] < base["points"]).mean())
    assert row["median_points"] == one["points"].median()
    alone = summarise(table.query("model != 'LAST1'"))
    assert alone["beats_last1"].isnull().all()
    octaves = summarise(table, ["octaves"])
    assert octaves["n"].sum() == len(table)


def test_ranks_and_their_diagram(table):
    result = rank_models(table.query("share == 0.5"), ["dataset"])
    means = table.query("share == 0.5").pivot_table(index="dataset", columns="model",
                                                   values="points")
    np.testing.assert_allclose(result.rankdf["meanrank"].sort_index(),
                               means.rank(axis=1).mean().sort_index())
    figure, ax = plt.subplots()
    plot_critical_difference(result, ax=ax)
    assert {"LAST1", "POW3", "MMF4"} <= {text.get_text() for text in ax.texts}
    plt.close(figure)
    with pytest.raises(ValueError, match="at least 5"):
        rank_models(table.query("dataset < 3"), ["dataset"])


def test_bad_input_is_refused():
    with pytest.raises(UnknownNameError):
        extrapolate(true_curve("POW3"), ["POWER"])
    with pytest.raises(ValueError, match="between 0 and 1"):
        extrapolate(true_curve("POW3"), ["POW3"], shares=[1.0])
