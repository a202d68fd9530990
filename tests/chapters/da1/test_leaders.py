"""Whose curves misbehave: an interval over families of datasets needs two of them."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from chapters.da1 import _add_leaders
from chapters.facts import Facts


def leaders(datasets):
    """Return the facts where each of six learners is ill-behaved on more datasets the later."""
    table = pd.DataFrame([
        {"dataset": name, "learner": f"L{k}", "missing": False, "ill_behaved": float(at <= k)}
        for at, name in enumerate(datasets) for k in range(6)])
    rows = Facts()
    _add_leaders(rows, SimpleNamespace(judged=lambda procedure: table))
    return rows.table().set_index("key")


@pytest.mark.parametrize(("datasets", "known"), [
    (["one"], False), (["keel:a", "keel:b", "keel:c", "keel:d"], True)])
def test_one_family_alone_has_no_interval(datasets, known):
    found = leaders(datasets)
    for key in ("leaders_share", "others_share"):
        assert np.isfinite(found.loc[key, ["low", "high"]].astype(float)).all() == known
        assert np.isfinite(float(found.loc[key, "value"]))
    assert (float(found.loc["leaders_elsewhere", "value"]) > 0) == known
    assert found.loc["n_leaders", "value"] == 3
