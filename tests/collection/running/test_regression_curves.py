"""Curves where numbers are to be predicted: by a plain loop, when stopped, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from gathered import gather
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from plain_columns import plain_columns
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

from collection.containers.curves import Status
from collection.datasets import DatasetError, load_dataset
from collection.protocol.anchors import anchor_grid
from collection.protocol.splits import BINS, split_rows, strata
from collection.running.curve_plan import make_plan
from collection.running.curve_settings import check_settings
from collection.running.work import run as run_plan
from collection.store import open_store
from commands import main

LEARNERS = {
    "LeastSquares": LinearRegression, "KNN": KNeighborsRegressor,
    "Decision Tree": lambda: DecisionTreeRegressor(random_state=42),
    "SVM_RBF": lambda: TransformedTargetRegressor(SVR(), transformer=StandardScaler()),
}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A file with a text column and gaps, its target in the last column."""
    frame = load_diabetes(as_frame=True).frame.round(6)
    frame["kind"] = np.where(frame["sex"] > 0, "a", "b")
    frame.loc[::7, "bmi"] = np.nan
    path = tmp_path_factory.mktemp("numbers") / "diabetes.csv"
    frame.drop(columns="sex")[["kind", *frame.columns.drop(["sex", "kind"])]].to_csv(
        path, index=False)
    return path


