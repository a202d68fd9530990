"""Which procedures keep their level on every well-behaved shape, and which of them find most.

Of simulated curves whose truth is known: ``analysis.published.recall("calibration")``.
"""

from itertools import product

import numpy as np
import pandas as pd

ESTIMANDS = ("dataset", "population")
COARSE = 2  # anchors per doubling, as LCDB 1.0 has them
LEVEL = 5.0  # percent
REPEATS = 25
ENOUGH = 200  # curves: of fewer, even none called leaves the interval too wide to tell
WELL_BEHAVED = ("flat", "power_law", "nearest_centroid", "noise_labels", "neighbour_on_noise",
                "least_squares_on_noise")
GRIDS = (COARSE, 8)  # anchors per doubling of LCDB 1.0 and of LCDB 1.1
VERDICTS = ("ill_behaved", "non_monotone", "non_convex", "peaking", "dipping")
KEYS = ["per_doubling", "estimand", "verdict"]
#: The verdict that is right for each drawn shape.
VERDICT_OF = {"peak": "peaking", "narrow_peak": "peaking", "broad_peak": "peaking",
              "dip": "dipping", "slow_dip": "dipping", "phase_transition": "non_convex",
              "slow_transition": "non_convex"}


def levels_kept(table: pd.DataFrame) -> pd.DataFrame:
    """Say of every procedure and verdict whether it keeps its level, by grid and estimand.

    Parameters
    ----------
    table : pandas.DataFrame
        As `calibration.csv`.

    Returns
    -------
    pandas.DataFrame
        ``per_doubling`` (anchors per doubling, of `GRIDS`), ``estimand, procedure, verdict, cells``
        (kinds of well-behaved curves), ``worst, worst_high, worst_truth, worst_rows``: the largest
        upper end of an interval, with its rate, in percent; ``kept``: whether that is at most 5,
        and every kind was tried.
    """
    tried = table[table["truth"].isin(WELL_BEHAVED) & (table["n"] >= ENOUGH)
                  & (table["repeats"] == REPEATS) & table["per_doubling"].isin(GRIDS)]
    tried = tried.reset_index(drop=True).assign(
        estimand=lambda t: t["generator"].str.extract(f", ({'|'.join(ESTIMANDS)})"),
        kind=lambda t: t.groupby(["generator", "truth", "rows"]).ngroup())
    tried["kinds"] = tried.groupby(["per_doubling", "estimand"])["kind"].transform("nunique")
    groups = tried.groupby(["per_doubling", "estimand", "procedure", "verdict"])
    found = groups.agg(cells=("kind", "size"), own=("kind", "nunique"), kinds=("kinds", "first"))
    every = found.pop("own") == found.pop("kinds")
    worst = tried.loc[groups["high"].idxmax(), ["rate", "high", "truth", "rows"]].set_axis(
        ["worst", "worst_high", "worst_truth", "worst_rows"], axis=1).set_axis(found.index)
    return found.join(worst).assign(kept=every & (worst["worst_high"] <= LEVEL)).reset_index()


def recommended(table: pd.DataFrame) -> pd.DataFrame:
    """Return the most powerful procedure that keeps its level, per grid, estimand and verdict.

    Returns
    -------
    pandas.DataFrame
        ``per_doubling`` (of `GRIDS`), ``estimand, verdict, procedure`` (empty where none keeps it),
        ``power``: percent found of true violations of .05 on drawn curves of 1,000 rows, the truth
        being the dataset's; mean over the shapes that have it.
    """
    kept = dict(list(levels_kept(table).query("kept").groupby(KEYS)["procedure"]))
    rows = []
    for keys in product(GRIDS, ESTIMANDS, VERDICTS):
        power = power_at(table, keys[2], keys[0]).reindex(kept.get(keys, [])).dropna()
        best = power.idxmax() if len(power) else ""
        rows.append((*keys, best, power.max() if len(power) else np.nan))
    return pd.DataFrame(rows, columns=[*KEYS, "procedure", "power"])


def confirmed(best: pd.DataFrame, fresh: pd.DataFrame) -> pd.DataFrame:
    """Return how those recommended do on curves that had no part in choosing them.

    Parameters
    ----------
    best : pandas.DataFrame
        From `recommended`.
    fresh : pandas.DataFrame
        As `calibration.csv`, as `calibration_confirmed.csv` is kept.

    Returns
    -------
    pandas.DataFrame
        ``per_doubling, estimand, verdict, procedure``, ``worst, worst_high, worst_truth, kept`` as
        in `levels_kept`, and ``power`` on peaks, dips and phase transitions of .05 of the dataset.
    """
    chosen = best[best["procedure"] != ""].drop(columns="power")
    levels = levels_kept(fresh)[[*KEYS, "procedure", "worst", "worst_high", "worst_truth", "kept"]]
    table = chosen.merge(levels, on=[*KEYS, "procedure"], how="left")
    return table.assign(power=[power_at(fresh, r.verdict, r.per_doubling).get(r.procedure)
                               for r in table.itertuples()])


def power_at(table: pd.DataFrame, verdict: str, per_doubling: int = COARSE) -> pd.Series:
    """Return the mean share found, by procedure, of shapes of .05 for which a verdict is right.

    The truth is the dataset's.
    """
    of = {"ill_behaved": set(VERDICT_OF.values()), "non_convex": set(VERDICT_OF.values()),
          "non_monotone": {"peaking", "dipping"}}.get(verdict, {verdict})
    right = [truth for truth, own in VERDICT_OF.items() if own in of]
    main = table[table["generator"].str.contains(", dataset", regex=False)
                 & (table["size"] == 0.05) & (table["rows"] == 1000)
                 & (table["per_doubling"] == per_doubling) & (table["repeats"] == REPEATS)
                 & table["truth"].isin(right) & (table["verdict"] == verdict)]
    return main.groupby("procedure")["rate"].mean()
