"""What are stored predictions worth? Families, portfolios and ensembles of a repository."""

import numpy as np
import pandas as pd

from analysis.drawing.chart import Chart
from analysis.portfolios import LeftOut, TaskRecord, in_memory, open_records
from analysis.portfolios.study import with_places
from analysis.published.computed import recall
from analysis.published.printed import published_table
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from chapters.repository import automl
from chapters.repository import claims as judged
from chapters.repository.contents import chapter_repository, open_whole, repository_title
from chapters.repository.families import (
    ENSEMBLED,
    FAMILY_TITLES,
    KINDS,
    PORTFOLIO,
    PORTFOLIO_SIZE,
    family_results,
    only,
    over_seeds,
    portfolio_results,
    summarise_methods,
    vary_configs,
    vary_datasets,
    vary_setting,
    without_guests,
)
from chapters.repository.optimism import EQUAL, GREEDY, OTHERS, greedy_less, mean_gains, repaired
from lab.learned_on import more_training_datasets

FACTS = ("task", "problem", "metric", "rows", "features", "categorical", "classes", "source")


def compute() -> Study:
    """Compute what the chapter says of its repository.

    Returns
    -------
    Study
        ``title`` (str): the repository's name in words. ``datasets, families``: what it holds.
        ``table1``: methods by their normalised errors. ``automl_differences``: AutoGluon less its
        rivals, in pairs. ``optimism_repaired``: from `mean_gains`. ``gains``: the same with a row
        each for promised and kept. ``greedy`` (dict): from `greedy_less`. ``claims, claim_parts``:
        from `judged.judge`.
    """
    where = chapter_repository()
    repository = open_whole(where)
    evaluations = repository.evaluations
    every, learners = open_records(repository)
    every = in_memory(every)
    named = evaluations["family"].sel(learner=learners).values.tolist()
    own = without_guests(named)
    records, families = [only(r, own) for r in every], [named[k] for k in own]
    rivals = automl.beside_portfolio(records, recall("repository_automl"))
    results = with_places(pd.concat([family_results(records, families),
                                     portfolio_results(records), rivals], ignore_index=True), every)
    of_rivals = results["method"].isin([automl.AUTOGLUON, automl.PORTFOLIO])
    both, results = results[results["dataset"].isin(
        results.loc[of_rivals, "dataset"])], results[~of_rivals]
    claims, parts = judged.judge(_claims(
        records, families, results, both, _needs(records, families, every),
        evaluations["train_time"].to_dataframe().reset_index().rename(columns={"task": "dataset"})))
    table = evaluations[["task"]].reset_coords().to_dataframe().reset_index()
    counts = pd.Series(named).value_counts(sort=False).rename("configs").rename_axis("family")
    gains = repaired(records, members=20)
    optimism = mean_gains(gains)
    return Study({
        "datasets": table[[c for c in FACTS if c in table]].drop_duplicates(ignore_index=True),
        "families": counts.reset_index(), "table1": _table1(results),
        "automl_differences": _automl_differences(both), "optimism_repaired": optimism,
        "gains": pd.concat([
            optimism[["way"]].assign(on=on, gain=optimism[c], low=optimism[f"{c}_low"],
                                     high=optimism[f"{c}_high"])
            for on, c in (("validation rows", "promised"), ("test rows", "test"))]),
        "claims": claims, "claim_parts": parts},
        title=repository_title(where), greedy={
            "selections_own": greedy_less(gains, OTHERS, "optimism"),
            "greedy_ahead": greedy_less(gains, EQUAL, "test")})


def _table1(results: pd.DataFrame) -> pd.DataFrame:
    summary = summarise_methods(results)
    alike = summary["method"].str.replace("NeuralNetTorch", "MLP").str.replace("portfolio",
                                                                               "Portfolio")
    printed = published_table("tabrepo_table1").set_index("method")["normalized_error"]
    names = summary["family"].where(summary["family"] != "", PORTFOLIO)
    kinds = summary["kind"].replace({PORTFOLIO: KINDS[1], ENSEMBLED: KINDS[2]})
    return summary.assign(paper=alike.map(printed), kind=kinds, name=names.replace(FAMILY_TITLES))


def _automl_differences(both: pd.DataFrame) -> pd.DataFrame:
    """Return how far AutoGluon is from each of its rivals, in pairs."""
    known = set(both["method"]) if len(both) else set()
    rows = [{"rival": rival, **judged.tested(judged.paired(both, automl.AUTOGLUON, rival))}
            for rival in (automl.PORTFOLIO, ENSEMBLED, f"CatBoost ({KINDS[1]})") if rival in known]
    return pd.DataFrame(rows, columns=["rival", "value", "low", "high", "n", "p"])


