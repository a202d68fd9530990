"""All that the chapter *The database* computes: its tables, and the numbers of its sentences."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.load import load_curves
from analysis.databases.naming import learner_title
from analysis.drawing.tables import write_results
from analysis.published.computed import compute_or_recall, recall
from analysis.published.printed import published_table
from chapters.database.description import (
    beside_the_papers,
    computing_by_learner,
    computing_in_all,
    dictionary,
    learners_table,
    outcomes_table,
    values_missing,
)
from chapters.database.last_bits import (
    changed_fits,
    class_ties,
    count_ties,
    neighbour_ties,
    nudged_refits,
)
from chapters.database.machines import knn_by_threads
from chapters.database.reproduction import comparison, equal_learners
from chapters.facts import Facts
from collection.curve import gather
from collection.datasets import load_dataset
from collection.shipped.croissant import COLUMNS, DATASET_COLUMNS, DATASETS
from collection.shipped.mini import FOLDER

#: Learners that are gathered again on nudged data whether or not they differ.
CONTROLS = ("LDA", "RidgeClassifier", "Decision Tree", "GaussianNB", "Perceptron",
            "NearestCentroid")
NUDGED = {"breast_cancer": "sklearn:breast_cancer", "vehicle": "keel:vehicle"}
ON_IRIS = ("KNN", "GaussianNB", "LDA", "RidgeClassifier", "Perceptron", "SGDClassifier")
#: Where ties are counted: source, rows of the training set, what ties.
TIES = {"ties": ("keel:vehicle", 609, neighbour_ties),
        "digit_ties": ("keel:optdigits", 16, class_ties)}
#: What stands in messages of the three reasons that cover most failed fits.
THREE_REASONS = ("Negative values|one class|number of classes|least … classes|shape mismatch|"
                 "AxisError|sample in class")
SHOWN = {"dataset": "dataset", "openml_id": "ID", "features": "features",
         "categorical": "categorical", "rows": "rows", "classes": "classes",
         "max_class_ratio": "ratio", "missing_values": "missing", "curves": "repeats of curves",
         "seconds": "seconds", "licence": "licence"}


@dataclass(frozen=True)
class Study:
    """The chapter's tables; each attribute but `equal` is a file of its results.

    Attributes
    ----------
    overview, learners, outcomes, no_value, dictionary : pandas.DataFrame
        As the functions of `chapters.database.description` return them.
    datasets, columns : pandas.DataFrame
        The shipped table of datasets with the share of the largest class; the files' columns.
    published : pandas.DataFrame
        From `comparison`; ``equal`` counts its means per dataset.
    last_bits, ties, knn_by_threads, means_by_setting, boosting_one_bit : pandas.DataFrame
        What last bits, ties, threads and instructions change.
    iris_cells, iris : pandas.DataFrame
        Where two copies of iris differ, and what that changes.
    computing, computing_by_learner : pandas.DataFrame
        Hours.
    """

    overview: pd.DataFrame
    datasets: pd.DataFrame
    learners: pd.DataFrame
    outcomes: pd.DataFrame
    no_value: pd.DataFrame
    published: pd.DataFrame
    equal: pd.DataFrame
    last_bits: pd.DataFrame
    ties: pd.DataFrame
    knn_by_threads: pd.DataFrame
    means_by_setting: pd.DataFrame
    boosting_one_bit: pd.DataFrame
    iris_cells: pd.DataFrame
    iris: pd.DataFrame
    computing: pd.DataFrame
    computing_by_learner: pd.DataFrame
    dictionary: pd.DataFrame
    columns: pd.DataFrame

    def write(self) -> None:
        """Write every table to ``results/database``."""
        tables = {name: table for name, table in vars(self).items() if name != "equal"}
        tables["published"] = self.published.drop(columns="computed_on")
        write_results("database", tables)


def study(mini: xr.Dataset) -> Study:
    """Compute the chapter's tables of ``mini``; gathers some curves anew, half a minute."""
    published, datasets = comparison(mini), _datasets()
    cells, iris = _two_of_iris()
    evaluated = pd.read_csv(FOLDER.parent / "suites" / "classic_study.csv")
    return Study(
        overview=beside_the_papers(
            {"LCDB 1.0": load_curves("lcdb10", selection="paper"), "mini": mini},
            published_table("table2")),
        datasets=datasets, learners=learners_table(mini, published_table("table3")),
        outcomes=outcomes_table(mini), no_value=values_missing(mini), published=published,
        equal=equal_learners(published), last_bits=_last_bits(published), ties=_ties(),
        knn_by_threads=compute_or_recall("knn_by_threads", knn_by_threads),
        means_by_setting=recall("means_by_setting"), boosting_one_bit=recall("boosting_one_bit"),
        iris_cells=cells, iris=iris, computing=computing_in_all(mini, datasets, evaluated),
        computing_by_learner=computing_by_learner(mini), dictionary=dictionary(),
        columns=_columns())


