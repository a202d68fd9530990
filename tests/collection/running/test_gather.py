import numpy as np

from collection.containers.curves import DIMS, CurveKey, Status, metrics_of
from collection.datasets import load_dataset
from collection.running.curve import curve_fits, gather

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
