"""Datasets by name; copies counted once."""

import pytest
import xarray as xr

from analysis.databases.chapter_curves import drop_copies
from analysis.databases.naming import database_name, dataset_title


@pytest.mark.parametrize(("label", "title"), [
    (54, "vehicle (54)"), (36, "segment (36)"), (958, "segment (958)"), (1, "1"),
    ("vehicle", "vehicle"), ("54", "54")])
def test_openml_ids_become_names_and_nothing_else_does(label, title):
    assert dataset_title(label) == title


@pytest.mark.parametrize(("label", "name"), [
    ("lcdb10", "LCDB 1.0"), ("lcdb11", "LCDB 1.1 FULL"), ("mini", "mini"),
    ("my_curves", "my_curves"), ("lcdb11-summary", "lcdb11-summary")])
def test_databases_bear_the_papers_names(label, name):
    assert database_name(label) == name


@pytest.mark.parametrize(("there", "counted"), [
    (["iris", "iris_uci", "wine"], ["iris", "wine"]), (["iris_uci", "wine"], ["iris_uci", "wine"]),
    (["iris"], ["iris"]), ([61, 54], [61, 54])])
def test_a_copy_goes_only_where_the_original_is(there, counted):
    curves = xr.DataArray(range(len(there)), dims="dataset", coords={"dataset": there})
    assert drop_copies(curves)["dataset"].values.tolist() == counted
