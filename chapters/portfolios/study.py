"""The chapter's study in one call: its tables, and its facts."""

from dataclasses import dataclass, fields

import numpy as np
import pandas as pd

from analysis.drawing.tables import write_result
from analysis.leaderboards.measures import normalized_errors
from analysis.portfolios.learned import SIZE, learned_on
from analysis.portfolios.matrix import (
    AVERAGE,
    RANDOM,
    ErrorMatrix,
    best_on_average,
    compare_sizes,
    left_out_orders,
    lowest_by_size,
    open_matrix,
    random_by_size,
)
from analysis.published.computed import recall
from analysis.statistics.sign_flips import each_p
from analysis.statistics.summary import Summary, summarise
from chapters.facts import Facts
from chapters.portfolios.how_many import DEFAULT, by_number, decided
from chapters.portfolios.selector import ALWAYS, compare_strategies
from chapters.portfolios.worth import across_sizes, next_configs

CHAPTER = "portfolios"
WHERE = "tabrepo-lightgbm"
PROCEDURES = ("published", "paper", "normalized", "cost_aware")
SHOWN = (1, 2, 3, 5, 10, 20, 50, 104)  # sizes in the table on the page


@dataclass(frozen=True)
class Study:
    """The tables of the chapter, by the names of their files in ``results/portfolios/``."""

    datasets: pd.DataFrame
    sizes: pd.DataFrame
    rivals: pd.DataFrame
    picks: pd.DataFrame
    next_configs: pd.DataFrame
    how_many: pd.DataFrame
    decided: pd.DataFrame
    across_sizes: pd.DataFrame
    strategies: pd.DataFrame
    automl: pd.DataFrame

    def write(self) -> None:
        """Write all tables."""
        for field in fields(self):
            write_result(getattr(self, field.name), CHAPTER, field.name)

    @property
    def of_rivals(self) -> dict[str, float]:
        """Normalised errors of what a portfolio of ten is compared with, by key of `RIVALS`."""
        values = self.rivals.set_index("rival")["normalized_error"]
        return {"random": values[RANDOM], "average": values[AVERAGE], "default": values["default"]}


def study() -> Study:
    """Compute what the chapter says of portfolios at a real size."""
    matrix = open_matrix(WHERE)
    datasets = matrix.facts.to_dataframe().reset_index()
    return Study(datasets, compare_sizes(matrix, PROCEDURES), rivals(matrix), _picks(matrix),
                 next_configs(matrix), by_number(learned_on(matrix)), decided(matrix),
                 across_sizes(matrix), compare_strategies(), recall("portfolios_automl"))


def rivals(matrix: ErrorMatrix, size: int = SIZE) -> pd.DataFrame:
    """Compare portfolios of ten with each other and with their rivals, task by task.

    Returns
    -------
    pandas.DataFrame
        Columns ``rival, normalized_error, low, high``; ``difference, difference_low,
        difference_high, p`` (the published portfolio's less the rival's, sign flips of families),
        ``n`` (families).
    """
    values = normalized_errors(matrix.errors)
    found = {name: lowest_by_size(values, left_out_orders(matrix, name, size))[:, size - 1]
             for name in PROCEDURES}
    found[AVERAGE] = lowest_by_size(values, best_on_average(matrix))[:, size - 1]
    found[RANDOM] = random_by_size(values)[:, size - 1]
    found["default"] = values[:, list(matrix.configs).index(DEFAULT)]
    rows = []
    for name, own in found.items():
        apart, mean = found["published"] - own, summarise(own, matrix.relatives)
        change = summarise(apart, matrix.relatives)
        p = each_p(pd.Series(apart).groupby(matrix.relatives).mean().to_numpy()[:, None])[0]
        rows.append({"rival": name, "normalized_error": mean.value, "low": mean.low,
                     "high": mean.high, "difference": change.value, "difference_low": change.low,
                     "difference_high": change.high, "p": float(p), "n": mean.n})
    return pd.DataFrame(rows)


def _picks(matrix: ErrorMatrix, first: int = 8) -> pd.DataFrame:
    """Return how often each config stands at each of the first places of the portfolios."""
    names = np.asarray(matrix.configs, object)
    orders = left_out_orders(matrix, "published", first)
    table = pd.DataFrame([(place, names[config]) for order in orders
                          for place, config in enumerate(order, 1)], columns=["place", "config"])
    counts = table.value_counts(["place", "config"]).rename("portfolios").reset_index()
    return counts.sort_values(["place", "portfolios"], ascending=[True, False], ignore_index=True)


