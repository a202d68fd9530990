"""Curves that people have already: what scikit-learn returns, or a tidy table, as the container."""

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr
from sklearn.metrics import get_scorer_names

from collection.containers.curves import DIMS, LEAKAGES, METRICS, SPLITS, Status, build_container
from collection.project.arguments import checked
from collection.project.naming import check_known
from collection.project.shown import said_if_slow
from collection.protocol.splits import LearningCurveSplit as LearningCurveSplit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from sklearn.model_selection import LearningCurveDisplay

#: scikit-learn's scorings that are metrics of ours by another name. Any other one is a variable of
#: its own name, a loss as it is (without "neg_"): that of ours, where we have one of this name.
SCORINGS = {"accuracy": "error_rate", "neg_mean_absolute_error": "mae", "f1_weighted": "f1",
            "roc_auc": "auc", "roc_auc_ovr": "auc", "roc_auc_ovr_weighted": "auc"}
MOST_ROWS = 1e12  # a size above is a slip
LOSSES = ("max_error",)  # scorings that are losses with their sign turned, and do not say so
BELOW_0 = ("r2", "explained_variance", "matthews_corrcoef", "adjusted", "d2_")  # may be negative
ABOVE_1 = ("positive_likelihood_ratio",)


def from_sklearn(train_sizes: "ArrayLike | LearningCurveDisplay",
                 train_scores: np.ndarray | None = None,
                 test_scores: np.ndarray | None = None, fit_times: np.ndarray | None = None,
                 score_times: np.ndarray | None = None, *, scoring: str | None = None,
                 learner: str = "learner", dataset: str = "dataset") -> xr.Dataset:
    """Return the container of curves for what `sklearn.model_selection.learning_curve` returns.

    Parameters
    ----------
    train_sizes : array of int, shape (n_sizes,)
        Rows of the training sets; or a `sklearn.model_selection.LearningCurveDisplay`, alone.
    train_scores, test_scores : ndarray, shape (n_sizes, n_folds)
        Scores; NaN where a fit failed, or masked. The test folds become the split ``valid``:
        models are chosen by them.
    fit_times, score_times : ndarray, shape (n_sizes, n_folds), optional
        Seconds, with ``return_times=True``; the former become ``train_time``.
    scoring : str
        What the scores are, as scikit-learn calls it. Accuracy becomes the error rate, its
        complement; AUC, F1, R², log-loss and mean absolute error the metrics of that name; any
        other one a variable of its own name, whose attribute ``lower_is_better`` says its
        direction (``neg_brier_score`` becomes ``brier_score``, lower is better). Without it, what
        a display says, else accuracy, with a warning: of a regressor they would be R².
    learner, dataset : str
        Labels of the curve.

    Returns
    -------
    xarray.Dataset, dims (dataset, learner, scaling, leakage, outer, inner, anchor, split)
        Folds along ``outer``; every other dim but ``anchor`` and ``split`` has length 1. As
        `analysis.load_curves` returns it, so that everything else takes it.

    Raises
    ------
    UnknownNameError
        For a scoring that scikit-learn does not have.
    ValueError
        Where shapes do not match, a size is there twice or no whole number of rows, or a score
        cannot be one.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import learning_curve
    >>> from sklearn.naive_bayes import GaussianNB
    >>> import analysis
    >>> X, y = load_wine(return_X_y=True)
    >>> found = learning_curve(GaussianNB(), X, y, train_sizes=[20, 40, 80, 140], shuffle=True,
    ...                        random_state=0)
    >>> curves = analysis.from_sklearn(*found, scoring="accuracy", learner="GaussianNB",
    ...                                dataset="wine")
    >>> valid = curves["error_rate"].sel(split="valid")
    >>> bool(analysis.detect_shapes(valid)["missing"].item())
    False
    """
    shown: Any = train_sizes
    if train_scores is None and hasattr(shown, "train_sizes"):
        train_sizes, train_scores, test_scores = (shown.train_sizes, shown.train_scores,
                                                  shown.test_scores)
        scoring = scoring or _named(shown.score_name)
    if scoring is None:
        scoring = "accuracy"
        warnings.warn("The scores are taken for accuracy. If they are something else, such as R² "
                      "of a regressor, name it: scoring=\"r2\".", UserWarning, stacklevel=2)
    if not isinstance(scoring, str):
        raise ValueError(f"scoring is the name of what the scores are, such as 'accuracy', not "
                         f"{scoring!r}: a function does not say whether lower is better.")
    check_known("scoring", [scoring], get_scorer_names())
    loss = scoring.startswith("neg_") or scoring in LOSSES
    metric = SCORINGS.get(scoring, scoring.removeprefix("neg_"))
    sizes = _unmasked(train_sizes) if np.ma.is_masked(train_sizes) else np.asarray(train_sizes)
    scores = [_unmasked(part) for part in (train_scores, test_scores)]
    _check_scores(sizes, scores, scoring)
    order = np.argsort(sizes)
    values = np.stack([part[order].T for part in scores], axis=-1)  # fold, size, split
    values = 1 - values if metric == "error_rate" else -values if loss else values
    coords: dict[str, Any] = {
        "dataset": [dataset], "learner": [learner], "scaling": ["none"], "leakage": ["no"],
        "outer": np.arange(len(values)), "inner": [0], "anchor": sizes[order],
        "split": list(SPLITS[:2])}
    values = values[None, None, None, None, :, None]
    times = {} if fit_times is None else {
        "train_time": _unmasked(fit_times)[order].T[None, None, None, None, :, None]}
    failed = np.isnan(values).any(axis=-1)
    known = metric if metric in METRICS else "error_rate"
    container = build_container(
        coords, {known: values, **times}, np.where(failed, Status.error, Status.ok).astype(np.int8),
        failed.astype(np.int16), ("", "scikit-learn returned no score: the fit failed"),
        database="scikit-learn")
    if metric != known:
        container = container.rename({known: metric})
        container[metric].attrs = {"long_name": metric.replace("_", " "), "units": "1"}
    lower = loss or (metric in METRICS and METRICS[metric].lower_is_better)
    container[metric].attrs.update(scoring=scoring, lower_is_better=lower)
    return container


