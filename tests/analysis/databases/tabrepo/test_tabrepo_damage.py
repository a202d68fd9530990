"""What lacks may lack; what is damaged is named."""

import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from analysis.databases.tabrepo import TabRepo, TabRepoError, is_tabrepo
from collection.project.naming import UnknownNameError
from collection.store.evaluation_reader import NoPredictionsError

TASK = "model_predictions/two-moons_b/1"


def edit_json(path, **changes):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def edit_paths(folder, **changes):
    """Change which files context.json names."""
    paths = json.loads((folder / "context.json").read_text())["benchmark_paths"]
    edit_json(folder / "context.json", benchmark_paths=paths | changes)
    return paths


def write_labels(folder, text):
    """Put other labels in the place of a task's."""
    with zipfile.ZipFile(folder / TASK / "label-val.csv.zip", "w") as archive:
        archive.writestr("label-val.csv", text)


def drop_config(folder, config):
    """Take a config's predictions out of a task."""
    path = folder / TASK / "metadata.json"
    said = json.loads(path.read_text())
    place = said["models"].index(config)
    for split in ("val", "test"):
        shape = said[f"pred_{split}_shape"]
        values = np.fromfile(folder / TASK / f"pred-{split}.dat", np.float32).reshape(shape)
        np.delete(values, place, axis=0).tofile(folder / TASK / f"pred-{split}.dat")
        said[f"pred_{split}_shape"] = [shape[0] - 1, *shape[1:]]
    said["models"].pop(place)
    path.write_text(json.dumps(said))


def test_a_folder_is_recognised(context, copy, tmp_path):
    assert is_tabrepo(copy) and is_tabrepo(tmp_path) and is_tabrepo(context / "official")
    assert not is_tabrepo(context) and not is_tabrepo(copy / "model_predictions")
    with pytest.raises(TabRepoError, match="has 2 of them; name one"):
        TabRepo(context)
    with pytest.raises(TabRepoError, match="has neither"):
        TabRepo(copy / "model_predictions")


def test_without_metadata_hyperparameters_and_baselines(copy):
    edit_paths(copy, task_metadata=None, configs_hyperparameters=None, baselines=None)
    repository = TabRepo(copy)
    assert set(repository.results["kind"]) == {"config"} and repository.hyperparameters == {}
    assert repository.facts.empty and len(repository.configs) == 6
    assert repository.tids["two-moons_b"] == 900001


def test_task_ids_are_counted_where_nothing_has_them(copy):
    for name in ("configs", "baselines", "task_metadata"):
        path = copy / f"{name}.parquet"
        pd.read_parquet(path).drop(columns="tid").to_parquet(path)
    assert TabRepo(copy).tids == {"Three_Blobs": 0, "two-moons_b": 1, "wavy-reg": 2}


def test_a_task_without_predictions_is_known(copy):
    before = edit_paths(copy)
    edit_paths(copy, **{key: [name for name in before[key] if not name.startswith(TASK)]
                        for key in ("zs_pp", "zs_gt")})
    repository = TabRepo(copy)
    assert 1 in repository.folds["two-moons_b"]
    for ask in (repository.labels, repository.predictions):
        with pytest.raises(NoPredictionsError, match="stored of two-moons_b, fold 1"):
            ask("two-moons_b", 1, "test")


def test_a_fallback_stands_in_for_a_config_without_predictions(copy):
    absent, there = "LinearModel_r1_BAG_L1", "KNeighbors_c1_BAG_L1"
    drop_config(copy, absent)
    with pytest.raises(NoPredictionsError, match=f"no predictions of {absent}"):
        TabRepo(copy).predictions("two-moons_b", 1, "test", [there, absent])
    edit_json(copy / "context.json", config_fallback=there)
    found = TabRepo(copy).predictions("two-moons_b", 1, "test", [there, absent])
    np.testing.assert_array_equal(found[0], found[1])
    edit_json(copy / "context.json", config_fallback="KNeighbors_c1")
    with pytest.raises(UnknownNameError, match="fallback config 'KNeighbors_c1'"):
        TabRepo(copy)


