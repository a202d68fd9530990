"""The modern learners as scikit-learn estimators, with the published settings and one thread.

Their libraries are optional (the extra ``deep``) and are imported when a learner is fitted. Each
class says by `form` what data it takes; see `collection.protocol.designs`.
"""

import contextlib
import logging
import os
from abc import abstractmethod
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from collection.learners.registry import SEED
from collection.project.requirements import MissingWeightsError, library

TABNET_BATCH = 1024  # rows, pytorch-tabnet's default
TABPFN_WEIGHTS = "tabpfn-v2-classifier.ckpt"  # what TabPFN 2.0 used
COPIES = 4  # of the data, differently prepared, that TabPFN 2.0 averages over
TABPFN_VARIABLE = "LEARNING_CURVES_TABPFN"


class Modern(BaseEstimator):
    """A library's model behind scikit-learn's interface.

    Attributes
    ----------
    model_ : object
        The library's fitted model.
    """

    form = "onehot"

    def fit(self, X, y) -> "Modern":
        """Fit on features in the class's form and class codes or numbers."""
        with one_torch_thread():
            self.model_ = self._fitted(X, np.asarray(y))
        return self

    @abstractmethod
    def _fitted(self, X, y):
        """Return the library's model, fitted."""

    def _prepare(self, X):
        return X

    def _said(self, method: str, X) -> np.ndarray:
        check_is_fitted(self)
        with one_torch_thread():
            return np.asarray(getattr(self.model_, method)(self._prepare(X)), dtype=float)


