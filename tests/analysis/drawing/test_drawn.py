"""The table behind a figure: each number that was drawn is in it, with the name of its place."""

import nbformat
import numpy as np
import pandas as pd
import pytest
from figure_numbers import cell_key, drawn_numbers
from nbclient import NotebookClient

from analysis.drawing.charts import draw_dots
from collection.project.paths import FIGURE_HOOK, FIGURE_NUMBERS, ROOT


def kinds(ax):
    return dict(list(drawn_numbers(ax.figure).groupby("kind")))


def test_lines_and_bands_are_told_from_lines_that_guide_the_eye(ax):
    ax.plot([1, 2, 3], [0.3, np.nan, 0.1], label="tree")
    ax.fill_between([1, 2], [0, 1], [2, 3])
    ax.axhline(0.5)
    ax.set(title="one", xlabel="rows", ylabel="error")
    found = kinds(ax)
    assert set(found) == {"line", "band"}
    line = found["line"]
    assert line["x"].tolist() == [1, 2, 3] and line["y"].dropna().tolist() == [0.3, 0.1]
    assert set(line["series"]) == {"tree"} and set(line["panel"]) == {"one"}
    assert set(line["x_axis"]) == {"rows"} and set(line["y_axis"]) == {"error"}
    ends = found["band"].groupby("x")["y"].agg(["min", "max"])
    assert ends.loc[[1, 2]].to_numpy().tolist() == [[0, 2], [1, 3]]


def test_dots_and_their_intervals_have_the_names_of_their_rows(ax):
    draw_dots(ax, pd.DataFrame({"row": ["a", "b"], "value": [1.0, 2.0], "low": [0.5, 1.5],
                                  "high": [1.5, 4.0]}), "row")
    found = kinds(ax)
    assert found["points"].set_index("y_name")["x"].to_dict() == {"a": 1, "b": 2}
    ends = found["interval"].groupby("y_name")["x"].agg(["min", "max"])
    assert ends.to_numpy().tolist() == [[0.5, 1.5], [1.5, 4.0]]


def test_an_interval_that_is_not_known_is_left_out(ax):
    ax.errorbar([1, 2], [0, 1], xerr=[[0.5, np.nan], [0.5, np.nan]], fmt="o")
    found = kinds(ax)
    assert found["interval"]["x"].tolist() == [0.5, 1.5] and len(found["points"]) == 2


@pytest.mark.parametrize("lying", [False, True])
def test_bars_end_where_their_value_is(ax, lying):
    (ax.barh if lying else ax.bar)(["u", "v"], [3, -4])
    found = kinds(ax)["bar"]
    value, name = ("x", "y_name") if lying else ("y", "x_name")
    assert found.set_index(name)[value].to_dict() == {"u": 3, "v": -4}


def test_cells_hold_their_values_and_scatters_their_dots(ax):
    values = np.array([[1.0, 2.0], [np.nan, 4.0]])
    ax.imshow(np.ma.masked_invalid(values))
    ax.scatter([0.5], [1.5], label="here")
    found = kinds(ax)
    np.testing.assert_array_equal(found["cell"]["value"].to_numpy().reshape(2, 2), values)
    assert found["points"][["series", "x", "y"]].to_numpy().tolist() == [["here", 0.5, 1.5]]


def test_numbers_are_kept_under_their_cell_where_the_book_is_built(tmp_path, monkeypatch):
    source = ("import sys; sys.path.insert(0, '.')\n"
              "import matplotlib.pyplot as plt\n"
              "from analysis import Page\n"
              "drawn, ax = plt.subplots()\n"
              "ax.plot([1, 2], [3, 4])\n"
              f"page = Page('tried', r'{tmp_path}')\n")
    named = source + "ax.set(xlabel='rows', ylabel='error')\npage.figure(drawn)"
    monkeypatch.setenv(FIGURE_NUMBERS, str(tmp_path / "kept"))
    monkeypatch.setenv(FIGURE_HOOK, str(ROOT / "book" / "figures"))
    for cell in (named, f"{source}page.figure(drawn)"):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)])
        client = NotebookClient(notebook, kernel_name="python3", allow_errors=True,
                                resources={"metadata": {"path": str(ROOT)}})
        client.execute()
    (file,) = (tmp_path / "kept").iterdir()
    assert file.stem == cell_key(named)
    assert pd.read_csv(file)["y"].tolist() == [3, 4]
    assert "the x-axis has no name" in str(notebook.cells[0].outputs)
