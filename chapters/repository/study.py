"""The chapter's study in one call: its tables, and its facts."""

from dataclasses import dataclass, fields

import numpy as np
import pandas as pd

from analysis.databases.evaluations import Repository
from analysis.drawing.tables import write_result
from analysis.portfolios import LeftOut, TaskRecord, in_memory, open_records
from analysis.published.computed import recall
from analysis.published.printed import published_table
from analysis.statistics.summary import with_interval
from chapters.facts import Facts
from chapters.portfolios.how_many import more_training_datasets
from chapters.repository import automl
from chapters.repository import claims as judged
from chapters.repository.contents import (
    first_configs,
    rank_correlations,
    rank_table,
    stored_precision,
)
from chapters.repository.costs import cost_shares, cut_short, training_times
from chapters.repository.families import (
    ENSEMBLED,
    FAMILY_TITLES,
    KINDS,
    PORTFOLIO,
    PORTFOLIO_SIZE,
    WITH_GUESTS,
    family_results,
    guest_results,
    paired_difference,
    portfolio_results,
    split_guests,
    summarise_methods,
    tuned_families,
    win_rates,
    with_places,
)
from chapters.repository.importance import importances, task_importances
from chapters.repository.optimism import (
    decomposed,
    mean_gains,
    mean_parts,
    repaired,
    selected_gains,
)
from chapters.repository.variations import (
    only,
    over_seeds,
    vary_configs,
    vary_datasets,
    vary_members,
    vary_size,
)

CHAPTER = "repository"
FACTS = ("task", "problem", "metric", "rows", "features", "categorical", "classes", "source")


@dataclass(frozen=True)
class Study:
    """The tables of the chapter, by the names of their files in ``results/repository/``."""

    datasets: pd.DataFrame
    families: pd.DataFrame
    precision: pd.DataFrame
    ranks: pd.DataFrame
    correlations: pd.DataFrame
    times: pd.DataFrame
    costs: pd.DataFrame
    cut_short_families: pd.DataFrame
    cut_short_datasets: pd.DataFrame
    table1: pd.DataFrame
    steps: pd.DataFrame
    win_rates: pd.DataFrame
    by_problem: pd.DataFrame
    automl: pd.DataFrame
    automl_differences: pd.DataFrame
    importance: pd.DataFrame
    needs: pd.DataFrame
    optimism_members: pd.DataFrame
    optimism_rows: pd.DataFrame
    optimism_repaired: pd.DataFrame
    gain_parts: pd.DataFrame
    claims: pd.DataFrame
    claim_parts: pd.DataFrame

    def write(self) -> None:
        """Write all tables."""
        for field in fields(self):
            write_result(getattr(self, field.name), CHAPTER, field.name)


def study(repository: Repository) -> Study:
    """Compute what the chapter says of a repository, opened by `open_whole`."""
    evaluations = repository.evaluations
    every, learners = open_records(repository)
    every = in_memory(every)
    named = evaluations["family"].sel(learner=learners).values.tolist()
    own, guests = split_guests(named)
    records, families = [only(r, own) for r in every], [named[k] for k in own]
    rivals = automl.beside_portfolio(records, recall("repository_automl"))
    results = with_places(pd.concat([
        family_results(records, families), portfolio_results(records),
        guest_results(every, named, guests), rivals], ignore_index=True), every)
    of_rivals = results["method"].isin([automl.AUTOGLUON, automl.PORTFOLIO])
    both, results = results[results["dataset"].isin(
        results.loc[of_rivals, "dataset"])], results[~of_rivals]
    ranks = rank_table(evaluations, first_configs(evaluations))
    times, gains = training_times(evaluations), selected_gains(records, shares=(0.1, 0.3, 1.0))
    needs, effects = _needs(records, families, every), task_importances(evaluations, trees=8)
    costs, cut = cost_shares(times), cut_short(evaluations, "family")
    claims, parts = judged.judge(_claims(records, families, results, both, needs, times, effects))
    datasets = _datasets(repository)
    of_tasks = cut_short(evaluations, "task").rename(columns={"task": "dataset"})
    return Study(
        datasets, _families(named), _precision(repository),
        ranks.rename_axis("config").reset_index(),
        rank_correlations(ranks).rename_axis("config").reset_index(), times, costs,
        _with_papers_share(cut), of_tasks, _table1(results), _steps(results),
        win_rates(results[results["kind"].isin([KINDS[2], PORTFOLIO, ENSEMBLED])], ENSEMBLED),
        _by_problem(results, datasets), _automl(both), _automl_differences(both),
        importances(effects), _summed_needs(needs),
        mean_gains(gains[gains["share"] == 1], ["members"]),
        mean_gains(gains[gains["members"].isin([1, 5, 40])], ["share", "members"]),
        mean_gains(repaired(records, members=20), ["way"]),
        mean_parts(decomposed(records, families)), claims, parts)


