"""Whether a database has what a chapter needs; where it has not, the chapter says so."""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from analysis.databases.load import load_curves
from analysis.databases.paper_curves import (
    chapter_database,
    comparable_curves,
    contenders,
    database_title,
    validation_errors,
)
from analysis.shapes import detect_shapes
from analysis.statistics.families import count_families
from chapters.chapter import Study
from chapters.facts import Facts

UNSCALED = "it has no curves without scaling"
LEAST_CURVES = 10  # of either kind, for a comparison to say anything
LEAST_DATASETS = 5
LEAST_LEARNERS = 6  # for groups of five to differ


class DatabaseStudy(Study):
    """What a chapter found on a database that the reader may choose.

    Attributes
    ----------
    database, note : str
        From `sufficient_database`.
    title : str
        What the page calls the database, or what joins it.
    """

    def __init__(self, database: str, note: str, tables: Mapping[str, pd.DataFrame],
                 **others: object) -> None:
        super().__init__(tables, database=database, note=note,
                         **{"title": database_title(database)} | others)

    def facts(self) -> Facts:
        """Begin the chapter's facts with the name of the database and the note."""
        rows = Facts()
        rows.update({"title": self.title, "note": self.note})
        return rows


def sufficient_database(default: str,
                        lacks: Callable[[str], str] = lambda database: "") -> tuple[str, str]:
    """Return the database that a chapter runs on, and a note to its reader.

    It has repeats: from means alone significance cannot be judged.

    Parameters
    ----------
    default : str
        What the chapter uses unless the reader asked for another, or that one is too small.
    lacks : callable
        Takes the name or path of a database with repeats, and returns in words what it lacks for
        the chapter's questions, or nothing; such as `lacks_shapes`.

    Returns
    -------
    database, note : str
        The note is empty where the chapter runs on what was asked for.
    """
    asked = chapter_database(default)
    reason = (_lacks_repeats(asked) or lacks(asked)) if asked != default else ""
    if not reason:
        return asked, ""
    return default, (f"You asked for {database_title(asked)}, but {reason}. "
                     f"This chapter shows {database_title(default)} instead.")


def _lacks_repeats(database: str) -> str:
    lacking = {"outer", "inner"} - set(load_curves(database)["error_rate"].dims)
    return "it has means only, and this takes the repeats" if lacking else ""


def lacks_shapes(database: str) -> str:
    """Tell whether curves are too few to compare ill- with well-behaved ones, without scaling."""
    errors = validation_errors(database)
    if "none" not in errors["scaling"].values:
        return UNSCALED
    errors = errors.sel(scaling=["none"]).load()
    for procedure in ("published", "corrected"):
        shapes = detect_shapes(errors, procedure)
        kept = ~shapes["missing"] & ~shapes["flat"]
        for verdict in ("non_monotone", "non_convex"):
            ill, well = (int((kept & group).sum()) for group in (shapes[verdict], ~shapes[verdict]))
            if min(ill, well) < LEAST_CURVES:
                words = verdict.replace("_", "-")
                return (f"it has {ill} {words} curves and {well} others, and a comparison needs "
                        f"{LEAST_CURVES} of each")
    return ""


def lacks_races(database: str) -> str:
    """Tell whether learners or datasets are too few for races between groups of learners."""
    curves = contenders(database)
    n_datasets, n_learners = curves.sizes["dataset"], curves.sizes["learner"]
    if n_datasets >= LEAST_DATASETS and n_learners >= LEAST_LEARNERS:
        return ""
    return (f"it has {n_learners} learners on {n_datasets} datasets, and races between groups of "
            f"learners need {LEAST_LEARNERS} on {LEAST_DATASETS}")


def lacks_both(database: str, dim: str) -> str:
    """Tell whether curves gathered under every label of a dim are of fewer than two families."""
    curves = load_curves(database, selection="paper")
    if dim == "scaling" and "none" not in curves["scaling"].values:
        return UNSCALED
    both = comparable_curves(curves, dim)
    names = both["dataset"].values[both.any([d for d in both.dims if d != "dataset"]).values]
    if count_families(names) > 1:
        return ""
    return f"it has {len(names)} datasets with curves under every {dim}, and this takes two"


def lacks_ranking(database: str) -> str:
    """Tell whether fewer than two learners have curves without scaling on enough datasets."""
    errors = load_curves(database, selection="paper")["error_rate"]
    if "none" not in errors["scaling"].values:
        return UNSCALED
    errors = errors.sel(scaling="none", split="valid")
    there = errors.notnull().any([d for d in errors.dims if d not in ("dataset", "learner")])
    n = np.sort(there.sum("dataset").values)[::-1]
    if len(n) > 1 and n[1] >= LEAST_DATASETS:
        return ""
    return (f"it has {there.sizes['learner']} learners on {there.sizes['dataset']} datasets, and a "
            f"ranking needs two on {LEAST_DATASETS}")
