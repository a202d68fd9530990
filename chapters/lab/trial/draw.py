"""Draw the trial's sealed tasks: families left to gather anew, of which only what is seen is known.

Run once: ``python -m chapters.lab.trial.draw FOLDER``, a folder of stores that hold the curves of
24 learners up to an eighth of the plan's last anchor, or 256 rows. Of each, five learners; half,
three quarters or all of those sizes are seen. What is asked for has no error: it was not computed.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.databases.load import load_curves
from analysis.extrapolation.artefacts import read
from analysis.extrapolation.folds import UNSEEN, fold_of, training_datasets
from analysis.statistics.families import family_of
from analysis.trial.tasks import FOLDER, TIMES
from collection.protocol.anchors import anchor_grid
from collection.shipped.anew import read_plan

SOURCE, SEED, LEARNERS = "sealed", 51, 5
NEAR, SHARES, LEAST = 0.1, (0.5, 0.75, 1.0), 3

folder = Path(sys.argv[1])
taken = {*training_datasets()["family"],
         *(f for part in ("", "2") for f in pd.read_csv(FOLDER / f"tasks{part}.csv")["family"])}
known = read("gaussians")["learners"].tolist()
rng = np.random.default_rng(SEED)
tasks, points = [], []
for row in read_plan().itertuples():
    name = row.dataset.partition(":")[2]
    store = folder / f"{name.replace('/', '-')}.store"
    family = family_of(name)
    if not store.exists():
        continue
    assert family not in taken and fold_of(name) == UNSEEN, name
    taken.add(family)
    errors = load_curves(store)["error_rate"].sel(split="valid").isel(
        dataset=0, scaling=0, leakage=0, drop=True).load()
    dataset = name.rpartition("/")[2]
    mean = errors.mean(["outer", "inner"])
    spread = errors.std(["outer", "inner"], ddof=1) / np.sqrt(
        errors.notnull().sum(["outer", "inner"]))
    grid = anchor_grid(row.last_anchor)
    names = [n for n in errors["learner"].values if not n.startswith("Dummy")]
    for learner in rng.permutation(np.sort(names))[:LEARNERS]:
        curve = pd.DataFrame({
            "size": mean["anchor"].values, "error": mean.sel(learner=learner).values,
            "deviation": spread.sel(learner=learner).values}).dropna(subset="error")
        cut = max(int(rng.choice(SHARES) * len(curve)), LEAST)
        if len(curve) < cut:
            continue
        last = curve["size"].iloc[cut - 1]
        later = grid[grid > last]
        asked = [("", curve.iloc[:cut])]
        for times in (*TIMES, "last"):
            at = later[-1] if times == "last" else later[
                np.abs(later / (times * last) - 1).argmin()]
            if times == "last" or abs(at / (times * last) - 1) <= NEAR:
                asked.append((str(times), pd.DataFrame({"size": [at]})))
        task = f"{SOURCE}/{dataset}/{learner}"
        points += [part.assign(task=task, times=times) for times, part in asked]
        tasks.append({"task": task, "source": SOURCE, "dataset": dataset, "learner": learner,
                      "family": family, "metric": "error_rate", "fold": UNSEEN,
                      "known": learner in known, "seen": cut, "last": last, "tuned_by": ""})
pd.DataFrame(tasks).to_csv(FOLDER / "tasks3.csv", index=False)
every = pd.concat(points)[["task", "times", "size", "error", "deviation"]].round(
    {"error": 6, "deviation": 6})
every.to_csv(FOLDER / "points3.csv.gz", index=False, compression={"method": "gzip", "mtime": 0})
