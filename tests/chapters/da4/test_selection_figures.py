"""Figures show the numbers they are given."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from analysis.databases.naming import learner_title
from analysis.selection import (
    COSTS,
    STRATEGIES,
    build_ladders,
    compare_strategies,
    cost_measure,
    halving_frame,
    halving_regrets,
    summarise_strategies,
)
from analysis.selection.crossing import crossing_probabilities, crossings
from chapters.da4 import crossings as chapter
from chapters.da4 import figures
from collection.container import Status, build_container

LEARNERS = ["KNN", "LDA", "MLP", "QDA"]
GROUPS = {"least": LEARNERS[:3], "most": LEARNERS[1:]}


@pytest.fixture(scope="module")
def curves():
    error = np.random.default_rng(0).random((6, 4, 1, 1, 2, 2, 5, 3))
    coords = {"dataset": np.arange(6), "learner": LEARNERS, "scaling": ["none"],
              "leakage": ["no"], "outer": [0, 1], "inner": [0, 1],
              "anchor": [16, 32, 64, 128, 256], "split": ["train", "valid", "test"]}
    made = build_container(coords, {"error_rate": error, "train_time": error[..., 0]},
                           np.full(error.shape[:-1], Status.ok), database="toy")
    return made.sel(scaling="none", leakage="no", drop=True)


@pytest.fixture(scope="module")
def valid(curves):
    return curves["error_rate"].sel(split="valid", drop=True)


def test_pairs_are_drawn_with_both_learners(valid):
    cases = chapter.clearest_crossings(valid).head(2).assign(title=["first", "second"])
    figure = figures.draw_crossings(valid, cases)
    for ax, case in zip(figure.axes, cases.itertuples(), strict=True):
        lines = {line.get_label(): line for line in ax.lines}
        one, other = learner_title(case.learner_a), learner_title(case.learner_b)
        assert set(lines) == {one, other} and ax.get_title() == case.title
        lead = lines[other].get_ydata()[0] - lines[one].get_ydata()[0]
        assert lead == pytest.approx(case.lead)


def test_matrices_hold_the_probabilities_in_one_order(valid):
    rules = {r: crossing_probabilities(crossings(valid, r)) for r in ("published", "corrected")}
    figure = figures.draw_crossing_matrices(rules)
    images = [ax.images[0].get_array() for ax in figure.axes[:6]]
    labels = [t.get_text() for t in figure.axes[4].get_xticklabels()]
    names = {learner_title(name): name for name in LEARNERS}
    assert sorted(labels) == sorted(names)
    labels = [names[label] for label in labels]
    shown = xr.DataArray(images[3].filled(np.nan), dims=("learner_a", "learner_b"),
                         coords={"learner_a": labels, "learner_b": labels})
    expected = rules["corrected"]["crosses"].sel(learner_a=labels, learner_b=labels)
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(shown.values[off], expected.values[off])
    assert np.isnan(shown.values[~off]).all()


def test_group_matrices_print_each_probability(valid):
    crosses = crossing_probabilities(crossings(valid))["crosses"]
    figure = figures.draw_group_matrices(crosses, {"a": LEARNERS[:2], "b": LEARNERS[1:]})
    texts = [t.get_text() for t in figure.axes[0].texts]
    assert texts == [f"{float(crosses.sel(learner_a=a, learner_b=b)):.2f}"
                     for a, b in (("KNN", "LDA"), ("LDA", "KNN"))]
    assert len(figure.axes[1].texts) == 6


def test_times_have_a_line_per_database_and_kind(valid):
    changes = chapter.order_changes(valid)
    tables = [f(changes) for f in (chapter.crossings_by_size, chapter.crossings_by_position)]
    tables = [pd.concat([t.assign(database=d) for d in ("x", "y")]) for t in tables]
    figure = figures.draw_crossing_times(*tables)
    left = figure.axes[0]
    drawn = [line.get_ydata() for line in left.lines if line.get_label() == "x: the last one"]
    expected = tables[0].query("database == 'x'")
    np.testing.assert_allclose(drawn[0], expected["settles"] / expected["exposed"])
    labels = [t.get_text() for t in figure.axes[1].get_legend().get_texts()]
    assert sorted(labels) == sorted(f"{d}: {k}" for d in "xy" for k in ("any change",
                                                                      "the last one"))


def test_halving_figures_show_the_table(curves):
    ladders = build_ladders(curves)
    rates = halving_frame(ladders, GROUPS, starts=(16, 32), increases=(0.5, 1.0))
    one = rates[(rates["start"] == 16) & (rates["increase"] == 1.0)]
    races = halving_regrets(ladders, GROUPS, start=16, increase=1.0)
    left, right = figures.draw_halving(one, races).axes
    least = left.containers[0].lines[0].get_ydata().astype(float)
    np.testing.assert_allclose(least, one.query("group == 'least'")["top_k_rate"])
    regret = races.query("group == 'most'")["regret"]
    share = right.lines[1].get_ydata()[np.searchsorted(np.sort(regret), 1e-3)]
    assert share == pytest.approx((regret > 1e-3).mean(), abs=1 / len(regret) + 1e-9)
    grid = figures.draw_halving_grid(rates)
    assert [ax.get_title() for ax in grid.axes[:2]] == ["start at 16 rows", "start at 32 rows"]
    shown = grid.axes[2].containers[0].lines[0].get_ydata().astype(float)
    np.testing.assert_allclose(
        shown, rates.query("group == 'least' and start == 16 and k == 1")["regret"])


def test_strategies_are_points_of_cost_and_regret_without_the_oracle(curves):
    settings = [("full", {}), ("oracle", {}), ("early", {"doublings": 1})]
    summary = summarise_strategies(compare_strategies(build_ladders(curves), GROUPS, settings))
    figure = figures.draw_strategies(summary)
    by_label = {c.get_label(): c.lines[0] for c in figure.axes[3].containers}
    assert set(by_label) == {"full evaluation", "one early look (doublings=1)"}
    row = summary.query("group == 'most' and strategy == 'early'").iloc[0]
    point = by_label["one early look (doublings=1)"].get_xydata()[0]
    np.testing.assert_allclose(point, row[["seconds_share", "regret"]].astype(float))


def test_training_rows_are_the_cost_where_a_database_has_no_times(curves):
    settings = [("full", {}), ("early", {"doublings": 1})]
    timed, untimed = (
        summarise_strategies(compare_strategies(build_ladders(c), GROUPS, settings))
        for c in (curves, curves.drop_vars("train_time").assign_attrs(database="untimed")))
    assert cost_measure(timed) == "seconds_share" and cost_measure(untimed) == "rows_share"
    assert cost_measure(pd.concat([timed, untimed])) == "rows_share"
    axes = figures.draw_strategies(untimed).axes
    assert COSTS["rows_share"] in "".join(ax.get_xlabel() for ax in axes)
    point = axes[3].containers[1].lines[0].get_xydata()[0]
    row = untimed.query("group == 'most' and strategy == 'early'").iloc[0]
    np.testing.assert_allclose(point, row[["rows_share", "regret"]].astype(float))


def test_labels_leave_the_seed_out():
    assert figures.setting_label("full", "") == "full evaluation"
    assert figures.setting_label("hyperband", "eta=2, seed=0") == "Hyperband (eta=2)"
    with pytest.raises(KeyError):
        figures.setting_label("hyperbland", "")


def test_every_strategy_but_the_oracle_has_a_colour():
    assert set(figures.STRATEGY_COLOURS) == set(STRATEGIES) - {"oracle"}