def test_predictions_of_a_config_without_results_are_not_shown(copy):
    table = pd.read_parquet(copy / "configs.parquet")
    kept = (table["framework"] != "KNeighbors_r1_BAG_L1")
    table[kept].to_parquet(copy / "configs.parquet")
    repository = TabRepo(copy)
    assert "KNeighbors_r1_BAG_L1" not in repository.predicted("two-moons_b", 0)
    with pytest.raises(UnknownNameError, match="config 'KNeighbors_r1_BAG_L1'"):
        repository.predictions("two-moons_b", 0, "test", ["KNeighbors_r1_BAG_L1"])


def test_two_columns_of_two_classes_come_as_the_second(copy):
    path = copy / TASK
    said = json.loads((path / "metadata.json").read_text())
    before = TabRepo(copy).predictions("two-moons_b", 1, "valid")
    for split in ("val", "test"):
        shape = said[f"pred_{split}_shape"]
        values = np.fromfile(path / f"pred-{split}.dat", np.float32).reshape(shape)
        np.stack([1 - values, values], axis=2).tofile(path / f"pred-{split}.dat")
        said[f"pred_{split}_shape"] = [*shape, 2]
    (path / "metadata.json").write_text(json.dumps(said))
    np.testing.assert_array_equal(TabRepo(copy).predictions("two-moons_b", 1, "valid"), before)


@pytest.mark.parametrize(("damage", "message"), [
    (lambda f: (f / TASK / "pred-val.dat").write_bytes(b"\0" * 100),
     r"pred-val.dat has 100 bytes, but 5,760 are expected .* cut short"),
    (lambda f: edit_json(f / TASK / "metadata.json", dtype="object"), "does not describe"),
    (lambda f: edit_json(f / TASK / "metadata.json", models=["A"]), "names 1 models"),
    (lambda f: edit_json(f / TASK / "metadata.json", fold=0), "both say they are of two-moons_b"),
    (lambda f: (f / TASK / "label-val.csv.zip").write_bytes(b"no zip"), "no labels that can be"),
    (lambda f: write_labels(f, ",label,more\n0,1,2\n"), "not a row number and a label"),
    (lambda f: write_labels(f, ",label\n0,many\n"), "labels that are not numbers"),
    (lambda f: write_labels(f, ",label\n0,1\n"), "has 1 labels, but predictions are of"),
    (lambda f: (f / TASK / "pred-val.dat").unlink(), "lacks 1 of the files .*pred-val.dat"),
    (lambda f: (f / "context.json").write_text("{"), "is not a context of TabRepo"),
    (lambda f: edit_json(f / "context.json", benchmark_paths={}), "'configs'"),
    (lambda f: (f / "configs.parquet").write_bytes(b"PAR1"), "cannot be read as a table"),
    (lambda f: (f / "configs_hyperparameters.json").write_text("{,"), "is not JSON"),
])
def test_damage_is_named(copy, damage, message):
    damage(copy)
    with pytest.raises(TabRepoError, match=message):
        repository = TabRepo(copy)
        repository.predictions("two-moons_b", 1, "valid")
        repository.labels("two-moons_b", 1, "valid")


def test_results_given_twice_or_by_two_metrics_are_refused(copy):
    table = pd.read_parquet(copy / "configs.parquet")
    pd.concat([table, table.iloc[[4]]]).to_parquet(copy / "configs.parquet")
    with pytest.raises(TabRepoError, match="holds 1 results twice, the first: "):
        TabRepo(copy)
    table.assign(metric=["log_loss", *table["metric"][1:]]).to_parquet(copy / "configs.parquet")
    with pytest.raises(TabRepoError, match="results by several metrics"):
        TabRepo(copy)
    table.drop(columns="fold").to_parquet(copy / "configs.parquet")
    with pytest.raises(TabRepoError, match="lacks the column fold"):
        TabRepo(copy)


def test_files_outside_the_folder_are_not_read(copy):
    edit_paths(copy, configs="../configs.parquet")
    with pytest.raises(TabRepoError, match="outside its folder"):
        TabRepo(copy)


@pytest.mark.parametrize(("asked", "message"), [
    (("two-moons", 0, "test"), r"dataset 'two-moons'. Did you mean 'two-moons_b'"),
    (("wavy-reg", 7, "test"), "fold of wavy-reg 7"),
    (("wavy-reg", 0, "val"), r"split 'val'. Did you mean 'valid'")])
def test_unknown_names_list_the_close_ones(context, asked, message):
    repository = TabRepo(context / "to_dir")
    for ask in (repository.labels, repository.predictions):
        with pytest.raises(UnknownNameError, match=message):
            ask(*asked)
