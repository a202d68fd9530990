"""What ``make portfolio`` runs: portfolios of configs, judged by leaving each dataset out."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.databases.evaluations import MATRICES, load_evaluations
from analysis.portfolios.matrix import compare_sizes, open_matrix
from analysis.portfolios.opening import TaskRecord, open_records
from analysis.portfolios.select import PROCEDURES
from analysis.portfolios.study import leave_one_out, search_randomly, summarise, with_places
from analysis.statistics.families import count_families
from collection.commands.command import Command
from collection.project import parameters, paths
from collection.project.parameters import Parameter, SettingsError
from collection.project.results_folder import check_results, written_as_own
from collection.project.shown import write_csv

ABOUT = """\
Judge portfolios of a repository's configs by leaving each dataset out.

  make portfolio WHERE=my_runs
  make portfolio WHERE=tabrepo-lightgbm        # 104 configs of LightGBM, by errors alone
  make portfolio WHERE=evaluations SEARCH=random   # over seconds, beside a random search

Parameters (defaults in brackets):
"""
FEW = 6  # families, below which no exact test at 5 % could tell anything apart
SIZES = (1, 2, 3, 5, 10, 20, 50)  # of portfolios that are printed
SHOWN = ["method", "normalized_error", "low", "high", "train_time", "infer_time", "configs",
         "members"]
POINTS = 6  # budgets of a search, from the cheapest config to all of them
SEARCHES = ("", "random", "families")
OVER_TIME = ("published", "cost_aware")  # procedures for portfolios beside a search
WHO = {"single_best": "portfolio", "greedy": "portfolio, ensembled"}


PARAMETERS = {p.name: p for p in (
    Parameter("WHERE", str, None, "a folder that make evaluate or TabRepo wrote, a context of "
              f'TabRepo, "evaluations" (the shipped ones), or one of {", ".join(MATRICES)}',
              required=True),
    Parameter("SIZE", lambda value: parameters.parse_int(value, least=1), 20,
              "configs of a portfolio at most"),
    Parameter("PROCEDURE", parameters.one_of("procedure for portfolios", PROCEDURES), "published",
              f"of {', '.join(PROCEDURES)}"),
    Parameter("BUDGET", lambda value: parameters.quantity(value, parameters.SECONDS, 0), None,
              "time of training: 90, 1min, 2h; without, no limit"),
    Parameter("SEARCH", parameters.one_of("search", SEARCHES), "",
              "random: a random search among all configs, simulated over seconds, up to BUDGET, "
              "beside portfolios; families: one in each family"),
    Parameter("MEMBERS", lambda value: parameters.parse_int(value, least=1), 40,
              "picks of an ensemble"),
    Parameter("FALLBACK", str, None, "the learner that stands in for what lacks"),
    Parameter("WORKERS", lambda value: parameters.parse_int(value, least=1), 1, "processes"),
    Parameter("OUT", parameters.folder, None,
              "folder for the tables; results/portfolio unless given"),
)}


def portfolio_work() -> Command:
    """Return the command that judges portfolios."""
    return Command("portfolio", ABOUT, PARAMETERS, _judge, stopped="Nothing was written.")


def _judge(asked: Mapping[str, object], _: Mapping[str, str]) -> int:
    where, fallback = asked["where"], asked["fallback"]
    out = asked["out"] or paths.RESULTS / "portfolio"
    check_results(out, ["leave_one_out.csv", "search.csv", "sizes.csv"])
    if where in MATRICES:
        if asked["budget"] is not None or fallback or asked["search"]:
            raise SettingsError(f"{where} has no predictions: portfolios of it are judged by "
                                "errors at every size, without budget, fallback and search.")
        return _judge_matrix(where, asked["procedure"], out)
    records, learners = open_records(where, fallback)
    if asked["search"]:
        return _judge_searches(records, learners, asked, out)
    table = leave_one_out(
        records, asked["size"], asked["procedure"], [asked["budget"]],
        fallback=learners.index(fallback) if fallback else None, ensemblers=list(WHO),
        members=asked["members"], workers=asked["workers"])
    table = with_best_config(table, records)
    print(summarise(table)[SHOWN].to_string(index=False, float_format="{:.4g}".format))
    datasets, apart = table["dataset"].nunique(), count_families(table["dataset"].unique())
    few = f": {apart} families say little of others" if apart < FEW else ""
    print(f"{len(records)} tasks of {datasets} datasets, {len(learners)} configs; normalised "
          "error: 0 is the best config of a task, 1 the median. The interval from low to high "
          f"rests on {datasets} datasets ({apart} families){few}. Every task: "
          f"{_written(table, out / 'leave_one_out.csv')}")
    return 0


def _judge_searches(records: Sequence[TaskRecord], learners: Sequence[str],
                    asked: Mapping[str, object], out: Path) -> int:
    """Print and write what searches and portfolios reach after some seconds of training."""
    times = np.mean([record.train_time for record in records], axis=0)
    cheapest = int(times.argmin())
    stands_in = learners.index(asked["fallback"]) if asked["fallback"] else cheapest
    budgets = np.geomspace(times[cheapest], asked["budget"] or times.sum(), POINTS).tolist()
    families = load_evaluations(asked["where"])["family"].sel(learner=list(learners)).values
    searched = {"random search": np.arange(len(learners))}
    if asked["search"] == "families":
        searched = {name: np.flatnonzero(families == name) for name in dict.fromkeys(families)}
    tables = [search_randomly(records, budgets, among, fallback=stands_in, ensemblers=list(WHO),
                              members=asked["members"]).assign(method=name)
              for name, among in searched.items()]
    tables += [leave_one_out(records, asked["size"], name, budgets, fallback=stands_in,
                             ensemblers=list(WHO), members=asked["members"],
                             workers=asked["workers"]).assign(method=f"portfolio, {name}")
               for name in OVER_TIME]
    table = with_places(pd.concat(tables, ignore_index=True), records)
    table["method"] += np.where(table["ensembler"] == "greedy", ", ensembled", "")
    summary = summarise(table, ("method", "budget"))
    print(summary.pivot(index="method", columns="budget", values="normalized_error")[budgets]
          .loc[summary["method"].unique()].rename(columns="{:.3g} s".format)
          .to_string(float_format="{:.3f}".format))
    print(f"Normalised error (0: the best config of a task, 1: the median) on {len(records)} tasks "
          f"after seconds of training. Where those do not pay for the first config, "
          f"{learners[stands_in]} stands in. With intervals over datasets: "
          f"{_written(summary, out / 'search.csv')}")
    return 0


def _judge_matrix(where: str, procedure: str, out: Path) -> int:
    """Print what portfolios of some sizes are worth by errors alone, and write it for all sizes."""
    matrix = open_matrix(where)
    table = compare_sizes(matrix, [procedure])
    shown = table[table["size"].isin(SIZES) | (table["size"] == len(matrix.configs))]
    shown = shown[["method", "size", "normalized_error", "normalized_error_low",
                   "normalized_error_high", "rank", "seconds"]]
    print(shown.to_string(index=False, float_format="{:.4g}".format))
    print(f"{len(matrix.tasks)} datasets ({len(set(matrix.relatives))} families), "
          f"{len(matrix.configs)} configs, no predictions: of a portfolio's configs the best in "
          "hindsight, each dataset and its near-duplicates left out; normalised error: 0 is the "
          "best config of a dataset, 1 the median. Every size: "
          f"{_written(table, out / 'sizes.csv')}")
    return 0


def _written(table: pd.DataFrame, path: Path) -> Path:
    with written_as_own(path) as part:
        write_csv(table, part)
    return path


def with_best_config(table: pd.DataFrame, records: list) -> pd.DataFrame:
    """Add normalised errors to a study, and the one config that is best on all other datasets.

    That config, the first of each portfolio, is what a portfolio has to beat: tuning on other
    datasets without any on this one.
    """
    first = leave_one_out(records, 1, ensemblers=["single_best"])
    table = pd.concat([
        first.assign(method="best config of the other datasets"),
        table.assign(method=table["ensembler"].map(WHO))], ignore_index=True)
    return with_places(table, records).drop(columns="ensembler")
