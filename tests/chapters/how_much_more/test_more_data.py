"""Answers for one's own points; what is shipped predicts as it should."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import analysis
from analysis.extrapolation import EXTRAPOLATORS, predict
from analysis.extrapolation.artefacts import NotTrainedError, read
from analysis.extrapolation.folds import FOLDER, fold_of
from chapters.how_much_more.more_data import curve_of, expect_more, rows_needed
from collection.naming import UnknownNameError

SIZES = np.array([50, 100, 200, 400, 800, 1600])


def points(repeats=3, noise=0.002):
    rng = np.random.default_rng(0)
    rows = [(n, 0.05 + 1.2 * n**-0.5 + noise * rng.standard_normal())
            for n in SIZES for _ in range(repeats)]
    return pd.DataFrame(rows, columns=["size", "error"])


CALIBRATED = read("residuals")["extrapolators"].tolist()


@pytest.mark.parametrize("name", CALIBRATED)
def test_every_extrapolator_gives_ascending_quantiles(name):
    found = predict(curve_of(points()), [1000, 3200, 16_000], extrapolator=name)
    assert found.dims == ("size", "quantile")
    assert np.isnan(found.sel(size=1000)).all()  # not ahead of the last size
    ahead = found.sel(size=[3200, 16_000])
    assert ((ahead >= 0) & (ahead <= 1)).all()
    assert (ahead.diff("quantile") >= 0).all()


def test_a_falling_curve_is_expected_to_go_on_falling():
    table = expect_more(curve_of(points()))
    assert table["size"].tolist() == [3200, 6400, 16_000]
    assert (table["gain"] > 0).all()
    truth = 0.05 + 1.2 * table["size"] ** -0.5
    assert ((table["low"] <= truth) & (truth <= table["high"])).all()


def test_fewer_repeats_make_wider_intervals():
    many, one = (expect_more(curve_of(points(r, noise=0.02)).mean("repeat", keep_attrs=True)
                             if r == 1 else curve_of(points(r, noise=0.02))) for r in (25, 1))
    assert (one["high"] - one["low"]).mean() > (many["high"] - many["low"]).mean()


def test_rows_needed_is_where_the_median_gets_there():
    curve = curve_of(points())
    wanted = 0.07
    needed = rows_needed(curve, wanted)
    assert needed["early"] <= needed["expected"]
    at = predict(curve, [needed["expected"]], levels=(0.5,)).item()
    assert at <= wanted + 1e-9
    assert np.isnan(rows_needed(curve, 0.0005)["expected"])
    assert rows_needed(curve, 0.5) == dict.fromkeys(("early", "expected", "late"), 1600.0)


@pytest.mark.parametrize(("frame", "message"), [
    (pd.DataFrame({"rows": [1], "error": [0.1]}), "lack the column size"),
    (pd.DataFrame({"size": [10, -5], "error": [0.1, 0.2]}), "Row 1"),
    (pd.DataFrame({"size": [10, 20], "error": [0.1, 12.0]}), "Row 1"),
    (pd.DataFrame({"size": [10, 10], "error": [0.1, 0.2]}), "one size only")])
def test_bad_points_are_refused(frame, message):
    with pytest.raises(ValueError, match=message):
        curve_of(frame)


@pytest.mark.parametrize("wanted", [0, 1, -0.2, 5])
def test_a_wanted_error_outside_the_range_is_refused(wanted):
    with pytest.raises(ValueError, match="not between 0 and 1"):
        rows_needed(curve_of(points()), wanted)


@pytest.mark.parametrize(("sizes", "levels", "message"), [
    ([], (0.5,), "positive"), ([-3], (0.5,), "positive"), ([5000], (0.5, 1.0), "between 0 and 1"),
    ([5000], (0.9, 0.1), "ascend")])
def test_bad_questions_are_refused(sizes, levels, message):
    with pytest.raises(ValueError, match=message):
        predict(curve_of(points()), sizes, levels=levels)


def test_an_unknown_extrapolator_is_answered_with_close_names():
    with pytest.raises(UnknownNameError, match="POW4"):
        predict(curve_of(points()), [5000], extrapolator="POW5")


def test_what_was_not_trained_says_how_to_train_it(tmp_path):
    with pytest.raises(NotTrainedError, match="make extrapolators"):
        read("trees", tmp_path)


def test_an_extrapolator_added_since_says_how_to_calibrate_it(monkeypatch):
    stay = replace(EXTRAPOLATORS["LAST1"], name="stay")
    monkeypatch.setitem(EXTRAPOLATORS, "stay", stay)
    with pytest.raises(NotTrainedError, match="make extrapolators"):
        predict(curve_of(points()), [5000], extrapolator="stay")


def test_shipped_files_are_plain_numbers_of_at_most_ten_megabytes():
    assert sum(p.stat().st_size for p in FOLDER.iterdir()) < 10e6
    for path in FOLDER.glob("*.npz"):
        assert all(values.dtype != object for values in read(path.stem).values())


def test_training_datasets_and_their_like_are_known():
    assert fold_of("54") == fold_of("vehicle") >= 0
    assert fold_of("splice") == fold_of("dna") >= 0
    assert fold_of("imbalanced/pima") in (-1, fold_of("diabetes"))
    assert fold_of("my own table") == -1


def test_a_training_dataset_is_predicted_by_what_was_learnt_without_it():
    errors = analysis.load_curves("lcdb10")["error_rate"].sel(dataset=[54], split="valid")
    curves = errors.isel(scaling=0, leakage=0, drop=True).mean(["outer", "inner"])
    curves = curves.where(curves["anchor"] <= 128).load()
    known = predict(curves, [512])
    unknown = predict(curves.assign_coords(dataset=["new"], name=("dataset", ["new"])), [512])
    assert not np.allclose(known.fillna(0), unknown.fillna(0))


def test_the_others_on_a_dataset_are_listened_to():
    curve = curve_of(points()).mean("repeat")
    alone = predict(curve.expand_dims(learner=["LDA"]), [6400])
    both = xr.concat([curve, 0.3 * curve], pd.Index(["LDA", "KNN"], name="learner"))
    assert not np.allclose(alone.sel(learner="LDA"), predict(both, [6400]).sel(learner="LDA"))
