import pickle

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

from collection.containers.learner_names import CLASSES, LEARNERS, NAMES_IN_HELP, learner_name
from collection.learners import REGISTRY, LearnerSpecError, find_learner
from collection.learners.learner import parse_spec, to_spec
from collection.learners.registry import OURS, REGRESSORS
from collection.learners.sklearn_versions import is_of_kind
from collection.project.naming import UnknownNameError


def test_those_of_table_3_are_registered_and_ours_apart():
    assert set(REGISTRY) == {*LEARNERS, *(learner.name for learner in OURS)}
    assert len(LEARNERS) == 32 and not set(LEARNERS) & {learner.name for learner in OURS}
    mixed = {name for name, learner in LEARNERS.items() if learner.group == "mixed"}
    assert mixed == {name for name, made in REGISTRY.items() if made.form == "ordinal"}


@pytest.mark.parametrize("name", [n for n, v in LEARNERS.items() if v.group == "classic"])
def test_classic_learners_are_seeded_and_else_at_their_defaults(name):
    made = REGISTRY[name].make(None)
    defaults = type(made)().get_params()
    differing = {k: v for k, v in made.get_params().items() if v != defaults[k]}
    if "random_state" in defaults and name != "DummyClassifier":
        assert differing.pop("random_state") == 42
    allowed = {"SVM_Poly": {"kernel": "poly"}, "SVM_Sigmoid": {"kernel": "sigmoid"},
               "DummyClassifier": {"strategy": "most_frequent"}}
    assert differing == allowed.get(name, {})


@pytest.mark.parametrize("label", ["KNN", "knn", "DT", "sklearn.neighbors.KNeighborsClassifier"])
def test_names_of_table_3_and_of_lcdb_1_0_are_understood(label):
    assert find_learner(label).name in ("KNN", "Decision Tree")


@pytest.mark.parametrize("kind", CLASSES)
def test_a_class_s_name_stands_for_the_learner_made_of_it(kind):
    registry = REGRESSORS if kind == "numbers" else REGISTRY
    made_of = {}
    for learner in registry.values():
        made_of.setdefault(learner.family, []).append(learner.name)
    for cls, name in CLASSES[kind].items():
        learner = find_learner(cls, kind == "numbers")
        assert learner is registry[name]
        assert cls.startswith("CatBoost") or name in made_of[cls]
        assert learner_name(cls, [name]) == name and cls in NAMES_IN_HELP
        with pytest.raises(UnknownNameError, match=cls):  # a classifier is no regressor
            find_learner(cls, kind != "numbers")
    # Of the classes in the registry none is left out; SVC and SVR are those of the default kernel.
    of_libraries = {cls for cls, names in made_of.items() if cls not in registry
                    and registry[names[0]].path.startswith(("sklearn", "lightgbm", "xgboost"))}
    assert of_libraries <= set(CLASSES[kind])
    assert find_learner("SVC").settings["kernel"] == "rbf"


def test_a_class_s_name_is_found_in_a_database_and_a_misspelt_one_answered():
    assert learner_name("randomforestclassifier", ["KNN", "ens.RandomForest"]) == "ens.RandomForest"
    for find in (find_learner, learner_name):
        with pytest.raises(UnknownNameError, match=r"Did you mean .*RandomForestClassifier"):
            find("RandomForestClasifier")


def test_a_classifier_of_ones_own():
    learner = find_learner("sklearn.svm.SVC(C=10, kernel='poly', class_weight={0: 1, 1: 2})")
    made = learner.make(None)
    assert (made.C, made.kernel, made.class_weight, made.random_state) == (
        10, "poly", {0: 1, 1: 2}, 42)
    assert find_learner("sklearn.svm.SVC(random_state=7)").make(None).random_state == 7
    assert find_learner("sklearn.ensemble.HistGradientBoostingClassifier").form == "onehot"
    assert find_learner("collection.learners.modern.TabNet(batch_size=64)").form == "native"


@pytest.mark.parametrize(("spec", "words"), [
    ("sklearn.svm.SVC(C=__import__('os').system('true'))", "parameters must be"),
    ("sklearn.svm.SVC(10)", "by name"),
    ("sklearn.svm.SVC(**{'C': 1})", "by name"),
    ("sklearn.svm.SVC(C=)", "not of that form"),
    ("sklearn.svm.SVC(D=1)", "unexpected keyword"),
    ("sklearn.svm.SVM()", "no attribute"),
    ("nosuchpackage.Learner()", "No module named"),
    ("sklearn.svm.SVR()", "not a scikit-learn classifier"),
    ("os.mkdir(path='called')", "not a scikit-learn classifier"),
    ("(lambda: sklearn).svm()", "not an import path"),
    ("SVC(C=1)", "not an import path"),
    ("sklearn.pipeline.Pipeline(steps=[('a', os.mkdir(path='called'))])", "os.mkdir is not"),
    ("sklearn.pipeline.Pipeline(steps=[('a', subprocess.Popen(args=['true']))])", "Popen is not"),
])
def test_specs_that_cannot_be_read_say_why(spec, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LearnerSpecError, match=words):
        find_learner(spec)
    assert not list(tmp_path.iterdir())  # nothing but a classifier is ever called


def test_a_pipeline_and_a_search_are_written_like_any_estimator():
    spec = ("sklearn.model_selection.RandomizedSearchCV(estimator=sklearn.pipeline.Pipeline(steps=["
            "('scale', sklearn.preprocessing.MinMaxScaler()), ('tree', sklearn.tree."
            "DecisionTreeClassifier(max_depth=2))]), param_distributions={'tree__max_depth': "
            "[1, 2]}, cv=sklearn.model_selection.StratifiedKFold(n_splits=3, shuffle=True))")
    learner = find_learner(spec)
    made = learner.make(None)
    assert made.random_state == 42 and made.estimator["tree"].random_state == 42
    assert made.estimator["tree"].max_depth == 2 and made.cv.get_n_splits() == 3
    assert learner.make(None).estimator is not made.estimator
    assert learner.hyperparameters["estimator"]["steps"][1] == [
        "tree", {"class": "sklearn.tree.DecisionTreeClassifier", "max_depth": 2,
                 "random_state": 42}]
    assert pickle.loads(pickle.dumps(learner)) == learner


def test_names_stand_for_regressors_where_numbers_are_predicted():
    assert type(find_learner("knn", regression=True).make(None)).__name__ == "KNeighborsRegressor"
    for learner in REGRESSORS.values():
        made = learner.make(None)
        assert is_of_kind(made, "regressor")
        assert made.get_params().get("random_state", 42) == 42
    assert find_learner("sklearn.svm.SVR(C=2)", regression=True).family == "SVR"
    with pytest.raises(UnknownNameError, match="Unknown regressor 'LDA'"):
        find_learner("LDA", regression=True)
    with pytest.raises(LearnerSpecError, match="SVC is not a scikit-learn regressor"):
        find_learner("sklearn.svm.SVC()", regression=True)


def test_a_module_that_ends_the_program_is_answered(tmp_path, monkeypatch):
    (tmp_path / "ends_here.py").write_text("raise SystemExit('bye')\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(LearnerSpecError, match="bye"):
        find_learner("ends_here.Learner")


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
