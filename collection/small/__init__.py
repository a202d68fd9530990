"""PMLBmini's baselines, really run: what is evaluated, and how it ships in ``data/small``."""

from collection.paths import DATA

FOLDER = DATA / "small"
BASELINES = FOLDER / "baselines.csv"
SUITE = "pmlbmini"
