from importlib.metadata import version

import numpy as np
import pytest
from sklearn import datasets

from collection.datasets import list_datasets, load_dataset
from collection.project.naming import UnknownNameError


@pytest.mark.parametrize("name", [n for n in list_datasets("sklearn") if n != "iris_uci"])
def test_holds_what_scikit_learn_returns(name):
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    dataset = load_dataset(f"sklearn:{name}")
    np.testing.assert_array_equal(dataset.features.to_numpy(), X)
    assert len(dataset.numeric) == X.shape[1] and dataset.n_missing == 0
    pairs = set(zip(dataset.target, y, strict=True))
    assert len(pairs) == len(dataset.classes) == len(np.unique(y))
    assert (dataset.name, dataset.source) == (name, f"sklearn:{name}")
    assert "BSD" in dataset.licence and version("scikit-learn") in dataset.licence


def test_iris_at_uci_differs_in_three_cells_of_two_rows():
    ours, theirs = load_dataset("sklearn:iris"), load_dataset("sklearn:iris_uci")
    cells = np.argwhere((ours.features != theirs.features).to_numpy())
    assert cells.tolist() == [[34, 3], [37, 1], [37, 2]]
    assert (ours.openml_id, theirs.openml_id, theirs.name) == (None, 61, "iris_uci")


def test_labels_are_names_and_an_unknown_dataset_is_answered():
    assert list(load_dataset("sklearn:iris").classes) == ["setosa", "versicolor", "virginica"]
    with pytest.raises(UnknownNameError, match="breast_cancer"):
        load_dataset("sklearn:breastcancer")
