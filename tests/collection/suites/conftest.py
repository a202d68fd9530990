import pandas as pd
import pytest
from published_data import PUBLISHED

from collection.datasets.dataset import Dataset, make_dataset


@pytest.fixture(scope="session")
def pmlb() -> list[Dataset]:
    """The 44 datasets of PMLBmini, as their authors' files have them."""
    folder = PUBLISHED / "pmlb"
    if not folder.is_dir():
        pytest.skip(f"needs the published data in {folder}")
    return [
        make_dataset(
            pd.read_csv(folder / name / f"{name}.tsv.gz", sep="\t", dtype={"target": str}),
            "target", name=name, source=f"pmlb:{name}")
        for name in pd.read_csv(folder / "index.csv")["dataset"]]
