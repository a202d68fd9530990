from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collection.containers.learner_names import LEARNERS
from collection.learners.registry import REGISTRY, check_learners
from collection.project.naming import UnknownNameError
from collection.protocol.splits import SEEDS
from collection.running.curve_settings import SettingsError, check_settings
from collection.running.evaluation_settings import check_settings as check_evaluation


def check(**values):
    return check_settings({"DATASETS": "keel:iris"} | values)


def test_defaults_are_the_papers_protocol():
    settings = check()
    assert settings.datasets == ("keel:iris",)
    assert settings.learners == tuple(n for n in LEARNERS if LEARNERS[n].group == "classic")
    assert len(settings.learners) == 24
    assert (settings.scalings, settings.leakage) == (("none",), ("no",))
    assert settings.outer == settings.inner == SEEDS
    assert settings.anchors is None and settings.predictions is False
    assert (settings.time_limit, settings.memory_limit) == (3.5 * 3600, 20e9)
    assert settings.workers >= 1 and settings.scheduler is None


def test_text_and_values_mean_the_same():
    text = check(LEARNERS="KNN LDA", OUTER="0 3", ANCHORS="32 16", PREDICTIONS="yes", WORKERS="2",
                 TIME_LIMIT="90", OUT="here")
    assert text == check(LEARNERS=["KNN", "LDA"], OUTER=[0, 3], ANCHORS=(16, 32), PREDICTIONS=True,
                         WORKERS=2, TIME_LIMIT=90.0, OUT=Path("here"))
    assert check(LEARNERS="", WORKERS=None) == check()


@pytest.mark.parametrize("spec", [
    "sklearn.svm.SVC(kernel='rbf', C=10)",
    "sklearn.neural_network.MLPClassifier(hidden_layer_sizes=(10, 10), max_iter=5)",
])
def test_a_learner_with_parameters_is_one_word(spec):
    assert check(LEARNERS=f"KNN {spec} LDA").learners == ("KNN", spec, "LDA")


def test_a_learner_whose_name_has_a_blank_is_one_word():
    blank = [name for name in REGISTRY if " " in name]
    assert len(blank) >= 4 and "Decision Tree" in blank
    for read in (check, lambda **given: check_evaluation({"TASKS": "keel:iris", **given})):
        for name in blank:
            assert read(LEARNERS=name).learners == (name,)
            for text in (f"KNN {name.lower()} LDA", f"KNN '{name}' LDA"):
                assert read(LEARNERS=text).learners == ("KNN", name, "LDA")
        assert read(LEARNERS=" ".join(blank)).learners == tuple(blank)
        assert read(LEARNERS=blank).learners == tuple(blank)
    check_learners(check(LEARNERS="Decision Tree").learners)


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1))
def test_seeds_keep_their_order_once_each(seeds):
    assert check(OUTER=" ".join(map(str, seeds))).outer == tuple(dict.fromkeys(seeds))


@pytest.mark.parametrize(("name", "values"), [
    ("DATASETS", {"'csv:my data.csv?target=the class' keel:iris":
                  ("csv:my data.csv?target=the class", "keel:iris"),
                  '"csv:it\'s (1).csv?target=a"': ("csv:it's (1).csv?target=a",),
                  "keel:iris  keel:wine keel:iris\n": ("keel:iris", "keel:wine")}),
    ("TIME_LIMIT", {"30": 30, "30s": 30, "1.5 min": 90, "2h": 7200, ".5": 0.5, 12: 12}),
    ("MEMORY_LIMIT", {"500MB": 5e8, "2": 2e9, "1.5 GB": 1.5e9})])
def test_names_with_spaces_stand_in_quotes_and_times_and_memory_have_units(name, values):
    for text, value in values.items():
        assert getattr(check(**{name: text}), name.lower()) == value


@pytest.mark.parametrize(("name", "value", "message"), [
    ("OUTER", "0 1.5", "OUTER: a whole number is needed, not '1.5'"),
    ("INNER", "-1", "INNER: .*range, which is 0 to"),
    ("INNER", "one", "INNER: a whole number"),
    ("OUTER", [True], "OUTER: a whole number"),
    ("OUTER", [], "OUTER: at least one seed"),
    ("OUTER", 4294967296, "OUTER: .*out of range"),
    ("ANCHORS", "8 16", "ANCHORS: .*range, which is 16 to"),
    ("WORKERS", "0", "WORKERS: .*range, which is 1 to"),
    ("WORKERS", "2.5", "WORKERS: a whole number"),
    ("TIME_LIMIT", "soon", "TIME_LIMIT: a number with or without a unit"),
    ("TIME_LIMIT", "0", "TIME_LIMIT: .*too little"),
    ("TIME_LIMIT", "5 days", "TIME_LIMIT: .*min, h"),
    ("MEMORY_LIMIT", "10MB", "MEMORY_LIMIT: .*too little"),
    ("MEMORY_LIMIT", "-1", "MEMORY_LIMIT: a number"),
    ("PREDICTIONS", "maybe", "PREDICTIONS: yes or no"),
    ("SCHEDULER", "localhost", "SCHEDULER: an address such as tcp://"),
    ("LEARNERS", "'KNN", "LEARNERS: quotes or brackets do not match"),
    ("LEARNERS", "SVC(C=1", "LEARNERS: quotes or brackets do not match"),
    ("LEARNERS", [3], "LEARNERS: names separated by spaces"),
    ("DATASETS", "", "DATASETS is missing: .*keel:NAME"),
    ("OUT", 3, "OUT: "),
    ("OUTER", "²", "OUTER: a whole number"),
    ("OUTER", "9" * 400, r"OUTER: 9{20}… \(400 characters\) is out of range, which is 0 to"),
    ("TIME_LIMIT", "9" * 400, "TIME_LIMIT: '9{40}' is too much"),
])
def test_a_wrong_value_is_answered_by_name(name, value, message):
    with pytest.raises(SettingsError, match=message):
        check(**{name: value})


@pytest.mark.parametrize(("name", "value", "close"), [
    ("SCALINGS", "none minimax", "'minmax'"), ("LEAKAGE", "maybe", "'yes'"),
    ("LERNERS", "KNN", "'LEARNERS'")])
def test_an_unknown_name_is_answered_by_close_ones(name, value, close):
    with pytest.raises(UnknownNameError, match=close):
        check(**{name: value})
