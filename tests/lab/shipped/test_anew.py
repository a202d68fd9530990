"""LCDB 1.1 gathered anew: what is gathered is fixed, and a file holds what its store held."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from analysis.databases.load import load_curves
from analysis.databases.shipped import open_shipped
from collection.containers.curves import SPLITS
from collection.containers.learner_names import CLASSIC
from collection.project.paths import DATA
from collection.protocol.anchors import anchor_grid
from collection.protocol.splits import SEEDS, training_size
from collection.shipped.anew import DATASETS
from collection.shipped.columns import COLUMNS_ANEW, DATASET_COLUMNS
from collection.store import open_store
from collection.suites.specs import find_suite
from lab.shipped import anew
from lab.shipped.export import ExportError, export_described, export_portion
from lab.shipped.recipes import Batch

FILES = sorted((DATA / "lcdb11-anew").rglob("*.parquet"))
PORTIONS = {portion.name: portion for portion in anew.portions()}
SIZES = pd.read_csv(DATA / "lcdb11-anew" / DATASETS).set_index("source")["train_rows"]
LEARNERS = ("KNN", "GaussianNB", "RidgeClassifier")
FEW = {"outer": (0,), "inner": (0, 1), "anchors": (16, 32, 45)}


@pytest.fixture(scope="module")
def gathered(tmp_path_factory):
    """Two stores, and the folder with a file of each."""
    folder = tmp_path_factory.mktemp("anew")
    for name, spec, scalings in (("wine", "sklearn:wine", ("none",)),
                                 ("iris", "sklearn:iris", ("none",)),
                                 ("iris_scaled", "sklearn:iris", ("minmax",))):
        batch = Batch((spec,), LEARNERS, scalings, **FEW)
        assert not batch.gather(folder / name, WORKERS=1)
        export_portion(folder / name, batch.curves(), folder / "files" / f"{name}.parquet")
    export_described(folder / "files")
    return folder


def test_the_plan_is_of_the_suite_and_ends_where_the_grid_does_or_time_is_up():
    plan, tasks = anew.read_plan(), find_suite(anew.SUITE).tasks
    assert sorted(plan["dataset"]) == sorted(task.dataset for task in tasks)
    assert plan["seconds"].is_monotonic_increasing
    assert [anchor_grid(training_size(n))[-1] for n in plan["rows"]] == plan["grid_end"].tolist()
    whole = plan["last_anchor"] == plan["grid_end"]
    assert (plan.loc[~whole, "last_anchor"] >= 512).all() and whole.mean() > 0.8
    assert (plan.loc[plan["seconds"] > anew.SECONDS, "last_anchor"] <= 512).all()


def test_portions_are_every_dataset_in_each_part_with_a_file_of_its_own():
    portions = list(anew.portions())
    names = [portion.name for portion in portions]
    beside = sum(len(tables) for tables, _ in anew.BESIDE.values())
    suite = len(anew.read_plan()) * len(anew.PARTS)
    seeded = [p.batch for p in portions if p.batch.seeds == anew.DISTINCT]
    assert len(set(names)) == len(names) == suite + beside + len(seeded)
    assert {len({inner for *_, inner in batch.curves()}) for batch in seeded} == {25}
    assert names[0] == "MASS-crabs" and f"{names[0]}_scaled" in names
    alone = {"catboost": "CatBoost", "tabnet": "TabNet", "realmlp": "RealMLP"}
    assert all(p.batch.learners == ((alone[end],) if (end := p.name.rpartition("_")[2]) in alone
                                    else CLASSIC)
               and p.batch.outer == p.batch.inner == SEEDS for p in portions[:suite])
    assert all(p.batch.datasets[0] in anew.OUTSIDE for p in portions[suite:suite + beside]
               if p.name.partition("_")[2] in ("", "scaled", "leaked", "catboost", "realmlp"))


def test_files_open_as_their_stores_do_to_four_decimals(gathered):
    curves = open_shipped(gathered / "files", "lcdb11-anew")
    assert curves["dataset"].values.tolist() == ["iris", "wine"]
    assert curves["scaling"].values.tolist() == ["none", "minmax"]
    for name in ("iris", "wine", "iris_scaled"):
        store = open_store(gathered / name).load()
        ours = curves.sel({dim: store[dim] for dim in store.dims if dim in curves.dims}).load()
        assert np.array_equal(ours["error_rate"], store["error_rate"])
        assert np.array_equal(ours["status"], store["status"])
        for metric in ("f1", "auc", "log_loss"):
            kept, held = (c[metric].sel(split=list(SPLITS[1:])).values for c in (ours, store))
            assert np.array_equal(kept, held.round(4), equal_nan=True) or np.allclose(
                kept, held, atol=5.1e-5, equal_nan=True)
            assert np.isnan(ours[metric].sel(split="train")).all()


def test_a_dataset_that_was_not_gathered_in_some_way_is_not_run_there(gathered):
    curves = load_curves(gathered / "files")  # a folder opens by its path
    assert np.isnan(curves["error_rate"].sel(dataset="wine", scaling="minmax")).all()


def test_the_table_of_datasets_says_what_all_files_of_each_cost(gathered):
    table = pd.read_csv(gathered / "files" / DATASETS).set_index("dataset")
    assert list(table.reset_index()) == list(DATASET_COLUMNS)
    repeats = len(LEARNERS) * len(FEW["inner"])
    assert table["curves"].to_dict() == {"iris": 2 * repeats, "wine": repeats}
    assert (table["fits"] == 3 * table["curves"]).all()


def test_nothing_is_written_of_a_store_that_lacks_a_curve(gathered, tmp_path):
    wanted = Batch(("sklearn:wine",), (*LEARNERS, "LDA"), **FEW).curves()
    with pytest.raises(ExportError, match="lacks curves of wine"):
        export_portion(gathered / "wine", wanted, tmp_path / "wine.parquet")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_shipped_file_is_whole(file):
    portion = PORTIONS[file.relative_to(anew.FOLDER).with_suffix("").as_posix()]
    table = pq.read_table(file).to_pandas()
    assert set(table) == set(COLUMNS_ANEW)
    grid = sorted(set(table["anchor"]))
    expected = list(portion.batch.anchors or anchor_grid(SIZES[portion.batch.datasets[0]]))
    assert grid == expected
    assert len(table) == len(portion.batch.curves()) * len(grid)
    assert not table.duplicated(["learner", "scaling", "leakage", "outer", "inner", "anchor"]).any()
