import matplotlib.pyplot as plt
import numpy as np
import pytest

from collection.commands.preview import draw_collected
from collection.containers.curves import CurveKey, Status
from collection.running.curve import Fit
from collection.running.curve_plan import make_plan
from collection.running.curve_settings import check_settings
from collection.store import StoreWriter

ROW = make_plan(check_settings({"DATASETS": "keel:iris", "WORKERS": "1"})).datasets[0].row


def write(folder, name, fits, learner="KNN"):
    with StoreWriter(folder, {}, {}) as store:
        store.add_dataset(ROW | {"name": name})
        if fits:
            store.add_curve(CurveKey(name, learner, "none", "no", 0, 0), fits, 1.0, "")


def good(anchor):
    return Fit(anchor, Status.ok, error_rate=(0.1, 0.2, 0.3))


@pytest.mark.parametrize("name", [r"$\bad$", "a $ b", r"_\alpha^2", "iris"])
def test_names_are_shown_as_they_are(tmp_path, name):
    write(tmp_path, name, [good(16), good(32)], learner="zoo.Zebra(stripe='$')")
    grid = draw_collected(tmp_path)
    grid.figure.canvas.draw()  # where a formula would be read
    assert grid.axes.flat[0].get_title().replace(r"\$", "$") == name
    np.testing.assert_array_equal(grid.axes.flat[0].lines[0].get_ydata(), [0.2, 0.2])
    plt.close(grid.figure)


def test_where_there_is_nothing_to_draw_it_is_said(tmp_path):
    write(tmp_path, "iris", [])
    assert draw_collected(tmp_path) == "There is nothing to draw: no curve is finished."
    write(tmp_path, "iris", [Fit(16, Status.error, "no"), Fit(32, Status.timeout, "slow")])
    assert "no fit succeeded" in draw_collected(tmp_path)
