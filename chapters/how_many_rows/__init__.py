"""From how many rows on do others beat logistic regression? Learning curves, and a trial."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chapter_data import main_curves
from analysis.databases.lcdb11.files import NOT_COUNTED
from analysis.databases.naming import learner_title
from analysis.drawing.chart import Chart
from analysis.published.computed import DATE, compute_or_recall, recall
from analysis.selection.crossing import last_true
from analysis.statistics import bootstrap
from analysis.statistics.families import families_by_dataset
from analysis.statistics.summary import TIE
from chapters.chapter import Chapter
from chapters.facts import Facts
from chapters.how_many_rows import decision

# --- From how many rows on a learner is ahead of logistic regression for good.

BASELINE = "LogisticRegression"
#: What the chapter calls complex: ensembles of trees, kernels and networks, as far as a database
#: has them; the tables have every learner.
COMPLEX = ("ens.GradientBoosting", "ens.RandomForest", "ens.ExtraTrees", "SVM_RBF", "MLP",
           "CatBoost", "RealMLP", "TabNet", "TabPFNv2")
SIZES = (50, 100, 200, 500, 1000, 5000)  # rows that the shares are asked for


@dataclass(frozen=True)
class OvertakingStudy:
    """What the chapter needs to know of a database.

    Attributes
    ----------
    database : str
    mean : xarray.DataArray
        From `mean_difference`, against logistic regression.
    cases : xarray.Dataset
        From `overtaking`.
    family : pandas.Series
        From `analysis.statistics.families.families_by_dataset`.
    """

    database: str
    mean: xr.DataArray
    cases: xr.Dataset
    family: pd.Series

    @property
    def complex(self) -> list[str]:
        """Return which of `COMPLEX` the database has, in that order."""
        return [name for name in COMPLEX if name in self.mean["learner"].values]


def study_overtaking(database: str) -> OvertakingStudy:
    """Open a database and find from how many rows on logistic regression is overtaken."""
    errors = open_errors(database)
    mean = mean_difference(differences(errors))
    return OvertakingStudy(database, mean, overtaking(mean), families_by_dataset(errors))


def open_errors(database: str) -> xr.DataArray:
    """Open the error rates that are compared: on test rows, without scaling.

    Parameters
    ----------
    database : str
        Name or path, for `analysis.load_curves`; the datasets that the paper uses, without leakage
        where there is the choice.

    Returns
    -------
    xarray.DataArray, dims (dataset, learner[, outer, inner], anchor)
        In memory, NaN where missing. Without the learner that learns nothing and those that equal
        another (`NOT_COUNTED`). Repeats where the database has them.
    """
    errors = main_curves(database)["error_rate"]
    learners = [n for n in errors["learner"].values if n not in NOT_COUNTED]
    errors = errors.sel(scaling="none", split="test", learner=learners, drop=True).load()
    repeats = [d for d in ("outer", "inner") if d in errors.dims]
    return errors.transpose("dataset", "learner", *repeats, "anchor")


def differences(errors: xr.DataArray) -> xr.DataArray:
    """Return how much higher each learner's error rate is than that of `BASELINE`.

    Parameters
    ----------
    errors : xarray.DataArray, dims (dataset, learner[, outer, inner], anchor)
        From `open_errors`.

    Returns
    -------
    xarray.DataArray, of the same dims, without the baseline
        Below 0 the learner is ahead, on the same splits of the same rows; NaN where either has no
        value.
    """
    others = errors["learner"].values[errors["learner"].values != BASELINE]
    return errors.sel(learner=others) - errors.sel(learner=BASELINE, drop=True)


def mean_difference(apart: xr.DataArray) -> xr.DataArray:
    """Average `differences` over the repeats that both learners have, if there are any."""
    repeats = [d for d in ("outer", "inner") if d in apart.dims]
    return apart.mean(repeats) if repeats else apart


def overtaking(mean: xr.DataArray) -> xr.Dataset:
    """Tell from which anchor on each learner is ahead at every anchor to come.

    Parameters
    ----------
    mean : xarray.DataArray, dims (..., anchor)
        From `mean_difference`: below 0 the learner is ahead, NaN where the two cannot be compared.
        Differences up to `analysis.statistics.summary.TIE` are ties, and a tie is not ahead.

    Returns
    -------
    xarray.Dataset, dims as `mean` without anchor
        Rows, each NaN where there is none: ``first`` and ``last``, the ends of the anchors at which
        both have a value; ``rows``, the smallest anchor from which on the learner is ahead at all
        of them (NaN: not by the last; the size is censored there).
    """
    mean = mean.transpose(..., "anchor")
    values, anchors = mean.values, mean["anchor"].values.astype(float)
    dims = mean.dims[:-1]
    found = zip(("first", "last", "rows"), overtaking_places(values), strict=True)
    return xr.Dataset(
        {name: (dims, np.where(at >= 0, anchors[at], np.nan)) for name, at in found},
        coords={d: mean[d].values for d in dims})


def overtaking_places(mean: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return first, last and rows of `overtaking` as positions on the last axis; -1: none.

    Parameters
    ----------
    mean : ndarray, shape (..., n_anchors)
        NaN where the two learners cannot be compared.
    """
    there = ~np.isnan(mean)
    behind = there & ~(mean < -TIE)
    still_behind = np.logical_or.accumulate(behind[..., ::-1], axis=-1)[..., ::-1]
    return _first_true(there), last_true(there), _first_true(there & ~still_behind)


