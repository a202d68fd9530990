"""Figures of orders show the numbers they are given."""

import numpy as np
import pandas as pd
import pytest

from analysis.leaderboards import order
from analysis.leaderboards.influence import ties_that_matter
from analysis.leaderboards.order_page import draw_order, draw_ties


@pytest.fixture
def results():
    rng = np.random.default_rng(0)
    return pd.DataFrame([(m, f"t{t}", f, rng.random() + 0.3 * k) for k, m in enumerate("ABCD")
                         for t in range(20) for f in range(2)],
                        columns=["method", "task", "fold", "error"])


def test_an_order_is_drawn_as_bars_from_low_to_high(results):
    ranks = order(results.rename(columns={"error": "value"}).assign(lower_is_better=True)).ranks
    ax = draw_order(ranks, name=str.lower).axes[0]
    assert [label.get_text() for label in ax.get_yticklabels()] == list(ranks["method"].str.lower())
    for bar, row in zip(ax.patches, ranks.itertuples(), strict=True):
        assert bar.get_x() == pytest.approx(row.low - 0.35)
        assert bar.get_width() == pytest.approx(row.high - row.low + 0.7)
    assert list(ax.lines[0].get_xdata()) == ranks["rank"].tolist()
    assert len(draw_order(ranks, shown=2).axes[0].patches) == 2


def test_ties_are_drawn_over_their_width(results):
    ties = ties_that_matter(results.rename(columns={"error": "value"}), 100)
    lines = {line.get_label(): line for line in draw_ties(ties).axes[0].lines}
    drawn = lines["comparisons that are ties"].get_ydata()
    assert list(drawn) == ties[ties["kind"] != "rounded"]["tied"].tolist()
