"""Which configs should be tried first? Portfolios of LightGBM learned on other datasets."""

from dataclasses import dataclass

import pandas as pd

from analysis.drawing.chart import Chart
from analysis.leaderboards.measures import normalized_errors
from analysis.portfolios.matrix import (
    AVERAGE,
    RANDOM,
    SIZE,
    ErrorMatrix,
    best_on_average,
    compare_sizes,
    learned_on,
    left_out_orders,
    lowest_by_size,
    open_matrix,
    random_by_size,
)
from analysis.statistics.sign_flips import each_p
from analysis.statistics.summary import summarise
from chapters.chapter import Chapter, frames
from chapters.facts import Facts
from chapters.portfolios.how_many import DEFAULT, RIVALS, by_number, decided

WHERE = "tabrepo-lightgbm"
#: Ways to choose configs, as a figure names them.
METHODS = {"published": "portfolio, by ranks (as published)",
           "normalized": "portfolio, by normalised errors", AVERAGE: "best on average",
           RANDOM: "random configs"}


@dataclass(frozen=True, eq=False)
class Study:
    """The tables of the chapter.

    Attributes
    ----------
    datasets : pandas.DataFrame
        What is known of the matrix's datasets.
    rivals, how_many, sizes, decided : pandas.DataFrame
        From `compare_rivals`, `by_number`, `compare_sizes` and `decided`, the last two with the
        words that figures need.
    """

    datasets: pd.DataFrame
    rivals: pd.DataFrame
    how_many: pd.DataFrame
    sizes: pd.DataFrame
    decided: pd.DataFrame


def compute() -> Study:
    """Compute what the chapter says of portfolios at a real size."""
    matrix = open_matrix(WHERE)
    sizes = compare_sizes(matrix, ("published", "paper", "normalized", "cost_aware"))
    told = decided(matrix).rename(columns={"low": "difference_low", "high": "difference_high"})
    return Study(
        matrix.facts.to_dataframe().reset_index(), compare_rivals(matrix),
        by_number(learned_on(matrix)), sizes.assign(name=sizes["method"].map(METHODS)),
        told.assign(percent=100 * told["right"], name=told["rival"].map(RIVALS)))


def compare_rivals(matrix: ErrorMatrix) -> pd.DataFrame:
    """Compare portfolios of ten with their rivals, task by task.

    Returns
    -------
    pandas.DataFrame
        Columns ``rival, normalized_error, low, high``; ``difference, difference_low,
        difference_high, p`` (the published portfolio's less the rival's, sign flips of families),
        ``n`` (families).
    """
    values = normalized_errors(matrix.errors)
    found = {name: lowest_by_size(values, left_out_orders(matrix, name, SIZE))[:, SIZE - 1]
             for name in ("published", "normalized")}
    found[AVERAGE] = lowest_by_size(values, best_on_average(matrix))[:, SIZE - 1]
    found[RANDOM] = random_by_size(values)[:, SIZE - 1]
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


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, most = Facts(), len(study.datasets) - 1
    rows.add("n", len(study.datasets), note="datasets")
    rows.add("n_families", study.datasets["relatives"].nunique(), note="of near-duplicates")
    rows.add("n_configs", study.sizes["size"].max())
    table = study.rivals.set_index("rival")
    for key, rival in {"ranks": "published", "normalized": "normalized", "random": RANDOM,
                       "default": "default"}.items():
        rows.row(f"ten_{key}", table.loc[rival], "normalized_error", n="n", digits=2,
                 note="normalised error")
    row = table.loc[RANDOM]
    rows.add("than_random", -row["difference"], -row["difference_high"], -row["difference_low"],
             digits=2, n=int(row["n"]), note="ten random configs less the portfolio of ten")
    rows.add("than_random_p", row["p"], digits=3, note="sign flips, not adjusted")
    learned = study.how_many.set_index(["criterion", "number"])
    for key, number in (("5", 5), ("17", 17), ("all", most)):
        rows.row(f"from_{key}", learned.loc[("ranks", number)], "normalized_error", n="draws",
                 digits=2, note="nine draws in ten")
    told = study.decided.set_index(["rival", "number"])
    for rival, number in (("default", 17), ("random", 17), ("random", 50)):
        rows.add(f"told_{rival}_{number}", 100 * told.loc[(rival, number), "right"], unit="%",
                 n=int(told.loc[(rival, number), "studies"]), note="studies that tell")
    return rows.table()


chapter = Chapter(
    "portfolios", compute, frames, facts,
    charts={
        "sizes": Chart(
            "sizes", "lines", "size", "normalized_error", "configs tried",
            "normalised error", by="name", low="normalized_error_low",
            high="normalized_error_high", log="x", height=3.8,
            keep=f"method in {list(METHODS)} and size in [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 104]",
            title="Ten complementary configs are a little better than ten random ones"),
        "decided": Chart(
            "decided", "lines", "number", "percent", "datasets of the study",
            "studies that find it better [%]", by="name", keep="studies > 1", height=3.2,
            title="Few small studies can tell a portfolio from random configs")})