def _first_true(mask: np.ndarray) -> np.ndarray:
    return np.where(mask.any(axis=-1), mask.argmax(axis=-1), -1)


# --- On what share of the problems a learner is ahead: now, for good by so many rows, at the end.

LEAST = 5  # problems; a share of fewer is not given
SHARE = ("share", "low", "high", "n_datasets")
#: What is asked of a size, for `three_shares`.
NOW, GOOD, STAYS = "ahead now", "ahead for good", "logistic regression stays ahead"


def overtaking_shares(cases: xr.Dataset, family: pd.Series, database: str,
                      sizes: Sequence[int] = SIZES) -> pd.DataFrame:
    """Return on what share of the problems each learner is ahead for good by so many rows.

    Parameters
    ----------
    cases : xarray.Dataset, dims (dataset, learner)
        From `overtaking`.
    family : pandas.Series
        Family of each dataset, in the order of `cases` (`families_by_dataset`):
        near-duplicates count as one problem.
    database : str
        Its name, for the table.
    sizes : sequence of int
        Rows.

    Returns
    -------
    pandas.DataFrame
        Columns ``database, learner, rows, share, low, high, n_datasets``: the share of the
        problems whose common anchors reach that many rows (smaller ones are not counted), its
        95 % interval from resampling problems, and how many these are; NaN for fewer than `LEAST`.
        Ahead "for good" is as far as the curves go.
    """
    cases = cases.transpose("dataset", "learner")
    at = np.asarray(sizes)
    reaches = (cases["last"].values[..., None] >= at) & (cases["first"].values[..., None] <= at)
    found = problem_shares(cases["rows"].values[..., None] <= at, reaches, family)
    index = pd.MultiIndex.from_product([[database], cases["learner"].values, list(sizes)],
                                       names=["database", "learner", "rows"])
    columns = {name: part.ravel() for name, part in zip(SHARE, found, strict=True)}
    return pd.DataFrame(columns, index=index).reset_index()


