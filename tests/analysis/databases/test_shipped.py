"""LCDB 1.1 anew and its sample: small, described, made of curves that come out again."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.databases.shipped import open_shipped
from collection.containers.curves import CurveKey, Status
from collection.datasets import load_dataset
from collection.running.curve import curve_fits
from collection.shipped.anew import DATASETS, FOLDER, sample_files

LIMIT = 40_000_000  # bytes
#: Neither a platform's numerics nor ties of distances decide about a row's class.
EXACT = ("Decision Tree", "ExtraTree", "GaussianNB", "NearestCentroid", "DummyClassifier",
         "SVM_RBF", "Perceptron", "PassiveAggressive")
#: Rows that are equal may differ in the last bit of their scores, which decides their order.
TOLERANCE = {"f1": 5.1e-5, "auc": 0.03, "log_loss": 6e-5}
GROUP = ["dataset", "learner", "scaling", "leakage"]


@pytest.fixture(scope="module")
def curves():
    return analysis.load_curves("mini")


def test_it_is_small():
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) <= LIMIT


def test_the_sample_is_of_sixteen_tables_as_the_whole_has_them(curves):
    whole = analysis.load_curves("lcdb11-anew")
    assert curves.sizes["dataset"] == 16 and set(curves["learner"].values) <= set(
        whole["learner"].values)
    some = {"dataset": ["tae", "vehicle"], "learner": ["KNN", "QDA"], "split": "valid"}
    own, theirs = (c["error_rate"].sel(some).dropna("anchor", how="all") for c in (curves, whole))
    np.testing.assert_array_equal(own.load(), theirs.sel(scaling=own["scaling"].values).load())


def test_a_missing_metric_has_a_status_or_a_reason(curves):
    fits = curves[["error_rate", "f1", "auc", "log_loss", "train_time", "status",
                   "message"]].isel(dataset=slice(3)).sel(split=["valid", "test"]).load()
    ok = fits["status"] == Status.ok
    for name in ("error_rate", "f1", "train_time"):
        missing = fits[name].isnull()
        missing = missing.any("split") if "split" in missing.dims else missing
        assert (missing == ~ok).all()
    assert (fits["message"].where(~ok, 1) > 0).all()
    assert fits["auc"].where(~ok).isnull().all() and fits["log_loss"].where(~ok).isnull().all()


def test_counts_are_those_of_the_table_of_datasets(curves):
    datasets = pd.read_csv(FOLDER / DATASETS).set_index("dataset").loc[curves["dataset"].values]
    there = (curves["status"] != Status.not_run).load()
    fits = there.sum([d for d in there.dims if d != "dataset"]).to_series()
    whole = there.any("anchor").sum(["learner", "scaling", "leakage", "outer", "inner"])
    pd.testing.assert_series_equal(fits, datasets["fits"], check_names=False,
                                   check_index_type=False)
    pd.testing.assert_series_equal(whole.to_series(), datasets["curves"], check_names=False,
                                   check_index_type=False)
    assert datasets["licence"].notna().all() and datasets["versions"].str.contains("1.4.2").all()


def test_a_handful_of_curves_comes_out_again(curves):
    generator = np.random.default_rng(2025)
    table = pd.concat(pq.read_table(file, columns=[*GROUP, "outer", "inner"]).to_pandas()
                      for file in sorted(sample_files())).astype(str).astype(
                          {"outer": int, "inner": int})
    keys = table[table["learner"].isin(EXACT)].astype(object).drop_duplicates(ignore_index=True)
    for key in keys.iloc[generator.choice(len(keys), 2, replace=False)].itertuples(index=False):
        shipped = curves[["error_rate", "status", *TOLERANCE]].sel(key._asdict()).load()
        task = CurveKey(str(shipped["source"].values), *key[1:])
        for fit in curve_fits(load_dataset(task.dataset), task):
            found = shipped.sel(anchor=fit.anchor)
            assert int(found["status"]) == fit.status, key
            np.testing.assert_array_equal(found["error_rate"], fit.error_rate, err_msg=str(key))
            for name, atol in TOLERANCE.items():
                np.testing.assert_allclose(  # of training rows it is not kept
                    found[name][1:], getattr(fit, name)[1:], rtol=1e-6, atol=atol,
                    err_msg=f"{name} of {key}")


def test_without_its_files_the_message_says_how_to_make_them(tmp_path):
    with pytest.raises(FileNotFoundError, match="make lcdb11-anew"):
        open_shipped(tmp_path, "lcdb11-anew")
