"""The book's charts draw what the table says."""

import html
import io
import re

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from analysis.drawing.charts import draw_bands, draw_dots, draw_heatmap, figure

TABLE = pd.DataFrame({"name": ["a", "a", "b", "b"], "group": ["x", "y"] * 2,
                      "value": [1.0, 2.0, 3.0, 4.0], "low": [0.5, 1.0, np.nan, 3.0],
                      "high": [1.5, 3.0, np.nan, 5.0], "size": [16, 16, 64, 64]})


def test_dots_stand_in_their_rows_the_first_on_top(ax):
    draw_dots(ax, TABLE[::-1], "name", by="group")
    assert [t.get_text() for t in ax.get_yticklabels()] == ["b", "a"]
    assert ax.yaxis_inverted()
    x = ax.containers[0].lines[0]
    assert x.get_xdata().tolist() == [4, 2] and np.round(x.get_ydata()).tolist() == [0, 1]


def test_bands_hold_their_lines(ax):
    draw_bands(ax, TABLE.dropna(), "size", by="group")
    assert len(ax.lines) == 2 and len(ax.collections) == 2 and ax.get_xscale() == "log"
    draw_bands(ax, TABLE[["size", "value"]], "size", log=False)
    assert len(ax.lines) == 3 and len(ax.collections) == 2


def test_a_heatmap_leaves_nan_grey_and_writes_numbers(ax):
    wide = pd.DataFrame([[1.0, np.nan], [0.25, 0.5]], index=["a", "b"], columns=["c", "d"])
    image = draw_heatmap(ax, wide, "share", digits=2)
    assert sorted(t.get_text() for t in ax.texts) == ["0.25", "0.50", "1.00"]
    assert image.get_array().mask.sum() == 1


@pytest.mark.parametrize("name", ["$x_{$", "a$b$c", r"$\frac{$", "<b>&"])
def test_a_name_is_no_formula_wherever_it_stands(name):
    @figure
    def drawn():
        chart, (left, right) = plt.subplots(1, 2)
        draw_dots(left, TABLE.assign(name=TABLE["name"].replace("a", name)), "name")
        left.set(title=name, xlabel=name)
        right.bar([name, "b"], [1, 2], label=name)
        right.legend()
        right.set_yscale("log")
        return chart

    chart, file = drawn(), io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none"}):
        chart.savefig(file, format="svg")
    assert file.getvalue().count(f"{html.escape(name, quote=False)}</text>") == 5
    assert not re.search(r"<text[^>]*>\$\\mathdefault", file.getvalue())
