"""Draw the trial's tasks of version 2: curves gathered anew, of families nobody had learnt from.

Run once, before any forecast of them: ``python -m chapters.lab.trial.draw``. The rule is that of
version 1 (revision 00a62da): up to `LEARNERS` of one dataset a family, a share of a curve's sizes
is seen, at least three. Left out are families that the forecasts learnt from (LCDB 1.0), and those
that their ranges were chosen on (LCDB 1.1, ``mini``).
"""

import numpy as np
import pandas as pd

from analysis.databases.load import load_curves
from analysis.extrapolation.artefacts import read
from analysis.extrapolation.folds import UNSEEN, fold_of
from analysis.statistics.families import family_of
from analysis.trial.tasks import FOLDER, TIMES
from chapters.lab.chapter_data import validation_errors
from collection.project.paths import DATA

NAME, SEED, LEARNERS = "lcdb11-anew", 49, 5
NEAR, SHARES, LEAST = 0.1, (0.25, 0.5, 0.75), 3

sources = load_curves(NAME)["source"].to_series()
taken = {family_of(d) for d in pd.read_csv(DATA / "lcdb11_datasets.csv")["openml_id"]}
mini = load_curves("mini")
taken |= {family_of(d) for d in [*mini["dataset"].values, *mini["source"].values]}
errors = validation_errors(NAME).sel(scaling="none", drop=True).load()
mean = errors.mean(["outer", "inner"])
spread = errors.std(["outer", "inner"], ddof=1) / np.sqrt(errors.notnull().sum(["outer", "inner"]))
known = read("gaussians")["learners"].tolist()
names = [n for n in errors["learner"].values if not n.startswith("Dummy")]
rng = np.random.default_rng(SEED)
tasks, points = [], []
for dataset in rng.permutation(np.sort(sources.index.to_numpy(str))):
    family = family_of(sources[dataset])
    if family in taken or {fold_of(dataset), fold_of(sources[dataset])} != {UNSEEN}:
        continue
    taken.add(family)
    for learner in rng.permutation(names)[:LEARNERS]:
        where = {"dataset": dataset, "learner": learner}
        curve = pd.DataFrame({"size": mean["anchor"].values, "error": mean.sel(where).values,
                              "deviation": spread.sel(where).values}).dropna(subset="error")
        cut = max(int(rng.choice(SHARES) * len(curve)), LEAST)
        if len(curve) <= cut:
            continue
        last = curve["size"].iloc[cut - 1]
        later = curve[curve["size"] > last]
        asked = [("", curve.iloc[:cut])]
        for times in TIMES:
            off = (later["size"] / (times * last) - 1).abs()
            asked += [(str(times), later.loc[[off.idxmin()]])] if off.min() <= NEAR else []
        asked.append(("last", later.iloc[[-1]]))
        task = f"{NAME}/{dataset}/{learner}"
        points += [part.assign(task=task, times=times) for times, part in asked]
        tasks.append({"task": task, "source": NAME, "dataset": dataset, "learner": learner,
                      "family": family, "metric": "error_rate", "fold": UNSEEN,
                      "known": learner in known, "seen": cut, "last": last, "tuned_by": ""})
pd.DataFrame(tasks).to_csv(FOLDER / "tasks2.csv", index=False)
every = pd.concat(points)[["task", "times", "size", "error", "deviation"]].round(
    {"error": 6, "deviation": 6})
every.to_csv(FOLDER / "points2.csv.gz", index=False, compression={"method": "gzip", "mtime": 0})
