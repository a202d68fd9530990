"""What means show, on means made for it; and the tables that are kept."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from curve_examples import labelled
from published_data import LCDB11

from analysis.databases.counted import CLASSIC
from analysis.databases.lcdb11.files import datasets_table, without_stray
from analysis.databases.lcdb11.summary import META
from analysis.published.computed import DATE, NotAtHandError, recall
from chapters.missed import means, study
from collection.anchors import anchor_grid


@pytest.fixture
def errors():
    """Curves of every learner on the ten largest datasets: 1/log2 of the anchor."""
    anchors = anchor_grid(up_to=4096)
    ids = datasets_table()["max_anchor"].nlargest(10).index.tolist()
    curve = 1 / np.log2(anchors)
    learners = [*CLASSIC, "CatBoost", "TabNet", "RealMLP", "TabPFNv2"]
    values = np.broadcast_to(curve, (len(ids), len(learners), len(anchors))).copy()
    return labelled(values, "dataset learner anchor", dataset=ids, learner=learners,
                    anchor=anchors).rename("error_rate")


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
    rising = means.rises_by_noise(errors, xr.zeros_like(errors), "KNN")
    assert rising["curves"].item() == 6


def test_noise_makes_monotone_curves_rise(errors):
    quiet = means.rises_by_noise(errors, xr.zeros_like(errors)).iloc[0]
    assert (quiet["curves"], quiet["rising"], quiet["by_noise"]) == (10, 0, 0)
    noisy = means.rises_by_noise(errors, xr.full_like(errors, 0.1)).iloc[0]
    assert noisy["rising"] == 0 and noisy["by_noise"] == 100
    errors.loc[{"learner": "TabNet", "anchor": 4096}] += 0.3
    assert means.rises_by_noise(errors, xr.zeros_like(errors))["rising"].item() == 100


def test_a_stray_dummy_is_looked_for_on_other_datasets(errors):
    small = datasets_table()["max_anchor"].idxmin()
    short = errors.assign_coords(dataset=[small, *errors["dataset"].values[1:]])
    keep = short["anchor"] <= datasets_table()["max_anchor"].loc[small]
    short = short.where(keep | (short["dataset"] != small))
    short[0].loc[{"learner": "DummyClassifier", "anchor": 4096}] = 0.7777
    assert means.stray_dummies(short)["elsewhere"].tolist() == [0]
    short[3].loc[{"learner": "DummyClassifier", "anchor": 16}] = 0.7777
    found = means.stray_dummies(short)
    assert found["elsewhere"].tolist() == [1] and found["anchor"].tolist() == [4096]


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


@pytest.fixture
def short(errors):
    """The curves on a dataset that ends before 4096 rows, and the same with values past its end."""
    ends = datasets_table()["max_anchor"]
    small = ends[ends < 1024].index[0]
    named = errors.assign_coords(dataset=[small, *errors["dataset"].values[1:]])
    past = (named["anchor"] > ends[small]) & (named["dataset"] == small)
    return named.where(~past), named.where(~past, 0.9)


def test_stray_values_are_left_out(short):
    clean, stray = short
    assert (stray.sel(dataset=stray["dataset"][0], anchor=4096) == 0.9).all()
    xr.testing.assert_identical(without_stray(stray), clean)


@pytest.mark.parametrize("of", [
    lambda e: means.median_curves(e, ["KNN", "TabNet"], 4096), means.largest_drops,
    lambda e: means.rises_by_noise(e, xr.zeros_like(e)), lambda e: means.bumps(e, at_least=5),
    means.bend_places, means.constant_stretches,
], ids=["median_curves", "largest_drops", "rises_by_noise", "bumps", "bend_places", "constant"])
def test_nothing_rests_on_stray_values(short, of):
    clean, stray = short
    pd.testing.assert_frame_equal(of(stray), of(clean))


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
    for name in study.TABLES:
        assert len(recall(f"missed_{name}")) and DATE in recall(f"missed_{name}")


def test_tables_are_recalled_without_the_summary(monkeypatch):
    def lacking():
        raise NotAtHandError("not here")

    monkeypatch.setattr(means, "summary_means", lacking)
    tables = study.tables_from_means()
    assert set(tables) == set(study.TABLES)
    pd.testing.assert_frame_equal(tables["mlp_bumps"], recall("missed_mlp_bumps"))


@pytest.mark.skipif(not (LCDB11 / META).is_file(), reason=f"needs the published means in {LCDB11}")
def test_what_is_kept_is_what_comes_out(tmp_path):
    for name, table in study.tables_from_means(tmp_path).items():
        pd.testing.assert_frame_equal(table.drop(columns=DATE),
                                      recall(f"missed_{name}").drop(columns=DATE), rtol=1e-4)
