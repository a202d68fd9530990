"""What is chosen on some datasets is judged on others, of other families."""

import numpy as np
import pytest

from analysis.statistics.families import chosen_elsewhere

NAMES = ["iris", *(f"drawn {k}" for k in range(19)), "iris_uci"]


def test_every_row_is_judged_by_choices_of_other_families():
    times = np.zeros(len(NAMES))
    for judged, chosen in chosen_elsewhere(NAMES, lambda here: here, halvings=7):
        assert not (judged & chosen).any() and (judged | chosen).all()
        assert judged[0] == judged[-1], "near-duplicates are on the same side"
        times += judged
    assert (times == 7).all()


def test_the_luck_of_the_best_is_gone():
    values = np.random.default_rng(0).normal(size=(len(NAMES), 40))
    best = values.mean(axis=0).min()
    means = [values[judged, k].mean() for judged, k in chosen_elsewhere(
        NAMES, lambda here: values[here].mean(axis=0).argmin())]
    assert best < -0.3 and abs(np.mean(means)) < 0.15


def test_one_family_cannot_be_halved():
    with pytest.raises(ValueError, match="two families"):
        next(chosen_elsewhere(["iris", "sklearn:iris"], lambda here: 0))
