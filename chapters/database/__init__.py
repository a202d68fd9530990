"""Whether curves gathered here equal the published ones; what the shipped database holds."""

import numpy as np
import pandas as pd

from analysis.databases.load import load_curves
from analysis.databases.naming import learner_title
from analysis.drawing.chart import Chart
from analysis.published.computed import DATE, recall
from analysis.statistics.summary import summarise
from chapters.chapter import Chapter, Study
from chapters.database.description import beside_the_papers, dictionary, outcomes_table
from chapters.database.reproduction import AGAINST_PAPER, comparison
from chapters.facts import Facts
from chapters.lab.printed import published_table
from collection.containers.learner_names import MODERN
from collection.datasets import load_dataset
from collection.project.paths import DATA
from collection.shipped.anew import FOLDER as ANEW
from collection.shipped.anew import read_plan
from collection.shipped.croissant import DATASETS

FOLDER = DATA / "mini"
#: What stands in messages of the three reasons that cover most failed fits.
THREE_REASONS = ("Negative values|one class|number of classes|least … classes|shape mismatch|"
                 "AxisError|sample in class|only one unique value")


def compute() -> Study:
    """Describe ``mini``, and hold its means against the published ones.

    Returns
    -------
    Study
        Its tables: what the database holds, how it compares, and the words of its files.
        ``compared_on`` (str): when means were compared.
    """
    mini = load_curves("mini")
    papers = {"LCDB 1.0": load_curves("lcdb10", selection="paper"), "mini": mini}
    published = comparison(mini)
    against = recall(AGAINST_PAPER)
    return Study({
        "overview": beside_the_papers(papers, published_table("table2")), "datasets": _datasets(),
        "outcomes": outcomes_table(mini), "published": published.drop(columns=DATE),
        "equal": equal_by_learner(published), "against_paper": against.drop(columns=DATE),
        "by_rows": by_rows(against), "dictionary": dictionary()},
        compared_on=str(published[DATE].iloc[0]))


def _datasets() -> pd.DataFrame:
    """Return the shipped table of datasets with the share of the largest class."""
    table = pd.read_csv(FOLDER / DATASETS, dtype={"openml_id": "Int64"})
    largest = [np.unique(load_dataset(source).target, return_counts=True)[1].max()
               for source in table["source"]]
    table.insert(9, "max_class_ratio", largest / table["rows"])
    return table


def by_rows(against: pd.DataFrame) -> pd.DataFrame:
    """Return how curves gathered anew stand to the paper's, by how their rows do.

    Parameters
    ----------
    against : pandas.DataFrame
        From `chapters.database.reproduction.against_paper`.

    Returns
    -------
    pandas.DataFrame
        ``rows`` (CatBoost and nets apart), ``datasets``, ``means``, of which ``equal`` to four
        decimals and ``near``, within three standard errors of the difference (percent).
    """
    kinds = {" of | beside ": "some are not there", "coding|standardised": "coded otherwise",
             "another order": "in another order"}
    how = np.select([against["rows"].str.contains(words) for words in kinds],
                    list(kinds.values()), "in the same order")
    apart = ": " + against["learner"].where(against["learner"].isin(MODERN))
    how = pd.Series(how, against.index) + apart.fillna("")
    sums = against.groupby(how).agg(
        datasets=("dataset", "nunique"), means=("anchors", "sum"), equal=("equal_4", "sum"),
        near=("within_3se", "sum"))
    sums[["equal", "near"]] = 100 * sums[["equal", "near"]].div(sums["means"], axis=0)
    return sums.rename_axis("rows").reset_index()


def equal_by_learner(published: pd.DataFrame) -> pd.DataFrame:
    """Return the share of each learner's means that equal the published ones.

    Parameters
    ----------
    published : pandas.DataFrame
        From `comparison`.

    Returns
    -------
    pandas.DataFrame
        ``learner`` (in words; all that are equal everywhere share a row), ``equal`` (percent of
        its means), ``means``, ``max_abs_diff`` (error rate); the most equal first.
    """
    sums = published.groupby("learner", sort=False).agg(
        equal=("equal_4_decimals", "sum"), means=("anchors", "sum"),
        max_abs_diff=("max_abs_diff", "max"))
    whole = sums["equal"] == sums["means"]
    rest = sums[~whole].assign(learner=[learner_title(n) for n in sums.index[~whole]])
    everywhere = sums[whole].agg({"equal": "sum", "means": "sum", "max_abs_diff": "max"})
    everywhere["learner"] = f"the other {int(whole.sum())} learners"
    table = pd.concat([pd.DataFrame([everywhere]), rest], ignore_index=True)
    table["equal"] = 100 * table["equal"].astype(float) / table["means"].astype(float)
    return table.sort_values("equal", ascending=False, kind="stable", ignore_index=True)[
        ["learner", "equal", "means", "max_abs_diff"]]


def facts(study: Study) -> pd.DataFrame:
    """Return the numbers of the chapter's sentences."""
    rows, published, datasets = Facts(), study.tables["published"], study.tables["datasets"]
    failed, fits = study.tables["outcomes"].query("status != 'ok'"), int(datasets["fits"].sum())
    three = failed["message"].str.contains(THREE_REASONS)
    means = int(published["anchors"].sum())
    share = summarise(100 * published["equal_4_decimals"] / published["anchors"],
                      published["dataset"], _weighted(published["anchors"].to_numpy(float)))
    rows.update({"planned": len(read_plan()), "gathered": len(pd.read_csv(ANEW / DATASETS)),
                 "shared": int(study.tables["against_paper"]["dataset"].nunique())})
    rows.update({"n_fits": fits, "n_datasets": len(datasets), "means": means,
                 "compared": int(published["dataset"].nunique())})
    rows.add("megabytes", sum(f.stat().st_size for f in FOLDER.iterdir()) / 1e6, unit="MB")
    rows.add("failed", failed["percent"].sum(), digits=1, unit="%", n=fits)
    rows.add("covered", 100 * failed.loc[three, "percent"].sum() / failed["percent"].sum(),
             unit="%", note="of the failed fits")
    rows.add("equal_share", share, digits=1, unit="%", note="means equal to 4 decimals")
    rows.add("worst_z", np.ceil(10 * published["max_abs_z"].max()) / 10, digits=1)
    rows.add("compared_on", study.compared_on)
    return rows.table()


def _weighted(weight: np.ndarray):
    return lambda values, times: (times * weight) @ values / np.maximum(times @ weight, 1)


chapter = Chapter("database", compute, facts, charts={
    "equal": Chart("equal", "dots", x="equal", y="learner",
                   xlabel="means equal to four decimals [%]",
                   title="Most learners' means are the published ones to the last digit")})
