"""What ``make portfolio`` runs: portfolios of configs, judged by leaving each dataset out."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from analysis.databases.matrix import MATRICES
from analysis.drawing import tables
from analysis.drawing.tables import write_result
from analysis.leaderboards import normalize_among
from analysis.portfolios.matrix import compare_sizes, open_matrix
from analysis.portfolios.opening import open_records
from analysis.portfolios.select import PROCEDURES
from analysis.portfolios.study import leave_one_out
from analysis.statistics.bootstrap import mean_interval
from analysis.statistics.families import count_families
from collection.commands.command import Command
from collection.project.naming import check_known
from collection.project.parameters import Parameter, SettingsError, parse_int
from collection.project.results_folder import check_results, written_as_own

ABOUT = """\
Judge portfolios of a repository's configs by leaving each dataset out.

  make portfolio WHERE=my_runs
  make portfolio WHERE=tabrepo-lightgbm        # 104 configs of LightGBM, by errors alone

Parameters (defaults in brackets):
"""
FEW = 6  # families, below which no exact test at 5 % could tell anything apart
SIZES = (1, 2, 3, 5, 10, 20, 50)  # of portfolios that are printed
MEANS = ["normalized_error", "train_time", "infer_time", "configs", "members"]
WHO = {"single_best": "portfolio", "greedy": "portfolio, ensembled"}


def _procedure(value: object) -> str:
    check_known("procedure for portfolios", [value], PROCEDURES)
    return str(value)


def _seconds(value: object) -> float | None:
    return None if value is None else float(value)


PARAMETERS = {p.name: p for p in (
    Parameter("WHERE", str, None, "a folder that make evaluate or TabRepo wrote, a context of "
              f'TabRepo, "evaluations" (the shipped ones), or one of {", ".join(MATRICES)}',
              required=True),
    Parameter("SIZE", lambda value: parse_int(value, least=1), 20,
              "configs of a portfolio at most"),
    Parameter("PROCEDURE", _procedure, "published", f"of {', '.join(PROCEDURES)}"),
    Parameter("BUDGET", _seconds, None, "seconds of training; without, no limit"),
    Parameter("MEMBERS", lambda value: parse_int(value, least=1), 40, "picks of an ensemble"),
    Parameter("FALLBACK", lambda value: value, None, "the learner that stands in for what lacks"),
    Parameter("WORKERS", lambda value: parse_int(value, least=1), 1, "processes"),
)}


def portfolio_work() -> Command:
    """Return the command that judges portfolios."""
    return Command("portfolio", ABOUT, PARAMETERS, _judge, stopped="Nothing was written.")


def _judge(asked: Mapping[str, object], _: Mapping[str, str]) -> int:
    where, fallback = asked["where"], asked["fallback"]
    check_results(tables.RESULTS / "portfolio", ["leave_one_out.csv", "sizes.csv"])
    if where in MATRICES:
        if asked["budget"] is not None or fallback:
            raise SettingsError(f"{where} has no predictions: portfolios of it are judged by "
                                "errors at every size, without a budget and a fallback.")
        return _judge_matrix(where, asked["procedure"])
    records, learners = open_records(where, fallback)
    table = leave_one_out(
        records, asked["size"], asked["procedure"], [asked["budget"]],
        learners.index(fallback) if fallback else None, list(WHO), asked["members"],
        workers=asked["workers"])
    table = with_best_config(table, records)
    print(summarise(table).to_string(index=False, float_format="{:.4g}".format))
    datasets, apart = table["dataset"].nunique(), count_families(table["dataset"].unique())
    few = f": {apart} families say little of others" if apart < FEW else ""
    print(f"{len(records)} tasks of {datasets} datasets, {len(learners)} configs; normalised "
          "error: 0 is the best config of a task, 1 the median. The interval from low to high "
          f"rests on {datasets} datasets ({apart} families){few}. Every task: "
          f"{write_result(table, 'portfolio', 'leave_one_out', written_as_own)}")
    return 0


def _judge_matrix(where: str, procedure: str) -> int:
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
          f"{write_result(table, 'portfolio', 'sizes', written_as_own)}")
    return 0


def with_best_config(table: pd.DataFrame, records: list) -> pd.DataFrame:
    """Add normalised errors to a study, and the one config that is best on all other datasets.

    That config, the first of each portfolio, is what a portfolio has to beat: tuning on other
    datasets without any on this one.
    """
    errors = {(r.dataset, r.fold): r.test_error for r in records}
    first = leave_one_out(records, 1, ensemblers=["single_best"])
    table = pd.concat([
        first.assign(method="best config of the other datasets"),
        table.assign(method=table["ensembler"].map(WHO))], ignore_index=True)
    table["normalized_error"] = [
        normalize_among(np.array([row.error]), errors[row.dataset, row.fold])[0]
        for row in table.itertuples()]
    return table.drop(columns="ensembler")


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Average a study over tasks, with intervals of the normalised error over datasets."""
    found = table.groupby("method", sort=False)[MEANS].mean()
    ends = [mean_interval(part["normalized_error"], part["dataset"])
            for _, part in table.groupby("method", sort=False)]
    found.insert(1, "low", [low for low, _ in ends])
    found.insert(2, "high", [high for _, high in ends])
    return found.reset_index()
