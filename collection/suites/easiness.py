"""Whether a dataset is too easy: one attribute tells all, or a tree is never wrong.

Section 6.1 of the paper on OpenML's suites, its last two criteria.
"""

import numpy as np
import pandas as pd

from collection.datasets import Dataset

FOLDS = 10
RECURRING = 0.9  # of the rows, that a category needs to be shared with others to be no row's name


def one_attribute_suffices(dataset: Dataset) -> bool:
    """Tell whether one attribute, or a decision stump on it, classifies all rows.

    A numeric attribute does when the rows, in its order, come class by class, each in one stretch
    (for two classes: a stump's threshold). A categorical one does when each of its values has rows
    of one class only; values that occur once, as names of rows do, are no evidence. A missing
    value is a value like another.
    """
    labels = np.unique(dataset.target, return_inverse=True)[1]
    return any(_tells(dataset.features[c], labels) for c in dataset.features)


def _tells(column: pd.Series, labels: np.ndarray) -> bool:
    codes = pd.factorize(column, sort=True, use_na_sentinel=False)[0]
    order = np.lexsort((labels, codes))
    codes, in_order = codes[order], labels[order]
    if (np.diff(in_order)[np.diff(codes) == 0] != 0).any():
        return False  # a value with rows of several classes
    if column.dtype == np.float64:
        return int((np.diff(in_order) != 0).sum()) == labels.max()
    sizes = np.bincount(codes)
    return bool(sizes[sizes > 1].sum() >= RECURRING * len(labels))


def tree_suffices(dataset: Dataset, seed: int = 0) -> bool:
    """Tell whether a decision tree is right on every row in a stratified 10-fold cross-validation.

    Categories are one-hot encoded and gaps filled with the median, fitted on the training rows.
    Classes with fewer rows than folds reduce the folds; one with a single row is never predicted.

    Parameters
    ----------
    dataset : Dataset
        A classification problem.
    seed : int
        Of the folds and the tree.
    """
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.model_selection import StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier

    smallest = int(np.unique(dataset.target, return_counts=True)[1].min())
    if smallest < 2:
        return False
    model = make_pipeline(
        make_column_transformer(
            (SimpleImputer(strategy="median"), dataset.numeric),
            (OneHotEncoder(handle_unknown="ignore"), dataset.categorical)),
        DecisionTreeClassifier(random_state=seed))
    folds = StratifiedKFold(min(FOLDS, smallest), shuffle=True, random_state=seed)
    features = dataset.features.astype(dict.fromkeys(dataset.categorical, object))
    features = features.fillna(dict.fromkeys(dataset.categorical, "missing"))
    for train, test in folds.split(features, dataset.target):
        model.fit(features.iloc[train], dataset.target[train])
        if (model.predict(features.iloc[test]) != dataset.target[test]).any():
            return False  # one mistake is enough
    return True