def _needs(records: list[TaskRecord], families: list[str],
           every: list[TaskRecord]) -> dict[str, pd.DataFrame]:
    """Return the ensembled portfolio's errors by what it is given (TabRepo, Figure 5)."""
    n = len({record.dataset for record in records})
    most = pd.Series(families).value_counts().max()
    configs = vary_configs(records, families, sorted({1, int(min(8, most))}))
    datasets = vary_datasets(records, sorted({1, n - 1}))
    return {"configs per family": over_seeds(with_places(configs, every)),
            "training datasets": over_seeds(with_places(datasets, every)),
            "configs of the portfolio": with_places(
                vary_setting(records, "size", (3, 15, 30)), every),
            "picks of the ensemble": with_places(
                vary_setting(records, "members", (15, 40)), every)}


def _claims(records: list[TaskRecord], families: list[str], results: pd.DataFrame,
            both: pd.DataFrame, needs: dict[str, pd.DataFrame],
            times: pd.DataFrame) -> list[judged.Claim]:
    left_out = LeftOut(records, PORTFOLIO_SIZE)
    orders = {dataset: left_out.portfolio(dataset).order for dataset in left_out.datasets}
    rival = results[results["method"] == f"CatBoost ({KINDS[2]})"]
    return [*judged.family_claims(results), *judged.portfolio_claims(results, both),
            *judged.need_claims(needs, rival, more_training_datasets()),
            *judged.composition_claims(orders, families), *judged.cost_claims(times, families),
            *judged.importance_claims()]


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers; NaN where the repository lacks what they are of."""
    rows, made = Facts(), study.tables
    rows.add("title", study.title)
    rows.add("n", len(made["datasets"]), note="datasets")
    rows.add("n_configs", int(made["families"]["configs"].sum()))
    several = made["families"]["configs"] > 1
    rows.add("n_families", int(several.sum()), note="with several configs")
    rows.add("most_rows", made["datasets"]["rows"].max() if "rows" in made["datasets"] else np.nan)
    parts = made["claim_parts"].set_index(["claim", "part"])
    _add_difference(rows, "ahead_all", parts, (judged.AHEAD, "against CatBoost"))
    _add_difference(rows, "ahead_three", parts, (judged.THREE, "CatBoost"))
    _add_difference(rows, "ahead_itself", parts, (judged.ITSELF, "portfolio"))
    configs = made["families"].set_index("family")["configs"]
    rows.add("catboost_configs", int(configs.get("CatBoost", 0)))
    _add_difference(rows, "automl", made["automl_differences"].set_index("rival"), automl.PORTFOLIO)
    rows.add("automl_seconds", automl.SECONDS, unit="s")
    for key, claim in (("tuning", judged.TUNING), ("ensembling", judged.ENSEMBLING)):
        own = made["claim_parts"][made["claim_parts"]["claim"] == claim]
        rows.add(f"{key}_lowers", int((own["value"] < 0).sum()), n=len(own))
        rows.add(f"{key}_clear", int((own["verdict"] == "clear").sum()) or "none")
    ways = made["optimism_repaired"].set_index("way")
    for key, way in (("greedy", GREEDY), ("equal", EQUAL)):
        rows.row(f"{key}_kept", ways.loc[way], "test", "test_low", "test_high", n="datasets",
                 unit="%", note="of the mean config's error saved on test rows")
    for key, way in (("greedy", GREEDY), ("others", OTHERS)):
        rows.row(f"{key}_optimism", ways.loc[way], "optimism", n="datasets", unit="points",
                 digits=1)
    for key, found in study.greedy.items():
        rows.add(key, *found, unit="points", digits=1)
    spent = made["table1"].set_index("method")["train_time"].reindex(
        ["portfolio (ensemble)", f"CatBoost ({KINDS[2]})"])
    rows.add("portfolio_times", spent.iloc[0] / spent.iloc[1], digits=1,
             note="seconds of training, mean over datasets")
    for key, verdict in zip(("holds", "in_part", "undecided", "fails", "untestable"),
                            judged.VERDICTS, strict=True):
        rows.add(f"claims_{key}", int((made["claims"]["verdict"] == verdict).sum()))
    rows.add("n_claims", len(made["claims"]))
    return rows.table()


def _add_difference(rows: Facts, key: str, table: pd.DataFrame, rival: str | tuple) -> None:
    """Add a paired difference in normalised error and its p; NaN where there is no such rival."""
    row = table.reindex([rival])[["value", "low", "high", "n", "p"]].iloc[0].astype(float)
    rows.add(key, row["value"], row["low"], row["high"], digits=3,
             n=None if np.isnan(row["n"]) else int(row["n"]), note="normalised error, less a rival")
    rows.add(f"{key}_p", row["p"], digits=3, note="sign flips of families, not adjusted")


chapter = Chapter(
    "repository", compute, facts,
    charts={
        "families": Chart(
            "table1", "dots", "normalized_error", "name",
            "normalised error (0: best config, 1: median)", by="kind", height=4.1,
            title="The portfolio has the lowest mean errors, CatBoost the next"),
        "gains": Chart(
            "gains", "dots", "gain", "way", "gain over the mean config [%]", by="on",
            height=2.7)},
    shown={"claims": lambda study: study.tables["claims"]["verdict"].value_counts().rename_axis(
        "verdict").rename("claims").reset_index()})
