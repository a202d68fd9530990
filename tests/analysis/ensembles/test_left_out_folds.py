"""Rows left out in turn by what is fitted on the others."""

import numpy as np
import pytest

from analysis.ensembles.crossfit import held_out_folds


@pytest.mark.parametrize("rarest, by_class", [(5, True), (4, False)])
def test_folds_are_stratified_where_every_class_has_a_row_per_fold(rarest, by_class):
    labels = np.r_[np.zeros(45, int), np.ones(rarest, int)]
    for seed in range(5):
        of_one = [labels[out].sum() for _, out in held_out_folds(labels, True, 5, seed)]
        assert len(of_one) == 5 and sum(of_one) == rarest
        if by_class:
            assert of_one == [1] * 5
    assert by_class or any(
        [labels[out].sum() for _, out in held_out_folds(labels, True, 5, seed)] != [1, 1, 1, 1, 0]
        for seed in range(5))