def _datasets(repository: Repository) -> pd.DataFrame:
    table = repository.evaluations[["task"]].reset_coords().to_dataframe().reset_index()
    return table[[c for c in FACTS if c in table]].drop_duplicates(ignore_index=True)


def _families(families: list[str]) -> pd.DataFrame:
    counts = pd.Series(families).value_counts(sort=False)
    return counts.rename("configs").rename_axis("family").reset_index()


def _precision(repository: Repository) -> pd.DataFrame:
    single = stored_precision(repository, np.float32)
    return stored_precision(repository).assign(in_single=single["largest"])


def _with_papers_share(cut: pd.DataFrame) -> pd.DataFrame:
    printed = published_table("tabrepo_table9").replace({"MLP": "NeuralNetTorch"})
    return cut.merge(printed[["family", "percent"]], how="left", on="family")


def _table1(results: pd.DataFrame) -> pd.DataFrame:
    summary = summarise_methods(results, ["method", "family", "kind"])
    alike = summary["method"].str.replace("NeuralNetTorch", "MLP").str.replace("portfolio",
                                                                               "Portfolio")
    printed = published_table("tabrepo_table1").set_index("method")["normalized_error"]
    return summary.assign(paper=alike.map(printed))


def _steps(results: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for family in tuned_families(results):
        for better, worse in ((KINDS[1], KINDS[0]), (KINDS[2], KINDS[1])):
            found = paired_difference(results, f"{family} ({better})", f"{family} ({worse})")
            rows.append({"family": family, "step": f"{worse} → {better}", **found})
    return pd.DataFrame(rows)


def _automl(both: pd.DataFrame) -> pd.DataFrame:
    """Return AutoGluon beside the portfolio and single families, on the datasets of all."""
    shown = [automl.AUTOGLUON, automl.PORTFOLIO, ENSEMBLED, f"CatBoost ({KINDS[1]})",
             f"RandomForest ({KINDS[0]})"]
    both = both[both["method"].isin(shown)]
    return summarise_methods(both) if len(both) else pd.DataFrame(columns=[
        "method", "normalized_error", "low", "high", "train_time", "infer_time"])


def _automl_differences(both: pd.DataFrame) -> pd.DataFrame:
    """Return how far AutoGluon is from each of them, in pairs."""
    known = set(both["method"]) if len(both) else set()
    rivals = [m for m in (automl.PORTFOLIO, ENSEMBLED, f"CatBoost ({KINDS[1]})",
                          f"RandomForest ({KINDS[0]})") if m in known]
    rows = [{"rival": rival, **judged.tested(judged.paired(both, automl.AUTOGLUON, rival))}
            for rival in rivals]
    return pd.DataFrame(rows, columns=["rival", "value", "low", "high", "n", "p"])


def _of_numbers(datasets: pd.DataFrame) -> pd.Series:
    """Tell where numbers are to be predicted, by what the errors are of."""
    return datasets["metric"] == "rmse"


def _by_problem(results: pd.DataFrame, datasets: pd.DataFrame) -> pd.DataFrame:
    """Compare the ensembled portfolio with families, by what the datasets' problems are."""
    kind = np.where(_of_numbers(datasets), "numbers", "classes")
    groups = {"all": datasets["task"]} | dict(iter(datasets["task"].groupby(kind)))
    rivals = [f"{f} ({KINDS[2]})" for f in tuned_families(results)]
    return pd.DataFrame([
        {"problems": said, "rival": rival, **paired_difference(
            results[results["dataset"].isin(tasks)], ENSEMBLED, rival)}
        for said, tasks in groups.items() for rival in rivals])


def _needs(records: list[TaskRecord], families: list[str],
           every: list[TaskRecord]) -> dict[str, pd.DataFrame]:
    """Return the ensembled portfolio's errors by what it is given (TabRepo, Figure 5)."""
    n = len({record.dataset for record in records})
    most = pd.Series(families).value_counts().max()
    configs = vary_configs(records, families, sorted({1, int(min(8, most))}))
    datasets = vary_datasets(records, sorted({1, n - 1}))
    return {"configs per family": over_seeds(with_places(configs, every)),
            "training datasets": over_seeds(with_places(datasets, every)),
            "configs of the portfolio": with_places(vary_size(records, (3, 15, 30)), every),
            "picks of the ensemble": with_places(vary_members(records, (15, 40)), every)}


def _summed_needs(needs: dict[str, pd.DataFrame]) -> pd.DataFrame:
    return pd.concat([summarise_methods(table, ["value"]).sort_values("value",
                                                                      kind="stable").assign(varied=what)
                      for what, table in needs.items()], ignore_index=True)


def _claims(records: list[TaskRecord], families: list[str], results: pd.DataFrame,
            both: pd.DataFrame, needs: dict[str, pd.DataFrame], times: pd.DataFrame,
            effects: pd.DataFrame) -> list[judged.Claim]:
    left_out = LeftOut(records, PORTFOLIO_SIZE)
    orders = {dataset: left_out.portfolio(dataset).order for dataset in left_out.datasets}
    rival = results[results["method"] == f"CatBoost ({KINDS[2]})"]
    return [*judged.family_claims(results), *judged.portfolio_claims(results, both),
            *judged.need_claims(needs, rival, more_training_datasets()),
            *judged.composition_claims(orders, families), *judged.cost_claims(times, families),
            *judged.importance_claims(effects)]


def facts(found: Study, title: str) -> pd.DataFrame:
    """Return the facts that the chapter's sentences cite.

    Parameters
    ----------
    found : Study
    title : str
        The repository's name in words.
    """
    rows = Facts()
    rows.add("title", title)
    rows.add("n", len(found.datasets), note="datasets")
    rows.add("n_configs", found.families["configs"].sum())
    rows.add("n_families", (found.families["configs"] > 1).sum())
    rows.add("n_regression", _of_numbers(found.datasets).sum())
    rows.add("fewest_rows", found.datasets["rows"].min() if "rows" in found.datasets else np.nan)
    rows.add("most_rows", found.datasets["rows"].max() if "rows" in found.datasets else np.nan)
    counts = found.families["configs"]
    rows.add("fewest_configs", counts[counts > 1].min())
    rows.add("in_single", found.precision["in_single"].max(), digits=2,
             note="largest difference of an error, stored in single precision")
    largest = found.precision["largest"].max()
    rows.add("again", f"differ by at most {largest:.1g}" if largest else "do not differ")
    _facts_of_costs(rows, found)
    _facts_of_methods(rows, found)
    _facts_of_optimism(rows, found)
    for key, verdict in zip(("holds", "in_part", "undecided", "fails", "untestable"),
                            judged.VERDICTS, strict=True):
        rows.add(f"claims_{key}", (found.claims["verdict"] == verdict).sum(), n=len(found.claims))
    rows.add("n_claims", len(found.claims))
    rows.add("claims_kept", found.claims["verdict"].isin(judged.VERDICTS[:2]).sum(),
             n=len(found.claims), note="held, wholly or in part")
    rows.add("n_parts", len(found.claim_parts))
    return rows.table()


def _facts_of_costs(rows: Facts, found: Study) -> None:
    costs = found.costs.set_index("family")
    rows.add("dearest", FAMILY_TITLES.get(costs.index[1], costs.index[1]))
    rows.add("dearest_share", 100 * costs["of_all"].iloc[1], unit="%")
    rows.add("dearest_tenth", 100 * costs.loc["all", "top_10"], unit="%",
             note="of the cost, by the dearest 10 % of all evaluations")
    cut = found.cut_short_families.sort_values("share", ascending=False, kind="stable").iloc[0]
    rows.add("cut_most", 100 * cut["share"], unit="%", n=int(cut["evaluations"]),
             note="largest share of a family's evaluations that the limit ended")
    rows.add("cut_family", FAMILY_TITLES.get(cut["family"], cut["family"]))


def _facts_of_methods(rows: Facts, found: Study) -> None:
    for key, (better, worse) in {"tuning": KINDS[1::-1], "ensembling": KINDS[:0:-1]}.items():
        steps = found.steps[found.steps["step"] == f"{worse} → {better}"]
        rows.add(f"{key}_lowers", (steps["difference"] < 0).sum(), n=len(steps))
        rows.add(f"{key}_surely", (steps["high"] < 0).sum(), n=len(steps))
    of = found.by_problem.set_index(["problems", "rival"])
    rival = f"CatBoost ({KINDS[2]})"
    if ("all", rival) in of.index:
        row = of.loc[("all", rival)]
        rows.add("ahead_all", row["difference"], row["low"], row["high"], digits=3,
                 n=int(row["datasets"]), note="ensembled portfolio less CatBoost's ensemble")
    families = found.table1[found.table1["kind"] == KINDS[2]]
    best = families.sort_values("normalized_error", kind="stable").iloc[0]
    row = of.loc[("all", best["method"])]
    rows.add("best_family", FAMILY_TITLES.get(best["family"], best["family"]), note="in hindsight")
    rows.add("ahead_best", row["difference"], row["low"], row["high"], digits=3,
             n=int(row["datasets"]), note="ensembled portfolio less the best family's ensemble")
    wider = found.table1.set_index("method")["normalized_error"]
    guests = [m for m in wider.index if m.startswith(WITH_GUESTS.format(""))]
    for key, methods in (("ensembled", [ENSEMBLED]), ("with_guests", guests)):
        rows.add(key, wider[methods].mean() if methods else np.nan, digits=2,
                 note="normalised error of the ensembled portfolio")
    apart = found.automl_differences.set_index("rival").reindex([automl.PORTFOLIO]).iloc[0]
    known = apart.notna().all()  # AutoGluon is kept for our own repository alone
    rows.add("automl_portfolio", with_interval(*apart[["value", "low", "high"]], 2)
             if known else "–", n=int(apart["n"]) if known else None,
             note="normalised error, AutoGluon less the portfolio's ensemble")
    rows.add("automl_portfolio_p", apart["p"], digits=3, note="sign flips, not adjusted")
    got = found.automl.loc[found.automl["method"] == automl.AUTOGLUON, "train_time"]
    rows.add("automl_got", got.mean(), unit="s", note="processor time, mean over datasets")
    rows.add("automl_seconds", automl.SECONDS, unit="s")
    parts = found.claim_parts.set_index(["claim", "part"])
    name = ("The ensembled portfolio beats CatBoost, tuned and ensembled", "CatBoost")
    if name in parts.index:
        rows.add("ahead_p", parts.loc[name, "p"], digits=3, note="sign flips, not adjusted")


def _facts_of_optimism(rows: Facts, found: Study) -> None:
    ways = found.optimism_repaired.set_index("way")
    keys = {"greedy": "greedy, as published", "fitted": "greedy, cross-fitted",
            "equal": "equal weights", "single": "single best"}
    rows.add("greedy_promised", ways.loc[keys["greedy"], "promised"], unit="%")
    for key in ("greedy", "equal", "single"):
        row = ways.loc[keys[key]]
        rows.add(f"{key}_kept", row["test"], row["test_low"], row["test_high"], unit="%",
                 n=int(row["datasets"]))
    for row in found.gain_parts.itertuples():
        rows.add(f"part_{row.part.replace(' ', '_')}", row.value, row.low, row.high, unit="%",
                 digits=1, n=int(row.datasets))
    for key in ("greedy", "fitted"):
        row = ways.loc[keys[key]]
        rows.add(f"{key}_optimism", row["optimism"], row["low"], row["high"], unit="points",
                 n=int(row["datasets"]))
