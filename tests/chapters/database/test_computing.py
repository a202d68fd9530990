"""Hours add up."""

import numpy as np
import pandas as pd
import xarray as xr

from chapters.database.description import computing_by_learner, computing_in_all

TIME = xr.DataArray([[3600.0, np.nan], [1800, 1800]], dims=("learner", "anchor"),
                    coords={"learner": ["KNN", "LDA"], "anchor": [16, 18]})


def test_hours_per_learner_and_their_shares():
    table = computing_by_learner(xr.Dataset({"train_time": TIME})).set_index("learner")
    assert table["hours"].to_dict() == {"KNN": 1, "LDA": 1}
    assert table["fits"].to_dict() == {"KNN": 1, "LDA": 2} and table["share"].sum() == 100
    assert table.loc["KNN", "longest"] == 3600


def test_all_that_was_done_is_no_less_than_fitting():
    curves = xr.Dataset({"train_time": TIME})
    datasets = pd.DataFrame({"fits": [2, 2], "seconds": [3600, 7200]})
    table = computing_in_all(curves, datasets, pd.DataFrame({"train_time": [1800.0, np.nan]}))
    assert table["hours"].tolist()[:3] == [3, 2, 0.5] and table["fits"].tolist()[:3] == [4, 3, 1]
    assert table["hours"].iloc[3] == 800_000 and pd.isna(table["fits"].iloc[3])
