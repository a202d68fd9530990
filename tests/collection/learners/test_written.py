"""Estimators as text: what is written makes the same estimator."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from collection.learners.learner import LearnerSpecError, parse_spec, to_spec


@pytest.mark.parametrize("estimator, text", [
    (SVC(probability=True), "sklearn.svm.SVC(probability=True)"),
    (GaussianNB(), "sklearn.naive_bayes.GaussianNB()"),
    (SVC(C=np.float64(2), class_weight={0: 1, 1: 3}), "sklearn.svm.SVC(C=2.0, "
     "class_weight={0: 1, 1: 3})"),
    (AdaBoostClassifier(estimator=DecisionTreeClassifier(max_depth=2)),
     "sklearn.ensemble.AdaBoostClassifier(estimator=sklearn.tree.DecisionTreeClassifier("
     "max_depth=2))"),
    (GaussianNB(priors=(0.5,)), "sklearn.naive_bayes.GaussianNB(priors=(0.5,))")])
def test_the_text_is_short_and_says_all(estimator, text):
    assert to_spec(estimator) == text
    made = parse_spec(text, "classifier").make()
    assert type(made) is type(estimator)


def test_pipelines_and_searches_are_written_too():
    search = GridSearchCV(Pipeline([("s", StandardScaler()), ("m", LogisticRegression())]),
                          {"m__C": [0.1, 1.0]}, scoring="roc_auc")
    made = parse_spec(to_spec(search), "classifier").make()
    assert made.param_grid == {"m__C": [0.1, 1.0]}
    assert [name for name, _ in made.estimator.steps] == ["s", "m"]


@given(C=st.floats(1e-6, 1e6), kernel=st.sampled_from(["rbf", "poly"]), degree=st.integers(1, 5))
def test_parameters_come_back_exactly(C, kernel, degree):
    estimator = SVC(C=C, kernel=kernel, degree=degree, random_state=3)
    made = parse_spec(to_spec(estimator), "classifier").make()
    assert made.get_params() == estimator.get_params()


class Local(ClassifierMixin, BaseEstimator):
    def __init__(self, how=None):
        self.how = how


def test_what_cannot_be_written_says_what_to_do():
    made = {}
    exec("class Hidden(Local): pass", {"Local": Local, "__name__": "__main__"}, made)
    with pytest.raises(LearnerSpecError, match="a file of its own"):
        to_spec(made["Hidden"]())  # its source is nowhere
    with pytest.raises(LearnerSpecError, match="Mine was made in a notebook"):
        parse_spec("by_value.Mine_0f0f0f0f(C=1)", "classifier")
    with pytest.raises(LearnerSpecError, match="parameter how is <function"):
        to_spec(Local(how=to_spec))
    for wrong in (SVC, 3):
        with pytest.raises(LearnerSpecError, match="no scikit-learn estimator"):
            to_spec(wrong)
    assert to_spec("KNN") == "KNN"
