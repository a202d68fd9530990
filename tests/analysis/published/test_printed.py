"""Claims held against what was computed: numbers as printed, statements, names."""

import numpy as np

from analysis.published import CLOSE, DIFFERENT, EQUAL, hold_against


def test_claims_are_judged_as_they_are_printed():
    found = hold_against([
        ("share", "12.3", 12.25, "halves up"), ("share", "12.3", 12.18, "a unit off"),
        ("share", "12.3", 11.9, "wrong"), ("it is so", "yes", np.bool_(True), ""),
        ("it is so", "yes", False, ""), ("who leads", "kNN", "kNN", ""),
        ("who leads", "kNN", "LDA", "")])
    assert found["verdict"].tolist() == [EQUAL, CLOSE, DIFFERENT, EQUAL, DIFFERENT, EQUAL,
                                         DIFFERENT]
    assert found["computed"].tolist() == ["12.3", "12.2", "11.9", "yes", "no", "kNN", "LDA"]
