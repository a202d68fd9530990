"""What several chapters compute is computed once, and anew where anything has changed."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from analysis.published.shared import shared
from collection.project.paths import SHARED_TABLES

CALLS = []


@shared
def halved(values, by=2):
    CALLS.append(by)
    return pd.DataFrame({"half": np.asarray(values) / by})


@pytest.fixture
def curves():
    CALLS.clear()
    return xr.DataArray([0.1, np.nan, 1 / 3], dims="anchor", coords={"anchor": [16, 23, 32]})


def test_nothing_is_kept_outside_of_a_build(curves, monkeypatch):
    monkeypatch.delenv(SHARED_TABLES, raising=False)
    assert halved(curves).equals(halved(curves)) and len(CALLS) == 2


def test_the_same_is_computed_once_and_another_anew(curves, monkeypatch, tmp_path):
    monkeypatch.setenv(SHARED_TABLES, str(tmp_path / "one"))
    with ThreadPoolExecutor(4) as pool:
        tables = list(pool.map(halved, [curves, curves.copy(deep=True), curves, curves]))
    assert len(CALLS) == 1
    assert all(table.to_numpy().tobytes() == tables[0].to_numpy().tobytes() for table in tables)
    halved(curves + 1)
    halved(curves, by=3)
    assert CALLS == [2, 2, 3]
    monkeypatch.setenv(SHARED_TABLES, str(tmp_path / "another build"))
    halved(curves)
    assert CALLS == [2, 2, 3, 2]


def test_what_fails_is_not_kept(curves, monkeypatch, tmp_path):
    monkeypatch.setenv(SHARED_TABLES, str(tmp_path))
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            shared(lambda by: 1 / by)(0)
    assert halved(curves)["half"].notna().sum() == 2
