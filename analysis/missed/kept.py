"""The tables that need the published means: computed where they are at hand, else recalled."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import xarray as xr

from analysis.computed import FOLDER, compute_or_recall
from analysis.missed import means

COMPARED = ["TabNet", "CatBoost", "ens.RandomForest"]
UP_TO = 4096  # rows: a quarter of the datasets' curves and more go as far

TABLES: dict[str, Callable[[xr.DataArray], pd.DataFrame]] = {
    "tabnet_medians": lambda errors: means.median_curves(errors, COMPARED, UP_TO),
    "largest_drops": means.largest_drops,
    "bends": lambda errors: pd.concat(
        [means.bends_from(errors, x, (16, means.TABNET_BATCH)).assign(learner=x)
         for x in COMPARED], ignore_index=True),
    "mlp_bumps": means.bumps,
    "mlp_bend_places": means.bend_places,
    "flat_readings": means.flat_readings,
    "stray_curves": means.stray_by_curve,
    "stray_effects": means.stray_effects,
    "tabpfn_datasets": means.tabpfn_datasets,
    "constant_stretches": means.constant_stretches,
}


def tables_from_means(folder: Path = FOLDER) -> dict[str, pd.DataFrame]:
    """Return every table of `TABLES`, each with the date it was computed on.

    Parameters
    ----------
    folder : Path
        Where they are kept, under ``missed_`` and their names.
    """
    return {name: compute_or_recall(f"missed_{name}", lambda t=table: t(means.summary_errors()),
                                    folder)
            for name, table in TABLES.items()}