def three_shares(mean: xr.DataArray, cases: xr.Dataset, family: pd.Series, database: str,
                 sizes: Sequence[int] = SIZES, reach: int | None = None) -> pd.DataFrame:
    """Return who is ahead at a size, and who from there on for good: three shares.

    Parameters
    ----------
    mean : xarray.DataArray, dims (dataset, learner, anchor)
        From `mean_difference`.
    cases : xarray.Dataset, dims (dataset, learner)
        From `overtaking`.
    family, database, sizes
        As in `overtaking_shares`.
    reach : int, optional
        The same problems at all sizes: those whose common anchors reach this and begin at the
        least of `sizes` or before. By default at each size those that reach it.

    Returns
    -------
    pandas.DataFrame
        Columns ``database, problems`` ("all" or "fixed"), ``learner, rows, who``, ``share, low,
        high, n_datasets``. ``who`` is `NOW` (the learner is ahead at the largest common anchor up
        to the size), `GOOD` (it is ahead at all common anchors from there on) or `STAYS` (logistic
        regression is ahead or level at all of them). A problem with several datasets counts once.
    """
    mean, cases = mean.transpose("dataset", "learner", "anchor"), cases.transpose(
        "dataset", "learner")
    values, anchors = mean.values, mean["anchor"].values
    first, last = cases["first"].values, cases["last"].values
    tables = []
    for size in sizes:
        counts = (first <= min(sizes if reach else [size])) & (last >= (reach or size))
        here = overtaking_places(values[..., anchors <= size])[1]
        later = np.arange(len(anchors)) >= here[..., None]
        known = later & ~np.isnan(values)
        ahead = values < -TIE
        holds = {NOW: _ahead(values, here), GOOD: (ahead | ~known).all(axis=-1),
                 STAYS: (~ahead | ~known).all(axis=-1)}
        for who, flags in holds.items():
            found = dict(zip(SHARE, problem_shares(flags, counts, family), strict=True))
            tables.append(pd.DataFrame({
                "database": database, "problems": "fixed" if reach else "all",
                "learner": mean["learner"].values, "rows": size, "who": who, **found}))
    return pd.concat(tables, ignore_index=True)


def problem_shares(holds: np.ndarray, counts: np.ndarray,
                   family: pd.Series) -> tuple[np.ndarray, ...]:
    """Return on what share of the problems something holds, with its 95 % interval.

    Parameters
    ----------
    holds, counts : ndarray of bool, shape (n_datasets, ...)
        Whether it holds on a dataset, and whether the dataset counts.
    family : pandas.Series
        Family of each dataset, in this order. A family of which several count is one problem, with
        the share of them.

    Returns
    -------
    share, low, high : ndarray, shape (...)
        NaN for fewer than `LEAST` problems.
    n : ndarray of int, shape (...)
        Problems that count.
    """
    of = pd.factorize(family.to_numpy())[0]
    member = (np.arange(of.max() + 1)[:, None] == of).astype(float)
    of_family = np.tensordot(member, counts.astype(float), 1)
    done = np.divide(np.tensordot(member, (holds & counts).astype(float), 1), of_family,
                     out=np.zeros(of_family.shape), where=of_family > 0)
    counted = (of_family > 0).astype(float)
    n = counted.sum(axis=0)
    share = np.divide(done.sum(axis=0), n, out=np.full(n.shape, np.nan), where=n > 0)
    low, high = bootstrap.ratio_of_sums_interval(done, counted, None)
    low, high = bootstrap.exact_ends(100 * share, 100 * low, 100 * high, np.maximum(n, 1))
    enough = n >= LEAST
    return (*(np.where(enough, x, np.nan) for x in (share, low / 100, high / 100)), n.astype(int))


def common_shares(study: OvertakingStudy) -> pd.DataFrame:
    """Return `overtaking_shares` of complex learners on the datasets that all of them have.

    A dataset counts at a size of `SIZES` that the curves of all of them reach.
    """
    cases = study.cases.sel(learner=study.complex)
    cases = cases.assign(last=cases["last"].min("learner", skipna=False),
                         first=cases["first"].max("learner", skipna=False))
    cases = cases.broadcast_like(study.cases["rows"].sel(learner=study.complex))
    return overtaking_shares(cases, study.family, study.database)


