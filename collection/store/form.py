"""What a store of one kind of work looks like: its file, its tables, its words."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Form:
    """A kind of store.

    Attributes
    ----------
    file, lock : str
        Names in the folder.
    version : int
        Of the tables: to be raised when what is stored changes its meaning. SQLite's
        ``user_version`` has it; 0 stands for 1.
    tables : str
        SQL that makes the tables where they are absent.
    last_table : str
        The one made last: where it is absent there is no store yet.
    things : str
        What it holds.
    how : str
        How to get one.
    """

    file: str
    lock: str
    version: int
    tables: str
    last_table: str
    things: str
    how: str


# What every kind of store has.
SHARED_TABLES = """
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS runs (id INTEGER PRIMARY KEY, started TEXT NOT NULL,
    provenance TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, text TEXT UNIQUE NOT NULL);
INSERT OR IGNORE INTO messages VALUES (0, '');
"""
