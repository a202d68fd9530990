"""One database's overtakings: shares, sizes by dataset, and how far they rest on choices."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from analysis.statistics.families import families_by_dataset
from chapters.how_many_rows.overtaking import (
    BASELINE,
    CLEAR,
    COMPLEX,
    LINEAR,
    SIZES,
    differences,
    mean_difference,
    open_errors,
    overtaking,
    size_intervals,
)
from chapters.how_many_rows.shares import LEAST, overtaking_shares, survival_shares

#: Rows at which lines are drawn: the anchors of LCDB 1.0, and what is asked for.
GRID = tuple(sorted({*SIZES, *(int(np.ceil(16 * 2 ** (k / 2))) for k in range(19))}))
COLUMNS = ["database", "learner", "rows", "share", "low", "high", "n_datasets"]


@dataclass(frozen=True)
class OvertakingStudy:
    """What the chapter needs to know of a database.

    Attributes
    ----------
    database : str
    errors, apart, mean : xarray.DataArray
        From `open_errors`, `differences` and `mean_difference`, against logistic regression.
    cases : xarray.Dataset
        From `overtaking`.
    family : pandas.Series
        From `analysis.statistics.families.families_by_dataset`.
    """

    database: str
    errors: xr.DataArray
    apart: xr.DataArray
    mean: xr.DataArray
    cases: xr.Dataset
    family: pd.Series

    @property
    def complex(self) -> list[str]:
        """Return which of `COMPLEX` the database has, in that order."""
        return [name for name in COMPLEX if name in self.apart["learner"].values]


def study_overtaking(database: str, scaling: str = "none", split: str = "test",
                     learners: tuple[str, ...] = ()) -> OvertakingStudy:
    """Open a database and find from how many rows on logistic regression is overtaken.

    Parameters
    ----------
    database, scaling, split : str
        As in `open_errors`.
    learners : tuple of str
        Those wanted, of those there are, besides logistic regression; none stands for all.
    """
    errors = open_errors(database, scaling, split)
    if learners:
        errors = errors.sel(learner=np.isin(errors["learner"].values, [BASELINE, *learners]))
    apart = differences(errors)
    mean = mean_difference(apart)
    return OvertakingStudy(database, errors, apart, mean, overtaking(mean),
                           families_by_dataset(errors))


def all_shares(study: OvertakingStudy) -> pd.DataFrame:
    """Return the shares of every learner at `SIZES`, and of complex ones on `GRID`.

    Returns
    -------
    pandas.DataFrame
        `COLUMNS` from `overtaking_shares`, and ``survival, survival_low, survival_high`` from
        `survival_shares`.
    """
    cases = study.cases
    few = cases.sel(learner=study.complex)
    others = cases.drop_sel(learner=study.complex)
    tables = []
    for part, sizes in ((few, GRID), (others, SIZES)):
        if not part.sizes["learner"]:
            continue
        plain = overtaking_shares(part, study.family, study.database, sizes)
        survival = survival_shares(part, study.family, study.database, sizes)
        survival = survival.drop(columns="at_risk").rename(
            columns={"share": "survival", "low": "survival_low", "high": "survival_high"})
        tables.append(plain.merge(survival, on=COLUMNS[:3], how="left"))
    return pd.concat(tables, ignore_index=True)


def sizes_by_dataset(study: OvertakingStudy) -> pd.DataFrame:
    """Return the size from which each complex learner is ahead for good, dataset by dataset.

    Parameters
    ----------
    study : OvertakingStudy
        Of a database with repeats.

    Returns
    -------
    pandas.DataFrame
        Columns ``database, dataset, name, learner, first, last, behind, rows`` (of `overtaking`),
        ``low, high, certain`` (of `size_intervals`); a row where the two can be compared.
    """
    apart = study.apart.sel(learner=study.complex)
    found = xr.merge([study.cases.sel(learner=study.complex), size_intervals(apart)],
                     combine_attrs="drop")
    table = found.to_dataframe().reset_index()
    table = table[table["last"].notnull()]
    labels = study.errors["dataset"].values
    names = study.errors["name"].values if "name" in study.errors.coords else labels
    table = table.assign(database=study.database, name=table["dataset"].map(
        dict(zip(labels, names, strict=True))))
    return table[["database", "dataset", "name", "learner", "first", "last", "behind", "rows",
                  "low", "high", "certain"]].reset_index(drop=True)


def common_shares(study: OvertakingStudy) -> pd.DataFrame:
    """Return the shares of complex learners on the datasets that all of them have: to be compared.

    Returns
    -------
    pandas.DataFrame
        `COLUMNS`, at `SIZES` that all of them reach on the datasets that count.
    """
    cases = study.cases.sel(learner=study.complex)
    cases = cases.assign(last=cases["last"].min("learner", skipna=False),
                         first=cases["first"].max("learner", skipna=False))
    cases = cases.broadcast_like(study.cases["rows"].sel(learner=study.complex))
    return overtaking_shares(cases, study.family, study.database)


def by_choice(study: OvertakingStudy, valid: OvertakingStudy) -> pd.DataFrame:
    """Return the shares under other choices than the main one.

    Parameters
    ----------
    study, valid : OvertakingStudy
        On the test and on the validation rows.

    Returns
    -------
    pandas.DataFrame
        `COLUMNS`, and ``choice``, complex learners only: as in the main table; ahead by `CLEAR`;
        on the validation rows; ahead of the best of the four linear learners at every anchor,
        which nobody knows beforehand.
    """
    wanted = study.complex
    errors = study.errors.sel(learner=[*wanted, *LINEAR])
    rivals = [mean_difference(differences(errors, b)).sel(learner=wanted) for b in LINEAR]
    choices = {"as above": study.cases, "ahead by a point": overtaking(study.mean, CLEAR),
               "on the validation rows": valid.cases,
               "best of four linear": overtaking(xr.concat(rivals, "baseline").max("baseline"))}
    return pd.concat([
        overtaking_shares(cases.sel(learner=wanted), study.family, study.database)
        .assign(choice=name) for name, cases in choices.items()], ignore_index=True)


def by_scaling(database: str = "mini") -> pd.DataFrame:
    """Return the shares where both learners get features as they are, or standardised.

    Returns
    -------
    pandas.DataFrame
        `COLUMNS`, and ``scaling``: of complex learners that have both, on the datasets that do.
    """
    studies = {s: study_overtaking(database, s, learners=COMPLEX) for s in ("none", "standard")}
    there = [s.cases["last"].notnull() for s in studies.values()]
    there = there[0] & there[1].reindex_like(there[0], fill_value=False)
    there = there.isel(learner=(there.sum("dataset") >= LEAST).values)
    tables = []
    for scaling, study in studies.items():
        both = there.reindex(dataset=study.cases["dataset"], fill_value=False)
        cases = study.cases.sel(learner=there["learner"]).where(both)
        tables.append(overtaking_shares(cases, study.family, database, SIZES[:2]).assign(
            scaling=scaling))
    return pd.concat(tables, ignore_index=True)
