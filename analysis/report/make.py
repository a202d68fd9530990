"""Make the report: measure or read, answer, and write the page and its numbers, whole or not."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from analysis.report.answers import Answers, answer
from analysis.report.page import draw_report, write_page
from analysis.report.points import read_points
from analysis.report.settings import METRICS, ReportSettings
from collection.datasets import load_dataset
from collection.own_table.gather import HANDFUL, Gathered, gather_within
from collection.own_table.read import OwnTable, read_own_table
from collection.running.local import LocalWorkers

TABLES = ("now", "later", "path", "wanted", "enough", "shapes")


@dataclass
class Measured:
    """Errors, and what there is to say of them.

    Attributes
    ----------
    errors : xarray.DataArray, dims (learner, …, anchor)
        From 0 to 1, lower is better.
    title, words : str
        What the table is called; how it was measured.
    notes : list of str
    fits : pandas.DataFrame
        Everything measured.
    """

    errors: xr.DataArray
    title: str
    words: str
    notes: list[str]
    fits: pd.DataFrame


def measure(settings: ReportSettings) -> Measured:
    """Read the points, or gather curves of the table within the budget.

    Raises
    ------
    DatasetError, UnknownNameError, PointsError, BudgetError
        What is wrong with the file, its columns, or the budget.
    """
    if settings.points:
        errors = read_points(settings.points)
        return Measured(errors, settings.points.stem, "From the points that were given.", [],
                        errors.to_dataframe().dropna().reset_index())
    table = read_own_table(settings.csv, settings.target)
    gathered = _gather(table, settings)
    notes = [*table.notes, *_lost(gathered)]
    curves = gathered.fits["learner"].nunique()
    most = int(gathered.fits["anchor"].max())
    words = (f"{curves} learners were trained on 16 to {most:,} of the {table.n_rows:,} rows, in "
             f"{gathered.fits.groupby(['outer', 'inner']).ngroups} splits, within "
             f"{gathered.seconds:.0f} seconds, and measured on rows held out. Numbers were "
             "standardised, categories one-hot encoded, gaps filled.")
    return Measured(as_errors(gathered.fits, settings.metric), settings.csv.stem, words, notes,
                    gathered.fits)


def _gather(table: OwnTable, settings: ReportSettings) -> Gathered:
    """Gather from a copy of the columns and rows that are used: workers load it from there."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "table.csv"
        table.frame.to_csv(copy, index=False)
        dataset = load_dataset(f"csv:{copy}?target={table.target}")
        with LocalWorkers(settings.workers) as workers:
            return gather_within(dataset, settings.budget, workers)


def _lost(gathered: Gathered) -> list[str]:
    failed = gathered.fits[gathered.fits["status"] != "ok"].drop_duplicates(["learner", "status"])
    told = [f"{row.learner}: {row.message or row.status} (at {row.anchor:,} rows)."
            for row in failed.itertuples()]
    absent = [name for name in HANDFUL if name not in set(gathered.fits["learner"])
              and name not in gathered.lost]
    told += [f"{name}: {reason}" for name, reason in gathered.lost.items()]
    return told + ([f"No time was left for {', '.join(absent)}."] if absent else [])


def as_errors(fits: pd.DataFrame, metric: str) -> xr.DataArray:
    """Return held-out errors from 0 to 1 of the fits.

    Parameters
    ----------
    fits : pandas.DataFrame
        As in `collection.own_table.gather.Gathered`.
    metric : str
        A name in `METRICS`. AUC and F1 count as 1 minus themselves; log-loss as a share of the
        largest mean that a learner has at its smallest training set, at most 1.

    Returns
    -------
    xarray.DataArray, dims (learner, outer, inner, anchor)
        The mean of validation and test rows of each split; NaN where either is missing. The
        learners in the order they were tried.
    """
    held = fits[fits["split"].isin(["valid", "test"])]
    keys = ["learner", "outer", "inner", "anchor"]
    values = held.groupby(keys)[metric].agg(lambda v: v.mean(skipna=False)).to_xarray()
    order = [name for name in dict.fromkeys(fits["learner"]) if name in values["learner"].values]
    values = values.sel(learner=order)
    if metric in ("auc", "f1"):
        return (1 - values).rename("error")
    if metric == "log_loss":
        means = values.mean(["outer", "inner"]).to_series().dropna()
        first = means.groupby("learner").first().max()  # anchors ascend
        return (values / first).clip(0, 1).rename("error")
    return values.rename("error")


def write_report(settings: ReportSettings, measured: Measured, answers: Answers) -> Path:
    """Write ``report.html`` and the tables as CSV into the folder asked for.

    Returns
    -------
    Path
        The page. Everything is written beside it first and moved when it is whole.
    """
    label = METRICS[settings.metric] if settings.csv else "error"
    figure = draw_report(measured.errors, answers, label)
    notes = list(measured.notes)
    if settings.metric != "error_rate":
        notes.append("The ranges were tried on error rates; for this metric they are a guide.")
    page = write_page(measured.title, answers, figure, label, notes=notes, wanted=settings.wanted,
                      measured=measured.words)
    settings.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=settings.out, prefix=".whole-") as beside:
        for name in TABLES:
            table = getattr(answers, name)
            if len(table):
                table.to_csv(Path(beside) / f"{name}.csv", index=False)
        measured.fits.to_csv(Path(beside) / "measured.csv", index=False)
        (Path(beside) / "report.html").write_text(page, encoding="utf-8")
        for file in sorted(Path(beside).iterdir()):
            shutil.move(str(file), settings.out / file.name)
    return settings.out / "report.html"


def make_report(settings: ReportSettings) -> tuple[Path, Answers]:
    """Measure, answer, write; return the page's path and the answers."""
    measured = measure(settings)
    if not np.isfinite(measured.errors).any():
        raise ValueError(f"No measurement has a value of {settings.metric}; try METRIC=error_rate.")
    answers = answer(measured.errors, settings.wanted)
    return write_report(settings, measured, answers), answers