def _unmasked(values: Any) -> np.ndarray:
    """Return numbers, NaN where they are masked."""
    if np.iscomplexobj(values):
        raise ValueError("Sizes, scores and times are real numbers, not complex ones.")
    return np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)


def _named(score_name: str | None) -> str | None:
    """Return the scoring that a display names, such as "R^2"; None where it is not known."""
    name = (score_name or "").lower().replace(" ", "_").replace("^", "")
    return next((one for one in (name, f"neg_{name}") if one in get_scorer_names()), None)


def _check_scores(sizes: np.ndarray, scores: list[np.ndarray], scoring: str) -> None:
    if sizes.ndim != 1 or any(part.ndim != 2 or len(part) != len(sizes) for part in scores):
        raise ValueError(
            f"train_sizes has the shape {sizes.shape}, the scores {scores[0].shape} and "
            f"{scores[1].shape}: they are (n_sizes,), (n_sizes, n_folds) and (n_sizes, n_folds), "
            "as sklearn.model_selection.learning_curve returns them.")
    if scores[0].shape != scores[1].shape:
        raise ValueError(f"train_scores has {scores[0].shape[1]} folds and test_scores "
                         f"{scores[1].shape[1]}: they are of the same fits.")
    if len(np.unique(sizes)) < len(sizes) or not _are_sizes(sizes).all():
        raise ValueError("Training-set sizes are distinct whole numbers of rows from 1, not "
                         f"{sizes}.")
    loss = scoring.startswith("neg_") or scoring in LOSSES
    high = 0 if loss else np.inf if scoring in ABOVE_1 else 1
    low = -np.inf if loss or scoring.startswith(BELOW_0) else 0
    for name, part in zip(("train_scores", "test_scores"), scores, strict=True):
        wrong = ~np.isnan(part) & ~(np.isfinite(part) & (part >= low) & (part <= high))
        for size, fold in np.argwhere(wrong)[:1]:
            raise ValueError(f"{name}, {sizes[size]} rows, fold {fold}: {part[size, fold]:g} is no "
                             f"{scoring}; name what the scores are with scoring=.")


def _are_sizes(sizes: np.ndarray) -> np.ndarray:
    """Tell which are whole numbers of rows."""
    if sizes.dtype.kind not in "iuf":
        return np.zeros(len(sizes), bool)
    return np.isfinite(sizes) & (sizes >= 1) & (sizes <= MOST_ROWS) & (sizes == np.floor(sizes))


