"""The tables that need the published means: computed where they are at hand, else recalled."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import xarray as xr

from analysis.computed import FOLDER, compute_or_recall
from analysis.missed import means

COMPARED = ["TabNet", "CatBoost", "ens.RandomForest"]
UP_TO = 4096  # rows: two batches of TabNet's and two more

TABLES: dict[str, Callable[[xr.Dataset], pd.DataFrame]] = {
    "tabnet_medians": lambda m: means.median_curves(m["error_rate"], COMPARED, UP_TO),
    "largest_drops": lambda m: means.largest_drops(m["error_rate"]),
    "bends": lambda m: pd.concat(
        [means.bends_from(m["error_rate"], x, (16, means.TABNET_BATCH)).assign(learner=x)
         for x in COMPARED], ignore_index=True),
    "mlp_bumps": lambda m: means.bumps(m["error_rate"]),
    "mlp_bend_places": lambda m: means.bend_places(m["error_rate"]),
    "flat_readings": lambda m: means.flat_readings(m["error_rate"]),
    "stray_curves": lambda m: means.stray_by_curve(m["error_rate"], m["error_rate_stderr"]),
    "stray_effects": lambda m: means.stray_effects(m["error_rate"]),
    "tabpfn_datasets": lambda m: means.tabpfn_datasets(m["error_rate"]),
    "constant_stretches": lambda m: means.constant_stretches(m["error_rate"]),
}


def tables_from_means(folder: Path = FOLDER) -> dict[str, pd.DataFrame]:
    """Return every table of `TABLES`, each with the date it was computed on.

    Parameters
    ----------
    folder : Path
        Where they are kept, under ``missed_`` and their names.
    """
    return {name: compute_or_recall(f"missed_{name}", lambda t=table: t(means.summary_means()),
                                    folder)
            for name, table in TABLES.items()}