def order_holds(mean: xr.DataArray, family: pd.Series, database: str,
                sizes: Sequence[int] = SIZES, longer: float = 4) -> pd.DataFrame:
    """Return how often the learner that is ahead at a size is ahead at the end of the curves too.

    Parameters
    ----------
    mean, family, database
        As in `behind_again`.
    sizes : sequence of int
        Rows; the largest common anchor up to it is looked at.
    longer : float
        The curves have to go on to so many times the size.

    Returns
    -------
    pandas.DataFrame
        Columns ``database, learner, rows, now, share, low, high, n_datasets``: of the problems on
        which logistic regression is behind at the size (``now`` is "ahead") or is not ("not
        ahead"), the share on which the learner is ahead at the last common anchor. NaN for too few.
    """
    values = mean.transpose("dataset", "learner", "anchor").values
    anchors = mean["anchor"].values
    last = overtaking_places(values)[1]
    at_end = _ahead(values, last)
    tables = []
    for size in sizes:
        here = overtaking_places(values[..., anchors <= size])[1]
        counts = (here >= 0) & (anchors[last] >= longer * size)
        then = _ahead(values, here)
        for now, is_so in (("ahead", then), ("not ahead", ~then)):
            found = dict(zip(SHARE, problem_shares(at_end, counts & is_so, family), strict=True))
            tables.append(pd.DataFrame({"database": database, "learner": mean["learner"].values,
                                        "rows": size, "now": now, **found}))
    return pd.concat(tables, ignore_index=True)


