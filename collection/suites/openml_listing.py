"""OpenML's listing of datasets with their qualities."""

import openml
import pandas as pd

from collection.datasets.openml_cache import staging
from collection.datasets.openml_errors import explained


def list_openml() -> pd.DataFrame:
    """Return the active datasets that OpenML lists, with its qualities.

    Raises
    ------
    DatasetError
        Where the server cannot be asked.
    """
    with staging(), explained("openml"):
        return openml.datasets.list_datasets(status="active", output_format="dataframe")
