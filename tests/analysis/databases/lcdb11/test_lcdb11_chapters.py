"""The chapters on the paper's analyses run on files in the official layout.

The files hold the curves of `mini` for the smallest datasets that it shares with LCDB 1.1,
simulated ones for a few more, and nothing for the rest, of which one in 66 is left; training times
are not among them.
"""

import numpy as np
import pandas as pd
import pytest
from chapter_runs import copy_book, run_chapter, shown_text
from official_layout import simulate, write_official

from analysis import detect_shapes, load_curves
from analysis.databases.lcdb11 import files
from analysis.databases.lcdb11.files import LEARNER_SETS, datasets_table
from analysis.databases.lcdb11.layout import file_lengths
from collection.containers.curves import LEAKAGES, SCALINGS
from collection.protocol.anchors import anchor_grid

NAMES = ("LCDB11_ER_265_24.hdf5", "LCDB11_ER_265_catboost.hdf5", "LCDB11_msg_265_24.hdf5")
DIMS = ("learner", "outer", "inner", "anchor", "split", "scaling", "leakage")
SIMULATED = (11, 15, 23)


@pytest.fixture(scope="module")
def mini():
    curves = load_curves("mini")
    shared = curves["openml_id"].isin(datasets_table().index)
    curves = curves.isel(dataset=np.flatnonzero(shared)[:4])  # the smallest
    return curves.assign_coords(dataset=curves["openml_id"].astype(int))


@pytest.fixture(scope="module")
def copy(mini, tmp_path_factory):
    """A copy of the book with official files in its cache, and the table of their datasets."""
    copy = copy_book(tmp_path_factory.mktemp("official"))
    official = copy / "data" / "cache" / "lcdb11"
    official.mkdir()
    filled = [*SIMULATED, *mini["dataset"].values]
    known = datasets_table()
    left = known[known.index.isin(filled) | (np.arange(len(known)) % 66 == 0)]
    left.astype({"cc18": int}).to_csv(copy / "data" / "lcdb11_datasets.csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "DATASETS_TABLE", copy / "data" / "lcdb11_datasets.csv")
        datasets_table.cache_clear()
        for name in NAMES:
            write_official(official, name, filled, lambda *which: _curves(mini, *which))
    datasets_table.cache_clear()
    stated = copy / "data" / "checksums.sha256"
    stated.write_text("".join(line for line in stated.read_text().splitlines(keepends=True)
                              if "lcdb11_datasets" not in line))
    return copy


def _curves(mini, file, dataset: int) -> np.ndarray:
    """Return the curves of `mini`, and for other datasets simulated ones, some with a peak."""
    if dataset in SIMULATED:
        peak = np.exp(-(np.log2(anchor_grid() / 64) ** 2)) * (dataset in SIMULATED[:2])
        return simulate(file, dataset) + 0.2 * peak[:, None, None, None]
    lengths = file_lengths(file)
    return mini["error_rate"].sel(dataset=dataset).reindex(
        learner=list(LEARNER_SETS[file.learners]), anchor=anchor_grid(),
        scaling=list(SCALINGS[:lengths["scaling"]]),
        leakage=list(LEAKAGES[:lengths["leakage"]])).transpose(*DIMS).values


def test_da1_finds_in_them_the_shapes_of_mini(copy, mini):
    assert "LCDB 1.1 FULL" in shown_text(run_chapter(copy, "da1", "lcdb11"))
    results = copy / "results" / "da1"
    found = pd.read_csv(results / "curves.csv").query("procedure == 'corrected'")
    errors = mini["error_rate"].sel(split="valid", leakage="no", scaling="none", drop=True)
    errors = errors.sel(learner=["KNN", "LDA", "Perceptron", "Decision Tree"])
    there = errors.notnull().any(["outer", "inner", "anchor"]).to_series()
    found = found[found["scaling"] == "none"].set_index(["dataset", "learner"])
    columns = ["non_monotone", "non_convex", "peaking", "dipping", "violation_mono"]
    for keys, kept in there.items():
        one = detect_shapes(errors.sel(dataset=[keys[0]], learner=[keys[1]]), "corrected")
        expected = [float(one[c].squeeze()) for c in columns]
        assert kept
        np.testing.assert_allclose(found.loc[keys, columns].astype(float), expected, atol=1e-12)
    rates = pd.read_csv(results / "rates.csv").set_index(["procedure", "scaling"])["n_curves"]
    n_datasets = len(pd.read_csv(copy / "data" / "lcdb11_datasets.csv"))
    assert rates["corrected", "none"] == n_datasets * (23 + 1)  # with CatBoost, without the Dummy
    assert rates["corrected", "standard"] == n_datasets * 23


@pytest.mark.parametrize("chapter", ["da2", "leakage", "performance", "da3", "da4"])
def test_the_other_chapters_run(copy, chapter):
    assert "LCDB 1.1" in shown_text(run_chapter(copy, chapter, "lcdb11"))
    table = {"da2": "rates", "leakage": "different", "performance": "best", "da3": "summary",
             "da4": "strategies"}[chapter]
    rows = pd.read_csv(copy / "results" / chapter / f"{table}.csv")
    assert "lcdb11" in set(rows["database"])
    if chapter == "da4":
        mine = rows[(rows["database"] == "lcdb11") & (rows["strategy"] == "early")]
        assert mine["rows_share"].notna().all() and mine["seconds_share"].isna().all()
