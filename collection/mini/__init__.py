"""The database ``mini``: what is gathered for it, and how it is shipped in ``data/mini``."""

from collection.paths import DATA

FOLDER = DATA / "mini"
FITS = "fits.parquet"
DATASETS = "datasets.csv"
CROISSANT = "croissant.json"
LACKING = "lacking.csv"  # what the recipe asks for and is not there
TITLE = "mini: learning curves gathered by the protocol of LCDB 1.1"
