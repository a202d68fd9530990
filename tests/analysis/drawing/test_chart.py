"""A figure from a specification: what is drawn is what the table holds."""

import pandas as pd
import pytest
from figure_lint import check_figure
from figure_numbers import drawn_numbers

from analysis.drawing import chart
from analysis.drawing.style import learner_style
from collection.containers.learner_names import LEARNERS
from collection.project.naming import UnknownNameError

SHARES = pd.DataFrame({
    "database": ["old", "old", "new", "new"], "learner": ["LDA", "KNN"] * 2,
    "share": [.4, .1, .3, .2], "low": [.3, .05, .2, .1], "high": [.5, .2, .4, .3]})
SIZES = pd.DataFrame([{"learner": n, "rows": r, "error": e / r, "low": .9 * e / r,
                       "high": 1.1 * e / r}
                      for n, e in (("LDA", 3.), ("KNN", 5.)) for r in (16, 64, 256)])


def draw(**settings):
    drawn = chart.draw(SHARES if settings["kind"] != "lines" else SIZES,
                       **{"xlabel": "share [%]", **settings})
    check_figure(drawn, "it")
    return drawn, drawn_numbers(drawn)


def test_dots_with_their_intervals():
    drawn, numbers = draw(kind="dots", x="share", y="learner", by="database", percent=True,
                          title="Old curves misbehave more")
    dots = numbers[numbers["kind"] == "points"]
    assert sorted(dots["x"]) == pytest.approx([10, 20, 30, 40])
    assert set(numbers["series"]) >= {"old", "new"}
    assert drawn.get_suptitle() == "Old curves misbehave more"


def test_words_stand_at_dots_and_at_the_line_and_no_legend_repeats_them():
    told = SHARES[SHARES["database"] == "old"].assign(words=["40 %", "10 %"])
    drawn = chart.draw(told, "dots", x="share", y="learner", by="learner", text="words",
                       reference=0.2, at_text="all: 20 %", xlabel="share [%]")
    check_figure(drawn, "it")
    assert [t.get_text() for t in drawn.axes[0].texts] == ["40 %", "10 %", "all: 20 %"]
    assert not drawn.legends
    drawn = chart.draw(SIZES.assign(said="5"), "lines", x="rows", y="error", by="learner",
                       reference=0, at_text="none", text="said")
    words = [t.get_text() for t in drawn.axes[0].texts]
    assert words.count("none") == 1 and words.count("5") == len(SIZES)


def test_panels():
    drawn, numbers = draw(kind="dots", x="share", y="learner", panel="database")
    assert [ax.get_title() for ax in drawn.axes] == ["old", "new"]
    assert sorted(numbers.query("kind == 'points'")["x"]) == pytest.approx([.1, .2, .3, .4])


def test_lines_are_named_where_they_end_and_learners_keep_their_looks():
    drawn, numbers = draw(kind="lines", x="rows", y="error", by="learner", log="x",
                          xlabel="training-set size [rows]", ylabel="error rate")
    assert not drawn.legends
    assert {t.get_text() for t in drawn.axes[0].texts} == {
        "linear discriminant analysis", "k-nearest neighbours"}
    for line in drawn.axes[0].get_lines():
        assert (line.get_color(), line.get_marker()) == learner_style(line.get_label())
    assert len(numbers[numbers["kind"] == "line"]) == 6


def test_what_is_not_in_focus_is_grey_and_nameless():
    drawn, _ = draw(kind="lines", x="rows", y="error", by="learner", focus=["KNN"], log="x",
                    ylabel="error rate")
    grey, own = drawn.axes[0].get_lines()
    assert grey.get_color() == chart.GREY and own.get_color() == learner_style("KNN")[0]
    assert [t.get_text() for t in drawn.axes[0].texts] == ["k-nearest neighbours"]
    drawn, _ = draw(kind="dots", x="share", y="learner", by="learner", focus=["LDA"])
    assert not drawn.legends and [t.get_text() for t in drawn.axes[0].get_yticklabels()] == [
        "linear discriminant analysis", "k-nearest neighbours"]
    assert drawn.axes[0].containers[1].lines[0].get_color() == chart.GREY


def test_a_waterfall_takes_away_step_by_step():
    steps = pd.DataFrame({"step": ["all", "one", "two", "left"], "n": [9, 2, 4, 3],
                          "by": ["a", "b", "b", "a"]})
    drawn = chart.draw(steps, "waterfall", x="n", y="step", xlabel="tasks", by="by")
    check_figure(drawn, "it")
    ends = drawn_numbers(drawn).query("series in ['a', 'b']").set_index("y_name")["x"]
    assert ends.to_dict() == {"all": 9, "one": 9, "two": 7, "left": 3}
    beside = next(text for text in drawn.axes[0].texts if text.get_text() == "b")
    assert beside.get_position()[1] == 1.5 and not drawn.legends


def test_points_and_cells():
    _, numbers = draw(kind="points", x="low", y="share", by="learner", ylabel="share")
    assert len(numbers[numbers["kind"] == "points"]) == 4
    _, numbers = draw(kind="heat", x="database", y="learner", value="share", xlabel="", digits=1)
    cells = numbers[numbers["panel"] == numbers["panel"].iloc[0]]  # the rest is the colour bar
    assert sorted(cells["value"]) == pytest.approx([.1, .2, .3, .4])


def test_what_is_not_there_is_named():
    for settings in ({"kind": "dot"}, {"by": "learners"}):
        with pytest.raises(UnknownNameError, match="Did you mean"):
            draw(**{"kind": "dots", "x": "share", "y": "learner", **settings})


def test_learners_look_different():
    assert len({learner_style(name) for name in LEARNERS}) == len(LEARNERS)
    assert learner_style("LDA") == learner_style("linear discriminant analysis")
