"""Words and figures of the chapter, from small tables."""

import numpy as np
import pandas as pd

from chapters.facts import Facts, as_texts
from chapters.how_many_rows import figures
from chapters.how_many_rows.overtaking import SIZES
from chapters.how_many_rows.study import _add_apart, chart_table, in_words, size_summary

LEARNERS = ("ens.RandomForest", "MLP")


def some_shares(database="lcdb10") -> pd.DataFrame:
    rows = [(database, learner, size, share, share - 0.1, share + 0.1, share, 9)
            for learner, start in zip(LEARNERS, (0.5, 0.2), strict=True)
            for size, share in zip(SIZES, start + 0.05 * np.arange(6), strict=True)]
    return pd.DataFrame(rows, columns=["database", "learner", "rows", "share", "low", "high",
                                       "survival", "n_datasets"])


def test_a_chart_table_sorts_learners_and_says_how_many_problems():
    shares = some_shares()
    shares.loc[shares["rows"] == 5000, ["share", "n_datasets"]] = [np.nan, 2]
    table = chart_table(shares)
    assert table["learner"].tolist() == ["random forest", "multilayer perceptron"]
    assert table["100 rows"].tolist() == ["55 (9)", "25 (9)"]
    assert table["5,000 rows"].tolist() == ["–", "–"]
    assert set(table["database"]) == {"LCDB 1.0"}


def test_databases_and_learners_are_put_in_words_where_there_are_any():
    table = pd.DataFrame({"database": ["lcdb11-summary"], "learner": ["MLP"], "low": [1.5]})
    assert in_words(table).iloc[0].tolist() == ["LCDB 1.1, means only", "multilayer perceptron",
                                                1.5]
    assert list(in_words(table[["low"]])) == ["low"]


def test_how_far_two_databases_are_apart_is_said_for_small_and_large_sizes():
    other = some_shares("lcdb11-summary")
    other.loc[other["rows"] == 100, "share"] -= 0.03
    other.loc[(other["rows"] == 5000) & (other["learner"] == "MLP"), "share"] += 0.08
    rows = Facts()
    _add_apart(rows, pd.concat([some_shares(), other], ignore_index=True))
    assert as_texts(rows.table()) == {"apart_early": "3.0 points", "apart_late": "8.0 points"}


def test_every_dataset_is_counted_once():
    sizes = pd.DataFrame({"learner": "MLP", "first": 16.0, "last": 128.0,
                          "rows": [16, 32, 128, np.nan], "certain": [1, 0.5, 0.96, 0.01]})
    row = size_summary(sizes).iloc[0]
    assert row["datasets"] == 4 == sum(row[c] for c in ("from the first anchor on", "later",
                                                        "not by the end"))
    assert row["median size of these"] == 80 and row["agreed (%)"] == 75


def test_sizes_beyond_the_curve_are_marked_at_its_end():
    sizes = pd.DataFrame({
        "name": ["a", "b"], "learner": "MLP", "first": 16.0, "last": [100.0, 200.0],
        "rows": [32.0, np.nan], "low": [16.0, np.nan], "high": [np.nan, np.nan]})
    figure = figures.draw_sizes(sizes, ["MLP"])
    ax = figure.axes[0]
    dots, triangles = ax.lines[-2:]
    assert dots.get_xdata()[0] == 32 and np.isnan(dots.get_xdata()[1])
    assert triangles.get_xdata().tolist() == [200.0]
