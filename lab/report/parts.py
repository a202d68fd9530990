"""What the report is judged on: parts of tables, and curves of databases cut at some size."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.load import load_curves
from analysis.extrapolation.folds import fold_of
from analysis.published.computed import NotAtHandError
from analysis.report.measured import Measured, bootstrap_rows, measured_points, stretch_errors
from analysis.report.metrics import BOUNDED, ENDLESS, METRICS
from collection.project.paths import DATA, cache_dir, shipped
from lab.report.row_backtest import PARTS, TIMES
from lab.report.row_tables import ROLES

CUTS = (64, 128, 256, 512, 1024)  # rows at which curves are cut
LEAST_SIZES, LEAST_LEARNERS = 4, 2
FOUR = ("LogisticRegression", "KNN", "ens.RandomForest", "ens.GradientBoosting")
#: Databases whose curves are cut; of each what the report measures, or what is most like it.
LEARNERS = {"lcdb10": FOUR, "lcdb11-anew": FOUR,
            "regression": ("Ridge", "KNN", "ens.RandomForest", "HistGradientBoosting")}
FITTED = (0, 1, 2)  # folds of LCDB 1.0's families by which the chance of a fall was calibrated
CALIBRATING = "calibrating"  # the role of their curves


@dataclass(frozen=True, eq=False)
class Part:
    """What was measured on some rows of a table, and what came.

    Attributes
    ----------
    table, role : str
        Its name, and what it takes part in: one of `ROLES`, `CALIBRATING`, or a database.
    size : int
        Rows trained on.
    measured : Measured
        Errors as shares of the worst.
    true : ndarray, shape (n_learners, len(TIMES))
        Errors at `TIMES`, in the same unit; NaN where not known.
    target : ndarray, optional
        The part's own; None where curves alone are known.
    number : int
        Of the table's parts.
    """

    table: str
    role: str
    size: int
    measured: Measured
    true: np.ndarray
    target: np.ndarray | None = None
    number: int = 0

    @property
    def kind(self) -> str:
        """Return what is predicted: "numbers" or "classes"."""
        return "numbers" if self.measured.stretch.most > 1 else "classes"


def row_parts(folder: Path | None = None) -> Iterator[Part]:
    """Yield every part that `lab.report.row_backtest` measured.

    Raises
    ------
    NotAtHandError
        Where none was; ``python -m lab.report.row_backtest`` does that.
    """
    paths = sorted((folder or cache_dir() / PARTS).glob("*.npz"))
    if not paths:
        raise NotAtHandError("No part of a table was measured; python -m "
                             "lab.report.row_backtest does that in sixty minutes.")
    roles = {table.name: role for role, tables in ROLES.items() for table in tables}
    for path in paths:
        with np.load(path) as stored:
            table, _, number = path.stem.partition(".")
            yield _row_part(dict(stored), table, roles[table], int(number))


def _row_part(part: dict[str, np.ndarray], table: str, role: str, number: int) -> Part:
    """Return a part as the report measures a table; its name keeps its own curves out."""
    target, said = part["target"], part["said"]
    regression = said.ndim == 2
    metric = METRICS["rmse" if regression else "error_rate"]
    unit = 1 / target.std() if regression else 1.0
    losses = np.stack([metric.losses(target, own) for own in said]) * unit**2
    draws = bootstrap_rows(losses, part["units"], metric.endless, np.random.default_rng(0))
    now, draws = (np.sqrt(x) if metric.root else x for x in (np.nanmean(losses, 1), draws))
    errors = xr.DataArray(
        part["error"][:, :, None] * unit, dims=("learner", "outer", "inner", "anchor"),
        coords={"learner": part["learner"].astype(str), "anchor": part["size"].astype(float),
                "dataset": table})
    size = int(part["size"][-1])
    true = np.ma.masked_invalid(part["true"] * unit).mean(1).filled(np.nan)
    by = metric.stretch(target)
    always = 1.0 if regression else 1 - np.bincount(target).max() / len(target) or np.nan
    return Part(table, role, size, Measured(
        errors, np.full(len(losses), size), now, stretch_errors(draws, now, 1.0, metric, by),
        baseline=always, stretch=by), true, target, number)


def curve_parts(database: str) -> Iterator[Part]:
    """Yield each dataset of a database at each of `CUTS`, as far as it goes on to twice the rows.

    What is seen are errors of five splits on validation rows; what came is the mean of all splits
    on test rows. Always the same is said by the dummy, or has the share of the commonest class.
    """
    curves = load_curves(database).isel(scaling=0, leakage=0, drop=True)
    metric = "relative_rmse" if "relative_rmse" in curves else "error_rate"
    errors = curves[metric].sel(learner=list(LEARNERS[database]), split=["valid", "test"]).load()
    always = curves[metric].reindex(learner=["DummyClassifier"]).sel(split="valid").mean(
        ["learner", "outer", "inner"]).load()
    shares = pd.read_csv(shipped(DATA / "lcdb11_datasets.csv"),
                         index_col="openml_id")["max_class_ratio"]  # of LCDB 1.0's datasets, too
    for one in errors.transpose("dataset", ...):
        table = str(one["dataset"].values)
        fitted = fold_of(table) in FITTED
        if fitted and database != "lcdb10":
            continue  # a near-duplicate of what took part
        mean = one.sel(split="test", drop=True).mean(["outer", "inner"])
        seen = one.sel(split="valid", drop=True).isel(inner=0, drop=True).rename(outer="repeat")
        for cut in np.intersect1d(CUTS, mean["anchor"].values):
            ahead = {"anchor": cut * np.array(TIMES)}
            true = mean.reindex(ahead).transpose("learner", "anchor").values
            now = seen.where(seen["anchor"] <= cut)
            there = now.notnull().all("repeat")
            kept = (np.isfinite(true[:, [0, 2]]).all(1) & there.sel(anchor=cut).values
                    & (there.sum("anchor") >= LEAST_SIZES).values)
            if kept.sum() >= LEAST_LEARNERS:
                some = now.isel(learner=np.flatnonzero(kept)).transpose(
                    "learner", "repeat", "anchor").clip(0, 1).dropna("anchor", how="all")
                said = float(always.sel(dataset=one["dataset"], anchor=cut))
                yield Part(table, CALIBRATING if fitted else database, int(cut), replace(
                    measured_points(some), tested=None, baseline=said if np.isfinite(
                        said) else 1 - shares.get(one["dataset"].item(), np.nan),
                    stretch=ENDLESS if metric == "relative_rmse" else BOUNDED), true[kept])
