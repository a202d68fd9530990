"""Criteria of sample size are held against curves whose optimism is known."""

import numpy as np
import pytest
import xarray as xr

from analysis.report.protocol import rows_for_numbers
from chapters.how_much_more import sample_sizes as module

SIZES = np.array([16, 32, 64, 128, 256, 512])


@pytest.fixture
def found(monkeypatch, tmp_path):
    """Return the table of two made curves: optimism 2/n, and one above 0.05 at every size."""
    optimism = np.stack([2 / SIZES, np.full(6, 0.2), 2 / SIZES])
    test = np.broadcast_to(0.5 - optimism / 2, (3, 6))
    share = np.stack([test + optimism, test], axis=-1)
    error = np.sqrt(1 - share)
    dims = ("dataset", "learner", "scaling", "leakage", "outer", "inner", "anchor", "split")
    shape = (3, 2, 1, 1, 2, 1, 6, 2)
    wide = [np.broadcast_to(v[:, None, None, None, None, None], shape) for v in (share, error)]
    curves = xr.Dataset({"r2": (dims, wide[0]), "relative_rmse": (dims, wide[1])}, coords={
        "dataset": ["falls", "never", "words"], "learner": [module.LINEAR, module.TREES],
        "scaling": ["standard"], "leakage": ["no"], "anchor": SIZES, "split": ["train", "test"]})
    monkeypatch.setattr(module, "load_curves", lambda name: curves)
    (tmp_path / module.DATABASE).mkdir()
    (tmp_path / module.DATABASE / "datasets.csv").write_text(
        "dataset,features,categorical\nfalls,5,0\nnever,5,0\nwords,5,1\n")
    monkeypatch.setattr(module, "DATA", tmp_path)
    monkeypatch.setattr(module, "shipped", lambda path: path)
    return module.judge_criteria().set_index(["table", "criterion"])


def test_what_it_took_is_seen_on_the_curve(found):
    assert set(found.index.get_level_values(0)) == {"falls", "never"}  # words are no parameters
    assert (found.loc["falls", "took"] == 64).all()  # 2/64 is the first below 0.05
    asked = rows_for_numbers(5, float(found.loc["falls", "r2"].iloc[0]))
    for name, rows in asked.items():
        assert found.loc[("falls", name), "rows"] == rows
        assert found.loc[("falls", name), "enough"] == (rows >= 64)
    assert found.loc[("falls", module.LARGEST), "rows"] == max(asked.values())


def test_where_the_aim_was_never_met_no_criterion_asked_for_enough(found):
    assert np.isinf(found.loc["never", "took"]).all() and (found.loc["never", "enough"] == 0).all()


def test_errors_are_those_with_as_many_rows_as_asked_above_the_last(found):
    own = found.loc["falls"]
    assert (own["linear"] > 0).all() and own["linear"].equals(own["trees"].rename("linear"))
    words = module.size_words(found.reset_index())
    assert words["enough"].iloc[-1] == "1 of 2" and len(words) == 4
