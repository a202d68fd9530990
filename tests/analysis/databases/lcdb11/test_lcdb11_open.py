import h5py
import numpy as np
import pytest
from official_layout import official_file, simulate, write_official

from analysis.databases.lcdb11 import open as opening
from analysis.databases.load import load_curves
from analysis.published.computed import NotAtHandError
from collection.containers.curves import DIMS, FIT_DIMS, Status
from collection.official.lcdb11 import LEARNER_SETS, dataset_ids, datasets_table
from collection.project.naming import UnknownNameError
from collection.protocol.anchors import anchor_grid

SMALL = [61, 11]  # iris, balance-scale
IN_CC18 = 11


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lcdb11")
    for learners in LEARNER_SETS:
        compressed = {"compression": "gzip"} if learners == "catboost" else {}
        write_official(folder, f"LCDB11_ER_265_{learners}.hdf5", SMALL, **compressed)
    for metric in ("AUC", "traintime"):
        write_official(folder, f"LCDB11_{metric}_265_24.hdf5")
    write_official(folder, "LCDB11_msg_265_24.hdf5", [61])
    return folder


@pytest.fixture(scope="module")
def curves(folder):
    return opening.open_lcdb11(folder)


def test_coordinates_are_those_of_the_container(curves):
    assert curves["error_rate"].dims == DIMS
    assert curves["train_time"].dims == curves["status"].dims == FIT_DIMS
    assert curves["dataset"].values.tolist() == dataset_ids("FULL")
    assert curves["name"].sel(dataset=61).item() == "iris"
    assert curves["learner"].values.tolist() == [n for s in LEARNER_SETS.values() for n in s]
    np.testing.assert_array_equal(curves["anchor"], anchor_grid())


@pytest.mark.parametrize("learners", LEARNER_SETS)
def test_every_value_stands_where_the_layout_has_it(curves, learners):
    file = official_file(f"LCDB11_ER_265_{learners}.hdf5")
    axes = list(opening.file_lengths(file))[1:]
    opened = curves["error_rate"].sel(dataset=61, learner=list(LEARNER_SETS[learners]))
    opened = opened.isel(scaling=slice(opening.file_lengths(file)["scaling"]),
                         leakage=slice(opening.file_lengths(file)["leakage"]))
    np.testing.assert_array_equal(opened.transpose(*axes), simulate(file, 61))


def test_what_was_not_published_is_nan_and_says_so(curves):
    fit = curves.sel(dataset=61, learner="TabNet", outer=0, inner=0, anchor=16)
    assert np.isnan(fit["error_rate"].sel(scaling="minmax")).all()
    assert (fit["status"].sel(scaling="minmax") == Status.not_run).all()
    assert "not published" in _message(curves, fit.sel(scaling="minmax", leakage="no"))
    assert fit["status"].sel(scaling="none", leakage="no") == Status.ok
    assert np.isnan(curves["auc"].sel(dataset=61, learner="CatBoost")).all()


def _message(curves, fit):
    return curves["message_text"].values[int(fit["message"])]


def test_what_was_tried_is_what_was_published(curves):
    for learner, expected in (("KNN", [True] * 3), ("TabPFNv2", [True] * 3),
                              ("CatBoost", [True, False, False])):
        assert curves["tried"].sel(learner=learner).values.tolist() == expected


def test_statuses_come_from_the_file_of_messages(curves):
    fit = curves.sel(dataset=61, scaling="standard", leakage="no", outer=4, inner=4)
    failed = fit.sel(learner="MultinomialNB", anchor=16)
    assert failed["status"] == Status.error
    assert failed["error_message"].values.item() == "Negative values in data – naïve"
    assert fit.sel(learner="SVM_Linear")["status"].isel(anchor=10) == Status.timeout
    assert fit.sel(learner="SVM_Linear")["status"].isel(anchor=9) == Status.ok


def test_missing_values_without_messages_are_errors_that_say_so(curves):
    fit = curves.sel(dataset=3, learner="CatBoost", scaling="none", leakage="no", outer=0, inner=0)
    assert fit["status"].sel(anchor=16) == Status.error
    assert "no file of messages" in _message(curves, fit.sel(anchor=16))


def test_anchors_past_the_training_set_were_not_run(curves):
    end = datasets_table().loc[61, "max_anchor"]
    past = curves["status"].sel(dataset=61, anchor=anchor_grid()[anchor_grid() > end])
    assert (past.sel(learner=["KNN", "TabPFNv2"]) == Status.not_run).all()
    kept = curves["status"].sel(dataset=61, learner="CatBoost", scaling="none", leakage="no",
                                anchor=slice(None, end))
    assert (kept == Status.ok).all()


def test_opening_reads_nothing_and_a_selection_reads_what_it_asks_for(folder, monkeypatch):
    read = []
    original = opening.OfficialFiles._block

    def spy(self, metric, key, at):
        values = original(self, metric, key, at)
        if values is not None:
            read.append((self._file(metric, self._sets[at["learner"]]).name, values.size))
        return values

    monkeypatch.setattr(opening.OfficialFiles, "_block", spy)
    curves = opening.open_lcdb11(folder)
    valid = curves["error_rate"].sel(split="valid").sel(scaling="minmax").sel(leakage="no")
    chosen = valid.sel(dataset=[61], learner=["KNN", "TabPFNv2", "CatBoost"])
    assert not read
    chosen.compute(scheduler="sync")
    assert {name for name, _ in read} == {"LCDB11_ER_265_24.hdf5", "LCDB11_ER_265_tabpfn.hdf5"}
    one_split = 24 * 25 * 137
    assert sum(size for _, size in read) <= 5 * one_split * (1 + 1 / 24)


