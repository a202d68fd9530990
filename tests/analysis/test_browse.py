"""One curve as arrays, data frame and figure; meta-features."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import analysis


@pytest.fixture(scope="module")
def curves():
    return analysis.load_curves("lcdb10")


@pytest.fixture
def ax():
    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


def test_dataset_by_name_and_id_are_the_same(curves):
    by_name = analysis.get_curve(curves, "letter", "ens. RF")
    by_id = analysis.get_curve(curves, 6, "ens.RandomForest")
    assert by_name.identical(by_id)
    assert by_name.dims == ("outer", "inner", "anchor", "split")


def test_frame_holds_means_and_standard_errors(curves):
    curve = analysis.get_curve(curves, 6, "KNN")
    frame = analysis.curve_frame(curve)
    assert list(frame.columns) == ["anchor", "split", "mean", "standard_error", "repeats"]
    row = frame[(frame["anchor"] == 1024) & (frame["split"] == "valid")].iloc[0]
    values = curve.sel(anchor=1024, split="valid").values.ravel()
    values = values[~np.isnan(values)]
    assert row["repeats"] == len(values)
    assert row["mean"] == pytest.approx(values.mean())
    assert row["standard_error"] == pytest.approx(values.std(ddof=1) / np.sqrt(len(values)))


def test_missing_curve_is_empty_not_an_error(curves):
    valid = curves["error_rate"].sel(split="valid", scaling="none", leakage="yes").load()
    counts = valid.count(("outer", "inner", "anchor"))
    missing = counts.stack(curve=("dataset", "learner")).where(lambda c: c == 0, drop=True)
    dataset, learner = missing["curve"].values[0]
    curve = analysis.get_curve(curves, dataset, learner)
    assert curve.sizes["anchor"] == 0
    assert analysis.curve_frame(curve).empty


def test_plots_draw_on_the_callers_axes(curves, ax):
    curve = analysis.get_curve(curves, 3, "KNN")
    assert analysis.plot_curve(curve, ax, label="KNN") is ax
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["KNN train", "KNN test"]
    np.testing.assert_allclose(
        ax.lines[1].get_ydata(), curve.sel(split="test").mean(("outer", "inner"))
    )
    assert ax.get_xscale() == "log" and ax.get_xlabel() == "training-set size"


def test_train_time_plot(curves, ax):
    analysis.plot_train_time(analysis.get_curve(curves, 3, "KNN", metric="train_time"), ax)
    assert ax.get_ylabel() == "time to fit [s]" and ax.get_yscale() == "log"


def test_meta_features_by_name_and_id():
    features = analysis.meta_features("kr-vs-kp")
    assert features["NumberOfInstances"] == 3196
    assert features.equals(analysis.meta_features(3))
