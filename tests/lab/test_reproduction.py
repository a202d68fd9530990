"""The comparison with the published means: by hand on made-up curves, and on the shipped ones."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from curve_examples import labelled

import analysis
from analysis.databases.lcdb11.summary import open_lcdb11_summary, summary_folder
from analysis.published.computed import DATE, NotAtHandError, recall
from collection.containers.curves import Status, build_container
from collection.containers.learner_names import MODERN
from lab.reproduction import AGAINST_PAPER, COLUMNS, against_paper, compare_with_published

ANCHORS = [16, 18, 20]


def ours(means, names=("a",), ids=(54.0,)):
    """Two learners with these means along the anchors; repeats 0.1 below and above."""
    repeats = np.array([-0.1, 0.1])[:, None, None]
    errors = np.array(means)[:, None, None, None, None, :, None] + repeats
    errors = np.broadcast_to(errors, (len(names), *errors.shape))
    coords = {"dataset": list(names), "learner": ["KNN", "LDA"], "scaling": ["none"],
              "leakage": ["no"], "outer": [0], "inner": [0, 1], "anchor": ANCHORS,
              "split": ["valid"]}
    curves = build_container(coords, {"error_rate": errors}, np.zeros(errors.shape[:-1], np.int8))
    return curves.assign_coords(openml_id=("dataset", list(ids)))


def theirs(means, spread):
    return xr.Dataset({name: labelled(
        np.array(values)[None, :, None, None, :, None],
        "dataset learner scaling leakage anchor split", dataset=[54], learner=["KNN", "LDA"],
        scaling=["none"], leakage=["no"], anchor=ANCHORS, split=["valid"])
        for name, values in (("error_rate", means), ("error_rate_stderr", spread))})


def test_differences_are_counted():
    nan = np.nan
    published = theirs([[0.3004, 0.20004, 0.1], [0.5, 0.4, nan]], [[0.2] * 3, [0.01, 0.5, nan]])
    table = compare_with_published(ours([[0.3, 0.2, 0.3], [0.45, 0.4, 0.4]]), published)
    assert table.columns[:6].tolist() == COLUMNS
    knn, lda = table.to_dict("records")
    assert (knn["anchors"], knn["equal_4"], knn["one_sided"]) == (3, 1, 0)
    assert knn["max_abs_diff"] == pytest.approx(0.2) and knn["max_abs_z"] == pytest.approx(1)
    assert (lda["anchors"], lda["equal_4"], lda["one_sided"]) == (2, 1, 1)
    assert lda["max_abs_z"] == pytest.approx(0.5)  # ours spreads 0.1, theirs 0.01


def test_datasets_without_a_published_counterpart_are_left_out():
    curves = ours([[0.3] * 3, [0.4] * 3], names=("a", "own"), ids=(54, np.nan))
    published = theirs([[0.3] * 3, [0.4] * 3], np.ones((2, 3)))
    assert compare_with_published(curves, published)["dataset"].tolist() == ["a", "a"]
    assert compare_with_published(curves.sel(dataset=["own"]), published).empty


def test_a_curve_that_lacks_a_repeat_is_left_out():
    curves = ours([[0.3] * 3, [0.4] * 3])
    curves["status"].loc[{"learner": "LDA", "inner": 1}] = Status.not_run
    curves["status"].loc[{"learner": "KNN", "inner": 1, "anchor": 16}] = Status.error
    table = compare_with_published(curves, theirs([[0.3] * 3, [0.4] * 3], np.ones((2, 3))))
    assert table[["learner", "anchors"]].values.tolist() == [["KNN", 3]]
    curves["status"].loc[{"inner": 0}] = Status.not_run
    assert compare_with_published(curves, theirs([[0.3] * 3, [0.4] * 3], np.ones((2, 3)))).empty


@pytest.fixture(scope="module")
def anew():
    try:
        summary_folder()
    except NotAtHandError:
        pytest.skip("the published means are not here")
    return against_paper(analysis.load_curves("lcdb11-anew"), open_lcdb11_summary())


def test_what_is_kept_is_what_comes_out(anew):
    kept = recall(AGAINST_PAPER).drop(columns=DATE)
    pd.testing.assert_frame_equal(anew.reset_index(drop=True), kept, check_dtype=False, rtol=1e-5,
                                  atol=1e-12)


#: Their numbers depend on the platform: solvers, tied distances or classes, vector instructions.
ON_THE_PLATFORM = {"LogisticRegression", "LDA", "QDA", "KNN", "BernoulliNB", "SVM_Poly",
                   "ens.GradientBoosting", "MLP", "NearestCentroid"}


def test_the_curves_are_the_published_ones(anew):
    other = anew["rows"].str.contains("another order|coding|standardised| of | beside ")
    anew = anew[~other & ~anew["learner"].isin(MODERN)]
    equal = anew["equal_4"] == anew["anchors"]
    assert (equal & (anew["openml_id"] == 54)).sum() >= 18
    differ = anew[~equal]
    assert set(differ["learner"]) <= ON_THE_PLATFORM
    assert (anew.loc[anew["learner"] != "QDA", "max_abs_z"] < 2).all()