@checked
@said_if_slow("Laying out a table of curves")
def from_table(table: pd.DataFrame, metric: str = "error_rate", value: str = "error",
               size: str = "size") -> xr.Dataset:
    """Return the container of curves for a tidy table.

    Parameters
    ----------
    table : pandas.DataFrame
        A row per measurement: its training-set size and value, and any of ``dataset``,
        ``learner``, ``scaling``, ``leakage``, ``outer``, ``inner``, ``split``; ``repeat`` is
        taken for ``outer``. What is absent has one label. Without ``split``, values are ``valid``.
    metric : str
        What the values are: a name in `collection.containers.curves.METRICS`.
    value, size : str
        Columns of the values (NaN: the fit failed) and of the training-set sizes in rows.

    Returns
    -------
    xarray.Dataset, dims (dataset, learner, scaling, leakage, outer, inner, anchor, split)
        Combinations that the table lacks are NaN and ``not_run``.

    Raises
    ------
    UnknownNameError
        For an unknown metric, or a column that is not there.
    ValueError
        Where a measurement stands there twice, a label is empty, a split or leakage is none, a
        size is no whole number of rows, or a value is outside the metric's range; with the row.
    """
    check_known("metric", [metric], METRICS)
    check_known("column", [size, value], map(str, table.columns))
    names = [{size: "anchor", value: metric}.get(str(c), c) for c in table.columns]
    if "outer" not in names:
        names = ["outer" if name == "repeat" else name for name in names]
    for name, said in ((metric, value), ("anchor", size), *zip(DIMS, DIMS, strict=True)):
        if names.count(name) > 1:
            raise ValueError(f"Two columns are taken for {name!r}, one of them {said!r}: leave one "
                             "out, or name it otherwise.")
    given = {name: table.iloc[:, k] for k, name in enumerate(names)}
    dims, of = METRICS[metric].dims, METRICS[metric]
    labels: dict[str, Sequence] = {
        "dataset": ["dataset"], "learner": ["learner"], "scaling": ["none"], "leakage": ["no"],
        "outer": [0], "inner": [0], "split": ["valid"]}
    codes = {}
    for name in (d for d in dims if d != "anchor" and d in given):
        found = pd.Categorical(given[name]).remove_unused_categories()
        blank = np.array([not str(x).strip() for x in found.categories], bool)
        said = "'outer' (or 'repeat')" if name == "outer" else repr(name)
        _refuse(given[name], (found.codes < 0) | np.isin(found.codes, np.flatnonzero(blank)),
                f"the column {said} is empty; every measurement needs a label", shown=False)
        known = {"split": SPLITS, "leakage": LEAKAGES}.get(name)
        if known and not set(found.categories) <= set(known):
            _refuse(given[name], ~given[name].isin(known).to_numpy(),
                    f"the {name} is none of {', '.join(known)}")
        codes[name], labels[name] = found.codes, found.categories.to_numpy()
    sizes, values = _numbers(given["anchor"]).to_numpy(), _numbers(given[metric]).to_numpy()
    _refuse(given["anchor"], ~_are_sizes(sizes),
            f"the training-set size is no whole number of rows from 1 to {MOST_ROWS:.0e}")
    fits = np.isfinite(values) & (values >= of.low) & (values <= of.high)
    _refuse(given[metric], given[metric].notna().to_numpy() & ~fits,  # NaN, a failed fit, passes
            f"{of.label} lies between {of.low:g} and {of.high:g}")
    codes["anchor"], labels["anchor"] = pd.factorize(sizes.astype(int), sort=True)
    shape = [len(labels[d]) for d in dims]
    place = tuple(codes.get(d, 0) for d in dims)  # of each row
    there, found = np.zeros(shape, bool), np.full(shape, np.nan)
    there[place], found[place] = True, values
    if there.sum() < len(table):
        _refuse(given["anchor"], pd.DataFrame(codes).duplicated().to_numpy(), "this measurement "
                "stands there before. Name repeated ones apart in a column 'repeat'", shown=False)
    fitted, failed = there, there & np.isnan(found)
    if "split" in dims:
        fitted, failed = there.any(dims.index("split")), failed.any(dims.index("split"))
    status = np.where(fitted, np.where(failed, Status.error, Status.ok), Status.not_run)
    coords = {d: labels[d] if d in dims else list(SPLITS[:1]) for d in DIMS}
    container = build_container(coords, {metric: found}, status.astype(np.int8), database="table")
    container[metric].attrs["lower_is_better"] = of.lower_is_better
    return container


def _numbers(column: pd.Series) -> pd.Series:
    """Return a column as floats, NaN where it holds none: dates, times, complex numbers."""
    found = column if column.dtype.kind in "mM" else pd.to_numeric(column, errors="coerce")
    return pd.Series(np.nan, column.index) if found.dtype.kind in "mMc" else found.astype(float)


def _refuse(column: pd.Series, wrong: np.ndarray, why: str, shown: bool = True) -> None:
    """Raise `ValueError` with the labels of the rows that are wrong, and the first one's value."""
    if (rows := column.index[wrong]).empty:
        return
    more = ", …" if len(rows) > 5 else ""
    found = f", not {column[wrong].iloc[0]!r}" if shown else ""
    raise ValueError(f"Row{'s' * (len(rows) > 1)} {', '.join(map(str, rows[:5]))}{more}: "
                     f"{why}{found}.")


def dataset_sources() -> pd.DataFrame:
    """Return where datasets come from: ``source``, ``write`` (in DATASETS=), ``datasets``.

    How many is told of sources whose datasets come with a package; of others "any".
    """
    from collection.datasets import list_datasets
    from collection.datasets.sources import SOURCES

    listed = {name: len(list_datasets(name)) for name in ("keel", "sklearn")}
    return pd.DataFrame([
        {"source": name, "write": source.form, "datasets": str(listed.get(name, "any"))}
        for name, source in SOURCES.items()])
