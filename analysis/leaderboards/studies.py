"""Orders of several studies side by side: what each comes to, what two say of a pair."""

import warnings
from collections.abc import Iterable

import numpy as np
import pandas as pd

from analysis.leaderboards.cells import Cells, to_cells
from analysis.leaderboards.influence import seeds_share
from analysis.leaderboards.order_page import neighbours, neighbours_apart
from analysis.leaderboards.ordering import Order, order
from analysis.leaderboards.stepdown import ALPHA
from analysis.leaderboards.tables import FOLDER, describe_studies, load_results
from collection.project.paths import shipped

VERDICTS = ("reverses", "stands", "one study only", "nobody tells")


def method_words(study: str) -> dict[str, str]:
    """Return a study's methods in words, which studies that share a method have alike.

    Those of ``data/results/methods.csv``; a method that has no words there is not in it.
    """
    known = pd.read_csv(shipped(FOLDER / "methods.csv")).query("study == @study")
    return dict(zip(known["method"], known["words"], strict=True))


def summarise_order(order: Order, results: "pd.DataFrame | Cells") -> dict[str, object]:
    """Sum up how much of an order is sure, and what it would take to know more.

    Parameters
    ----------
    order : Order
    results : pandas.DataFrame
        What was ordered.

    Returns
    -------
    dict
        ``methods, tasks, families``; ``missing`` (share of cells); ``neighbours`` (pairs that
        follow each other) and ``neighbours_apart`` (those that differ significantly); ``pairs``
        and ``pairs_apart`` (a share); ``median_width`` (of rank intervals, places);
        ``may_be_first`` (methods); ``tasks_needed`` (families, for the median neighbours);
        ``seeds_share`` (of what is uncertain; NaN where no cell has a second run).
    """
    cells, ranks = to_cells(results), order.ranks
    apart = order.pairs["p_adjusted"] <= ALPHA
    return {
        "methods": len(ranks), "tasks": order.n_tasks, "families": order.n_families,
        "missing": order.missing / cells.value.size, "neighbours": len(ranks) - 1,
        "neighbours_apart": neighbours_apart(order), "pairs": len(apart),
        "pairs_apart": apart.mean(), "median_width": (ranks["high"] - ranks["low"]).median(),
        "may_be_first": int(ranks["may_be_first"].sum()),
        "tasks_needed": neighbours(order.pairs, ranks)["tasks_needed"].median(),
        "seeds_share": seeds_share(cells)}


def order_studies(studies: Iterable[str], n_resamples: int = 2000) -> dict[str, pd.DataFrame]:
    """Order the methods of each of several stored studies.

    Parameters
    ----------
    studies : iterable of str
        Of `describe_studies`.
    n_resamples : int
        As in `analysis.leaderboards.order`.

    Returns
    -------
    dict of str to pandas.DataFrame
        With a column ``study`` each: "studies", a row of `summarise_order` with what
        `describe_studies` says; "ranks", `Order.ranks` with the methods in ``words``; "claims",
        `shared_pairs`. Without columns of no study.
    """
    about, found = describe_studies(), {"studies": [], "ranks": [], "claims": []}
    for study in studies:
        results, words = load_results(study), method_words(study)
        with warnings.catch_warnings():  # what an order warns of stands in its notes
            warnings.simplefilter("ignore")
            ordered = order(results, n_resamples)
        found["studies"].append(pd.DataFrame([
            summarise_order(ordered, results) | {"study": study, **about.loc[study, :"weak"]}]))
        in_words = ordered.ranks["method"].map(words).fillna(ordered.ranks["method"])
        found["ranks"].append(ordered.ranks.assign(study=study, words=in_words))
        found["claims"].append(shared_pairs(ordered, study).assign(study=study))
    return {name: pd.concat(own) if own else pd.DataFrame() for name, own in found.items()}


def shared_pairs(order: Order, study: str) -> pd.DataFrame:
    """Return the pairs of an order whose methods have words (`method_words`), as claims.

    Returns
    -------
    pandas.DataFrame
        ``one, other`` (in words, the first in the alphabet as one), ``effect`` (by how much the one
        is ahead), ``p_adjusted``.
    """
    words = method_words(study)
    pairs = order.pairs[["one", "other", "effect", "p_adjusted"]]
    pairs = pairs.assign(one=pairs["one"].map(words), other=pairs["other"].map(words)).dropna(
        subset=["one", "other"])
    turn = pairs["one"] > pairs["other"]
    pairs.loc[turn, ["one", "other"]] = pairs.loc[turn, ["other", "one"]].to_numpy()
    pairs.loc[turn, "effect"] *= -1
    return pairs


def settle_claims(claims: pd.DataFrame) -> pd.DataFrame:
    """Return what became of each 'A beats B' that two independent studies looked at.

    Parameters
    ----------
    claims : pandas.DataFrame
        `shared_pairs` of several studies, with a column ``study``. Studies of one team
        (`describe_studies`) count once.

    Returns
    -------
    pandas.DataFrame
        ``one, other``, ``studies`` that have both, ``ahead`` and ``behind``: in how many of them
        the one differs significantly from the other, either way; ``verdict``: stands (they differ
        alike in two or more, never the other way), reverses (they differ either way), one study
        only or nobody tells.
    """
    sure = np.sign(claims["effect"]) * (claims["p_adjusted"] <= ALPHA)
    team = claims["study"].map(describe_studies()["team"]).fillna(claims["study"])
    pair = ["one", "other"]
    teams = claims.assign(team=team, ahead=sure > 0, behind=sure < 0).groupby([*pair, "team"])[
        ["ahead", "behind"]].any()
    table = teams.groupby(pair).agg(
        studies=("ahead", "size"), ahead=("ahead", "sum"), behind=("behind", "sum"))
    table = table[table["studies"] > 1].reset_index()
    most, least = (table[["ahead", "behind"]].agg(end, axis=1) for end in ("max", "min"))
    table["verdict"] = np.select([least > 0, most > 1, most > 0], VERDICTS[:3], VERDICTS[3])
    return table.sort_values("verdict", key=lambda v: v.map(VERDICTS.index), kind="stable",
                             ignore_index=True)
