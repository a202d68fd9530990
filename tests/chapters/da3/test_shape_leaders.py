"""Models by shape: the same curves for all, each dataset counting one."""

import numpy as np
import pandas as pd

from chapters.da3.predictions import shape_leaders


def predictions(shape, errors, datasets):
    return pd.DataFrame([{"shape": shape, "dataset": d, "learner": x, "model": m, "points": p}
                         for m, p in errors.items() for d in range(datasets) for x in "AB"])


def test_the_closest_model_and_the_baseline_s_place():
    table = pd.concat([predictions("dipping", {"LAST1": 1.0, "POW3": 2.0, "POW4": 3.0}, 6),
                       predictions("phase transition", {"LAST1": 9.0, "POW3": 2.0, "POW4": 3.0}, 5),
                       predictions("peaking", {"LAST1": 1.0, "POW3": 2.0}, 4)])
    found = shape_leaders(table).set_index("shape")
    assert "peaking" not in found.index
    assert found.loc["dipping", ["model", "points", "last1_place"]].tolist() == ["LAST1", 1.0, 1]
    assert found.loc["phase transition", ["model", "last1", "last1_place"]].tolist() == [
        "POW3", 9.0, 3]
    assert found.loc["dipping", ["curves", "datasets", "models"]].tolist() == [12, 6, 3]


def test_a_curve_that_one_model_lacks_counts_for_none():
    table = predictions("dipping", {"LAST1": 1.0, "POW3": 2.0}, 6)
    table.loc[(table["model"] == "POW3") & (table["dataset"] == 0), "points"] = np.nan
    assert shape_leaders(table)["datasets"].tolist() == [5]
