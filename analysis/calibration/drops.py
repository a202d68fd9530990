"""How often phase transitions are found, by how clearly the true curve has one by definition."""

import numpy as np
import pandas as pd
from scipy import stats

from analysis.shapes.simulation import VIOLATION_OF, simulate_curves
from analysis.shapes.transitions import detect_transitions

#: Lower ends of the classes of true excess: by how much a drop exceeds twice any change before it.
EXCESSES = (0.0, 1e-9, 0.02, 0.05, 0.1)
SIZES = (0.02, 0.05, 0.1, 0.2)
ROWS = (1000, 5000)
PROCEDURES = ("max_t", "max_t_wide")


def count_drops(each: int = 40, seed: int = 5) -> pd.DataFrame:
    """Return how often phase transitions are found in drawn curves of all shapes.

    Parameters
    ----------
    each : int
        Curves per shape, size and number of rows.
    seed : int
        Of the simulation.

    Returns
    -------
    pandas.DataFrame
        ``procedure, rows, excess`` (lower end of the class; the first holds curves that have none),
        ``rate, low, high``: percent of the class's ``n`` curves in which one is found, with a 95 %
        Clopper-Pearson interval.
    """
    parts = []
    kinds = [(shape, size) for shape in VIOLATION_OF for size in SIZES]
    for rows in ROWS:
        for k, (shape, size) in enumerate([*kinds, *[("flat", None), ("power_law", None)] * 4]):
            curves = simulate_curves(shape, each, seed + k, rows=rows, anchors=20, true_size=size)
            excess = np.searchsorted(EXCESSES, curves["true_transition"].values, "right") - 1
            for procedure in PROCEDURES:
                found = detect_transitions(curves, procedure)["phase_transition"].values
                parts.append(pd.DataFrame({"procedure": procedure, "rows": rows, "found": found,
                                           "excess": np.array(EXCESSES)[excess]}))
    counted = pd.concat(parts).groupby(["procedure", "rows", "excess"])["found"].agg(
        ["sum", "size"]).reset_index()
    rates = []
    for hits, n in counted[["sum", "size"]].to_numpy():
        low, high = stats.binomtest(int(hits), int(n)).proportion_ci(method="exact")
        rates.append((100 * hits / n, 100 * low, 100 * high, n))
    return counted[["procedure", "rows", "excess"]].join(
        pd.DataFrame(rates, columns=["rate", "low", "high", "n"]))