def test_cc18_takes_rows_of_the_file_with_all_datasets(folder, tmp_path):
    both = opening.open_lcdb11(folder, "CC18")
    assert both["dataset"].values.tolist() == dataset_ids("CC18")
    for name in ("LCDB11_ER_265_catboost.hdf5", "LCDB11_ER_265_24.hdf5"):
        (tmp_path / name).symlink_to(folder / name)
    write_official(tmp_path, "LCDB11_ER_CC18_24.hdf5", [IN_CC18])
    own = opening.open_lcdb11(tmp_path, "CC18")["error_rate"].sel(dataset=IN_CC18)
    expected = simulate(official_file("LCDB11_ER_CC18_24.hdf5"), IN_CC18)
    axes = ("learner", "outer", "inner", "anchor", "split", "scaling", "leakage")
    np.testing.assert_array_equal(own.isel(learner=slice(24)).transpose(*axes), expected)
    other = both["error_rate"].sel(dataset=IN_CC18, learner="CatBoost")
    np.testing.assert_array_equal(own.sel(learner="CatBoost"), other)


def test_cc18_is_a_database_of_its_own(tmp_path, monkeypatch):
    (tmp_path / "lcdb11").mkdir()
    write_official(tmp_path / "lcdb11", "LCDB11_ER_CC18_24.hdf5", [IN_CC18])
    monkeypatch.setenv("LEARNING_CURVES_CACHE", str(tmp_path))
    assert load_curves("lcdb11-cc18").sizes["dataset"] == 72
    with pytest.raises(NotAtHandError, match="`lcdb11-cc18` is those of OpenML-CC18"):
        load_curves("lcdb11")


def test_a_lone_file_of_another_metric_opens(tmp_path):
    write_official(tmp_path, "LCDB11_traintime_265_24.hdf5", [61])
    curves = opening.open_lcdb11(tmp_path)
    assert set(curves.data_vars) == {"train_time", "status", "message", "message_text"}
    assert (curves["status"].sel(dataset=61, anchor=16) == Status.ok).all()


# Files that are not what their name says.

def test_empty_folder_says_what_to_do(tmp_path):
    with pytest.raises(NotAtHandError, match="make lcdb11"):
        opening.open_lcdb11(tmp_path)
    write_official(tmp_path, "LCDB11_ER_CC18_24.hdf5", [])
    with pytest.raises(NotAtHandError, match="It has LCDB11_ER_CC18_24"):
        opening.open_lcdb11(tmp_path, "FULL")


def test_unknown_selection_and_unknown_file(tmp_path, folder):
    with pytest.raises(UnknownNameError, match="FULL"):
        opening.open_lcdb11(folder, "ALL")
    (tmp_path / "LCDB11_ER_265_23.hdf5").write_bytes(b"")
    with pytest.raises(UnknownNameError, match="LCDB11_ER_265_24"):
        opening.open_lcdb11(tmp_path)


def test_truncated_file(tmp_path):
    path = write_official(tmp_path, "LCDB11_ER_265_catboost.hdf5", SMALL)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    told = r"LCDB11_ER_265_catboost\.hdf5: not a complete HDF5"
    with pytest.raises(opening.LayoutError, match=told):
        opening.open_lcdb11(tmp_path)


@pytest.mark.parametrize("key, shape, dtype, words", [
    ("error rate", (265, 1, 5, 5, 137, 3, 1), "f8", r"5, 137, 3, 1\), not 265 datasets"),
    ("error rate", (265, 2, 5, 5, 137, 3, 1, 1), "f8", r"lengths \(265, 2, .* 1 learners"),
    ("error rate", (72, 1, 5, 5, 137, 3, 1, 1), "f8", r"lengths \(72, .* 265 datasets"),
    ("error rate", (265, 1, 5, 5, 35, 3, 1, 1), "f8", "35, 3, .* 137 anchors"),
    ("error rate", (265, 1, 5, 5, 137, 3, 1, 1), "S3", "not numbers"),
    ("error_rate", (265, 1, 5, 5, 137, 3, 1, 1), "f8", "no HDF5 dataset 'error rate'"),
])
def test_wrong_layout_names_the_file_and_the_axis(tmp_path, key, shape, dtype, words):
    path = tmp_path / "LCDB11_ER_265_tabnet.hdf5"
    with h5py.File(path, "w") as opened:
        opened.create_dataset(key, shape, dtype, chunks=(1, *shape[1:]))
    with pytest.raises(opening.LayoutError, match=words) as caught:
        opening.open_lcdb11(tmp_path)
    assert str(path) in str(caught.value)


def test_unknown_status_code_is_not_taken_for_a_result():
    codes = np.array([0, 1, 2, 3, np.nan])
    assert opening.STATUS_OF[opening.recorded_reasons(codes)].tolist() == [
        Status.ok, Status.timeout, Status.error, Status.error, Status.error]
