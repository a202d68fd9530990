"""All that the chapter DA2 computes: its tables, and the numbers of its sentences."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chosen import comparable_curves, database_title, only_comparable
from analysis.databases.load import least_leakage, load_curves
from analysis.databases.naming import learner_title
from analysis.drawing.tables import write_results
from analysis.published.printed import published_table
from analysis.shapes.rates import counted, shape_rates
from analysis.shapes.verdicts import SHAPE_LABELS, VERDICTS
from analysis.statistics.summary import interval_texts
from chapters.da2 import scaling as effects
from chapters.facts import Facts
from chapters.sufficient import lacks_repeats, sufficient_database
from collection.container import SCALINGS

#: Learners that scaling cannot move, by their arithmetic.
INVARIANT = {"LDA": "lda", "QDA": "qda", "Decision Tree": "tree", "ExtraTree": "extra_tree"}
#: Pairs of a learner and a scaling that the paper names.
NAMED = {"mlp_standard": ("MLP", "standard"), "ridge_minmax": ("RidgeClassifier", "minmax"),
         "centroid_minmax": ("NearestCentroid", "minmax"),
         "centroid_standard": ("NearestCentroid", "standard")}
UNMOVED = 0.1  # points of error rate
FULL = "LCDB 1.1 FULL"


@dataclass(frozen=True)
class Study:
    """The chapter's curves and tables.

    Attributes
    ----------
    database, note : str
        What the chapter runs on, and a word on it where it is not what was asked for.
    curves : xarray.Dataset
        The database.
    comparable : xarray.DataArray of bool, dims (dataset, learner)
        Pairs gathered under every scaling.
    valid : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Their validation error rates.
    table : pandas.DataFrame
        From `judge_scalings`.
    """

    database: str
    note: str
    curves: xr.Dataset
    comparable: xr.DataArray
    valid: xr.DataArray
    table: pd.DataFrame

    @cached_property
    def results(self) -> dict[str, pd.DataFrame]:
        """The tables that are written, by the name of their file."""
        coverage = self.comparable.sum("dataset").to_series().rename("n_datasets").reset_index()
        return {"rates": shape_rates(counted(self.table)),
                "learners": shape_rates(self.table, by=("learner",)),
                "intervals": effects.scaling_intervals(counted(self.table)),
                "paired": effects.paired_effects(self.table),
                "shifts": effects.curve_shifts(self.valid),
                "coverage": coverage, "paper_like_for_like": effects.paper_like_for_like(),
                "lda": self._lda()}

    def _lda(self) -> pd.DataFrame:
        table = effects.where_curves_differ(self.valid, "LDA")
        if "features" in self.curves.coords:
            features = self.curves["features"].sel(dataset=table["dataset"].to_numpy()).values
            table.insert(1, "features", features)
        return table

    @property
    def corrected(self) -> pd.DataFrame:
        """The verdicts by the corrected procedure."""
        return self.table[self.table["procedure"] == "corrected"]

    @property
    def paired(self) -> pd.DataFrame:
        """The paired differences by the corrected procedure."""
        return self.results["paired"].query("procedure == 'corrected'")

    @property
    def violation(self) -> pd.DataFrame:
        """The paired differences of the largest violation."""
        return self.paired[self.paired["measure"] == "violation"]


def study() -> Study:
    """Judge the curves of the chapter's database under every scaling; write its tables."""
    database, note = sufficient_database("mini", lacks_repeats)
    curves = load_curves(database, selection="paper")
    leakage = least_leakage(curves)
    comparable = comparable_curves(curves.sel(leakage=[leakage]), "scaling")
    comparable = comparable.squeeze("leakage", drop=True)
    errors = curves["error_rate"].sel(split="valid", leakage=leakage, drop=True)
    valid = only_comparable(errors, comparable).load()
    found = Study(database, note, curves, comparable, valid,
                  effects.judge_scalings(valid, database))
    write_results("da2", found.results)
    return found


def rates_beside(found: Study, procedure: str) -> pd.DataFrame:
    """Return the rates by scaling with intervals; for "published" beside the paper's Table 4."""
    intervals = found.results["intervals"].query("procedure == @procedure")
    wide = intervals.assign(shown=interval_texts(intervals, "rate")).pivot(
        index="verdict", columns="scaling", values="shown")
    table = pd.DataFrame({"shape": [SHAPE_LABELS[v] for v in VERDICTS]}, index=list(VERDICTS))
    table = table.join(wide.reindex(columns=list(SCALINGS)))
    if procedure != "published":
        return table
    paper = published_table("table4").query("database == @FULL")
    paper = paper.pivot(index="property", columns="scaling", values="value")
    return table.join(paper[list(SCALINGS)].add_prefix("paper: "))


def learners_beside(found: Study) -> pd.DataFrame:
    """Return each learner's ill-behaved curves by scaling, beside the paper's Table 8; percent."""
    theirs = published_table("table8").query("database == @FULL and property == 'ill_behaved'")
    theirs = theirs.pivot(index="learner", columns="scaling", values="value")
    ours = found.results["learners"].query("procedure == 'published'").pivot(
        index="learner", columns="scaling", values="ill_behaved")
    beside = pd.concat({"here": ours, "paper": theirs}, axis=1, join="inner")
    beside = beside.reindex(columns=[(where, s) for where in ("here", "paper") for s in SCALINGS])
    beside.columns = [f"{where}, {scaling}" for where, scaling in beside.columns]
    return beside.reset_index()