def _datasets() -> pd.DataFrame:
    table = pd.read_csv(FOLDER / DATASETS, dtype={"openml_id": "Int64"})
    largest = [np.unique(load_dataset(source).target, return_counts=True)[1].max()
               for source in table["source"]]
    table.insert(9, "max_class_ratio", largest / table["rows"])
    return table


def described_datasets(datasets: pd.DataFrame) -> pd.DataFrame:
    """Return the table of datasets as the page shows it, heads in words."""
    known = datasets["openml_id"].notna()
    return datasets.assign(
        openml_id=datasets["openml_id"].astype(object).where(known, "–"),
        licence=datasets["licence"].str.partition(" (")[0])[list(SHOWN)].rename(columns=SHOWN)


def unequal_curves(published: pd.DataFrame) -> pd.DataFrame:
    """Return the curves of `comparison` with a mean that differs from the published one."""
    return published[published["equal_4_decimals"] < published["anchors"]]


def _last_bits(published: pd.DataFrame) -> pd.DataFrame:
    """Gather quick learners again on nudged data, beside how many of their means differ."""
    here = unequal_curves(published)
    here = here[here["dataset"].isin(NUDGED)]
    quick = [n for n in here["learner"].unique() if n != "MLP" and not n.startswith("ens.")]
    moved = pd.concat([nudged_refits(load_dataset(source), [*quick, *CONTROLS],
                                     anchors=(16, 128, 512, 664))
                       for source in NUDGED.values()], ignore_index=True)
    unequal = 100 * (1 - published["equal_4_decimals"] / published["anchors"])
    return moved.merge(published.assign(unequal=unequal)[["dataset", "learner", "unequal"]],
                       how="left")


def _ties() -> pd.DataFrame:
    rows = [(name, *count_ties(load_dataset(source), n_rows, ties))
            for name, (source, n_rows, ties) in TIES.items()]
    return pd.DataFrame(rows, columns=["where", "tied", "rows"])


def _two_of_iris() -> tuple[pd.DataFrame, pd.DataFrame]:
    fisher, uci = load_dataset("sklearn:iris"), load_dataset("sklearn:iris_uci")
    places = np.argwhere((fisher.features != uci.features).to_numpy())
    cells = pd.DataFrame([{"row": row, "feature": fisher.features.columns[column],
                           "Fisher (scikit-learn)": fisher.features.iat[row, column],
                           "UCI (OpenML)": uci.features.iat[row, column]}
                          for row, column in places])
    return cells, changed_fits(*(gather(d, ON_IRIS, inner=(0, 1)) for d in (fisher, uci)))


def _columns() -> pd.DataFrame:
    fits = [("fits.parquet", c.name, "label" if c.is_label else str(c.type), c.unit,
             c.about + (f" ({c.digits} significant digits)" if c.digits else ""))
            for c in COLUMNS.values()]
    about = [(DATASETS, name, "", "", meaning) for name, meaning in DATASET_COLUMNS.items()]
    return pd.DataFrame([*fits, *about], columns=["file", "column", "type", "unit", "meaning"])


def facts(mini: xr.Dataset, found: Study) -> pd.DataFrame:
    """Return the numbers of the chapter's sentences.

    Parameters
    ----------
    mini : xarray.Dataset
        The database.
    found : Study
        From `study`.

    Returns
    -------
    pandas.DataFrame
        As `chapters.facts.Facts.table`.
    """
    rows = Facts()
    _what_it_holds(rows, mini, found)
    _what_equals(rows, found)
    _why_not(rows, found)
    return rows.table()


