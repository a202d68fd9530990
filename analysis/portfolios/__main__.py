"""Command line: judge portfolios of a repository's configs by leaving each dataset out."""

import argparse
import sys

import numpy as np
import pandas as pd

from analysis.databases.matrix import MATRICES
from analysis.databases.tabrepo import TabRepoError
from analysis.drawing.tables import write_result
from analysis.ensembles import BudgetError
from analysis.leaderboards import normalize_among
from analysis.portfolios.matrix import compare_sizes, open_matrix
from analysis.portfolios.opening import open_records
from analysis.portfolios.select import PROCEDURES
from analysis.portfolios.study import leave_one_out
from analysis.statistics.bootstrap import mean_interval
from collection.naming import UnknownNameError
from collection.store.connection import NoStoreError, UnreadableStoreError

SIZES = (1, 2, 3, 5, 10, 20, 50)  # of portfolios that are printed
WHO = {"single_best": "portfolio", "greedy": "portfolio, ensembled"}


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 0, or 2 where the repository cannot be studied."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if not asked.where:
        parser.error("WHERE is missing: a folder that make evaluate or TabRepo wrote, a context of "
                     'TabRepo, "evaluations", the shipped ones, or "tabrepo-lightgbm": '
                     "make portfolio WHERE=my_runs")
    try:
        if asked.where in MATRICES:
            if asked.budget is not None or asked.fallback:
                raise ValueError(f"{asked.where} has no predictions: portfolios of it are judged "
                                 "by errors at every size, without a budget and a fallback.")
            return _judge_matrix(asked.where, asked.procedure)
        records, learners = open_records(asked.where, asked.fallback)
        fallback = learners.index(asked.fallback) if asked.fallback else None
        table = leave_one_out(
            records, asked.size, asked.procedure, [asked.budget], fallback, list(WHO),
            asked.members, workers=asked.workers)
    except (NoStoreError, UnreadableStoreError, TabRepoError, BudgetError, UnknownNameError,
            KeyError, ValueError, FileNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    table = with_best_config(table, records, learners)
    print(summarise(table).to_string(index=False, float_format="{:.4g}".format))
    datasets = table["dataset"].nunique()
    print(f"{len(records)} tasks of {datasets} datasets, {len(learners)} configs; normalised "
          "error: 0 is the best config of a task, 1 the median. Every task: "
          f"{write_result(table, 'portfolio', 'leave_one_out')}")
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
          f"{write_result(table, 'portfolio', 'sizes')}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m analysis.portfolios", description=__doc__)
    parser.add_argument("where", nargs="?",
                        help="folder that make evaluate or TabRepo wrote, or a context")
    parser.add_argument("--size", type=int, default=20, help="configs of a portfolio at most")
    parser.add_argument("--procedure", default="published", help=" ".join(PROCEDURES))
    parser.add_argument("--budget", type=float, help="seconds of training; default no limit")
    parser.add_argument("--members", type=int, default=40, help="picks of an ensemble")
    parser.add_argument("--fallback", help="learner that stands in for what lacks")
    parser.add_argument("--workers", type=int, default=1)
    return parser


def with_best_config(
    table: pd.DataFrame, records: list, learners: list[str]
) -> pd.DataFrame:
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
    rows = []
    for method, part in table.groupby("method", sort=False):
        low, high = mean_interval(part["normalized_error"], part["dataset"])
        rows.append({"method": method, "normalized_error": part["normalized_error"].mean(),
                     "low": low, "high": high, "train_time": part["train_time"].mean(),
                     "infer_time": part["infer_time"].mean(), "configs": part["configs"].mean(),
                     "members": part["members"].mean()})
    return pd.DataFrame(rows)


if __name__ == "__main__":
    sys.exit(main())
