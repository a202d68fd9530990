"""Mean ranks of models and the diagram of who differs."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from chapters.extrapolation.critical_difference import plot_critical_difference, rank_models


def test_ranks_and_their_diagram():
    values = np.random.default_rng(0).random((12, 3))
    means = pd.DataFrame(values, columns=["LAST1", "POW3", "MMF4"]).rename_axis("dataset")
    table = means.melt(var_name="model", value_name="points", ignore_index=False).reset_index()
    result = rank_models(table, ["dataset"])
    np.testing.assert_allclose(result.rankdf["meanrank"].sort_index(),
                               means.rank(axis=1).mean().sort_index())
    figure, ax = plt.subplots()
    plot_critical_difference(result, ax=ax)
    assert {"LAST1", "POW3", "MMF4"} <= {text.get_text() for text in ax.texts}
    plt.close(figure)
    with pytest.raises(ValueError, match="at least 5"):
        rank_models(table.query("dataset < 3"), ["dataset"])