def _what_it_holds(rows: Facts, mini: xr.Dataset, found: Study) -> None:
    datasets, outcomes = found.datasets, found.outcomes
    failed = outcomes[outcomes["status"] != "ok"]
    three = failed[failed["message"].str.contains(THREE_REASONS)]
    curves = found.overview.set_index(" ").loc["curves", "mini"]
    rows.update({
        "n_curves": int(curves.replace(",", "")), "n_fits": int(datasets["fits"].sum()),
        "n_learners": mini.sizes["learner"], "n_datasets": mini.sizes["dataset"],
        "two_classes": int((datasets["classes"] == 2).sum()),
        "more_classes": int((datasets["classes"] > 2).sum()),
        "with_categorical": int((datasets["categorical"] > 0).sum()),
        "smallest": int(datasets["train_rows"].min()),
        "largest": int(datasets["train_rows"].max())})
    rows.add("megabytes", sum(f.stat().st_size for f in FOLDER.iterdir()) / 1e6, digits=1,
             unit="MB")
    rows.add("failed", failed["percent"].sum(), digits=1, unit="%", n=int(datasets["fits"].sum()))
    rows.add("covered", 100 * three["percent"].sum() / failed["percent"].sum(), unit="%",
             note="of the failed fits")


def _what_equals(rows: Facts, found: Study) -> None:
    published, apart = found.published, unequal_curves(found.published)
    means = apart["anchors"] - apart["equal_4_decimals"]
    moves = found.last_bits["changed"] > 0
    differs = found.last_bits["unequal"] > 0
    both = found.last_bits[moves & differs]
    explained = means[apart["learner"].isin(both["learner"])].sum()
    rows.add("equal_share", 100 * found.equal["equal_means"].sum() / found.equal["means"].sum(),
             digits=1, unit="%", n=int(found.equal["means"].sum()), note="equal to 4 decimals")
    rows.add("equal_means", int(found.equal["equal_means"].sum()))
    rows.add("means", int(found.equal["means"].sum()))
    rows.add("who_differs", 100 * explained / means.sum(), unit="%", n=int(means.sum()),
             note="unequal means that are of learners which nudged data change")
    rows.add("worst_z", published["max_abs_z"].max(), digits=1)
    rows.add("compared_on", str(published["computed_on"].iloc[0]))
    rows.add("steady", int((~moves & ~differs).sum()))
    rows.add("pairs", len(found.last_bits))
    for key, chosen in (("moving", moves & differs), ("only_moves", moves & ~differs),
                        ("only_differs", ~moves & differs)):
        names = [f"{learner_title(r.learner)} on {r.dataset}"
                 for r in found.last_bits[chosen].itertuples()]
        rows.add(key, ", ".join(names) or "none")


def _why_not(rows: Facts, found: Study) -> None:
    for row in found.ties.itertuples():
        rows.add(row.where, f"{row.tied:,} of {row.rows:,}")
    threads = found.knn_by_threads.set_index("threads")
    for key, n in (("one_thread", 1), ("two_threads", 2)):
        rows.add(key, f"{threads.loc[n, 'equal']} of {threads.loc[n, 'anchors']}")
    rows.add("threads_date", str(found.knn_by_threads["computed_on"].iloc[0]))
    rows.add("settings_date", str(found.means_by_setting["computed_on"].iloc[0]))
    names = {"QDA": "qda", "LogisticRegression": "logistic", "ens.GradientBoosting": "boosting"}
    for r in found.means_by_setting.itertuples():
        key = f"{names[r.learner]}_{r.dataset}_{r.setting}".lower()
        rows.add(re.sub(r"\W+", "_", key), f"{r.equal} of {r.anchors}")
    bit = found.boosting_one_bit
    rows.add("bit_fits", ", ".join(f"{r.changed:.0f} % of {r.fits} fits with {r.anchor} rows"
                                   for r in bit.itertuples()))
    top = found.iris.sort_values("largest_shift", kind="stable").iloc[-1]
    rows.add("iris_learner", learner_title(top["learner"]))
    rows.add("iris_shift", 100 * top["largest_shift"], digits=1, unit="points")
