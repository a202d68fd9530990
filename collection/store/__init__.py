"""Where collected curves lie: one SQLite file in the folder of a collection, or one per dataset.

SQLite, because a transaction survives a process killed at any moment, and because any language can
read the tables. The tables are described in `collection.store.schema`, stores of many files in
`collection.store.shards`.
"""

from collection.store.base import ChangedSettingsError, LockedStoreError
from collection.store.connection import NoStoreError, UnreadableStoreError
from collection.store.stores import (
    open_store,
    read_curve_predictions,
    read_curves,
    read_datasets,
    read_fits,
    read_keys,
    read_predictions,
    read_settings,
    summarise_fits,
)
from collection.store.writer import StoreWriter

__all__ = [
    "ChangedSettingsError",
    "LockedStoreError",
    "NoStoreError",
    "StoreWriter",
    "UnreadableStoreError",
    "open_store",
    "read_curve_predictions",
    "read_curves",
    "read_datasets",
    "read_fits",
    "read_keys",
    "read_predictions",
    "read_settings",
    "summarise_fits",
]
