import pytest

from collection.learners import REGISTRY, LearnerSpecError, find_learner
from collection.learners.names import LEARNERS
from collection.naming import UnknownNameError


def test_all_of_table_3_are_registered_and_one_more():
    assert set(LEARNERS) == set(REGISTRY) - {"TabNetSmallBatch"}
    assert len(LEARNERS) == 32


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


def test_a_classifier_of_ones_own():
    learner = find_learner("sklearn.svm.SVC(C=10, kernel='poly', class_weight={0: 1, 1: 2})")
    made = learner.make(None)
    assert (made.C, made.kernel, made.class_weight, made.random_state) == (
        10, "poly", {0: 1, 1: 2}, 42)
    assert find_learner("sklearn.svm.SVC(random_state=7)").make(None).random_state == 7
    assert find_learner("sklearn.ensemble.HistGradientBoostingClassifier").form == "onehot"
    assert find_learner("collection.learners.modern.TabNet(batch_size=64)").form == "native"


def test_the_batch_size_of_the_mlp_can_be_set():
    spec = "sklearn.neural_network.MLPClassifier(batch_size=64)"
    assert find_learner(spec).make(None).batch_size == 64


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
])
def test_specs_that_cannot_be_read_say_why(spec, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LearnerSpecError, match=words):
        find_learner(spec)
    assert not list(tmp_path.iterdir())  # nothing but a classifier is ever called


def test_an_unknown_name_is_answered_with_close_ones():
    with pytest.raises(UnknownNameError, match="TabNetSmallBatch"):
        find_learner("TabNetSmal")
