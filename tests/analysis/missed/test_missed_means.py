"""What means show, on means made for it; and the tables that are kept."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from analysis.computed import DATE, recall
from analysis.lcdb11.files import dataset_ids, datasets_table
from analysis.lcdb11.summary_place import BESIDE, META
from analysis.ledger.means import CLASSIC
from analysis.missed import kept, means
from collection.anchors import anchor_grid


@pytest.fixture
def errors():
    """Curves of every learner on the ten largest datasets: 1/log2 of the anchor."""
    anchors = anchor_grid(up_to=4096)
    ids = datasets_table()["max_anchor"].nlargest(10).index.tolist()
    curve = 1 / np.log2(anchors)
    learners = [*CLASSIC, "CatBoost", "TabNet", "RealMLP", "TabPFNv2"]
    values = np.broadcast_to(curve, (len(ids), len(learners), len(anchors))).copy()
    return xr.DataArray(values, dims=("dataset", "learner", "anchor"), name="error_rate",
                        coords={"dataset": ids, "learner": learners, "anchor": anchors})


def test_median_curves(errors):
    errors.loc[{"learner": "TabNet"}] += np.arange(10)[:, None] / 100
    errors[0].loc[{"learner": "TabNet", "anchor": 4096}] = np.nan
    table = means.median_curves(errors, ["KNN", "TabNet"], 4096).set_index(["learner", "anchor"])
    assert table.loc["KNN", "datasets"].eq(10).all()
    assert table.loc["TabNet", "datasets"].eq(9).all()
    row = table.loc["TabNet", 1024]
    assert row[["median", "low", "high"]].tolist() == pytest.approx([0.15, 0.13, 0.17])


def test_largest_drops(errors):
    errors.loc[{"learner": "TabNet", "anchor": errors["anchor"] < 1024}] = 0.9
    table = means.largest_drops(errors).set_index(["learner", "anchor"])
    assert table.loc["TabNet", "curves"].to_dict() == {1024: 10}
    assert table.loc["KNN", "curves"].to_dict() == {18: 10}
    assert table.loc[("TabNet", 1024), "spread_before"] == pytest.approx(0, abs=1e-12)
    assert table.loc[("KNN", 18), "spread_before"] > 0.01


def test_curves_that_stop_early_are_left_out(errors):
    errors[:4].loc[{"learner": "KNN", "anchor": errors["anchor"] >= 1024}] = np.nan
    table = means.largest_drops(errors)
    assert table.loc[table["learner"] == "KNN", "of"].unique().tolist() == [6]
    bent = means.bends_from(errors, "KNN", (16, 1024))
    assert bent["curves"].tolist() == [6, 6]


def test_bends_from(errors):
    errors.loc[{"learner": "MLP", "anchor": 64}] += 0.3
    table = means.bends_from(errors, "MLP", (16, 1024)).set_index("from")
    assert table["non_monotone"].tolist() == [100, 0]
    assert table["non_convex"].tolist() == [100, 0]


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


def test_last_batches():
    assert means.last_batch(np.array([16, 198, 200, 216, 400, 609])).tolist() == [0, 0, 0, 16, 0, 9]


def test_flat_readings(errors):
    errors.loc[{"learner": "KNN"}] = 0.2 + 1e-3 * (errors["anchor"] < 20)
    errors.loc[{"learner": "TabNet", "anchor": 16}] = 9
    table = means.flat_readings(errors).set_index("learner")
    assert len(table) == 24 and table.loc["KNN"].tolist() == [100, 100]
    assert table.loc["LDA"].tolist() == [0, 100]


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
    moved = means.stray_effects(strays)
    assert moved["learner"].tolist() == ["KNN"] and moved["change"].item() > 0


def test_tabpfn_datasets(errors):
    errors[:3].loc[{"learner": "TabPFNv2"}] = np.nan
    table = means.tabpfn_datasets(errors)
    assert table["datasets"].sum() == 10 and table["with_curve"].sum() == 7


def test_constant_stretches(errors):
    errors[:5].loc[{"learner": "SVM_RBF", "anchor": errors["anchor"][3:11]}] = 0.5
    errors[5:].loc[{"learner": "SVM_RBF", "anchor": errors["anchor"][3:10]}] = 0.5
    table = means.constant_stretches(errors).set_index("learner")["curves"]
    assert table["SVM_RBF"] == 50 and table.drop("SVM_RBF").eq(0).all()
    assert "QDA" not in table


def test_every_table_is_kept():
    for name in kept.TABLES:
        assert len(recall(f"missed_{name}")) and DATE in recall(f"missed_{name}")


def test_tables_are_recalled_without_the_summary(monkeypatch):
    def lacking():
        raise FileNotFoundError("not here")

    monkeypatch.setattr(means, "summary_means", lacking)
    tables = kept.tables_from_means()
    assert set(tables) == set(kept.TABLES)
    pd.testing.assert_frame_equal(tables["bends"], recall("missed_bends"))


@pytest.mark.skipif(not (BESIDE / META).is_file(), reason=f"needs the published means in {BESIDE}")
def test_what_is_kept_is_what_comes_out(tmp_path):
    for name, table in kept.tables_from_means(tmp_path).items():
        pd.testing.assert_frame_equal(table.drop(columns=DATE),
                                      recall(f"missed_{name}").drop(columns=DATE), rtol=1e-4)


def test_ids_are_known():
    assert set(datasets_table()["max_anchor"].nlargest(10).index) <= set(dataset_ids("FULL"))
