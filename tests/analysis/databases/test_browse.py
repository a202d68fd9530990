"""One curve as arrays and as a figure; the standard error of its mean."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import analysis


@pytest.fixture(scope="module")
def curves():
    return analysis.load_curves("lcdb10")


def test_dataset_by_name_and_id_are_the_same(curves):
    by_name = analysis.get_curve(curves, "letter", "ens. RF")
    by_id = analysis.get_curve(curves, 6, "ens.RandomForest")
    assert by_name.identical(by_id)
    assert by_name.dims == ("outer", "inner", "anchor", "split")


def test_standard_errors_are_of_the_repeats_that_are_there(curves):
    curve = analysis.get_curve(curves, 6, "KNN").sel(anchor=1024, split="valid")
    values = curve.values.ravel()[~np.isnan(curve.values.ravel())]
    expected = values.std(ddof=1) / np.sqrt(len(values))
    assert analysis.standard_error(curve).item() == pytest.approx(expected)
    assert np.isnan(analysis.standard_error(curve.isel(outer=[0], inner=[0])))


def test_plots_draw_on_the_callers_axes(curves, ax):
    curve = analysis.get_curve(curves, 3, "KNN")
    assert analysis.plot_curve(curve, ax, label="KNN") is ax
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["KNN train", "KNN test"]
    np.testing.assert_allclose(
        ax.lines[1].get_ydata(), curve.sel(split="test").mean(("outer", "inner"))
    )
    figure_of_times, times = plt.subplots()
    analysis.plot_curve(analysis.get_curve(curves, 3, "KNN", metric="train_time"), times)
    assert times.get_ylabel() == "time to fit [s]"
    plt.close(figure_of_times)
    assert ax.get_xscale() == "log" and ax.get_xlabel() == "training-set size"


@pytest.mark.parametrize("dataset", ["vehicle", 54, "54", 54.0])
def test_a_dataset_of_mini_is_found_by_its_openml_id(dataset):
    mini = analysis.load_curves("mini")
    curve = analysis.get_curve(mini, dataset, "KNN")
    assert curve.identical(analysis.get_curve(mini, "vehicle", "KNN")) and curve.notnull().any()
    with pytest.raises(KeyError, match="Unknown dataset 999999"):
        analysis.get_curve(mini, 999999, "KNN")


@pytest.mark.parametrize(("spoil", "splits", "error", "message"), [
    (lambda c: c.values, "valid", TypeError, "A curve is a DataArray, not ndarray"),
    (lambda c: c.mean("inner"), "valid", ValueError, "this has outer, anchor, split"),
    (lambda c: c.rename("accuracy"), "valid", KeyError, "Unknown metric .* 'accuracy'"),
    (lambda c: c, ("train", "vaild"), KeyError, "Unknown split 'vaild'. Did you mean 'valid'")])
def test_what_cannot_be_drawn_is_one_message(curves, ax, spoil, splits, error, message):
    curve = spoil(analysis.get_curve(curves, "letter", "KNN"))
    with pytest.raises(error, match=message):
        analysis.plot_curve(curve, ax, splits=splits)
    assert not ax.lines
