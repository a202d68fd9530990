"""The shipped database: small, described, complete, and made of curves that come out again."""


import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.databases.shipped import open_shipped
from collection.containers.curves import CurveKey, Status
from collection.datasets import load_dataset
from collection.project.paths import DATA
from collection.protocol.anchors import anchor_grid
from collection.running.curve import curve_fits
from collection.shipped.croissant import CROISSANT, DATASETS, FITS
from collection.shipped.recipe import LACKING
from collection.shipped.recipes import MINI

FOLDER = DATA / "mini"
LIMIT = 15_000_000  # bytes
#: Neither a platform's numerics nor ties of distances decide about a row's class.
EXACT = ("Decision Tree", "ExtraTree", "GaussianNB", "NearestCentroid", "DummyClassifier",
         "SVM_RBF", "Perceptron", "PassiveAggressive")
#: Rows that are equal may differ in the last bit of their scores, which decides their order.
TOLERANCE = {"f1": 1e-6, "auc": 0.02, "log_loss": 1e-5}
GROUP = ["dataset", "learner", "scaling", "leakage"]


@pytest.fixture(scope="module")
def curves():
    return analysis.load_curves("mini")


@pytest.fixture(scope="module")
def groups():
    """One row per dataset, learner, scaling and leakage: its repeats, and its anchors in each."""
    table = pq.read_table(FOLDER / FITS, columns=[*GROUP, "outer", "inner", "anchor"]).to_pandas()
    repeats = table.groupby([*GROUP, "outer", "inner"], observed=True)["anchor"].nunique()
    by_group = repeats.groupby(GROUP, observed=True)
    return by_group.agg(repeats="size", fewest="min", most="max").reset_index()


def test_it_is_small():
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) <= LIMIT


def test_curves_have_every_anchor_and_25_repeats_but_for_the_experiments(groups):
    datasets = pd.read_csv(FOLDER / DATASETS).set_index("dataset")
    whole = {name: len(anchor_grid(size)) for name, size in datasets["train_rows"].items()}
    expected = groups["dataset"].astype(object).map(whole)
    tabnet, experiment = (groups["learner"].str.contains(name) for name in ("TabNet", "MLPCl"))
    assert (groups.loc[~tabnet & ~experiment, "repeats"] == 25).all()
    assert (groups["repeats"] >= 3).all() and (groups["fewest"] == groups["most"]).all()
    assert (groups["most"] == expected)[~tabnet].all()


def test_it_holds_the_recipe_but_for_what_it_lists_as_lacking(groups):
    names = pd.read_csv(FOLDER / DATASETS).set_index("source")["dataset"]
    asked = {(names.get(spec, spec), *rest[:3]) for spec, *rest in MINI.wanted()}
    lacking = pd.read_csv(FOLDER / LACKING)
    assert lacking["reason"].isin(["not gathered", "some repeats are missing"]).all()
    lacks = set(lacking[GROUP].itertuples(index=False, name=None))
    holds = set(groups[GROUP].itertuples(index=False, name=None))
    assert holds | lacks == asked and not holds & lacks


def test_the_description_is_valid_and_its_records_can_be_read():
    mlcroissant = pytest.importorskip("mlcroissant")
    described = mlcroissant.Dataset(jsonld=FOLDER / CROISSANT)
    assert not described.metadata.issues.errors and not described.metadata.issues.warnings
    rows = list(described.records("datasets"))
    assert [r["datasets/dataset"].decode() for r in rows] == pd.read_csv(
        FOLDER / DATASETS)["dataset"].tolist()
    fit = next(iter(described.records("fits")))
    assert fit["fits/anchor"] == 16 and fit["fits/status"].decode() in Status.__members__


def test_a_missing_metric_has_a_status_or_a_reason(curves):
    fits = curves[["error_rate", "f1", "auc", "log_loss", "train_time", "status",
                   "message"]].isel(dataset=slice(3)).load()
    ok = fits["status"] == Status.ok
    for name in ("error_rate", "f1", "train_time"):
        missing = fits[name].isnull()
        missing = missing.any("split") if "split" in missing.dims else missing
        assert (missing == ~ok).all()
    assert (fits["message"].where(~ok, 1) > 0).all()
    assert fits["auc"].where(~ok).isnull().all() and fits["log_loss"].where(~ok).isnull().all()


def test_counts_are_those_of_the_table_of_datasets(curves):
    datasets = pd.read_csv(FOLDER / DATASETS).set_index("dataset")
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
    table = pq.read_table(FOLDER / FITS, columns=[*GROUP, "outer", "inner"]).to_pandas()
    keys = table[table["learner"].isin(EXACT)].astype(object).drop_duplicates(ignore_index=True)
    for key in keys.iloc[generator.choice(len(keys), 6, replace=False)].itertuples(index=False):
        shipped = curves[["error_rate", "status", *TOLERANCE]].sel(key._asdict()).load()
        task = CurveKey(str(shipped["source"].values), *key[1:])
        for fit in curve_fits(load_dataset(task.dataset), task):
            found = shipped.sel(anchor=fit.anchor)
            assert int(found["status"]) == fit.status, key
            np.testing.assert_array_equal(found["error_rate"], fit.error_rate, err_msg=str(key))
            for name, atol in TOLERANCE.items():
                np.testing.assert_allclose(found[name], getattr(fit, name), rtol=1e-6, atol=atol,
                                           err_msg=f"{name} of {key}")


def test_without_its_files_the_message_says_how_to_make_them(tmp_path):
    with pytest.raises(FileNotFoundError, match="make mini"):
        open_shipped(tmp_path, "mini")
