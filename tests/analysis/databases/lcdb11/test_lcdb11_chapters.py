"""The chapters on the paper's analyses run on files in the official layout.

The files hold the curves of `mini` for the smallest datasets that it shares with LCDB 1.1,
simulated ones for a few more, and nothing for two of the rest; training times are not among them.
"""

import sys
from contextlib import chdir

import matplotlib.pyplot as plt
import numpy as np
import pytest
from official_layout import simulate, write_official

from analysis import detect_shapes, load_curves
from analysis.databases import counted_curves, naming
from analysis.databases.lcdb11.open import file_lengths
from analysis.shapes import curves_table
from collection.containers.curves import LEAKAGES, SCALINGS
from collection.official import lcdb11 as files
from collection.official.lcdb11 import LEARNER_SETS, datasets_table
from collection.project.paths import ROOT, cache_dir
from collection.protocol.anchors import anchor_grid

sys.path.append(str(ROOT / "book"))
from chapter_dependencies import code_cells

pytestmark = pytest.mark.filterwarnings("error")  # what goes to stderr is an error on a page

NAMES = ("LCDB11_ER_265_24.hdf5", "LCDB11_ER_265_catboost.hdf5", "LCDB11_msg_265_24.hdf5")
DIMS = ("learner", "outer", "inner", "anchor", "split", "scaling", "leakage")
SIMULATED = (11, 15, 23)
EMPTY = (3, 6)


@pytest.fixture(scope="module")
def mini():
    curves = load_curves("mini")[["error_rate"]]
    shared = curves["openml_id"].isin(datasets_table().index)
    curves = curves.isel(dataset=np.flatnonzero(shared)[:4]).load()  # the smallest
    return curves.assign_coords(dataset=curves["openml_id"].astype(int))


@pytest.fixture(scope="module", autouse=True)
def official(mini, tmp_path_factory):
    """Have the cache hold official files of few datasets, and chapters run on them."""
    cache = tmp_path_factory.mktemp("official")
    filled = [*SIMULATED, *mini["dataset"].values]
    few = datasets_table()[lambda table: table.index.isin([*filled, *EMPTY])]
    few.astype({"cc18": int}).to_csv(cache / "datasets.csv")
    (cache / "lcdb11").mkdir()
    for file in cache_dir().glob("lcdb10*"):
        (cache / file.name).symlink_to(file.resolve())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEARNING_CURVES_CACHE", str(cache))
        patch.delenv("LEARNING_CURVES_PUBLISHED", raising=False)
        patch.setattr(files, "DATASETS_TABLE", cache / "datasets.csv")
        _forget()
        for name in NAMES:
            write_official(cache / "lcdb11", name, filled, lambda *which: _curves(mini, *which))
        yield
    _forget()


def _forget():
    """Have the table of datasets read anew."""
    datasets_table.cache_clear()
    naming._names.cache_clear()


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


def run(name: str, folder) -> dict:
    """Do what a page's cells do, here, on these files; return its tables."""
    names, (given, *cells) = {}, list(code_cells(ROOT / "book" / f"{name}.md"))
    with chdir(folder):
        for cell in (given, 'database = "lcdb11"', *cells):
            exec(compile(cell, name, "exec"), names)
            plt.close("all")
    assert "LCDB 1.1" in names["page"].numbers["title"]
    return names["page"].tables


def test_counted_curves_have_in_them_the_shapes_of_mini(mini):
    valid, tried = counted_curves("lcdb11", "none")
    found = curves_table(detect_shapes(valid), tried).set_index(["dataset", "learner"])
    errors = mini["error_rate"].sel(split="valid", leakage="no", scaling="none", drop=True)
    errors = errors.sel(learner=["KNN", "LDA", "Perceptron", "Decision Tree"])
    expected = detect_shapes(errors, "corrected")
    assert not expected["missing"].any()
    for verdict in ("non_monotone", "non_convex", "peaking", "dipping", "violation_mono"):
        for keys, value in expected[verdict].to_series().items():
            assert float(found.loc[keys, verdict]) == pytest.approx(float(value), abs=1e-12)
    n_datasets = len(datasets_table())
    assert len(found) == n_datasets * (23 + 1)  # with CatBoost, without the Dummy
    assert int(counted_curves("lcdb11", "standard")[1].sum()) == n_datasets * 23


def test_other_chapters_run(tmp_path):
    scaled = run("da2", tmp_path)["overall"]  # one database has several scalings: these
    assert scaled["difference"].notna().any()
    rows = run("da4", tmp_path)["strategies"]
    mine = rows[(rows["database"] == "lcdb11") & (rows["strategy"] == "early")]
    assert mine["rows_share"].notna().all() and mine["seconds_share"].isna().all()
