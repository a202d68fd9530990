import numpy as np
import pytest
from chapters.gathering.figures import draw_anchors, draw_learned_scale, draw_splits
from xarray import DataArray

from collection.container import DIMS, CurveKey, Status, metrics_of
from collection.curve import curve_fits, gather
from collection.datasets import load_dataset
from collection.naming import UnknownNameError

IRIS = load_dataset("sklearn:iris")


def test_every_fit_stands_where_its_names_say():
    curves = gather(IRIS, ["KNN", "MultinomialNB"], scalings=["none", "standard"],
                    leakage=["no", "yes"], outer=[1], inner=[0, 2], anchors=[16, 30])
    assert curves["error_rate"].dims == DIMS
    place = {"learner": "MultinomialNB", "leakage": "yes", "outer": 1, "inner": 2}
    for scaling, status in (("none", Status.ok), ("standard", Status.error)):
        task = CurveKey("sklearn:iris", "MultinomialNB", scaling, "yes", 1, 2)
        for fit in curve_fits(IRIS, task, [16, 30]):
            found = curves.sel(place | {"dataset": "iris", "scaling": scaling,
                                        "anchor": fit.anchor})
            assert found["status"] == fit.status == status
            assert found["message_text"].values[int(found["message"])] == fit.message
            for name in set(metrics_of("classes")) - {"train_time", "predict_time"}:
                np.testing.assert_array_equal(found[name], getattr(fit, name))
    assert (curves["train_time"].sel(learner="KNN") > 0).all()


def test_unknown_names():
    with pytest.raises(UnknownNameError, match="KNN"):
        gather(IRIS, ["KNNN"], outer=[0], inner=[0], anchors=[16])


def test_the_protocol_is_drawn_as_it_is():
    splits = draw_splits(DataArray(np.zeros((2, 3, 9), int), dims=("outer", "inner", "row"),
                                   coords={"outer": [0, 1]}))
    assert splits.axes[0].images[0].get_array().shape == (6, 9)
    names = [t.get_text() for t in draw_anchors(684).axes[0].get_yticklabels()]
    assert names == ["LCDB 1.1 and here: 44", "LCDB 1.0: 11"]
    learned = DataArray([[1.0, 2.0]] * 3, dims=("repeat", "anchor"), coords={"anchor": [16, 32]})
    assert len(draw_learned_scale(learned, 1.5, "x").axes[0].lines) == 5
