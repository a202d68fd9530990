"""How the forecaster of the page is trained and judged: curves thinned, ranges widened."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from chapters.lab.training.compact import VIEWS, judge, thinned, widening
from chapters.lab.training.examples import make_examples, source_of


def test_thinned_curves_keep_their_ends_and_four_points():
    rng = np.random.default_rng(0)
    errors = xr.DataArray(
        rng.random((3, 2, 5, 5, 9)), dims=("dataset", "learner", "outer", "inner", "anchor"),
        coords={"dataset": [11, 12, 14], "name": ("dataset", ["a", "b", "c"]),
                "learner": ["KNN", "LDA"], "anchor": 16 * 2 ** np.arange(9)})
    plain = make_examples(source_of(errors, [0, 1, 2]), VIEWS)
    thin = thinned(plain, rng)
    assert (thin.seen.last == plain.seen.last).all() and (thin.seen.there.sum(1) >= 4).all()
    assert (thin.seen.there <= plain.seen.there).all()
    assert thin.seen.there.sum() < plain.seen.there.sum()


def cases_of(collection, scale, rng, n=1200):
    """Forecasts of spread 1 for changes of spread `scale`, in units of the last error."""
    level = np.full(n, 0.4)
    z = np.array([-1.645, -1.282, -0.674, 0, 0.674, 1.282, 1.645])
    own = pd.DataFrame({f"own{k}": 0.1 * v for k, v in enumerate(z)}, index=range(n))
    return own.assign(
        collection=collection, view="all repeats", curve=range(n), level=level,
        horizon=rng.choice([0.5, 1.5, 2.5, 4], n),
        dataset=[f"{collection}{k % 20}" for k in range(n)],
        truth=level + (level + 0.02) * rng.normal(0, 0.1 * scale, n),
        **{f"other{k}": level + 0.042 * v for k, v in enumerate(z)})


def test_a_collection_is_judged_by_what_the_others_widen():
    rng = np.random.default_rng(0)
    cases = pd.concat([cases_of("narrow", 1.0, rng), cases_of("wide", 2.0, rng)])
    assert widening(cases[cases["collection"] == "narrow"])[2] == pytest.approx(1, abs=0.25)
    assert widening(cases[cases["collection"] == "wide"])[2] == pytest.approx(2, rel=0.2)
    found = judge(cases).query("view == 'all' and from_doublings == 0 and to_doublings > 9")
    found = found.set_index("collection")
    assert found.loc["narrow", "covered90"] > 0.98 and found.loc["wide", "covered90"] < 0.75
    assert found.loc["wide", "covered90"] == pytest.approx(found.loc["wide", "covered90_plain"],
                                                           abs=0.12)
