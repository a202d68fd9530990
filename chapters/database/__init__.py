"""Whether curves gathered here equal the published ones; what the shipped database holds."""

import numpy as np
import pandas as pd

from analysis.databases.load import load_curves
from analysis.databases.naming import learner_title
from analysis.drawing.chart import Chart
from analysis.published.computed import DATE, recall
from analysis.published.printed import published_table
from analysis.statistics.summary import summarise
from chapters.chapter import Chapter, Study
from chapters.database.description import beside_the_papers, dictionary, outcomes_table
from chapters.database.reproduction import AGAINST_PAPER
from chapters.facts import Facts
from collection.containers.learner_names import MODERN
from collection.shipped.anew import FOLDER, NAME, read_plan, suite_datasets
from collection.shipped.croissant import DATASETS

#: What stands in messages of the three reasons that cover most failed fits.
THREE_REASONS = ("Negative values|one class|number of classes|least … classes|shape mismatch|"
                 "AxisError|sample in class|only one unique value")
#: How a dataset's rows stand to the paper's: words of `reproduction.PAPER` → in short.
ROWS = {"coding|standardised": "coded otherwise", " of | beside ": "some are not there",
        "another order": "in another order"}
SAME = "in the same order"


def compute() -> Study:
    """Describe ``lcdb11-anew``, and hold its means against the published ones.

    Returns
    -------
    Study
        Its tables: what the database holds, how it compares, and the words of its files.
        ``compared_on`` (str): when means were compared.
    """
    curves, kept = load_curves(NAME), recall(AGAINST_PAPER)
    papers = {"LCDB 1.0": load_curves("lcdb10", selection="paper"), NAME: curves}
    against = kept.drop(columns=DATE)
    against["how"] = stand(against["rows"])
    same = against[(against["how"] == SAME) & ~against["learner"].isin(MODERN)]
    return Study({
        "overview": beside_the_papers(papers, published_table("table2")),
        "datasets": _datasets(against), "outcomes": outcomes_table(curves),
        "equal": equal_by_learner(same), "against_paper": against,
        "by_rows": by_rows(against), "dictionary": dictionary()},
        compared_on=str(kept[DATE].iloc[0]), same=same)


def stand(rows: pd.Series) -> np.ndarray:
    """Return in short how rows stand to the paper's: one of `ROWS`, or `SAME`."""
    return np.select([rows.str.contains(words) for words in ROWS], list(ROWS.values()), SAME)


def _percent(groups: pd.api.typing.DataFrameGroupBy) -> pd.DataFrame:
    """Return what `by_rows` does of any groups of comparisons."""
    sums = groups.agg(datasets=("dataset", "nunique"), means=("anchors", "sum"),
                      equal=("equal_4", "sum"), near=("within_3se", "sum"))
    sums[["equal", "near"]] = 100 * sums[["equal", "near"]].div(sums["means"], axis=0)
    return sums


def _datasets(against: pd.DataFrame) -> pd.DataFrame:
    """Return the shipped table of datasets, and how their means stand to the paper's."""
    table = pd.read_csv(FOLDER / DATASETS, dtype={"openml_id": "Int64"})
    shares = _percent(against.rename(columns={"openml_id": "paper"}).groupby(
        ["dataset", "paper", "how"])).drop(columns="datasets").reset_index()
    return table.merge(shares, "left", on="dataset").astype({"paper": "Int64", "means": "Int64"})


def _shown_datasets(study: Study) -> pd.DataFrame:
    named = {"paper": "OpenML", "equal": "equal [%]", "near": "near [%]",
             "how": "its rows"}
    table = study.tables["datasets"].rename(columns=named)
    return table[["dataset", "rows", "classes", *named.values()]]


def by_rows(against: pd.DataFrame) -> pd.DataFrame:
    """Return how curves gathered anew stand to the paper's, by how their rows do.

    Parameters
    ----------
    against : pandas.DataFrame
        From `chapters.database.reproduction.against_paper`, with ``how``, one of `ROWS` or
        `SAME`.

    Returns
    -------
    pandas.DataFrame
        ``rows`` (CatBoost and nets apart), ``datasets``, ``means``, of which ``equal`` to four
        decimals and ``near``, within three standard errors of the difference (percent).
    """
    apart = ": " + against["learner"].where(against["learner"].isin(MODERN))
    return _percent(against.groupby(against["how"] + apart.fillna(""))).reset_index(names="rows")


def equal_by_learner(published: pd.DataFrame) -> pd.DataFrame:
    """Return the share of each learner's means that equal the published ones.

    Parameters
    ----------
    published : pandas.DataFrame
        From `chapters.database.reproduction.against_paper`.

    Returns
    -------
    pandas.DataFrame
        ``learner`` (in words; all that are equal everywhere share a row), ``equal`` (percent of
        its means), ``means``, ``max_abs_diff`` (error rate); the most equal first.
    """
    sums = published.groupby("learner", sort=False).agg(
        equal=("equal_4", "sum"), means=("anchors", "sum"),
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
    rows, same, datasets = Facts(), study.same, study.tables["datasets"]
    failed, fits = study.tables["outcomes"].query("status != 'ok'"), int(datasets["fits"].sum())
    three = failed["message"].str.contains(THREE_REASONS)
    share = summarise(100 * same["equal_4"] / same["anchors"], same["dataset"],
                      _weighted(same["anchors"].to_numpy(float)))
    rows.update({"planned": len(read_plan()), "gathered": len(suite_datasets()),
                 "shared": int(study.tables["against_paper"]["dataset"].nunique()),
                 "n_fits": fits, "n_datasets": len(datasets), "means": int(same["anchors"].sum()),
                 "compared": int(same["dataset"].nunique())})
    rows.add("megabytes", sum(f.stat().st_size for f in FOLDER.iterdir()) / 1e6, unit="MB")
    rows.add("failed", failed["percent"].sum(), digits=1, unit="%", n=fits)
    rows.add("covered", 100 * failed.loc[three, "percent"].sum() / failed["percent"].sum(),
             unit="%", note="of the failed fits")
    rows.add("equal_share", share, digits=1, unit="%", note="means equal to 4 decimals")
    rows.add("worst_z", np.ceil(10 * same["max_abs_z"].max()) / 10, digits=1)
    rows.add("compared_on", study.compared_on)
    return rows.table()


def _weighted(weight: np.ndarray):
    return lambda values, times: (times * weight) @ values / np.maximum(times @ weight, 1)


chapter = Chapter("database", compute, facts, charts={
    "equal": Chart("equal", "dots", x="equal", y="learner",
                   xlabel="means equal to four decimals [%]",
                   title="Most learners' means are the published ones to the last digit")},
    shown={"datasets": _shown_datasets})
