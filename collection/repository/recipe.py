"""What the shipped repository consists of: tasks, in the order of their worth, and configs.

The tasks are of 150 to 450 rows and varied: two or three classes or numbers to predict, numeric
or categorical features. Costly families have fewer configs, cheap ones more.
"""

from pathlib import Path

from collection.paths import cache_dir

TASKS = ("keel:haberman", "keel:tae", "sklearn:diabetes", "keel:glass1", "keel:heart",
         "keel:hayes-roth", "keel:bupa", "keel:breast", "sklearn:wine", "keel:housevotes",
         "keel:ecoli1", "keel:new-thyroid1", "keel:sonar", "keel:monk-2", "keel:saheart",
         "keel:ionosphere", "keel:bands")
CONFIGS = {"LinearModel": 25, "KNeighbors": 29, "RandomForest": 7, "ExtraTrees": 7,
           "LightGBM": 11, "XGBoost": 7, "CatBoost": 7, "NeuralNetTorch": 3}
SETTINGS = {
    "FAMILIES": " ".join(CONFIGS),
    "CONFIGS": " ".join(f"{family}={number}" for family, number in CONFIGS.items()),
    "BAGS": "8", "FOLDS": "0 1 2", "PREDICTIONS": "yes", "CLOCK": "processor",
    "PRECISION": "double",
    "CONFIG_LIMIT": "0.8s",
}


def store() -> Path:
    """Return the folder that the evaluations are gathered in."""
    return cache_dir() / "evaluations"


def settings_of(task: str, folder: Path) -> dict[str, str]:
    """Return the parameters of ``make evaluate`` for one task."""
    return {**SETTINGS, "TASKS": task, "OUT": str(folder)}
