"""The tables that need the published means: computed where they are at hand, else recalled."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import xarray as xr

from analysis.missed import means
from analysis.missed.decomposition import both_verdicts, decomposition, grid_by_learner
from analysis.records.computed import FOLDER, compute_or_recall

COMPARED = ["TabNet", "CatBoost", "ens.RandomForest"]
UP_TO = 4096  # rows: two batches of TabNet's and two more

TABLES: dict[str, Callable[[xr.Dataset], pd.DataFrame]] = {
    "tabnet_medians": lambda m: means.median_curves(m["error_rate"], COMPARED, UP_TO),
    "largest_drops": lambda m: means.largest_drops(m["error_rate"]),
    "rises_by_noise": lambda m: means.rises_by_noise(m["error_rate"], m["error_rate_stderr"]),
    "mlp_bumps": lambda m: means.bumps(m["error_rate"]),
    "mlp_bend_places": lambda m: means.bend_places(m["error_rate"]),
    "flat_readings": lambda m: means.flat_readings(m["error_rate"]),
    "stray_curves": lambda m: means.stray_by_curve(m["error_rate"], m["error_rate_stderr"]),
    "stray_dummies": lambda m: means.stray_dummies(m["error_rate"]),
    "stray_effects": lambda m: means.stray_effects(m["error_rate"]),
    "tabpfn_datasets": lambda m: means.tabpfn_datasets(m["error_rate"]),
    "violation_shares": lambda m: means.violation_shares(m["error_rate"]),
    "lasting_rises": lambda m: means.lasting_rises(m["error_rate"], m["error_rate_stderr"]),
    "decomposition": lambda _: decomposition(both_verdicts()),
    "grid_by_learner": lambda _: grid_by_learner(both_verdicts()),
    "constant_stretches": lambda m: means.constant_stretches(m["error_rate"]),
}


def tables_from_means(folder: Path = FOLDER) -> dict[str, pd.DataFrame]:
    """Return every table of `TABLES`, each with the date it was computed on.

    Parameters
    ----------
    folder : Path
        Where they are kept, under ``missed_`` and their names.
    """
    return {name: compute_or_recall(f"missed_{name}", KEPT[f"missed_{name}"], folder)
            for name in TABLES}


#: What is kept for those who lack the means.
KEPT = {f"missed_{name}": lambda table=table: table(means.summary_means())
        for name, table in TABLES.items()}
