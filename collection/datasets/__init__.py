"""Where datasets come from: one form for all of them, and one registry of sources."""

from collection.datasets.dataset import Dataset, DatasetError
from collection.datasets.sources import SOURCES, Source, expand_specs, list_datasets, load_dataset

__all__ = ["SOURCES", "Dataset", "DatasetError", "Source", "expand_specs", "list_datasets",
           "load_dataset"]
