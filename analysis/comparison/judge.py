"""What a comparison says, as tables: scores, ranks, who wins, by size, what was chosen, errors."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pandas as pd

from analysis.leaderboards import wilcoxon
from collection.running.study import summarise
from collection.shipped.small import LOGISTIC

LEAST = 5  # datasets that a statement about methods needs
BANDS = (0, 100, 200, 300, 400, 500, 1000, 5000, np.inf)  # rows; the first five are the paper's
NO_SCORES = "the learner gives neither probabilities nor decision scores: no AUC"
NOT_OK = ["method", "dataset", "split", "fold", "status", "message"]


@dataclass(frozen=True, eq=False)
class Verdict:
    """A comparison's tables.

    Attributes
    ----------
    test, train : pandas.DataFrame
        AUC, datasets × methods: the mean over the folds' held-out rows, and of a fit on all rows on
        the same rows. NaN where a fit failed: never a number.
    ranks : pandas.Series
        Mean rank by method; empty where too few datasets have all methods.
    pairs : pandas.DataFrame
        `analysis.leaderboards.wilcoxon.compare_pairs` of the methods ranked.
    groups : list of list of str
        Methods that are not told apart.
    practical : pandas.DataFrame
        `practical_differences` from logistic regression.
    bands : pandas.DataFrame
        ``method, rows, n_datasets, median, lower_quartile, upper_quartile`` of the test AUC.
    chosen : pandas.DataFrame
        ``dataset, method, split, hyperparameters`` that methods chose: on all rows (train), and in
        the folds in order (test).
    failures : pandas.DataFrame
        ``method, dataset, split, fold, status, message`` of every fit that is not ok, or
        has no AUC.
    notes : list of str
        What could not be said, and why.
    """

    test: pd.DataFrame
    train: pd.DataFrame
    ranks: pd.Series
    pairs: pd.DataFrame
    groups: list[list[str]]
    practical: pd.DataFrame
    bands: pd.DataFrame
    chosen: pd.DataFrame
    failures: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def judge(fits: pd.DataFrame, rows: pd.Series, rope: float = wilcoxon.ROPE,
          methods: Sequence[str] = ()) -> Verdict:
    """Say what fits say.

    Parameters
    ----------
    fits : pandas.DataFrame
        A row per fit: ``dataset, method, split, fold, auc, status, message, hyperparameters,
        seconds``.
    rows : pandas.Series
        Number of rows by dataset.
    rope : float
        Differences of AUC up to this count as none.
    methods : sequence of str, optional
        Order of columns.
    """
    means = summarise(fits)
    there = dict.fromkeys(fits["method"])
    order = list(dict.fromkeys([*(m for m in methods if m in there), *there]))
    names = [name for name in rows.index if name in set(fits["dataset"])]
    test, train = (means[means["split"] == split].pivot(index="dataset", columns="method",
                                                        values="auc").reindex(names, columns=order)
                   for split in ("test", "train"))
    scores, notes = _comparable(test)
    has_all = len(scores.columns) > 1 and len(scores) >= LEAST
    ranks = wilcoxon.mean_ranks(scores) if has_all else pd.Series(dtype=float)
    pairs = wilcoxon.compare_pairs(scores if has_all else scores.iloc[:, :0])
    practical = (wilcoxon.practical_differences(scores, LOGISTIC, rope)
                 if has_all and LOGISTIC in scores else pd.DataFrame())
    chosen = means.loc[means["hyperparameters"] != "",
                       ["dataset", "method", "split", "hyperparameters"]]
    return Verdict(test, train, ranks, pairs, wilcoxon.similar_groups(ranks, pairs), practical,
                   by_size(test, rows), chosen.reset_index(drop=True),
                   _without_score(fits), notes)


def _without_score(fits: pd.DataFrame) -> pd.DataFrame:
    """Return the fits that are not ok or have no AUC, with the reason."""
    table = fits.loc[(fits["status"] != "ok") | fits["auc"].isna(), NOT_OK].reset_index(drop=True)
    message = table["message"].fillna("")
    return table.assign(message=message.where((message != "") | (table["status"] != "ok"),
                                              NO_SCORES))


def _comparable(test: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the datasets that all methods have that have most, and what that leaves out."""
    share = test.notna().mean()
    kept = test.loc[:, share >= 0.5]
    short = short_names(list(test.columns))
    notes = [f"{short[name]} has a result on {test[name].notna().sum()} of {len(test)} datasets, "
             "and is not ranked." for name in test.columns[share < 0.5]]
    common = kept.dropna()
    if len(common) < len(test) and len(kept.columns):
        notes.append(f"Ranks are of the {len(common)} of {len(test)} datasets on which all methods "
                     "that are ranked have a result.")
    if len(common) < LEAST:
        notes.append(f"{len(common)} dataset(s) are too few to rank methods; {LEAST} are needed.")
    return common, notes


def by_size(test: pd.DataFrame, rows: pd.Series) -> pd.DataFrame:
    """Return medians and quartiles of the test AUC by bands of the number of rows (Figure 2a)."""
    labels = [_band(low, high) for low, high in pairwise(BANDS)]
    band = pd.cut(rows.reindex(test.index), BANDS, labels=labels)
    long = test.stack().dropna().rename("auc").reset_index(level=1)  # pandas 3 keeps them
    long = long.set_axis(["method", "auc"], axis=1).assign(rows=band)
    found = long.groupby(["method", "rows"], observed=True, sort=False)["auc"]
    table = found.agg(n_datasets="size", median="median",
                      lower_quartile=lambda v: v.quantile(0.25),
                      upper_quartile=lambda v: v.quantile(0.75)).reset_index()
    places = {name: k for k, name in enumerate(test.columns)}
    return table.sort_values(["rows", "method"], ignore_index=True,
                             key=lambda c: c.map(places) if c.name == "method" else c)


def _band(low: float, high: float) -> str:
    return f"above {low:,}" if np.isinf(high) else f"{low + 1:,} to {high:,}"


def short_names(methods: Sequence[str]) -> dict[str, str]:
    """Return methods without the modules of their import paths, where that stays unambiguous."""
    short = {m: re.sub(r"\b(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])", "", m) if "(" in m or m.count(".") > 1
             else m for m in methods}
    counts = pd.Series(list(short.values())).value_counts()
    return {m: s if counts[s] == 1 else m for m, s in short.items()}
