"""The small pictures of the first page: each of its kind, with what it is of."""

import pandas as pd
import pytest

from analysis.databases.load import load_curves
from analysis.published.computed import recall
from chapters.intro import pictures


@pytest.fixture(scope="module")
def curves():
    return load_curves("lcdb10")


def test_the_peak_stands_where_rows_equal_features(curves):
    (ax,) = pictures.draw_peak(curves).axes
    x, y = ax.lines[0].get_data()
    assert y[0] < y.max() > y[-1] and 0.5 < x[y.argmax()] < 2


def test_tabnet_s_drop_is_the_tallest_bar():
    drops = recall("artefacts_largest_drops")
    (ax,) = pictures.draw_drop(drops).axes
    ends = [segment[1] for segment in ax.collections[0].get_segments()]
    assert max(ends, key=lambda end: end[1])[0] == 1024
    assert sum(end[1] for end in ends) == drops.query("learner == 'TabNet'")["curves"].sum()


def test_the_forecast_is_of_what_was_not_seen(curves):
    (ax,) = pictures.draw_seen(curves).axes
    assert len(ax.collections) == 2  # the two bands
    forecast, came, seen = (line.get_xdata() for line in ax.lines)
    assert max(seen) <= pictures.SEEN < min(came) and min(forecast) > pictures.SEEN


def test_seven_ranks_and_two_shares_are_drawn():
    (ax,) = pictures.draw_ranks(recall("order_ranks")).axes
    assert len(ax.patches) == 7
    table = pd.DataFrame({"bar": ["so of the three leaders", "so of the others", "another"],
                          "value": [40., 5, 9], "low": [35., 3, 8], "high": [50., 6, 10]})
    (ax,) = pictures.draw_shares(table).axes
    assert [t.get_text() for t in ax.get_yticklabels()] == ["three learners", "the other 17"]


def test_the_share_over_rows_is_that_of_the_chapter():
    table = pictures.forest_ahead(pictures.ROWS)
    assert table["rows"].tolist() == list(pictures.ROWS) and table["share"].between(0, 1).all()
    (ax,) = pictures.draw_share_over_rows(table).axes
    assert ax.lines[0].get_ydata().tolist() == pytest.approx(100 * table["share"])
