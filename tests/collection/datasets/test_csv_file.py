import pytest

from collection.datasets import DatasetError, load_dataset
from collection.naming import UnknownNameError

TEXT = """a,b c,flag,kind,label & more
1.5, x ,True,1,yes
?,,False,2,no
-3e2,"y,z",True,one,yes
4,x,,3,no
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "own data.v2.csv"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_kinds_missing_and_labels(file):
    dataset = load_dataset(f"csv:{file}?target=label & more")
    assert dataset.name == "own data" and dataset.openml_id is None
    assert dataset.source == f"csv:{file}?target=label & more"
    assert dataset.licence == "not stated"
    assert dataset.numeric == ["a"] and dataset.categorical == ["b c", "flag", "kind"]
    assert list(dataset.features["a"].dropna()) == [1.5, -300.0, 4.0]
    assert list(dataset.features["b c"].cat.categories) == ["x", "y,z"]
    assert list(dataset.features["flag"].cat.categories) == ["False", "True"]
    assert list(dataset.features["kind"]) == ["1", "2", "one", "3"]
    assert dataset.n_missing == 3
    assert list(dataset.target) == ["yes", "no", "yes", "no"]


def test_labels_stay_as_written(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,01\n2,1\n3,1.0\n4,\n", encoding="utf-8")
    with pytest.warns(UserWarning, match=r"1 of 4 rows have no label in 'y'"):
        dataset = load_dataset(f"csv:{tmp_path / 'a.csv'}?target=y")
    assert list(dataset.target) == ["01", "1", "1.0"]


@pytest.mark.parametrize("form", ["csv:{}", "csv:{}?target=", "csv:{}?column=a"])
def test_target_not_named(file, form):
    spec = form.format(file)
    with pytest.raises(DatasetError, match=r"csv:PATH\?target=COLUMN") as caught:
        load_dataset(spec)
    if not spec.endswith("?column=a"):
        assert "Its columns: 'a', 'b c', 'flag', 'kind', 'label & more'." in str(caught.value)


def test_target_absent(file):
    with pytest.raises(UnknownNameError, match="label & more"):
        load_dataset(f"csv:{file}?target=label")


@pytest.mark.parametrize("content, message", [
    (b"", "cannot be read"),
    (b"x,y\n1,a\n2,b,c\n", "Expected 2 fields in line 3"),
    (b"x,y\n\xff\xfe,a\n1,b\n", "UTF-8"),
    (b"x,y\n1,a\n2,a\n", "one class only, 'a'"),
    (b"x,y\n", "no row has a label"),
    (b"x,y\n1,\n2,\n", "no row has a label"),
    (b"y\na\nb\n", "no feature"),
    (b"x,y\n,a\n,b\n", "no feature"),
    (b"x,y\ninf,a\n1,b\n", "'x' holds infinite values"),
])
def test_unusable_files(tmp_path, content, message):
    (tmp_path / "bad.csv").write_bytes(content)
    with pytest.raises(DatasetError, match=message) as caught:
        load_dataset(f"csv:{tmp_path / 'bad.csv'}?target=y")
    assert str(tmp_path) in str(caught.value)


def test_no_such_file(tmp_path):
    with pytest.raises(DatasetError, match="No such file"):
        load_dataset(f"csv:{tmp_path / 'none.csv'}?target=y")
