"""The modern learners on tiny data."""

import dataclasses
import warnings

import numpy as np
import pandas as pd
import pytest

from collection.containers.curves import CurveKey, Status
from collection.datasets import Dataset
from collection.learners import modern
from collection.project.requirements import MissingWeightsError
from collection.running.curve import curve_fits
from commands import main

MODULE = "collection.learners.modern"


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture(scope="module")
def dataset():
    """Sixty rows that two numbers and one category tell apart, gaps included."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    colour = np.where(rng.random(60) < 0.9, np.array(["red", "blue"])[y], None)
    features = pd.DataFrame({
        "colour": pd.Categorical(colour),
        "x": rng.normal(size=60) + 4 * y,
        "z": np.where(rng.random(60) < 0.1, np.nan, rng.normal(size=60) - 4 * y),
    })
    return Dataset("tiny", features, np.array(["no", "yes"])[y], "test:tiny", "none")


def _fits(dataset, learner, anchors=(16, 40)):
    task = CurveKey(dataset.source, learner, "none", "no", 0, 0)
    return list(curve_fits(dataset, task, anchors))


@pytest.mark.deep
@pytest.mark.parametrize("name", ["CatBoost", "RealMLP", "TabNetSmallBatch"])
def test_they_learn_with_the_registered_settings(dataset, name):
    (fit,) = _fits(dataset, name, [40])
    assert fit.status is Status.ok, fit.message
    assert fit.error_rate[0] <= 0.2
    assert np.isfinite([fit.auc, fit.log_loss, fit.f1]).all()


@pytest.mark.deep
@pytest.mark.parametrize("learner", [
    "CatBoost", f"{MODULE}.TabNet(shrink=True, max_epochs=3)"])
def test_fitting_again_gives_the_same_numbers(dataset, learner):
    (first,), (second,) = (_fits(dataset, learner, [16]) for _ in range(2))
    assert first.status is Status.ok, first.message
    assert first.log_loss == second.log_loss


@pytest.mark.deep
def test_published_tabnet_learns_nothing_from_few_rows(dataset):
    no_gaps = dataclasses.replace(dataset, features=dataset.features[["x", "colour"]])
    (few,), (more,) = (_fits(no_gaps, "TabNet", [anchor]) for anchor in (16, 48))
    assert few.status is Status.ok, few.message
    assert few.log_loss[1:] == more.log_loss[1:]


@pytest.mark.deep
def test_tabnet_with_a_small_batch_is_the_published_one_from_a_full_batch_on(dataset):
    rows = np.arange(60)
    encoded = modern.TabNet(batch_size=32, max_epochs=2), modern.TabNet(
        batch_size=32, shrink=True, max_epochs=2)
    X = pd.DataFrame({"x": dataset.features["x"], "c": pd.Categorical(rows % 3)})
    y = rows % 2
    published, small = (model.fit(X, y).predict_proba(X) for model in encoded)
    np.testing.assert_array_equal(published, small)


@pytest.fixture
def checkpoint(tmp_path):
    """A checkpoint of TabPFN v2's architecture, tiny and untrained, as the package writes one."""
    torch = pytest.importorskip("torch")
    from dataclasses import asdict

    from tabpfn.architectures import tabpfn_v2

    torch.manual_seed(0)
    config = tabpfn_v2.TabPFNV2Config(
        emsize=8, nlayers=1, nhead=2, max_num_classes=10, num_buckets=10)
    model = tabpfn_v2.get_architecture(config)
    path = tmp_path / "tiny.ckpt"
    torch.save({"state_dict": model.state_dict(), "config": asdict(config),
                "architecture_name": "tabpfn_v2"}, path)
    return path


@pytest.mark.deep
def test_tabpfn_takes_weights_from_a_path(dataset, checkpoint, monkeypatch):
    monkeypatch.setenv(modern.TABPFN_VARIABLE, str(checkpoint))
    (from_variable,) = _fits(dataset, "TabPFNv2", [16])
    assert from_variable.status is Status.ok, from_variable.message
    monkeypatch.delenv(modern.TABPFN_VARIABLE)
    (from_path,) = _fits(dataset, f"{MODULE}.TabPFN(weights={str(checkpoint)!r})", [16])
    assert from_path.log_loss == from_variable.log_loss
    assert np.isfinite(from_path.log_loss).all()


@pytest.mark.deep
def test_tabpfn_without_weights_says_what_to_do(dataset, tmp_path, monkeypatch, capsys):
    from tabpfn import model_loading

    downloads = []

    def no_network(*args, **kwargs):
        downloads.append(args)
        return [OSError("no network")]

    monkeypatch.setattr(model_loading, "download_model", no_network)
    monkeypatch.setenv("TABPFN_MODEL_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(model_loading, "get_cache_dir", lambda: tmp_path)
    monkeypatch.delenv(modern.TABPFN_VARIABLE, raising=False)
    modern.find_weights.cache_clear()
    for _ in range(2):
        with pytest.raises(MissingWeightsError, match=rf"no network.*{modern.TABPFN_VARIABLE}"):
            _fits(dataset, "TabPFNv2")
    assert main(["collect", "DATASETS=sklearn:iris", "LEARNERS=KNN TabPFNv2",
                 f"OUT={tmp_path / 'out'}"]) == 1  # before anything else is fitted
    assert capsys.readouterr().err.startswith("collect: TabPFN v2 has no weights")
    assert not (tmp_path / "out").exists()
    assert len(downloads) == 1  # not once per curve
    modern.find_weights.cache_clear()


@pytest.mark.deep
def test_tabpfn_with_a_wrong_path_downloads_nothing(dataset, tmp_path):
    with pytest.raises(MissingWeightsError, match="correct the path"):
        _fits(dataset, f"{MODULE}.TabPFN(weights={str(tmp_path / 'no.ckpt')!r})", [16])
