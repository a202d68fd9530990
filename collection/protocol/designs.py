"""The matrices that a learner is fitted and tested on, for every prefix of one repeat.

Three forms: ``onehot`` (numeric features, then a column per category that the prefix has),
``ordinal`` (numeric features, then a code per categorical feature: its rank among the categories
of the prefix) and ``native`` (a DataFrame with the categories as they are, a missing one being a
category of its own). Numeric features come first in all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from collection.protocol.encoded import Encoded, Identity, encode, fit_statistics
from collection.protocol.splits import Split, check_classes, split_rows

EPS = np.finfo(np.float64).eps


@dataclass(frozen=True, eq=False)
class Design:
    """What one fit needs.

    Attributes
    ----------
    X : tuple of array or DataFrame
        Features of train, valid and test; of the first two where the splits have one kind of rows
        that are scored.
    y : tuple of ndarray of int, or of float
        Class codes of train, valid and test, or numbers to predict.
    n_classes : int
        Classes of the dataset, whether or not the prefix has them all; 0 for regression.
    n_numeric, n_categorical : int
        In the ordinal and native forms, how many columns come first and last.
    is_tame : bool
        Whether all numbers are known to be finite, in single precision too.
    spread : float
        Of numbers to predict, the standard deviation over all rows of the dataset.
    """

    X: tuple
    y: tuple[np.ndarray, np.ndarray, np.ndarray]
    n_classes: int
    n_numeric: int
    n_categorical: int
    is_tame: bool = False
    spread: float = np.nan

    @property
    def is_regression(self) -> bool:
        """Whether targets are numbers to predict rather than class codes."""
        return self.n_classes == 0


class Designs:
    """The designs of one repeat, ready to be handed out anchor by anchor.

    Parameters
    ----------
    encoded : Encoded
    split : collection.protocol.splits.Split
    scaling : {"none", "minmax", "standard"}
        Of the numeric features; "standard" scales one-hot columns too, as the published runs did.
    leakage : {"no", "yes"}
        Whether the preprocessors are fitted on the training prefix or on the whole dataset, in
        which case one-hot designs also lose the columns that are constant there.
    anchors : sequence of int
        Lengths of the prefixes.
    """

    form = ""

    def __init__(self, encoded: Encoded, split: Split, scaling: str, leakage: str,
                 anchors: Sequence[int]):
        self.encoded, self.split, self.scaling, self.leakage = encoded, split, scaling, leakage
        self.anchors = list(anchors)
        self.rows = np.concatenate([split.train, split.valid, split.test])
        if leakage == "yes":
            everything = np.arange(len(encoded.labels))
            self.fitted = fit_statistics(encoded, everything, np.array([len(everything)]))
        elif self.anchors:
            self.fitted = fit_statistics(encoded, split.train, np.array(self.anchors))
        self.labels = encoded.labels[self.rows]
        self.gaps = np.flatnonzero(np.isnan(encoded.numeric).any(axis=0))

    def at(self, anchor: int) -> Design:
        """Return the design whose training set is the first `anchor` rows."""
        k = 0 if self.leakage == "yes" else self.anchors.index(anchor)
        edges = np.cumsum([0, len(self.split.train), len(self.split.valid), len(self.split.test)])
        stops = [anchor, *edges[2:]]
        blocks = [slice(a, b) for a, b in zip(edges[:-1], stops, strict=True)]
        if not len(self.split.test):
            del blocks[-1]
        kept = self._kept_numeric(k)
        return Design(
            X=tuple(self._features(block, k, kept) for block in blocks),
            y=tuple(self.labels[block] for block in blocks),
            n_classes=len(self.encoded.classes),
            n_numeric=int(kept.sum()),
            n_categorical=int(self._kept_categorical(k).sum()),
            is_tame=self.encoded.is_tame and self.scaling == "none",
            spread=self.encoded.spread,
        )

    def _features(self, block: slice, k: int, kept: np.ndarray):
        raise NotImplementedError

    def _kept_numeric(self, k: int) -> np.ndarray:
        return self.fitted.observed[k] > 0  # nothing to impute with where all is missing

    def _kept_categorical(self, k: int) -> np.ndarray:
        return self.fitted.missing[k] < self.fitted.ends[k]

    def _numeric(self, block: slice, k: int, kept: np.ndarray) -> np.ndarray:
        """Return the numeric features that are kept, imputed and scaled."""
        numeric = self.encoded.numeric[self.rows[block]]
        self._fill(numeric, k)
        numeric = np.compress(kept, numeric, axis=1)
        self._scale_numeric(numeric, k, kept)
        return numeric

    def _fill(self, numeric: np.ndarray, k: int) -> None:
        for j in self.gaps:
            column = numeric[:, j]
            column[np.isnan(column)] = self.fitted.median[k, j]

    def _scale_numeric(self, numeric: np.ndarray, k: int, kept: np.ndarray) -> None:
        fitted = self.fitted
        if self.scaling == "minmax":
            low, span = fitted.low[k, kept], fitted.high[k, kept] - fitted.low[k, kept]
            factor = 1 / np.where(span < 10 * EPS, 1.0, span)
            numeric *= factor
            numeric += 0 - low * factor
        elif self.scaling == "standard":
            mean, deviation = fitted.mean[k, kept], fitted.deviation[k, kept]
            numeric -= mean
            numeric /= _nonzero(mean, deviation, fitted.ends[k])


class OneHotDesigns(Designs):
    """Numeric features, then a column per category present in the rows fitted on."""

    form = "onehot"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        codes = self.encoded.codes[self.rows]
        self.lost_row, self.lost_feature = np.nonzero(codes < 0)
        width = self.encoded.numeric.shape[1]
        self.base = np.zeros((len(self.rows), width + int(self.encoded.starts[-1])))
        self.base[:, :width] = self.encoded.numeric[self.rows]
        row, feature = np.nonzero(codes >= 0)
        self.base[row, width + self.encoded.starts[feature] + codes[row, feature]] = 1.0
        self.width = width

    def _features(self, block: slice, k: int, kept: np.ndarray) -> np.ndarray:
        X = self.base[block]
        columns = np.concatenate([kept, self._kept_onehot(k)])
        if len(self.gaps) or len(self.lost_row):
            X = X.copy()
            self._fill(X[:, :self.width], k)
            here = (self.lost_row >= block.start) & (self.lost_row < block.stop)
            here &= self._kept_categorical(k)[self.lost_feature]
            row, feature = self.lost_row[here] - block.start, self.lost_feature[here]
            X[row, self.width + self.encoded.starts[feature] + self.fitted.mode[k, feature]] = 1.0
        if not columns.all():
            X = np.compress(columns, X, axis=1)
        if self.scaling != "none":
            X = X.copy() if X.base is not None else X
            n_numeric = int(kept.sum())
            self._scale_numeric(X[:, :n_numeric], k, kept)
            if self.scaling == "standard":
                onehot, share = X[:, n_numeric:], self._shares(k)[self._kept_onehot(k)]
                onehot -= share
                onehot /= _nonzero(share, np.sqrt(share * (1 - share)), self.fitted.ends[k])
        return X

    def _kept_numeric(self, k: int) -> np.ndarray:
        kept = super()._kept_numeric(k)
        return kept & (self.fitted.low[k] < self.fitted.high[k]) if self.leakage == "yes" else kept

    def _kept_onehot(self, k: int) -> np.ndarray:
        kept = self.fitted.counts[k] > 0
        if self.leakage == "yes":
            kept &= self._shares(k) < 1
        return kept

    def _shares(self, k: int) -> np.ndarray:
        """Return the share of rows in each category after imputation."""
        filled = self.fitted.counts[k].astype(float)
        has_value = self._kept_categorical(k)
        filled[(self.encoded.starts[:-1] + self.fitted.mode[k])[has_value]] += \
            self.fitted.missing[k][has_value]
        return filled / self.fitted.ends[k]


class OrdinalDesigns(Designs):
    """Numeric features, then per categorical feature the rank of the value in the prefix.

    A value that is missing, or that the prefix lacks, counts as the most frequent one. The codes
    are not scaled: the published runs with "standard" did, which categorical naive Bayes refuses.
    """

    form = "ordinal"

    def _features(self, block: slice, k: int, kept: np.ndarray) -> np.ndarray:
        codes = self.encoded.codes[self.rows[block]]
        ranks = [self._ranks(j, k)[codes[:, j]] for j in np.flatnonzero(self._kept_categorical(k))]
        return np.column_stack([self._numeric(block, k, kept), *ranks])

    def _ranks(self, j: int, k: int) -> np.ndarray:
        """Return the rank of every category of a feature; the last entry is for a missing one."""
        start, stop = self.encoded.starts[j : j + 2]
        present = self.fitted.counts[k, start:stop] > 0
        rank = np.append(np.cumsum(present) - 1, 0)
        rank[:-1][~present] = rank[-1] = rank[self.fitted.mode[k, j]]
        return rank


class NativeDesigns(Designs):
    """A DataFrame: numeric features imputed, categories as they are."""

    form = "native"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.categories = [_with_missing(c) for c in self.encoded.categories]

    def _features(self, block: slice, k: int, kept: np.ndarray) -> pd.DataFrame:
        frame = pd.DataFrame(self._numeric(block, k, kept),
                             columns=np.array(self.encoded.numeric_names, object)[kept])
        codes = self.encoded.codes[self.rows[block]]
        columns = {
            name: pd.Categorical.from_codes(np.where(code < 0, len(values) - 1, code), values)
            for name, code, values in zip(
                self.encoded.categorical_names, codes.T, self.categories, strict=True)
        }
        return pd.concat([frame, pd.DataFrame(columns, index=frame.index)], axis=1)

    def _kept_categorical(self, k: int) -> np.ndarray:
        return np.ones(len(self.encoded.categories), bool)


FORMS = {cls.form: cls for cls in (OneHotDesigns, OrdinalDesigns, NativeDesigns)}


def prepare(dataset, outer: int, inner: int, scaling: str, leakage: str, form: str,
            anchors: Sequence[int]) -> Designs:
    """Return the designs of one repeat; those last asked for are kept in memory.

    Parameters
    ----------
    dataset : collection.datasets.Dataset
    outer, inner : int
        Seeds of the splits.
    scaling, leakage : str
        See `Designs`.
    form : {"onehot", "ordinal", "native"}
    anchors : sequence of int
        Lengths of the training prefixes, ascending.

    Raises
    ------
    ProtocolError
        Where the dataset cannot be split.
    """
    return _prepare(Identity(dataset), outer, inner, scaling=scaling, leakage=leakage, form=form,
                    anchors=tuple(anchors))


@lru_cache(maxsize=1)  # one-hot designs of large datasets fill gigabytes
def _prepare(key: Identity, outer, inner, scaling, leakage, form, anchors) -> Designs:
    encoded = encode(key.value)
    if len(encoded.classes):
        check_classes(encoded.classes, np.bincount(encoded.labels))
    split = split_rows(encoded.labels, outer, inner)
    return FORMS[form](encoded, split, scaling, leakage, anchors)


def _nonzero(mean: np.ndarray, deviation: np.ndarray, n_rows: int) -> np.ndarray:
    """Put 1 for the deviation of a feature that is constant up to rounding (as scikit-learn)."""
    variance = deviation**2
    constant = variance <= n_rows * EPS * variance + (n_rows * mean * EPS) ** 2
    return np.where(constant, 1.0, deviation)


def _with_missing(categories: np.ndarray) -> list[str]:
    name = "missing"
    while name in categories:
        name += "_"
    return [*categories.tolist(), name]
