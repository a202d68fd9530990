"""The same table under another name, whatever its order, coding, rounding or share of rows."""

from collection.curation.duplicates.find import KINDS, find_duplicates, group_duplicates

__all__ = ["KINDS", "find_duplicates", "group_duplicates"]
