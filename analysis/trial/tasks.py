"""The tasks of the trial: where a learning curve was seen, and at what sizes it is asked for.

They were drawn once, by `draw_tasks`, and are never to change: what is drawn anew is a second
version beside the first.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chapter_data import validation_errors
from analysis.databases.lcdb11.files import NOT_COUNTED
from analysis.databases.load import load_curves
from analysis.extrapolation.artefacts import read
from analysis.extrapolation.folds import UNSEEN, fold_of, torn_datasets
from analysis.extrapolation.seen import Seen
from analysis.published.computed import NotAtHandError
from analysis.statistics.families import family_of
from collection.project.paths import DATA, published_dir, shipped

FOLDER = DATA / "trial"
VERSION = 1
#: sha256 of what is frozen.
FROZEN = {
    "tasks.csv":
        "fc26112d76bf6f283e339995e16d254f05f9aa254f94127c9564baf8d01fe19e",
    "points.csv.gz":
        "668acb9216cda4089fdf4e17f17e99f272327a8fbd1b619a5b127deaaf940abf",
}
TIMES = (2, 4, 8)  # what was seen
NEAR = 0.1  # by how much, as a share, a size may miss such a multiple
SHARES = (0.25, 0.5, 0.75)  # of a curve's sizes that are seen
LEAST = 3  # sizes seen of a drawn curve
JUDGED = (0, 1)  # folds of LCDB 1.0 whose datasets are asked for
SEED = 38
#: Of each database, at most so many learners of a dataset.
LEARNERS = {"lcdb10": 10, "lcdb11": 10, "mini": 99, "regression": 6, "large_numbers": 99,
            "large_classes": 99}
#: Who could have tuned on the tasks of a source, beside those who learnt from it.
TUNED = {"lcdb10": "formulas; settings of this project's",
         "lcdb11": "ranges of small networks; the form of LC-PFN",
         "mini": "ranges of small networks", "regression": "ranges of small networks",
         "neural_scaling": "M1 to M4; BNSL", "medical_images": "GP power law; GP arctan",
         "language_models": "M2"}


@dataclass(frozen=True)
class Trial:
    """The tasks with what is seen of them and what came.

    Attributes
    ----------
    tasks : DataFrame
        A row per task: ``task`` (its name), ``source``, ``dataset, learner``, ``family`` (of
        near-duplicates: one case), ``metric``, ``fold`` (whose models have not seen the dataset;
        -1: none has), ``known`` (whether the learner trained the learnt forecasts), ``seen``
        (sizes), ``last`` (the largest of these), ``tuned_by``.
    points : DataFrame
        ``task, size, error`` (lower is better), ``deviation`` (standard error; NaN where there
        are no repeats) of what is seen.
    asked : DataFrame
        ``task, times`` ("2", "4", "8", "last"), ``size``, ``truth``.
    """

    tasks: pd.DataFrame
    points: pd.DataFrame
    asked: pd.DataFrame

    @cached_property
    def unit(self) -> pd.Series:
        """By task, what errors are divided by for forecasts that know errors from 0 to 1."""
        top = self.points.groupby("task")["error"].max()
        return top.where(top > 1, 1.0).reindex(self.tasks["task"])

    def seen(self) -> tuple[Seen, np.ndarray]:
        """Return what is seen of each task alone, and the sizes asked for.

        Returns
        -------
        seen : Seen
            In units of `unit`, learners without names, every curve by itself.
        sizes : ndarray, shape (n_tasks, 4)
            In the order of `TIMES`, then the last; NaN where none is asked.
        """
        names = self.tasks["task"]
        values, noise = (self.points.pivot(index="task", columns="size", values=what)
                         .reindex(names) for what in ("error", "deviation"))
        per = self.unit.to_numpy()[:, None]
        sizes = self.asked.pivot(index="task", columns="times", values="size").reindex(
            index=names, columns=[*map(str, TIMES), "last"])
        return Seen(values.columns.to_numpy(float), values.to_numpy() / per,
                    noise.to_numpy() / per, np.full(len(names), "", object),
                    np.arange(len(names)), self.tasks["fold"].to_numpy()), sizes.to_numpy()


@cache
def open_trial() -> Trial:
    """Open the shipped tasks."""
    tasks = pd.read_csv(shipped(FOLDER / "tasks.csv"), dtype={"dataset": str},
                        keep_default_na=False)
    points = pd.read_csv(shipped(FOLDER / "points.csv.gz"), dtype={"times": str})
    seen = points["times"].isna()
    return Trial(tasks, points[seen].drop(columns="times").reset_index(drop=True),
                 points[~seen].rename(columns={"error": "truth"})[
                     ["task", "times", "size", "truth"]].reset_index(drop=True))


def draw_tasks(folder: Path = FOLDER) -> None:
    """Draw the tasks and write them: done once."""
    rng = np.random.default_rng(SEED)
    tasks, points = [], []
    for label, curve in _all_curves(rng):
        cut = label.pop("cut") or _drawn_cut(len(curve), rng)
        if cut is None or cut >= len(curve):
            continue
        task = "/".join([label["source"], label["dataset"], label["learner"]])
        last = curve["size"].iloc[cut - 1]
        later = curve[curve["size"] > last]
        asked = [("", curve.iloc[:cut])]
        for times in TIMES:
            off = (later["size"] / (times * last) - 1).abs()
            asked += [(str(times), later.loc[[off.idxmin()]])] if off.min() <= NEAR else []
        asked.append(("last", later.iloc[[-1]]))
        points += [part.assign(task=task, times=times) for times, part in asked]
        tasks.append({"task": task, **label, "seen": cut, "last": last,
                      "tuned_by": TUNED.get(label["source"], "")})
    folder.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(tasks).to_csv(folder / "tasks.csv", index=False)
    every = pd.concat(points)[["task", "times", "size", "error", "deviation"]]
    every["error"], every["deviation"] = every["error"].round(6), every["deviation"].round(6)
    every.to_csv(folder / "points.csv.gz", index=False,
                 compression={"method": "gzip", "mtime": 0})


def _drawn_cut(sizes: int, rng: np.random.Generator) -> int | None:
    cut = max(int(rng.choice(SHARES) * sizes), LEAST)
    return cut if sizes > LEAST else None


def _all_curves(rng: np.random.Generator) -> Iterator[tuple[dict, pd.DataFrame]]:
    """Yield every curve with its label; ``cut`` is how much its own source shows, if it says so."""
    for source, errors in own_curves().items():
        yield from _drawn(source, errors, rng)
    yield from _published()


def known_learners() -> list[str]:
    """Return the learners that the learnt forecasts were trained on."""
    return read("gaussians")["learners"].tolist()


def own_curves() -> dict[str, xr.DataArray]:
    """Return error rates by source, dims (dataset, learner, anchor) and (outer, inner) or not."""
    torn = {family_of(d) for d in torn_datasets()}
    found = {}
    for source in LEARNERS:
        database = "lcdb11-summary" if source == "lcdb11" else source
        if source in ("regression", "large_numbers"):
            errors = load_curves(database)["relative_rmse"].sel(split="valid").isel(
                scaling=0, leakage=0, drop=True).clip(0, 1)  # 1 is the error of the mean
        else:
            errors = validation_errors(database)
            scalings = errors["scaling"].values.tolist()
            errors = errors.sel(scaling="none" if "none" in scalings else scalings[0], drop=True)
        learners = [n for n in errors["learner"].values if n not in NOT_COUNTED
                    and not n.startswith(("Dummy", "sklearn."))]
        fair = [family_of(d) not in torn for d in errors["dataset"].values]
        found[source] = errors.sel(learner=learners).isel(dataset=fair).load()
    return found


def _drawn(source: str, errors: xr.DataArray, rng: np.random.Generator
           ) -> Iterator[tuple[dict, pd.DataFrame]]:
    known, repeats = known_learners(), [d for d in ("outer", "inner") if d in errors.dims]
    mean = errors.mean(repeats) if repeats else errors
    counts = errors.notnull().sum(repeats) if repeats else None
    spread = errors.std(repeats, ddof=1) / np.sqrt(counts) if repeats else \
        load_curves("lcdb11-summary")["error_rate_stderr"].sel(split="valid").isel(
            scaling=0, leakage=0, drop=True).reindex_like(mean)
    taken = set()
    for dataset in rng.permutation(errors["dataset"].values):
        fold, family = fold_of(dataset), family_of(dataset)
        learners = [n for n in errors["learner"].values if _asks(source, fold, n in known)]
        if family in taken or not learners:
            continue
        taken.add(family)
        for learner in rng.permutation(learners)[:LEARNERS[source]]:
            own = mean.sel(dataset=dataset, learner=learner)
            curve = pd.DataFrame({"size": own["anchor"].values, "error": own.values,
                                  "deviation": spread.sel(dataset=dataset, learner=learner).values})
            yield {"source": source, "dataset": str(dataset), "learner": str(learner),
                   "family": str(family), "metric": errors.name, "fold": fold,
                   "known": learner in known, "cut": None}, curve.dropna(subset="error")


def _asks(source: str, fold: int, known: bool) -> bool:
    """Return whether a curve can be a task: of what was never learnt from."""
    return {"lcdb10": fold in JUDGED, "lcdb11": fold == UNSEEN or (fold in JUDGED and not known),
            "mini": not known}.get(source, True)


def _published() -> Iterator[tuple[dict, pd.DataFrame]]:
    """Yield the curves that others published, cut where they cut them."""
    for source, file in (
            ("neural_scaling", "scaling92"), ("medical_images", "medical_images_tufts"),
            ("language_models", "language_models_mlfoundations"),
            ("boosting_by_size", "benchm_ml"), ("boosting_by_size", "gbm_perf")):
        table = pd.read_csv(curves_folder() / f"{file}.csv.gz")
        table = table.dropna(subset="value")
        up = table["higher_is_better"]
        table["error"] = table["value"].where(~up, 1 - table["value"])
        for name, part in table.groupby("curve", sort=False):
            first = part.iloc[0]
            if file == "medical_images_tufts" and first["range"] == "single_size":
                continue
            curve = part.groupby("size")["error"].agg(["mean", "sem"]).reset_index()
            curve.columns = ["size", "error", "deviation"]
            if len(curve) < LEAST:
                continue
            cut = None if "part" not in part else int(part.loc[
                part["part"] == "train", "size"].nunique())
            yield {"source": source, "dataset": str(name), "learner": str(first["model"]),
                   "family": f"{source}/{first['task']}".split("/short")[0],
                   "metric": str(first["metric"]), "fold": UNSEEN, "known": False,
                   "cut": cut}, curve


def curves_folder() -> Path:
    """Return the folder of curves that others published.

    Raises
    ------
    NotAtHandError
        Where there is none.
    """
    folder = published_dir()
    if folder is None or not (folder / "curves").is_dir():
        raise NotAtHandError("Curves that others published are not at hand: "
                             "LEARNING_CURVES_PUBLISHED names the folder with curves/ in it.")
    return folder / "curves"