def facts(found: Study) -> pd.DataFrame:
    """Return the numbers of the chapter's sentences, as `chapters.facts.Facts.table`."""
    rows = Facts()
    coverage, valid = found.results["coverage"], found.valid
    rows.add("title", database_title(found.database))
    rows.add("note", found.note)
    rows.update({"n_pairs": int(found.comparable.sum()), "n_datasets": valid.sizes["dataset"],
                 "n_learners": valid.sizes["learner"]})
    rows.add("left_out", _named(coverage.loc[coverage["n_datasets"] == 0, "learner"]))
    over = [d for d in valid.dims if d not in ("dataset", "anchor")]
    reach = (valid["anchor"] * valid.notnull().any(over)).max("anchor")
    rows.add("median_rows", float(reach.median()) if reach.size else np.nan, unit="rows")
    _effects(rows, found)
    _of_the_paper(rows, found.results["paper_like_for_like"])
    _who_moves(rows, found)
    return rows.table()


def _effects(rows: Facts, found: Study) -> None:
    corrected = found.paired.set_index(["learner", "scaling", "measure"])
    for scaling in SCALINGS[1:]:
        key = ("all", scaling, "ill_behaved")
        row = corrected.loc[key] if key in corrected.index else None
        _difference(rows, f"overall_{scaling}", row)
        rows.add(f"pairs_{scaling}", np.nan if row is None else int(row["n_pairs"]),
                 note="pairs of curves of which neither is missing, of the learners of Table 4")
        rows.add(f"p_{scaling}", np.nan if row is None else row["p"], digits=2,
                 note="exact sign flips of families of datasets")
        for what, note in (("better", "pairs whose curve is ill-behaved without scaling alone"),
                           ("worse", "pairs whose curve is ill-behaved with scaling alone"),
                           ("n_changed", "datasets with such a pair")):
            rows.add(f"{what}_{scaling}", np.nan if row is None else int(row[what]), note=note)
    single = found.violation[found.violation["learner"] != "all"]
    for effect, key in (("better", "improved"), ("worse", "worsened")):
        those = single[single["effect"] == effect]
        names = [f"{learner_title(r.learner)} ({r.scaling})" for r in those.itertuples()]
        rows.add(key, ", ".join(names) or "none")
        rows.add(f"n_{key}", len(those))
    rows.add("n_intervals", len(single))
    told = single["effect"].isin(["better", "worse"]) & (single["p"] < 0.05)
    rows.add("n_exact", int(told.sum()), n=len(single),
             note="called better or worse, where an exact test over families agrees")
    n_datasets = max(found.valid.sizes["dataset"], 1)
    rows.add("rule_of_three", 100 * (1 - 0.05 ** (1 / n_datasets)), unit="%")
    for key, pair in NAMED.items():
        there = (*pair, "violation") in corrected.index
        _difference(rows, key, corrected.loc[(*pair, "violation")] if there else None)
        rates = corrected.loc[(*pair, "ill_behaved")] if there else {}
        for end in ("without", "with"):
            rows.add(f"{key}_{end}", rates.get(end, np.nan), unit="%")


def _difference(rows: Facts, key: str, row: pd.Series | None) -> None:
    """Add a paired difference in points, NaN where it is not there."""
    values = (np.nan,) * 3 if row is None else (row["difference"], row["low"], row["high"])
    rows.add(key, *values, digits=1, unit="points", n=None if row is None else int(row["n_pairs"]))


def _of_the_paper(rows: Facts, like: pd.DataFrame) -> None:
    """Take the paper's drop from no scaling to each scaling apart."""
    full = like[like["database"] == FULL].set_index("scaling").drop(columns="database")
    standard, minmax = (full.loc["none"] - full.loc[s] for s in ("standard", "minmax"))
    rows.update({
        "paper_none": full.loc["none", "printed"],
        "paper_standard": full.loc["standard", "printed"],
        "paper_drop": standard["printed"], "minmax_drop": minmax["printed"],
        "minmax_real": minmax["same_learners"], "paper_real": standard["always_there"],
        "paper_learners": standard["printed"] - standard["same_learners"],
        "paper_missing": standard["same_learners"] - standard["always_there"]}, digits=1)


def _who_moves(rows: Facts, found: Study) -> None:
    shifts, lda = found.results["shifts"], found.results["lda"]
    still = shifts.dropna().groupby("learner")["typical"].max()
    rows.add("unmoved", _named(still.index[still < UNMOVED]))
    for learner, key in INVARIANT.items():
        own = shifts[shifts["learner"] == learner]
        rows.add(f"{key}_largest", own["largest"].max(), digits=2, unit="points")
        rows.add(f"{key}_identical", own["identical"].min(), unit="%", note="of its curves")
    far = lda[lda["largest"] > 1]
    rows.add("lda_still", 100 * (lda["largest"] <= 1).mean(), unit="%", n=len(lda))
    rows.add("lda_from", far["at"].min(), unit="rows")
    rows.add("lda_to", far["at"].max(), unit="rows")
    rows.add("lda_end", far["end"].min(), unit="rows")


def _named(learners) -> str:
    return ", ".join(learner_title(name) for name in learners) or "none"
