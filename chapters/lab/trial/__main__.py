"""Compute the rivals' forecasts of the trial, or what is missing: ``make forecasts``."""

import logging
import warnings

import pandas as pd

from analysis.trial.scoring import LEVELS, open_forecasts
from analysis.trial.tasks import FOLDER
from chapters.lab.trial.rivals import record
from collection.project.paths import state_shipped

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
warnings.simplefilter("ignore", RuntimeWarning)  # a curve without companions, a fit that runs off
FORECASTS = FOLDER / "forecasts.parquet"

table = record()
if FORECASTS.exists():  # of those whose library is not installed
    kept = open_forecasts().astype({"rival": object})
    table = pd.concat([table, kept[~kept["rival"].isin(table["rival"])]], ignore_index=True)
levels = [str(level) for level in LEVELS]
table[levels] = table[levels].astype("float32").round(4)
for name in ("task", "times", "rival"):
    table[name] = table[name].astype("category")
table.to_parquet(FORECASTS, index=False, compression="zstd")
state_shipped()
logging.info("The forecasts are in %s.", FORECASTS)