def plain_loop(dataset, make, outer, inner):
    """Return anchors, and metrics per anchor and split, by scikit-learn alone."""
    X, y = dataset.features, dataset.target
    bins = ((pd.Series(y).rank(method="first") - 1) * 10 // len(y)).to_numpy(int)
    rows = np.arange(len(y))
    learn, test = train_test_split(rows, test_size=int(np.ceil(len(y) * 0.1)), stratify=bins,
                                   random_state=outer)
    train, valid = train_test_split(learn, test_size=len(learn) - int(len(learn) * 0.9),
                                    stratify=bins[learn], random_state=inner)
    anchors = anchor_grid(len(train))[::6]
    found = []
    for anchor in anchors:
        model = make_pipeline(plain_columns(dataset, "standard"), make())
        model.fit(X.iloc[train[:anchor]], y[train[:anchor]])
        found.append([[f(y[s], model.predict(X.iloc[s])) for s in (train[:anchor], valid, test)]
                      for f in (lambda a, b: mean_squared_error(a, b) ** 0.5 / y.std(),
                                mean_absolute_error, r2_score)])
    return anchors, np.array(found)


@pytest.mark.parametrize("name", LEARNERS)
def test_curves_are_those_of_a_plain_loop(table, name):
    dataset = load_dataset(f"csv:{table}?regress=target")
    anchors, expected = plain_loop(dataset, LEARNERS[name], outer=1, inner=3)
    curves = gather(dataset, [name], ["standard"], outer=[1], inner=[3], anchors=anchors)
    assert curves["anchor"].values.tolist() == anchors.tolist() and "error_rate" not in curves
    for k, metric in enumerate(("relative_rmse", "mae", "r2")):
        ours = curves[metric].squeeze(drop=True).transpose("anchor", "split").values
        np.testing.assert_allclose(ours, expected[:, k], rtol=1e-12, atol=1e-12)


@given(arrays(float, st.integers(20, 300),
              elements=st.sampled_from([-1e9, -2.5, 0.0, 0.1, 3.0, 1e-9])
              | st.floats(-1e6, 1e6)), st.integers(0, 4), st.integers(0, 4))
def test_quantiles_are_held_out_in_proportion(target, outer, inner):
    groups = strata(target)
    sizes = np.bincount(groups)
    assert len(sizes) <= BINS and sizes.max() - sizes.min() <= 1
    highest = [target[groups == g].max() for g in range(len(sizes))]
    lowest = [target[groups == g].min() for g in range(len(sizes))]
    assert all(a <= b for a, b in zip(highest[:-1], lowest[1:], strict=True))
    split = split_rows(target, outer, inner)
    parts = np.concatenate([split.train, split.valid, split.test])
    assert sorted(parts) == list(range(len(target)))
    for part in (split.valid, split.test):
        counts = np.bincount(groups[part], minlength=len(sizes))
        assert np.abs(counts - len(part) * sizes / len(target)).max() <= 2


def test_the_unit_of_the_target_moves_no_relative_error(table):
    frame = pd.read_csv(table)
    path = table.with_name("other_unit.csv")
    frame.assign(target=frame["target"] * 1024 - 2**20).to_csv(path, index=False)
    learners = ["Ridge", "Lasso", "SVM_RBF", "SVM_Linear", "SGD", "MLP", "KNN", "Dummy"]
    one, other = (gather(load_dataset(f"csv:{p}?regress=target"), learners, ["standard"],
                         outer=[0], inner=[0], anchors=[64]) for p in (table, path))
    np.testing.assert_allclose(one["relative_rmse"], other["relative_rmse"], rtol=1e-6)
    np.testing.assert_allclose(one["mae"] * 1024, other["mae"], rtol=1e-6)


@pytest.mark.parametrize(("change", "words"), [
    (lambda y: y * 0 + 3, "is 3 in every row"),
    (lambda y: y.where(y.index != 5, np.inf), "infinite"),
    (lambda y: y % 7 // 1, "7 different numbers in 442 rows: is it a class"),
    (lambda y: y.astype(str).where(y.index != 5, "red"), "red"),
    (lambda y: y * np.nan, "no row has a label"),
])
def test_bad_targets_are_one_line_and_store_nothing(table, tmp_path, change, words, capsys):
    frame = pd.read_csv(table)
    frame.assign(target=change(frame["target"])).to_csv(tmp_path / "bad.csv", index=False)
    out = tmp_path / "out"
    assert main(["collect", f"DATASETS=csv:{tmp_path / 'bad.csv'}?regress=target",
                 f"OUT={out}"]) == 1
    told = capsys.readouterr().err.strip()
    assert words in told and "target" in told and "\n" not in told and not out.exists()


def test_rows_without_a_number_are_left_out_and_counted(table, tmp_path):
    frame = pd.read_csv(table)
    frame.loc[:29, "target"] = np.nan
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    with pytest.warns(UserWarning, match="30 of 442 rows"):
        dataset = load_dataset(f"csv:{tmp_path / 'gaps.csv'}?regress=target")
    assert dataset.n_rows == 412 and dataset.unlabelled_rows == 30


def test_what_is_no_number_is_a_status(table):
    curves = gather(load_dataset(f"csv:{table}?regress=target"), ["misbehaving.TooLarge()"],
                    outer=[0], inner=[0], anchors=[16])
    assert (curves["status"] == Status.invalid).all() and curves["relative_rmse"].isnull().all()


def test_each_table_has_the_learners_that_suit_it(table, tmp_path):
    chosen = check_settings({
        "DATASETS": f"csv:{table}?regress=target sklearn:iris", "OUT": str(tmp_path), "OUTER": "0",
        "LEARNERS": "KNN LDA LeastSquares", "ANCHORS": "16 91", "WORKERS": "1"})
    assert not run_plan(chosen, make_plan(chosen)).lost
    curves = open_store(tmp_path)
    learners = curves["relative_rmse"].notnull().any(
        [d for d in curves["relative_rmse"].dims if d not in ("dataset", "learner")])
    assert learners.sel(dataset="diabetes", learner=["KNN", "LeastSquares"]).all()
    assert not learners.sel(dataset="iris").any()
    assert curves["error_rate"].sel(dataset="iris", learner="LDA").notnull().any()


def test_numbers_that_are_taken_for_classes_are_told_how_they_are_predicted(table):
    with pytest.raises(DatasetError, match=r"regress=target"):
        load_dataset(f"csv:{table}?target=target")
