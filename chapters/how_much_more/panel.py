"""The page's forecaster on the trial's sources that took no part in training or widening it."""

import pandas as pd

from analysis.statistics.summary import summarise
from analysis.trial.scoring import STAYS, open_forecasts, score
from analysis.trial.tasks import open_trial

OURS, LARGE = "small networks", "boosted, alone"
OUTSIDE = {"neural_scaling": "neural scaling", "medical_images": "medical images",
           "language_models": "language models", "boosting_by_size": "boosting by size",
           "large_classes": "large tables, classes", "large_numbers": "large tables, numbers"}


def judge_panel() -> pd.DataFrame:
    """Return how its forecasts did, at all multiples that were asked for.

    Returns
    -------
    pandas.DataFrame
        By ``collection``: ``n_families, n``; ``covered90`` with its 95 % interval over families
        (``low, high``; NaN of one); ``crps`` of it, of the forecaster that can see other learners'
        curves, without them (``crps_large``), and of saying that nothing changes
        (``crps_stays``). In error rate, a loss in units of the largest one seen.
    """
    trial = open_trial()
    found = score(open_forecasts(), trial)
    found["crps"] /= found["task"].map(dict(zip(trial.tasks["task"], trial.unit, strict=True)))
    wide = found.pivot_table(index=["source", "family", "task", "times"], columns="rival",
                             values="crps", observed=True)
    rows = []
    for source, words in OUTSIDE.items():
        held = found[(found["source"] == source) & (found["rival"] == OURS)]
        covered = summarise(held["inside"].astype(float), held["family"])
        rows.append({"collection": words, "n_families": covered.n, "n": len(held),
                     "covered90": covered.value, "low": covered.low, "high": covered.high,
                     **{f"crps{end}": wide.loc[source][name].mean() for end, name in (
                         ("", OURS), ("_large", LARGE), ("_stays", STAYS))}})
    return pd.DataFrame(rows)


KEPT = {"panel_backtest": judge_panel}
