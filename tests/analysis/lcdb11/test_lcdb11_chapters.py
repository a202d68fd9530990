"""The chapters on the paper's analyses run on files in the official layout.

The files hold the curves of `mini` for the datasets that it shares with LCDB 1.1, simulated ones
for a few more, and nothing for the rest; training times are not among them.
"""

import shutil

import jupytext
import numpy as np
import pandas as pd
import pytest
from nbclient import NotebookClient
from official_layout import simulate, write_official

from analysis import detect_shapes, load_curves
from analysis.lcdb11.files import LEARNER_SETS, datasets_table
from analysis.lcdb11.layout import file_lengths
from collection.anchors import anchor_grid
from collection.container import LEAKAGES, SCALINGS
from collection.paths import ROOT

NAMES = ("LCDB11_ER_265_24.hdf5", "LCDB11_ER_265_catboost.hdf5", "LCDB11_msg_265_24.hdf5")
DIMS = ("learner", "outer", "inner", "anchor", "split", "scaling", "leakage")
SIMULATED = (11, 15, 23, 29, 31, 1063)


@pytest.fixture(scope="module")
def mini():
    curves = load_curves("mini")
    shared = curves["openml_id"].isin(datasets_table().index)
    curves = curves.isel(dataset=shared.values)
    return curves.assign_coords(dataset=curves["openml_id"].astype(int))


@pytest.fixture(scope="module")
def chapters(mini, tmp_path_factory):
    """Return a copy of the book, with official files in its cache, and what runs a chapter."""
    copy = tmp_path_factory.mktemp("official") / "book"
    for folder in ("analysis", "collection", "book"):
        shutil.copytree(ROOT / folder, copy / folder)
    shutil.copytree(ROOT / "data", copy / "data", ignore=shutil.ignore_patterns("cache"))
    cache = copy / "data" / "cache"
    (cache / "lcdb11").mkdir(parents=True)
    for name in NAMES:
        write_official(cache / "lcdb11", name, [*SIMULATED, *mini["dataset"].values],
                       lambda *which: _curves(mini, *which))
    for file in (ROOT / "data" / "cache").glob("lcdb10*"):
        (cache / file.name).symlink_to(file)

    def run(chapter: str):
        environment = pytest.MonkeyPatch()
        with environment.context() as patch:
            patch.setenv("DATABASE", "lcdb11")
            patch.setenv("PYTHONPATH", str(copy))
            patch.delenv("LEARNING_CURVES_CACHE", raising=False)
            notebook = jupytext.read(copy / "book" / f"{chapter}.md")
            NotebookClient(notebook, timeout=600, resources={
                "metadata": {"path": copy / "book"}}).execute()
        return notebook, copy / "results" / chapter

    return run


def _curves(mini, file, dataset: int) -> np.ndarray:
    """Return the curves of `mini` where it has the dataset, and else simulated ones."""
    if dataset in SIMULATED:
        return simulate(file, dataset)
    lengths = file_lengths(file)
    return mini["error_rate"].sel(dataset=dataset).reindex(
        learner=list(LEARNER_SETS[file.learners]), anchor=anchor_grid(),
        scaling=list(SCALINGS[:lengths["scaling"]]),
        leakage=list(LEAKAGES[:lengths["leakage"]])).transpose(*DIMS).values


def _output(notebook) -> str:
    texts = [o for cell in notebook.cells for o in cell.get("outputs", [])]
    assert not [o for o in texts if o.get("name") == "stderr"]
    return "".join(str(o.get("data", "")) for o in texts)


def test_da1_finds_in_them_the_shapes_of_mini(chapters, mini):
    notebook, results = chapters("da1")
    assert "LCDB 1.1 FULL" in _output(notebook)
    found = pd.read_csv(results / "curves.csv").query("procedure == 'corrected'")
    errors = mini["error_rate"].sel(split="valid", leakage="no", scaling="none", drop=True)
    errors = errors.sel(learner=["KNN", "LDA", "SVM_Sigmoid", "Decision Tree"])
    there = errors.notnull().any(["outer", "inner", "anchor"]).to_series()
    found = found[found["scaling"] == "none"].set_index(["dataset", "learner"])
    columns = ["non_monotone", "non_convex", "peaking", "dipping", "violation_mono"]
    for keys, kept in there.items():
        one = detect_shapes(errors.sel(dataset=[keys[0]], learner=[keys[1]]), "corrected")
        expected = [float(one[c].squeeze()) for c in columns]
        assert kept
        np.testing.assert_allclose(found.loc[keys, columns].astype(float), expected, atol=1e-12)
    rates = pd.read_csv(results / "rates.csv").set_index(["procedure", "scaling"])["n_curves"]
    assert rates["corrected", "none"] == 265 * (23 + 1)  # with CatBoost, without the Dummy
    assert rates["corrected", "standard"] == 265 * 23


@pytest.mark.parametrize("chapter", ["da2", "da3", "da4"])
def test_the_other_analyses_run(chapters, chapter):
    notebook, results = chapters(chapter)
    assert "LCDB 1.1" in _output(notebook)
    table = {"da2": "rates", "da3": "summary", "da4": "strategies"}[chapter]
    rows = pd.read_csv(results / f"{table}.csv")
    assert "lcdb11" in set(rows["database"])
    if chapter == "da4":
        mine = rows[(rows["database"] == "lcdb11") & (rows["strategy"] == "early")]
        assert mine["rows_share"].notna().all() and mine["seconds_share"].isna().all()
