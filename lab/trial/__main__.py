"""Compute the rivals' forecasts of the trial, or what is missing: ``make forecasts``."""

import logging
import warnings

import pandas as pd

from analysis.trial.tasks import FOLDER, LEVELS, PARTS, open_forecasts
from collection.project.paths import state_shipped
from lab.trial.rivals import record

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
warnings.simplefilter("ignore", RuntimeWarning)  # a curve without companions, a fit that runs off
table, kept = record(), open_forecasts().astype({"rival": object})
table = pd.concat([table, kept[~kept["rival"].isin(table["rival"])]], ignore_index=True)
levels = [str(level) for level in LEVELS]
table[levels] = table[levels].astype("float32").round(4)
for part in PARTS:
    own = table[table["task"].isin(pd.read_csv(FOLDER / f"tasks{part}.csv")["task"])]
    own.astype(dict.fromkeys(("task", "times", "rival"), "category")).to_parquet(
        FOLDER / f"forecasts{part}.parquet", index=False, compression="zstd")
state_shipped()
logging.info("The forecasts are in %s.", FOLDER)
