"""One curve as arrays and as a figure; the standard error of its mean."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import analysis


@pytest.fixture(scope="module")
def curves():
    """Those of `mini` that are looked at here."""
    mini = analysis.load_curves("mini")[["error_rate", "train_time"]]
    mini = mini.sel(learner=["KNN", "ens.RandomForest"], scaling=["none"], leakage=["no"])
    return mini.sel(dataset=["vehicle", "iris"]).load()


def test_standard_errors_are_of_the_repeats_that_are_there(curves):
    curve = analysis.get_curve(curves, "vehicle", "KNN").sel(anchor=64, split="valid")
    values = curve.values.ravel()[1:]
    expected = values.std(ddof=1) / np.sqrt(24)
    curve = curve.where((curve["outer"] > 0) | (curve["inner"] > 0))
    assert analysis.standard_error(curve).item() == pytest.approx(expected)
    assert np.isnan(analysis.standard_error(curve.isel(outer=[0], inner=[1])))


def test_plots_draw_on_the_callers_axes(curves, ax):
    curve = analysis.get_curve(curves, "vehicle", "KNN")
    assert analysis.plot_curve(curve, ax, label="KNN") is ax
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["KNN train", "KNN test"]
    np.testing.assert_allclose(
        ax.lines[1].get_ydata(), curve.sel(split="test").mean(("outer", "inner"))
    )
    figure_of_times, times = plt.subplots()
    analysis.plot_curve(analysis.get_curve(curves, "vehicle", "KNN", metric="train_time"), times)
    assert times.get_ylabel() == "time to fit [s]"
    plt.close(figure_of_times)
    assert ax.get_xscale() == "log" and ax.get_xlabel() == "training-set size [rows]"


@pytest.mark.parametrize("dataset", [54, "54", 54.0])
def test_a_curve_is_found_by_its_openml_id_and_an_abbreviation(curves, dataset):
    curve = analysis.get_curve(curves, dataset, "ens. RF")
    assert curve.dims == ("outer", "inner", "anchor", "split") and curve.notnull().any()
    assert curve.identical(analysis.get_curve(curves, "vehicle", "ens.RandomForest"))
    with pytest.raises(KeyError, match="Unknown dataset 999999"):
        analysis.get_curve(curves, 999999, "KNN")


@pytest.mark.parametrize(("spoil", "splits", "error", "message"), [
    (lambda c: c.values, "valid", TypeError, "A curve is a DataArray, not ndarray"),
    (lambda c: c.mean("inner"), "valid", ValueError, "this has outer, anchor, split"),
    (lambda c: c.rename("accuracy"), "valid", KeyError, "Unknown metric .* 'accuracy'"),
    (lambda c: c, ("train", "vaild"), KeyError, "Unknown split 'vaild'. Did you mean 'valid'")])
def test_what_cannot_be_drawn_is_one_message(curves, ax, spoil, splits, error, message):
    curve = spoil(analysis.get_curve(curves, "vehicle", "KNN"))
    with pytest.raises(error, match=message):
        analysis.plot_curve(curve, ax, splits=splits)
    assert not ax.lines
