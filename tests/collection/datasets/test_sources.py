import pytest

from collection.datasets import DatasetError, expand_specs, list_datasets, load_dataset
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
