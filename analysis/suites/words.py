"""What the chapter on the worth of a suite says in words, from its tables."""

import pandas as pd

from analysis.suites.kept import AMLB
from analysis.suites.stability import DRAWS

TOLD = 0.95  # reliability that is asked for


def stability_words(stability: pd.DataFrame, claims: pd.DataFrame,
                    tasks: pd.DataFrame) -> dict[str, str]:
    """Return the chapter's numbers as text, by the names under which it glues them.

    Parameters
    ----------
    stability, claims, tasks : pandas.DataFrame
        From `suite_stability`, `claim_worth` and `carrying_tasks`, of several sources.
    """
    counts = tasks.groupby("source", sort=False).size()
    against = claims[claims["n_tasks"] == 44].groupby("claim")["reversed"]
    weak = (tasks["agreement"] <= 0).groupby(tasks["source"], sort=False).sum()
    moved = tasks.groupby("source", sort=False)["pairs_moved"].max()
    return {
        "draws": f"{DRAWS:,}", "amlb": f"the {AMLB}",
        "n_lcdb": str(counts["LCDB 1.0"]), "n_classic": str(counts["classic"]),
        "swaps_10": _swaps(stability, 10), "swaps_44": _swaps(stability, 44),
        "swaps_72": "".join(f", and with 72 tasks {said}" for said in [_swaps(stability, 72)]
                            if said),
        "contrast": _needed(stability),
        "reversed_significant": _range(against.get_group("significant")),
        "reversed_other": _range(against.get_group("not significant")),
        "carriers_sentence": "Tasks whose agreement with the rest is zero or less: "
        + ", ".join(f"{n} of {counts[s]} ({s})" for s, n in weak.items())
        + ". Taking out a single task changes the order of at most "
        + ", ".join(f"{n:g} {'pair' if n == 1 else 'pairs'} ({s})" for s, n in moved.items()) + ".",
        "conclusion_sentence": f"To know the whole order with a reliability of {TOLD}, "
        + _needed(stability) + ".",
    }


def _swaps(stability: pd.DataFrame, size: int) -> str:
    rows = stability[stability["n_tasks"] == size]
    return ", ".join(f"{r.swap_probability:.0%} of the pairs ({r.source})".replace("%", " %")
                     for r in rows.itertuples())


def _range(shares: pd.Series) -> str:
    low, high = 100 * shares.min(), 100 * shares.max()
    return f"{low:.0f} to {high:.0f} % of cases" if round(low) < round(high) else (
        f"{low:.0f} % of cases")


def _needed(stability: pd.DataFrame) -> str:
    """Say how many tasks each study needs for a reliability of `TOLD`."""
    said = []
    for source, rows in stability.groupby("source", sort=False):
        enough = rows.loc[rows["reliability"] >= TOLD, "n_tasks"]
        last = rows.iloc[-1]
        said.append(f"{enough.min()} tasks are enough on {source}" if len(enough) else
                    f"{last['n_tasks']} are not on {source} ({last['reliability']:.2f})")
    return ", ".join(said)
