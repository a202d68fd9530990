"""Tables on a page and their files."""

import numpy as np
import pandas as pd
import pytest

from analysis.drawing import tables


@pytest.fixture
def frame():
    return pd.DataFrame({"dataset": [40996, 3], "learner": ["A<B", "C"],
                         "rate": [1 / 3, np.nan], "count": [12345, 6]})


def test_page_shows_rounded_escaped_numbers_and_a_link(frame):
    shown = tables.show_table(frame, "A & B", digits=2, result="../results/da1/rates.csv")
    for piece in ("A &amp; B", "A&lt;B", ">0.33<", ">–<", ">12,345<", ">Fashion-MNIST (40996)<",
                  'href="../results/da1/rates.csv"'):
        assert piece in shown
    assert "sortable" not in shown


def test_long_tables_sort(frame):
    shown = tables.show_table(pd.concat([frame] * 7), "long")
    assert 'class="sortable"' in shown
