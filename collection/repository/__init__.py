"""The repository of evaluations that the project ships: what it holds, gathered and written."""

from collection.paths import DATA

FOLDER = DATA / "evaluations"
