import sys
from types import ModuleType

import pytest

from collection.datasets import (
    SOURCES,
    DatasetError,
    Source,
    expand_specs,
    list_datasets,
    load_dataset,
)
from collection.project.naming import UnknownNameError


@pytest.mark.parametrize("spec", ["vehicle", "keel:", ":vehicle", ""])
def test_specs_that_name_nothing(spec):
    with pytest.raises((DatasetError, UnknownNameError)) as caught:
        load_dataset(spec)
    assert "keel" in str(caught.value)


def test_unknown_sources():
    for ask in (lambda: load_dataset("kel:vehicle"), lambda: list_datasets("kel"),
                lambda: expand_specs(["keel:vehicle", "kel:vehicle"])):
        with pytest.raises(UnknownNameError, match="'keel'"):
            ask()


@pytest.mark.parametrize("source", ["openml", "csv"])
def test_sources_without_a_list(source):
    with pytest.raises(DatasetError, match="cannot be listed"):
        list_datasets(source)


def test_expansion_keeps_order_and_drops_repeats():
    specs = ["sklearn:wine", "keel:vehicle", "sklearn:wine", "openml:54", "keel:vehicle"]
    assert expand_specs(iter(specs)) == ["sklearn:wine", "keel:vehicle", "openml:54"]


def test_a_new_source_is_one_line(monkeypatch):
    module = ModuleType("own_source")
    module.load = lambda name: load_dataset(f"keel:{name}")
    module.names = lambda: ["vehicle", "iris"]
    module.expand = lambda name: [f"own:{n}" for n in module.names()]
    monkeypatch.setitem(sys.modules, "own_source", module)
    monkeypatch.setitem(SOURCES, "own", Source("own_source", "own:NAME"))
    assert list_datasets("own") == ["iris", "vehicle"]
    assert load_dataset("own:vehicle").n_rows == 846
    assert expand_specs(["own:all"]) == ["own:vehicle", "own:iris"]


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_can_load(source):
    assert callable(SOURCES[source].module.load)