def _ahead(values: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return whether the learner is ahead at a position on the last axis; -1 stands for none."""
    there = np.take_along_axis(values, np.maximum(at, 0)[..., None], axis=-1)[..., 0]
    return (there < -TIE) & (at >= 0)

FOREST, BOOSTING = "ens.RandomForest", "ens.GradientBoosting"
FIXED = 1000  # rows that every problem of the fixed set reaches


@cache
def _lcdb11() -> OvertakingStudy:
    return study_overtaking("lcdb11-summary")


def _shares(study: OvertakingStudy) -> pd.DataFrame:
    return overtaking_shares(study.cases, study.family, study.database)


OF_LCDB11 = {"overtaking_lcdb11_shares": lambda: _shares(_lcdb11()),
             "overtaking_lcdb11_common": lambda: common_shares(_lcdb11())}
KEPT = {**OF_LCDB11, **decision.KEPT}


@dataclass(frozen=True, eq=False)
class Study:
    """What the chapter shows.

    Attributes
    ----------
    shares, common, three, order : pandas.DataFrame
        From `overtaking_shares`, `common_shares`, `three_shares` and `order_holds`.
    tried, regrets : pandas.DataFrame
        From `decision.try_tables`, as it is kept, and `decision.regrets`.
    computed_on : str
        When what needs LCDB 1.1's means was computed.
    """

    shares: pd.DataFrame
    common: pd.DataFrame
    three: pd.DataFrame
    order: pd.DataFrame
    tried: pd.DataFrame
    regrets: pd.DataFrame
    computed_on: str


def compute() -> Study:
    """Return what the chapter shows; what needs LCDB 1.1's means is kept."""
    lcdb10, mini = study_overtaking("lcdb10"), study_overtaking("mini")
    kept = {name: compute_or_recall(name, compute) for name, compute in OF_LCDB11.items()}
    shares, common = (table.drop(columns=DATE) for table in kept.values())
    few, cases = (part.sel(learner=lcdb10.complex) for part in (lcdb10.mean, lcdb10.cases))
    tried = recall("small_data_decision").drop(columns=DATE)
    return Study(
        pd.concat([_shares(lcdb10), _shares(mini), shares], ignore_index=True),
        pd.concat([common_shares(lcdb10), common], ignore_index=True),
        three_shares(few, cases, lcdb10.family, "lcdb10", [n for n in SIZES if n <= FIXED], FIXED),
        order_holds(few, lcdb10.family, "lcdb10"), tried, decision.regrets(tried),
        str(kept["overtaking_lcdb11_shares"][DATE].iloc[0]))


def tables(study: Study) -> Mapping[str, pd.DataFrame]:
    """Return the chapter's tables; learners and rows that a figure names have their words, too."""
    return {"overtaking": study.shares,
            "overtaking_common": study.common.assign(
                name=study.common["learner"].map(learner_title),
                at=[f"{n:,} rows" for n in study.common["rows"]]).sort_values(
                    ["database", "rows", "share"], ascending=[True, True, False]),
            "overtaking_three": study.three.assign(name=study.three["learner"].map(learner_title)),
            "overtaking_order": study.order,
            "decision": study.regrets.assign(at=[f"{n} rows" for n in study.regrets["rows"]])}


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers: of LCDB 1.0 and the forest, where nothing else is said."""
    rows = Facts()
    rows.add("date", study.computed_on)
    three = study.three.set_index(["learner", "rows", "who"])
    for key, who, size in (("now", NOW, 100), ("now", NOW, 1000), ("good", GOOD, 100),
                           ("good", GOOD, 1000), ("stays", STAYS, 100)):
        _add_share(rows, f"fixed_{key}_{size}", three.loc[(FOREST, size, who)])
    rows.add("fixed_n", int(three.loc[(FOREST, FIXED, NOW), "n_datasets"]), note="problems")
    order = study.order.set_index(["learner", "rows", "now"])
    for now in ("ahead", "not ahead"):
        _add_share(rows, f"forest_{now.replace(' ', '_')}", order.loc[(FOREST, 100, now)])
    common = study.common.set_index(["database", "learner", "rows"]).loc["lcdb11-summary"]
    for key, learner in (("forest", FOREST), ("tabpfn", "TabPFNv2"), ("catboost", "CatBoost")):
        _add_share(rows, f"{key}_100", common.loc[(learner, 100)])
    rows.add("common_n_100", int(common.loc[(FOREST, 100), "n_datasets"]))
    regrets = study.regrets.set_index(["rows", "rule"])
    for key, rule in (("logistic", decision.LOGISTIC_RULE), ("forest", decision.FOREST_RULE),
                      ("trial", decision.TRIAL)):
        row = regrets.loc[(100, rule)]
        rows.add(f"regret_{key}_100", row["regret"], row["low"], row["high"], unit="points",
                 digits=1, n=int(row["n_tables"]))
        if key != "trial":
            rows.add(f"p_{key}_100", row["p"], digits=3, n=int(row["n_tables"]),
                     note="trying against the rule, exact sign flips of families")
    rows.add("tables_100", int(regrets.loc[(100, decision.TRIAL), "n_tables"]))
    rows.add("p_forest_500", regrets.loc[(500, decision.FOREST_RULE), "p"], digits=2)
    rows.add("rightly_50", 100 * regrets.loc[(50, decision.TRIAL), "rightly"], unit="%")
    rows.add("draws", study.tried["draw"].nunique())
    return rows.table()


def _add_share(rows: Facts, key: str, row: pd.Series) -> None:
    """Add a share in percent with its interval, and the number of its problems."""
    rows.add(key, *(100 * row[c] for c in ("share", "low", "high")), unit="%",
             n=int(row["n_datasets"]))


chapter = Chapter(
    "how_many_rows", compute, tables, facts,
    charts={
        "three": Chart(
            "overtaking_three", "lines", "rows", "share", "rows to train on", "problems [%]",
            by="who", panel="name", keep=f"learner in ['{FOREST}', '{BOOSTING}']", log="x",
            percent=True, height=3.3, title="More rows, more problems on which trees are ahead"),
        "learners": Chart(
            "overtaking_common", "dots", "share", "name", "ahead for good [% of problems]",
            by="at", keep="database == 'lcdb11-summary' and rows in [100, 1000]", percent=True,
            title="TabPFN overtakes earliest, plain networks and kernels late"),
        "regrets": Chart(
            "decision", "dots", "regret", "at",
            "error rate above that of the better learner [points]", "rows of the table", by="rule",
            reference=0, height=2.8, title="From 100 rows on, trying both cost least")})
