"""A trial of a few curves."""

import numpy as np
import pandas as pd

from analysis.trial.tasks import Trial


def small_trial(curves, asked):
    """Return a trial of curves: name → (sizes, errors), each asked for at (times, size, truth)."""
    tasks = pd.DataFrame({
        "task": list(curves), "source": "none", "dataset": list(curves), "learner": "",
        "family": list(curves), "metric": "error_rate", "fold": -1, "known": False,
        "seen": [len(sizes) for sizes, _ in curves.values()],
        "last": [sizes[-1] for sizes, _ in curves.values()], "tuned_by": ""})
    points = pd.concat([pd.DataFrame({"task": name, "size": sizes, "error": errors,
                                      "deviation": np.nan})
                        for name, (sizes, errors) in curves.items()], ignore_index=True)
    return Trial(tasks, points, pd.DataFrame(
        [(name, *one) for name in curves for one in asked[name]],
        columns=["task", "times", "size", "truth"]))
