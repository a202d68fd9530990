"""What means show, on means made for it; and the tables that are kept."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from curve_examples import labelled
from published_data import LCDB11

from analysis.databases.lcdb11.summary import META
from analysis.databases.load import load_curves
from analysis.published.computed import DATE, recall
from collection.containers.learner_names import CLASSIC
from collection.official.lcdb11 import datasets_table
from collection.protocol.anchors import anchor_grid
from lab import means
from lab.shapes.causes import TABNET_BATCH


@pytest.fixture
def errors():
    """Curves of every learner on the ten largest datasets: 1/log2 of the anchor."""
    anchors = anchor_grid(up_to=4096)
    ids = datasets_table()["max_anchor"].nlargest(10).index.tolist()
    learners = [*CLASSIC, "CatBoost", "TabNet", "RealMLP", "TabPFNv2"]
    values = np.tile(1 / np.log2(anchors), (len(ids), len(learners), 1))
    return labelled(values, "dataset learner anchor", dataset=ids, learner=learners, anchor=anchors)


def test_median_curves(errors):
    errors.loc[{"learner": "TabNet"}] += np.arange(10)[:, None] / 100
    errors[0].loc[{"learner": "TabNet", "anchor": 4096}] = np.nan
    table = means.median_curves(errors, ["KNN", "TabNet"], 4096).set_index(["learner", "anchor"])
    assert table.loc["KNN", "datasets"].eq(10).all()
    assert table.loc["TabNet", "datasets"].eq(9).all()
    row = table.loc["TabNet", 1024]
    assert row[["median", "low", "high"]].tolist() == pytest.approx([0.15, 0.13, 0.17])


def test_tabnet_is_constant_below_a_batch_on_the_tables_gathered_anew_too():
    curves = load_curves("lcdb11-anew")["error_rate"].sel(
        learner="TabNet", scaling="none", leakage="no", split="valid").load()
    curves = curves.drop_sel(dataset="chess")  # three repeats, at some sizes
    curves = curves.dropna("dataset", how="all").mean(["outer", "inner"])
    below = curves.sel(anchor=slice(None, TABNET_BATCH - 1))
    assert len(curves["dataset"]) == 12 and int((below.std("anchor") < 1e-9).sum()) == 11
    reach = curves.sel(anchor=slice(TABNET_BATCH, None)).dropna("dataset", how="all")
    assert len(reach["dataset"]) == 2
    assert (reach.max("anchor") < 0.7 * below.mean("anchor").sel(dataset=reach["dataset"])).all()


def test_largest_drops(errors):
    errors.loc[{"learner": "TabNet", "anchor": errors["anchor"] < 1024}] = 0.9
    table = means.largest_drops(errors).set_index(["learner", "anchor"])
    assert table.loc["TabNet", "curves"].to_dict() == {1024: 10}
    assert table.loc["KNN", "curves"].to_dict() == {18: 10}


def test_tabnets_curves_are_counted_by_what_they_reach(errors):
    errors.loc[{"learner": "TabNet", "anchor": errors["anchor"] < 1024}] = 0.9
    errors[:3].loc[{"learner": "TabNet", "anchor": errors["anchor"] >= 1024}] = np.nan
    errors[3].loc[{"learner": "TabNet"}] = 1 / np.log2(errors["anchor"])
    row = means.tabnet_curves(errors).iloc[0]
    assert row[["curves", "reach", "constant", "at_batch"]].tolist() == [10, 7, 3, 6]
    assert row["share"] == pytest.approx(100 * 6 / 7)
    assert row["low"] < row["share"] < row["high"]


def test_bumps_stand_out(errors):
    errors.loc[{"learner": "MLP", "anchor": 609}] += 0.1
    table = means.bumps(errors, at_least=5).set_index("anchor")
    assert table["excess"].idxmax() == 609
    assert table.loc[609, "excess"] == pytest.approx(0.1, abs=1e-3)
    assert table.loc[609, "low"] <= table.loc[609, "excess"] <= table.loc[609, "high"]
    assert table.loc[609, "last_batch"] == 9
    assert means.bumps(errors, at_least=11).empty
    places = means.bend_places(errors)
    assert places.values.tolist() == [[609, 10]]


def test_stray_values_are_counted(errors):
    small = datasets_table()["max_anchor"].idxmin()
    short = errors.assign_coords(dataset=[small, *errors["dataset"].values[1:]])
    end = datasets_table()["max_anchor"].loc[small]
    past = (short["anchor"] > end) & (short["learner"] == "KNN")
    strays = short.where((short["anchor"] <= end) | (short["dataset"] != small) | past)
    table = means.stray_by_curve(strays, xr.zeros_like(strays))
    row = table.iloc[0]
    assert len(table) == 1 and row["learner"] == "KNN" and row["dataset"] == small
    assert row["values"] == (short["anchor"] > end).sum() and row["last"] == 4096
    assert row["stderr"] == 0


@pytest.mark.skipif(not (LCDB11 / META).is_file(), reason=f"needs the published means in {LCDB11}")
@pytest.mark.parametrize("name", means.FROM_MEANS)
def test_what_is_kept_is_what_comes_out(name):
    table = means.KEPT[f"artefacts_{name}"]()
    kept = recall(f"artefacts_{name}").drop(columns=DATE)
    pd.testing.assert_frame_equal(table, kept, rtol=1e-4, check_dtype=False)
