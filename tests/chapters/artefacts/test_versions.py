"""Versions compared: equal, not significant, different."""

import numpy as np
import xarray as xr

from chapters.artefacts.versions import compare_versions


def test_equal_noisy_and_shifted_curves_are_told_apart():
    rng = np.random.default_rng(0)
    before = xr.DataArray(rng.uniform(0.1, 0.4, (1, 4, 5, 20)),
                          dims=("dataset", "learner", "outer", "anchor"),
                          coords={"dataset": ["wine"], "learner": list("ABCD")})
    after = before.copy()
    after[0, 1] += rng.normal(0, 0.01, (5, 20))
    after[0, 2] += 0.05 + rng.normal(0, 0.001, (5, 20))
    after[0, 3] = np.nan
    table = compare_versions(before, after).set_index("learner")
    assert table["verdict"].to_dict() == {"A": "equal", "B": "not significant", "C": "different"}
    assert table.loc["A", "changed"] == 0 and np.isnan(table.loc["A", "p"])
    assert abs(table.loc["C", "shift"] - 0.05) < 0.002 and table.loc["C", "changed"] == 100
