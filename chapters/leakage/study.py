"""All that the chapter on leakage computes: its tables, and the numbers of its sentences."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chosen import comparable_curves, database_title, only_comparable
from analysis.databases.counted import CLASSIC
from analysis.databases.load import load_curves
from analysis.databases.naming import learner_title
from analysis.drawing.tables import write_results
from analysis.published.printed import published_table
from analysis.statistics.summary import interval_texts
from chapters.facts import Facts
from chapters.leakage import leakage
from chapters.sufficient import lacks_repeats, sufficient_database
from collection.container import LEAKAGES, SCALINGS


@dataclass(frozen=True)
class Study:
    """The chapter's curves and tables.

    Attributes
    ----------
    database, note : str
        What the chapter runs on, and a word on it where it is not what was asked for.
    curves : xarray.Dataset
        Its classic learners.
    valid : xarray.DataArray, dims (dataset, learner, scaling, leakage, outer, inner, anchor)
        Validation error rates where both versions were gathered.
    differences : xarray.Dataset
        From `leakage_differences`.
    """

    database: str
    note: str
    curves: xr.Dataset
    valid: xr.DataArray
    differences: xr.Dataset

    @cached_property
    def results(self) -> dict[str, pd.DataFrame]:
        """The tables that are written, by the name of their file."""
        table = leakage.difference_table(self.differences, self.database)
        return {"curves": table, "different": leakage.different_share(table),
                "sizes": leakage.difference_sizes(table),
                "by_size": leakage.differences_by_size(self.differences),
                "learners": leakage.differences_by_learner(table)}


def study() -> Study:
    """Compare the curves of the chapter's database with and without leakage; write its tables."""
    database, note = sufficient_database("mini", lacks_repeats)
    curves = load_curves(database, selection="paper")
    curves = curves.sel(learner=[name for name in CLASSIC if name in curves["learner"]])
    errors = curves["error_rate"].sel(split="valid", drop=True)
    valid = only_comparable(errors, comparable_curves(curves, "leakage"))
    valid = valid.reindex(leakage=list(LEAKAGES)).load()
    found = Study(database, note, curves, valid, leakage.leakage_differences(valid))
    write_results("leakage", found.results)
    return found


def shares_beside(share: pd.DataFrame) -> pd.DataFrame:
    """Return `different_share` with its intervals as text, beside the paper's Table 5."""
    paper = published_table("table5").pivot(index="scaling", columns="database", values="value")
    shown = share[["scaling", "n_curves", "n_datasets", "identical"]].assign(
        different=interval_texts(share, "percent"))
    return shown.join(paper.add_prefix("paper: "), on="scaling").rename(columns={
        "n_curves": "curves", "n_datasets": "datasets", "identical": "identical (%)",
        "different": "different (%)"})


def learners_wide(learners: pd.DataFrame) -> pd.DataFrame:
    """Return `differences_by_learner` with a column per scaling."""
    wide = learners.astype({"different": "Int64"}).pivot(
        index="learner", columns="scaling", values=["different", "largest"])
    wide = wide[[(what, s) for what in ("different", "largest") for s in SCALINGS
                 if (what, s) in wide.columns]]
    wide.columns = [f"{what}, {scaling}" for what, scaling in wide.columns]
    return wide.reset_index()


def facts(found: Study) -> pd.DataFrame:
    """Return the numbers of the chapter's sentences, as `chapters.facts.Facts.table`."""
    rows, valid, table = Facts(), found.valid, found.results["curves"]
    rows.add("title", database_title(found.database))
    rows.add("note", found.note)
    absent = [n for n in found.curves["learner"].values if n not in valid["learner"].values]
    rows.add("left_out", ", ".join(map(learner_title, absent)) or "none")
    rows.update({"n_curves": len(table), "n_datasets": valid.sizes["dataset"],
                 "n_learners": valid.sizes["learner"],
                 "n_scalings": len(found.results["different"])})
    called = leakage.null_share(valid).where(found.differences["compared"])
    rows.add("null_share", 100 * float(called.mean()) if len(table) else np.nan, digits=1,
             unit="%", n=len(table), note="called different after random swaps")
    _valid_rows(rows, found)
    for scaling in SCALINGS:
        _of_scaling(rows, scaling, found.results)
    changed = table[table["different"] == 1]
    rows.add("largest_median", changed["largest"].median(), digits=1, unit="points")
    rows.add("largest_all", changed["largest"].max(), digits=1, unit="points")
    rows.add("small", 100 * (changed["typical"] < 1).mean(), unit="%", n=len(changed),
             note="of the changed curves, off by less than a point over their anchors")
    return rows.table()


def _valid_rows(rows: Facts, found: Study) -> None:
    """Add how many validation rows there are, where the database tells."""
    known = "valid_size" in found.curves.coords and found.valid.size
    sizes = found.curves["valid_size"].sel(dataset=found.valid["dataset"]).values if known else []
    rows.add("valid_rows", f"{min(sizes)} to {max(sizes)}" if len(sizes) else "few")


def _of_scaling(rows: Facts, scaling: str, results: dict[str, pd.DataFrame]) -> None:
    """Add how often, how far and which way leakage moves the curves of a scaling."""
    share, sizes, along = (results[name][results[name]["scaling"] == scaling]
                           for name in ("different", "sizes", "by_size"))
    paper = published_table("table5").query("scaling == @scaling and database == 'LCDB 1.1 FULL'")
    rows.add(f"paper_{scaling}", float(paper["value"].iloc[0]), digits=1, unit="%")
    one = share.iloc[0] if len(share) else dict.fromkeys(share, np.nan)
    rows.add(f"share_{scaling}", one["percent"], one["low"], one["high"], digits=1, unit="%",
             n=int(share["n_curves"].sum()))
    rows.add(f"identical_{scaling}", one["identical"], unit="%")
    told = sizes[sizes["different"] == 1]
    of = told.iloc[0] if len(told) else dict.fromkeys(told, np.nan)
    rows.add(f"change_{scaling}", of["change"], of["low"], of["high"], digits=1, unit="points",
             n=int(told["n_curves"].sum()), note="mean difference of the changed curves")
    rows.add(f"changed_{scaling}", int(told["n_curves"].sum()), unit="curves")
    rows.add(f"changed_datasets_{scaling}", int(told["n_datasets"].sum()), unit="datasets")
    ends = along.iloc[[0, -1]]["typical"].tolist() if len(along) else [np.nan, np.nan]
    rows.add(f"first_{scaling}", ends[0], digits=2, unit="points", note="mean absolute difference")
    rows.add(f"last_{scaling}", ends[1], digits=2, unit="points", note="mean absolute difference")
    at = along.iloc[0] if len(along) else dict.fromkeys(along, np.nan)
    rows.add(f"way_{scaling}", at["change"], at["low"], at["high"], digits=2, unit="points",
             n=int(share["n_datasets"].sum()), note="mean difference at the first anchor")