class ModernClassifier(ClassifierMixin, Modern):
    """A library's classifier behind scikit-learn's interface.

    Attributes
    ----------
    classes_ : ndarray
    """

    def fit(self, X, y) -> "ModernClassifier":
        """Fit on features in the class's form and class codes."""
        self.classes_ = np.unique(y)
        return super().fit(X, y)

    def predict_proba(self, X) -> np.ndarray:
        """Return the probability of each class, shape (n_rows, n_classes)."""
        return self._said("predict_proba", X)

    def predict(self, X) -> np.ndarray:
        """Return the likeliest class of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class CatBoost(ModernClassifier):
    """CatBoost, which takes categories as they are."""

    form = "native"

    def _fitted(self, X: pd.DataFrame, y: np.ndarray):
        return _catboost("Classifier", X).fit(X, y)


def _catboost(kind: str, X: pd.DataFrame):
    return getattr(library("catboost"), f"CatBoost{kind}")(
        cat_features=categorical_of(X), random_state=SEED, thread_count=1, verbose=0,
        allow_writing_files=False)


class TabNet(ModernClassifier):
    """TabNet, which embeds categories, with pytorch-tabnet's defaults and no early stopping.

    Each epoch leaves out the last batch where it is not full, so that with fewer than `batch_size`
    rows there is not one gradient step: the network predicts as it was initialised (finding 3).

    Parameters
    ----------
    batch_size : int
        Rows per gradient step.
    shrink : bool
        Whether to take all rows as one batch where they are fewer than `batch_size`.
    max_epochs : int
    """

    form = "native"

    def __init__(self, batch_size: int = TABNET_BATCH, shrink: bool = False,
                 max_epochs: int = 100):
        self.batch_size = batch_size
        self.shrink = shrink
        self.max_epochs = max_epochs

    def _fitted(self, X: pd.DataFrame, y: np.ndarray):
        tab_model = library("pytorch_tabnet.tab_model")
        names = categorical_of(X)
        model = tab_model.TabNetClassifier(
            cat_idxs=[X.columns.get_loc(name) for name in names],
            cat_dims=[len(X[name].cat.categories) for name in names],
            verbose=0, device_name="cpu")
        batch_size = min(self.batch_size, len(X)) if self.shrink else self.batch_size
        model.fit(self._prepare(X), y, max_epochs=self.max_epochs, batch_size=batch_size,
                  pin_memory=False, compute_importance=False)
        return model

    def _prepare(self, X: pd.DataFrame) -> np.ndarray:
        names = categorical_of(X)
        return X.assign(**{name: X[name].cat.codes for name in names}).to_numpy(float)


class RealMLP(ModernClassifier):
    """RealMLP with its tuned defaults, from pytabkit."""

    def _fitted(self, X: np.ndarray, y: np.ndarray):
        return _real_mlp("Classifier").fit(X, y)


def _real_mlp(kind: str):
    """Return a quiet one; what it trains with tells of its hardware at every fit otherwise."""
    make = getattr(library("pytabkit"), f"RealMLP_TD_{kind}")
    for name in ("lightning", "lightning.pytorch", "pytorch_lightning"):
        logging.getLogger(name).setLevel(logging.ERROR)
    return make(device="cpu", random_state=SEED, n_threads=1)


class ModernRegressor(RegressorMixin, Modern):
    """A library's regressor behind scikit-learn's interface."""

    def predict(self, X) -> np.ndarray:
        """Return the number predicted for each row, shape (n_rows,)."""
        return self._said("predict", X).ravel()


class CatBoostRegressor(ModernRegressor):
    """CatBoost for numbers, which takes categories as they are."""

    form = "native"

    def _fitted(self, X: pd.DataFrame, y: np.ndarray):
        return _catboost("Regressor", X).fit(X, y)


class RealMLPRegressor(ModernRegressor):
    """RealMLP for numbers, with its tuned defaults, from pytabkit."""

    def _fitted(self, X: np.ndarray, y: np.ndarray):
        return _real_mlp("Regressor").fit(X, y)


class TabPFN(ModernClassifier):
    """TabPFN v2, pretrained: fitting only keeps the training set.

    Parameters
    ----------
    weights : str, optional
        Path of the v2 classifier's checkpoint. By default the environment variable
        ``LEARNING_CURVES_TABPFN``, else the package's own cache, into which it downloads them.
    """

    def __init__(self, weights: str | None = None):
        self.weights = weights

    def _fitted(self, X: np.ndarray, y: np.ndarray):
        tabpfn = library("tabpfn")
        # The package refuses more than 1,000 rows on a CPU for being slow; time limits are ours.
        library("tabpfn.settings").settings.tabpfn.allow_cpu_large_dataset = True
        model = tabpfn.TabPFNClassifier(
            model_path=self.check_weights(), n_estimators=COPIES, device="cpu", random_state=SEED)
        return model.fit(X, y)

    def check_weights(self) -> str:
        """Return the path of the weights; `MissingWeightsError` where there are none to be had."""
        path, problem = find_weights(self.weights or os.environ.get(TABPFN_VARIABLE, ""))
        if problem:
            raise MissingWeightsError(problem)
        return path


@lru_cache(maxsize=8)
def find_weights(given: str) -> tuple[str, str]:
    """Return the path of TabPFN v2's weights, downloaded if need be, or what is wrong.

    Asked once per process, so that not every fit tries a download that fails.
    """
    loading = library("tabpfn.model_loading")
    path = Path(given or loading.prepend_cache_path(TABPFN_WEIGHTS))
    what_to_do = (
        f"download {TABPFN_WEIGHTS} from https://huggingface.co/Prior-Labs/TabPFN-v2-clf and put "
        f"its path in the environment variable {TABPFN_VARIABLE}")
    if path.exists():
        return str(path), ""
    if given:
        return "", f"TabPFN v2 has no weights at {path}: correct the path, or {what_to_do}."
    version = library("tabpfn.constants").ModelVersion.V2
    answer = loading.download_model(
        path, version=version, which="classifier", model_name=TABPFN_WEIGHTS)
    if answer == "ok":
        return str(path), ""
    return "", f"TabPFN v2 has no weights and could not download them ({answer[-1]}): {what_to_do}."


@contextlib.contextmanager
def one_torch_thread() -> Iterator[None]:
    """Keep torch, where it is installed, to one thread while the context lasts."""
    try:
        torch = import_module("torch")
    except ModuleNotFoundError:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def categorical_of(X: pd.DataFrame | np.ndarray) -> list[str]:
    """Return the names of a DataFrame's categorical columns; none of an array."""
    if not isinstance(X, pd.DataFrame):
        return []
    return [name for name in X.columns if isinstance(X[name].dtype, pd.CategoricalDtype)]
