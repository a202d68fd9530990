"""Which configs should be tried first? Portfolios of LightGBM learned on other datasets."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.drawing.chart import Chart
from analysis.leaderboards.measures import normalized_errors
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
    total_by_size,
)
from analysis.statistics.sign_flips import each_p
from analysis.statistics.summary import summarise
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from chapters.portfolios.how_many import DEFAULT, RIVALS, by_number, decided
from lab.learned_on import learned_on

WHERE = "tabrepo-lightgbm"
PROCEDURES = ("published", "normalized", "cost_aware")
SIZES = (10, 30)  # configs of the published portfolio, whose seconds all rivals are given
#: Ways to choose configs, as a figure names them.
METHODS = {"published": "portfolio, by ranks (as published)",
           "normalized": "portfolio, by normalised errors",
           "cost_aware": "portfolio, by errors and seconds", AVERAGE: "best on average",
           RANDOM: "random configs"}


def compute() -> Study:
    """Compute what the chapter says of portfolios at a real size.

    Returns
    -------
    Study
        ``datasets``: what is known of the matrix's datasets. ``rivals, how_many, sizes, decided``:
        from `compare_rivals`, `by_number`, `compare_sizes` and `decided`, the last two with the
        words that figures need.
    """
    matrix = open_matrix(WHERE)
    sizes = compare_sizes(matrix, PROCEDURES)
    told = decided(matrix).rename(columns={"low": "difference_low", "high": "difference_high"})
    return Study({
        "datasets": matrix.facts.to_dataframe().reset_index(), "rivals": compare_rivals(matrix),
        "how_many": by_number(learned_on(matrix)),
        "sizes": sizes.assign(name=sizes["method"].map(METHODS)),
        "decided": told.assign(percent=100 * told["right"], name=told["rival"].map(RIVALS))})


def compare_rivals(matrix: ErrorMatrix, sizes: Sequence[int] = SIZES) -> pd.DataFrame:
    """Compare lists of configs with random configs and the default, task by task, at equal seconds.

    Parameters
    ----------
    matrix : ErrorMatrix
    sizes : sequence of int
        Of the published portfolio: all rivals are given the seconds of its first so many.

    Returns
    -------
    pandas.DataFrame
        Columns ``rival``, a way to order configs; ``configs``, of the published portfolio, whose
        mean seconds all are given (between two sizes, linearly); ``normalized_error, low, high``;
        ``difference, difference_low, difference_high, p`` (random configs' less the rival's, sign
        flips of families), ``n`` (families).
    """
    values, seconds = normalized_errors(matrix.errors), matrix.train_times
    orders = {name: left_out_orders(matrix, name) for name in PROCEDURES}
    orders[AVERAGE] = best_on_average(matrix)
    found = {name: (lowest_by_size(values, own), total_by_size(np.cumsum, seconds, own))
             for name, own in orders.items()}
    found[RANDOM] = (random_by_size(values), seconds.mean(axis=1, keepdims=True)
                     * np.arange(1, values.shape[1] + 1))
    default = values[:, [list(matrix.configs).index(DEFAULT)]]
    rows = []
    for size in sizes:
        given = found[PROCEDURES[0]][1].mean(axis=0)[size - 1]
        at = {name: _within(own, spent.mean(axis=0), given) for name, (own, spent) in found.items()}
        for name, own in (at | {"default": default[:, 0]}).items():
            mean, ahead = (summarise(v, matrix.relatives) for v in (own, at[RANDOM] - own))
            p = each_p(pd.Series(at[RANDOM] - own).groupby(
                matrix.relatives).mean().to_numpy()[:, None])[0]
            rows.append((name, size, mean.value, mean.low, mean.high, ahead.value, ahead.low,
                         ahead.high, float(p), mean.n))
    return pd.DataFrame(rows, columns=[
        "rival", "configs", "normalized_error", "low", "high", "difference", "difference_low",
        "difference_high", "p", "n"])


def _within(values: np.ndarray, spent: np.ndarray, given: float) -> np.ndarray:
    """Return the values, shape (task, size), at so many seconds: between two sizes, linearly."""
    return np.array([np.interp(given, spent, own) for own in values])


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows, datasets = Facts(), study.tables["datasets"]
    most = len(datasets) - 1
    rows.add("n", len(datasets), note="datasets")
    rows.add("n_families", datasets["relatives"].nunique(), note="of near-duplicates")
    rows.add("n_configs", study.tables["sizes"]["size"].max())
    table = study.tables["rivals"].set_index(["configs", "rival"])
    for key, rival in {"ranks": "published", "normalized": "normalized", "cost": "cost_aware",
                       "random": RANDOM, "default": "default"}.items():
        rows.row(f"ten_{key}", table.loc[(10, rival)], "normalized_error", n="n", digits=2,
                 note="normalised error")
    for key, size, rival in (("ranks", 10, "published"), ("cost", 10, "cost_aware"),
                             ("normalized", 10, "normalized"),
                             ("thirty_normalized", 30, "normalized"),
                             ("thirty_cost", 30, "cost_aware"), ("thirty", 30, "published")):
        rows.row(f"ahead_{key}", table.loc[(size, rival)], "difference", "difference_low",
                 "difference_high", "n", digits=3, note="random configs less it, equal seconds")
    rows.add("ahead_ranks_p", table.loc[(10, "published"), "p"], digits=2,
             note="sign flips, not adjusted")
    spent = study.tables["sizes"].query("method == 'published' and size == 10")["seconds"]
    rows.add("seconds", spent.item(), note="of training, mean over datasets")
    learned = study.tables["how_many"].set_index(["criterion", "number"])
    for key, number, criterion in (
            ("5", 5, "ranks"), ("17", 17, "ranks"), ("50", 50, "ranks"), ("all", most, "ranks"),
            ("50_normalized", 50, "normalised errors"), ("all_normalized", most,
                                                         "normalised errors")):
        rows.row(f"from_{key}", learned.loc[(criterion, number)], "normalized_error", n="draws",
                 digits=2, note="nine draws in ten")
    told = study.tables["decided"].set_index(["rival", "number"])
    for rival, number in (("default", 17), ("random", 17), ("random", 50)):
        rows.add(f"told_{rival}_{number}", 100 * told.loc[(rival, number), "right"], unit="%",
                 n=int(told.loc[(rival, number), "studies"]), note="studies that tell")
    return rows.table()


chapter = Chapter(
    "portfolios", compute, facts,
    charts={
        "sizes": Chart(
            "sizes", "lines", "seconds", "normalized_error", "seconds of training, mean",
            "normalised error", by="name", low="normalized_error_low",
            high="normalized_error_high", log="x", height=3.8,
            keep=f"method in {list(METHODS)} and size in [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 104]",
            title="With few seconds, lists by errors are ahead of random configs"),
        "decided": Chart(
            "decided", "lines", "number", "percent", "datasets of the study",
            "studies that find it better [%]", by="name", keep="studies > 1", height=3.2,
            title="Few small studies can tell a portfolio from random configs")})
