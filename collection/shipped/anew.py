"""LCDB 1.1 gathered anew, as it is opened: the suite's datasets, the plan, and the sample of it."""

from pathlib import Path

import pandas as pd

from collection.project.paths import DATA, shipped

NAME = "lcdb11-anew"
FOLDER = DATA / NAME
SUITE = NAME
PLAN = FOLDER / "plan.csv"
DATASETS = "datasets.csv"  # beside the tables of fits, of every shipped database


def read_plan() -> pd.DataFrame:
    """Return where each dataset's curves end.

    Returns
    -------
    pandas.DataFrame
        ``dataset`` (spec), ``rows``, ``seconds`` (of one repeat of the 24 learners at all anchors
        up to the last, estimated), ``last_anchor`` and ``grid_end``, where the grid itself ends
        (training rows); those that cost least come first.
    """
    return pd.read_csv(PLAN)


def suite_datasets() -> list[str]:
    """Return the labels of those datasets of the database that are of the suite."""
    gathered = pd.read_csv(shipped(FOLDER / DATASETS))
    return gathered.loc[gathered["source"].isin(read_plan()["dataset"]), "dataset"].tolist()


def cut_short() -> list[str]:
    """Return the labels of those whose curves end, for their cost, before the training set does."""
    plan, gathered = read_plan(), pd.read_csv(shipped(FOLDER / DATASETS))
    short = plan.loc[plan["last_anchor"] < plan["grid_end"], "dataset"]
    return gathered.loc[gathered["source"].isin(short), "dataset"].tolist()


def is_whole() -> bool:
    """Tell whether all its files are here; an installed package has the sample alone."""
    return len(list(FOLDER.glob("*.parquet"))) > len(sample_files())


def sample_files() -> list[Path]:
    """Return the files of the sixteen datasets in ``sample.csv``, which ``mini`` opens."""
    stems = pd.read_csv(shipped(FOLDER / "sample.csv"))["file"]
    return [path for path in FOLDER.glob("*.parquet")
            if any(f"{path.stem}_".startswith(f"{stem}_") for stem in stems)]