def facts(found: Study) -> pd.DataFrame:
    """Return the facts that the chapter's sentences cite."""
    rows = Facts()
    rows.add("n", len(found.datasets), note="datasets")
    rows.add("n_families", found.datasets["relatives"].nunique(), note="of near-duplicates")
    rows.add("n_configs", found.sizes["size"].max())
    _facts_of_rivals(rows, found)
    _facts_of_time(rows, found)
    _facts_of_numbers(rows, found)
    _facts_of_strategies(rows, found)
    rows.add("kept_on", str(found.automl["computed_on"].iloc[0]))
    return rows.table()


def _facts_of_rivals(rows: Facts, found: Study) -> None:
    table = found.rivals.set_index("rival")
    names = {"ranks": "published", "normalized": "normalized", "average": AVERAGE,
             "random": RANDOM, "default": "default"}
    for key, rival in names.items():
        row = table.loc[rival]
        rows.add(f"ten_{key}", Summary(row["normalized_error"], row["low"], row["high"],
                                       int(row["n"])), digits=2, note="normalised error")
    row = table.loc[RANDOM]
    rows.add("than_random", -row["difference"], -row["difference_high"], -row["difference_low"],
             digits=2, n=int(row["n"]), note="ten random configs less the portfolio of ten")
    rows.add("than_random_p", row["p"], digits=3, note="sign flips, not adjusted")
    lead = found.picks.groupby("place").first()
    rows.add("first_pick", str(lead["config"].iloc[0]))
    rows.add("first_pick_in", lead["portfolios"].iloc[0], n=len(found.datasets))


def _facts_of_time(rows: Facts, found: Study) -> None:
    steps = found.next_configs.set_index("to")
    for to in (2, 10, 50):
        row, note = steps.loc[to], f"from {steps.loc[to, 'after']:.0f} to {to} configs"
        rows.add(f"saved_{to}", row["saved"], row["saved_low"], row["saved_high"], digits=1,
                 unit="points", note=f"of the error, {note}")
        rows.add(f"saved_{to}_in", row["seconds"], unit="s", note=f"of training, {note}")
        rows.add(f"hour_{to}", row["per_hour"], row["per_hour_low"], row["per_hour_high"],
                 unit="points", note=f"of the error for an hour of training, {note}")
    sizes = found.sizes.set_index(["method", "size"])
    for key, name in {"ranks": "published", "cheap": "cost_aware"}.items():
        rows.add(f"seconds_{key}", sizes.loc[(name, SIZE), "seconds"], unit="s")
        rows.add(f"value_{key}", sizes.loc[(name, SIZE), "normalized_error"], digits=2)
    for _, row in found.across_sizes.drop_duplicates("judged_on").iterrows():
        rows.add(f"across_{row['judged_on']}", Summary(
            row["difference"], row["difference_low"], row["difference_high"], int(row["n"])),
            digits=2, note="learned on the other half of the tables less on the same")
        rows.add(f"across_{row['judged_on']}_p", row["p"], digits=2)
        rows.add(f"rows_{row['judged_on']}", row["rows"], note="median")


def _facts_of_numbers(rows: Facts, found: Study) -> None:
    learned, most = found.how_many.set_index(["criterion", "number"]), len(found.datasets) - 1
    for number in (5, 17, most):
        row = learned.loc[("ranks", number)]
        rows.add(f"from_{number}", row["normalized_error"], row["low"], row["high"], digits=2,
                 n=int(row["draws"]), note="nine draws in ten")
    for number in (17, most):
        value = learned.loc[("normalised errors", number), "normalized_error"]
        rows.add(f"errors_from_{number}", value, digits=2)
    told = found.decided.set_index(["rival", "number"])
    for rival, number in (("default", 17), ("random", 17), ("random", 50)):
        rows.add(f"told_{rival}_{number}", 100 * told.loc[(rival, number), "right"], unit="%",
                 n=int(told.loc[(rival, number), "studies"]), note="studies that tell")


def _facts_of_strategies(rows: Facts, found: Study) -> None:
    table = found.strategies.set_index("way")
    rows.add("strategy_families", table.loc[ALWAYS, "n"])
    for key, way in {"learned": "the learned choice", "three":
                     "a portfolio of 3, the better in hindsight", "three_random":
                     "3 at random, the better in hindsight", "best":
                     "the best of all in hindsight"}.items():
        row = table.loc[way]
        rows.add(f"strategy_{key}", -row["difference"], -row["difference_high"],
                 -row["difference_low"], digits=2, unit="points", n=int(row["n"]),
                 note="less balanced error than always the best on average")
    rows.add("strategy_learned_p", table.loc["the learned choice", "p"], digits=3)
